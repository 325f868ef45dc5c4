"""The systems of bench/peers.toml, each in a virtual environment of its own under `.venv-peers`."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venv-peers"
_VERSIONS = """
import importlib.metadata as m, json, sys
print(json.dumps({name: m.version(name) for name in sys.argv[1:]}))
"""


class Failed(Exception):
    """A system that could not do its part. The text is its own error."""


@dataclass(frozen=True, slots=True)
class Peer:
    name: str
    label: str
    about: str
    apart: str
    environment: str
    needs: tuple[str, ...]
    model: bool

    @property
    def python(self) -> str:
        made = FOLDER / self.environment / "bin" / "python"
        return str(made) if self.needs else sys.executable

    def install(self) -> dict[str, str]:
        """Make the environment unless it is there, and open the system. Returns the versions of what it needs."""
        folder, stamp = FOLDER / self.environment, FOLDER / self.environment / "made"
        wanted = hashlib.sha256(repr(self.needs).encode()).hexdigest()
        if self.needs and not (stamp.exists() and stamp.read_text() == wanted):
            venv.create(folder, with_pip=True, clear=True)
            self._call("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *self.needs)
            stamp.write_text(wanted)
        with tempfile.TemporaryDirectory() as place:
            self.run("bench.peers_parts", self.name, "open", place, seconds=300)
        names = [re.split(r"[\[=<>]", each)[0] for each in self.needs]
        found: dict[str, str] = json.loads(self._call("-c", _VERSIONS, *names))
        return found

    def run(self, module: str, *words: str, seconds: float | None = None) -> dict[str, Any]:
        """Run a module of bench there. Returns the JSON of the last line that it prints."""
        printed = self._call("-m", module, *words, seconds=seconds)
        found: dict[str, Any] = json.loads(printed.splitlines()[-1])
        return found

    def _call(self, *words: str, seconds: float | None = None) -> str:
        with self.started(*words) as process:
            try:
                printed, errors = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                raise Failed(f"gave up after {seconds:g} s") from None
        if process.returncode:
            raise Failed(last_words(errors, process.returncode))
        return printed

    def started(self, *words: str, errors: Any = subprocess.PIPE) -> subprocess.Popen[str]:
        """The environment's Python, which is kept from downloading anything but packages."""
        paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
        environment = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": paths}
        return subprocess.Popen(
            [self.python, *words], stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT, env=environment
        )


def last_words(printed: str, code: int) -> str:
    """What went wrong, in a line: pip's errors, or the last line of a traceback."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    said = errors or lines[-1:] or [f"ended without a word, with code {code}"]
    return " ".join(shorten(each, 160, placeholder=" …") for each in said)


def peers() -> dict[str, Peer]:
    tables = tomllib.loads((ROOT / "bench" / "peers.toml").read_text())
    found = {}
    for name, table in tables.items():
        environment = table.get("environment", name)
        needs = tuple(tables[environment].get("needs", ()))
        texts = (table["label"], table["about"], table["apart"])
        found[name] = Peer(name, *texts, environment, needs, table.get("model", False))
    return found
