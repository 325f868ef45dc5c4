"""What a machine can check of how the house is kept."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast, get_args, get_origin

import pytest

import erstwhile
from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import RESOURCES
from erstwhile.api.verb import returns, verbs
from erstwhile.client.memory import RemoteChannel, RemoteMemory
from erstwhile.client.resources import REMOTE_RESOURCES
from erstwhile.storage import Database
from erstwhile.storage.postgres import PostgresDatabase
from erstwhile.storage.sqlite import SQLiteDatabase
from support import crash_points

ROOT = Path(erstwhile.__file__).parent
REPOSITORY = ROOT.parents[1]
SOURCES = sorted(ROOT.rglob("*.py"))


def test_files_stay_short_enough_to_read() -> None:
    files = [*SOURCES, *ROOT.rglob("*.[ch]")]
    assert [file.name for file in files if len(file.read_text().splitlines()) > 400] == []


def test_a_broad_except_says_why_and_there_are_few() -> None:
    lines = [line for file in SOURCES for line in file.read_text().splitlines()]
    broad = [line for line in lines if re.search(r"except( Exception| BaseException)?( as \w+)?:", line)]
    assert [line for line in broad if not re.search(r"# (noqa: BLE001 - )?\w+", line)] == []
    assert len(broad) <= len(lines) / 1000


def test_every_crash_point_has_a_plain_name_that_tests_find() -> None:
    calls = sum(file.read_text().count("crash.point(") for file in SOURCES)
    assert len(crash_points.USED) == calls
    assert calls > 30


def test_nothing_is_left_lying_about() -> None:
    left = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
    assert [str(file) for file in SOURCES if left.search(file.read_text())] == []


def test_no_path_of_a_machine_and_no_registry_is_named() -> None:
    named = re.compile(r"/root/|/home/\w|/work/|pypi\.org|pythonhosted|registry\.npmjs", re.IGNORECASE)
    files = subprocess.run(
        ["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.split()
    texts = {name: (REPOSITORY / name) for name in files if (REPOSITORY / name).is_file() and "test_rules" not in name}
    assert [name for name, file in texts.items() if named.search(file.read_text(errors="replace"))] == []


def _verbs(owner: type) -> dict[str, list[tuple[str, object, object]]]:
    return {
        name: [(each.name, each.kind, each.default) for each in inspect.signature(verb).parameters.values()]
        for name, verb in inspect.getmembers(owner, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize("remote", [RemoteMemory, RemoteChannel, *REMOTE_RESOURCES.values()])
def test_what_the_remote_client_does_by_hand_has_the_same_signature(remote: type) -> None:
    assert _verbs(remote) == _verbs(remote.__mro__[1])


@pytest.mark.parametrize("database", [SQLiteDatabase, PostgresDatabase])
def test_both_databases_have_the_ports_verbs(database: type) -> None:
    wanted = _verbs(Database)
    assert {name: verb for name, verb in _verbs(database).items() if name in wanted} == wanted


def test_everything_promised_can_be_had() -> None:
    assert sorted(erstwhile.__all__) == erstwhile.__all__
    assert all(getattr(erstwhile, name) is not None for name in erstwhile.__all__)
    with pytest.raises(AttributeError):
        _ = erstwhile.something_else


def _types(hint: object) -> Iterator[type]:
    """The classes that a return annotation names."""
    origin = get_origin(hint)
    if inspect.isclass(origin or hint):
        yield cast(type, origin or hint)
    for inner in get_args(hint):
        yield from _types(inner)


def test_every_type_that_a_verb_returns_is_public() -> None:
    returned = {
        kind
        for owner in (Memory, Channel, *RESOURCES.values())
        for each in verbs(owner)
        for kind in _types(returns(each))
    }
    ours = {kind.__name__ for kind in returned if kind.__module__.startswith("erstwhile.")}
    assert ours - set(erstwhile.__all__) == set()


def test_editors_see_the_same_public_names_as_programs() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text())
    checking = next(each for each in tree.body if isinstance(each, ast.If))
    imports = [each for each in checking.body if isinstance(each, ast.ImportFrom)]
    seen = {name.name: str(each.module) for each in imports for name in each.names}
    assert seen == {name: f"erstwhile.{module}" for name, module in erstwhile._HOMES.items()}
    assert sorted(seen) == erstwhile.__all__


HEAVY = (
    "asyncio",
    "pydantic",
    "pydantic_ai",
    "apsw",
    "psycopg",
    "numpy",
    "typer",
    "rich",
    "Stemmer",
    "openai",
    "erstwhile_vectors",
    "tokenizers",
    "safetensors",
    "onnxruntime",
    "httpx2",
    "fastapi",
    "opentelemetry",
    "prometheus_client",
)


def _loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_erstwhile_loads_nothing_heavy() -> None:
    assert _loaded_by("import erstwhile").isdisjoint(HEAVY)


def test_opening_on_sqlite_loads_no_model_client_and_no_other_database() -> None:
    loaded = _loaded_by(
        "import asyncio, erstwhile, erstwhile.embedders.choose; erstwhile.open('x.db'); import erstwhile.wiring, erstwhile.storage.sqlite"
    )
    assert loaded.isdisjoint({"pydantic_ai", "openai", "anthropic", "psycopg", "numpy", "typer", "rich"})


def test_no_import_reaches_for_the_network() -> None:
    script = """
import sys
def hook(event, args):
    if event.startswith("socket.") and event not in ("socket.gethostname",):
        raise SystemExit(f"{event} at import")
sys.addaudithook(hook)
import erstwhile.cli.app, erstwhile.api.memory, erstwhile.api.blocking, erstwhile.writers.prompted, erstwhile.writers.extractive
import erstwhile.storage.postgres, erstwhile.storage.sqlite, erstwhile.embedders.choose
"""
    subprocess.run([sys.executable, "-c", script], check=True)
