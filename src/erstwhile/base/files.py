"""Find the files of a package. `importlib.resources` would take as long to import as ten modules."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path


def folder(package: str) -> Path:
    return Path(import_module(package).__path__[0])
