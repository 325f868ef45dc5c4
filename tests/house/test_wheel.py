"""What people install: the wheel can be built again byte for byte, holds nothing that runs by itself, and reaches for nothing."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT_FROM = (
    "src",
    "packages",
    "integrations/coding",
    "pyproject.toml",
    "hatch_build.py",
    "README.md",
    "LICENSE",
    ".gitignore",
)


def built(folder: Path, umask: int) -> Path:
    """Build the wheel from a copy of the source whose files are of now, under another umask and another hash seed."""
    before = os.umask(umask)
    try:
        folder.mkdir()
        for name in BUILT_FROM:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(
                    source, folder / name, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns("__pycache__")
                )
            else:
                shutil.copyfile(source, folder / name)
        words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "out")]
        subprocess.run(
            words, cwd=folder, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": str(umask)}
        )
    finally:
        os.umask(before)
    (wheel,) = (folder / "out").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel") / "first", 0o022)


def test_it_is_the_same_byte_for_byte_wherever_and_whenever_it_is_built(wheel: Path, tmp_path: Path) -> None:
    again = built(tmp_path / "somewhere else", 0o077)
    assert again.name == wheel.name
    assert hashlib.sha256(again.read_bytes()).hexdigest() == hashlib.sha256(wheel.read_bytes()).hexdigest()


def test_it_has_only_the_package_and_nothing_that_runs_when_python_starts(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {
        "erstwhile",
        "erstwhile_coding",
        "erstwhile_vectors",
    }
    assert not [name for name in names if name.endswith((".pth", ".so", ".pyd", ".pyc")) or "sitecustomize" in name]
    assert "erstwhile/compiled/ranking.library" in names
    assert "-py3-none-" in wheel.name, "for every Python 3"
    assert not wheel.name.endswith("-any.whl"), "for one platform"
    assert not [name for name in names if ".data/" in name], "no scripts but the entry point"
    assert len(names) > 500
    plugin = {name.removeprefix("erstwhile_coding/marketplace/") for name in names if "/marketplace/" in name}
    assert {".claude-plugin/marketplace.json", "plugin/.mcp.json", "plugin/hooks/memory_hook.py"} <= plugin


def test_it_brings_what_the_package_reads_and_says_where_it_comes_from(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        (about,) = (opened.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
        (entry,) = (opened.read(name).decode() for name in names if name.endswith("/entry_points.txt"))
    read = [
        path
        for path in (ROOT / "src/erstwhile").rglob("*")
        if path.suffix in (".py", ".pyi", ".md", ".sql", ".toml", ".html", ".css", ".js", ".json", ".svg", ".typed")
        and "__pycache__" not in path.parts
    ]
    assert len(read) > 600
    assert [path for path in read if str(path.relative_to(ROOT / "src")) not in names] == []
    assert "erstwhile = erstwhile.cli:run" in entry
    assert "Version: 0.1.0" in about
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= set(re.findall(r"Project-URL: (\w+),", about))
    assert "# erstwhile" in about, "PyPI shows the README"


def test_every_file_has_the_digest_that_the_wheel_records(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        (record,) = (name for name in opened.namelist() if name.endswith(".dist-info/RECORD"))
        rows = {name: digest for name, digest, _ in csv.reader(io.StringIO(opened.read(record).decode()))}
        assert rows.keys() == set(opened.namelist())
        for name, digest in rows.items():
            if name != record:
                found = base64.urlsafe_b64encode(hashlib.sha256(opened.read(name)).digest()).rstrip(b"=").decode()
                assert digest == f"sha256={found}", name


IMPORTS = """
import importlib, pkgutil, sys

def refuse(event, args):
    if "ldconfig" in str(args[:1]):
        return  # ctypes looks for a library of NiceGUI's
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind", "os.system", "os.exec", "os.posix_spawn"):
        raise RuntimeError(f"{event} while importing")

sys.addaudithook(refuse)
import erstwhile
heavy = tuple(f"erstwhile.{name}" for name in ("__main__", "adapters", "bots", "dashboard", "mcp"))  # load large libraries
names = [each.name for each in pkgutil.walk_packages(erstwhile.__path__, "erstwhile.") if not each.name.startswith(heavy)]
for name in names:
    importlib.import_module(name)
print(len(names))
"""


def test_importing_any_of_it_reaches_for_nothing() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", IMPORTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 300


# What it is developed with


def locked() -> dict[str, list[str]]:
    """The hashes of each package of the lock file."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"\n(?=\S)", (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")):
        name = re.match(r"([A-Za-z0-9._-]+)(\[[^]]*\])?==\S+", block)
        assert name is not None, block[:80]
        found[_plain(name[1])] = re.findall(r"--hash=sha256:[0-9a-f]{64}", block)
    return found


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_package_of_the_development_environment_is_locked_with_its_hashes() -> None:
    packages = locked()
    assert len(packages) > 100
    assert [name for name, hashes in packages.items() if not hashes] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    needed = {_plain(re.match(r"[A-Za-z0-9._-]+", each)[0]) for each in [*project["dependencies"], *extras]}  # type: ignore[index]
    optional = {
        _plain(re.match(r"[A-Za-z0-9._-]+", each)[0])
        for name in ("minilm", "use", "fastembed")
        for each in project["optional-dependencies"][name]
    }  # type: ignore[index]
    assert needed - optional - {"erstwhile"} <= packages.keys(), "run `make lock`"


def bill(*extras: str) -> str:
    words = [sys.executable, str(ROOT / "deploy" / "sbom.py"), *extras]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_the_bill_of_materials_lists_what_is_installed_and_is_the_same_each_time() -> None:
    told = json.loads(bill("server"))
    assert (told["bomFormat"], told["metadata"]["component"]["name"]) == ("CycloneDX", "erstwhile")
    found = {each["name"]: each for each in told["components"]}
    assert {"apsw", "numpy", "fastapi", "starlette", "uvicorn"} <= found.keys()
    assert not found.keys() & {"pytest", "mypy", "slack-sdk"}, "neither what it is developed with nor other extras"
    assert found["apsw"]["purl"] == f"pkg:pypi/apsw@{version('apsw')}"
    refs = {each["bom-ref"] for each in [*told["components"], told["metadata"]["component"]]}
    assert {need for each in told["dependencies"] for need in each["dependsOn"]} <= refs
    assert bill("server") == bill("server")
    assert len(json.loads(bill("none"))["components"]) < 15
