"""Build the wheel, install erstwhile into a bare environment of each Python, and use it there: `make wheels`.

    python deploy/wheels.py dist                              # python3.11 to python3.14, those that are here
    python deploy/wheels.py dist /opt/py/bin/python3.13 …     # these
    CC=zig python deploy/wheels.py dist                       # for every Linux with glibc 2.17 or later: pip install ziglang

Each environment lies outside of the checkout. There the version, the demo, the README's example, a few commands and a
server must work.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PORT = 8799
COMMANDS = (
    ("--version",),
    ("demo",),
    ("search", "Busan", "--database", "chat.db"),
    ("about", "alice", "--database", "chat.db"),
    ("channels", "list", "--database", "chat.db"),
    ("doctor", "--database", "chat.db"),
)


def build(folder: Path) -> Path:
    """Build the wheel. It has the vectors of packages/erstwhile-vectors and the plugin of integrations/coding in it."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder.absolute())]
    subprocess.run(words, cwd=ROOT, check=True)
    return max(folder.absolute().glob("erstwhile-*.whl"), key=lambda wheel: wheel.stat().st_mtime)


def readme_example() -> str:
    """Return the first Python example of the README."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def pythons() -> list[str]:
    """Return the Pythons of VERSIONS that are here and start; a name that starts nothing is left out."""
    found = [name for name in (shutil.which(f"python{version}") for version in VERSIONS) if name]
    return [name for name in found if subprocess.run([name, "--version"], capture_output=True).returncode == 0]


def wait_for_server(process: subprocess.Popen[bytes]) -> str:
    """Return what /healthz says."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/healthz", timeout=5) as answer:
                return str(answer.read().decode())
        except urllib.error.URLError:
            if process.poll() is not None:
                break
            time.sleep(0.2)
    raise RuntimeError("erstwhile serve did not start")


def use(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel for one Python and use it. Raises if anything fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ERSTWHILE_"))}

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    run(python, "-m", "venv", "env")
    program = str(folder / "env" / "bin" / "erstwhile")
    pip = (str(folder / "env" / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check")
    started = time.monotonic()
    run(*pip, str(wheel))
    installed = time.monotonic()
    (folder / "first.py").write_text(readme_example(), encoding="utf-8")
    assert "Busan" in run(str(folder / "env" / "bin" / "python"), "first.py")
    for words in COMMANDS:
        run(program, *words)
    used = time.monotonic()
    run(*pip, f"{wheel}[server,mcp]")
    words = [program, "serve", "--port", str(PORT), "--database", "chat.db"]
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        health = wait_for_server(process)
    finally:
        process.terminate()
        process.wait(30)
    version = run(python, "--version").strip()
    sys.stdout.write(f"{version}: installed in {installed - started:.0f} s, used in {used - installed:.0f} s\n")
    sys.stdout.write(f"  erstwhile serve: {health}\n")
    sys.stdout.flush()


def main(folder: str, *chosen: str) -> None:
    wheel = build(Path(folder))
    for python in chosen or pythons():
        with tempfile.TemporaryDirectory(prefix="erstwhile-wheel-") as place:
            use(python, wheel, Path(place))


if __name__ == "__main__":
    main(*sys.argv[1:])
