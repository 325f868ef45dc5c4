"""What `erstwhile export` wrote: its messages. Memories are made again from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers import jsonl
from erstwhile.importers.model import Entry, Read, Source
from erstwhile.importers.seen import Seen

_LARGEST: Final = 65536


class Own:
    name = "erstwhile"

    def recognises(self, source: Source) -> bool:
        return any(entry.name == "manifest.json" and _is_ours(entry) for entry in source.entries)

    def read(self, source: Source) -> Iterator[Read]:
        found = [entry for entry in source.entries if entry.name == "messages.jsonl"]
        if not found:
            raise InvalidInput(f"{source.name} has no messages.jsonl, as an export has.")
        yield from jsonl.lines(found[0], source.channel, Seen(), "messages.jsonl, ")


FORMAT = Own()


def _is_ours(entry: Entry) -> bool:
    try:
        with entry.open() as stream:
            told = json.loads(stream.read(_LARGEST))
    except (InvalidInput, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and told.get("format") == "erstwhile-export"
