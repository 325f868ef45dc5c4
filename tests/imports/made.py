"""A source of every format there is: a format joins the tests of killing, resuming, hostile bytes and memory by its maker."""

from __future__ import annotations

from erstwhile.imports.formats import NAMES
from erstwhile.testing.long_exports import MAKERS as ALL
from erstwhile.testing.long_exports import PEOPLE, discord, discord_file, discord_message, jsonl

MAKERS = {name: ALL[name] for name in NAMES if name in ALL}

__all__ = ["MAKERS", "PEOPLE", "discord", "discord_file", "discord_message", "jsonl"]
