"""A source of every format there is: a format joins the tests of killing, resuming, hostile bytes and memory by its maker."""

from __future__ import annotations

import tempfile
from pathlib import Path

from erstwhile.importers.loading import NAMES
from support.exports import MAKERS as ALL
from support.exports import PEOPLE, discord, discord_file, discord_message, jsonl

MAKERS = {name: ALL[name] for name in NAMES if name in ALL}

__all__ = ["MAKERS", "PEOPLE", "discord", "discord_file", "discord_message", "files", "jsonl"]


def files(name: str, count: int) -> dict[str, bytes]:
    """What the files of an export hold, by their names in it."""
    with tempfile.TemporaryDirectory() as folder:
        made = ALL[name](Path(folder), count)
        home = made if made.is_dir() else made.parent
        return {each.relative_to(home).as_posix(): each.read_bytes() for each in home.rglob("*") if each.is_file()}
