"""Messages of an `erstwhile export`. Memories are made again from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers import jsonl
from erstwhile.importers.digest_counts import DigestCounts
from erstwhile.importers.model import ImportSource, ReadItem, SourceFile

_LARGEST: Final = 65536


class OwnExport:
    name = "erstwhile"

    def recognises(self, source: ImportSource) -> bool:
        return any(entry.name == "manifest.json" and _is_ours(entry) for entry in source.entries)

    def read(self, source: ImportSource) -> Iterator[ReadItem]:
        found = [entry for entry in source.entries if entry.name == "messages.jsonl"]
        if not found:
            raise InvalidInput(f"{source.name} has no messages.jsonl. Give a zip made by `erstwhile export`.")
        yield from jsonl.lines(found[0], source.channel, DigestCounts(), "messages.jsonl, ")


FORMAT = OwnExport()


def _is_ours(entry: SourceFile) -> bool:
    try:
        with entry.open() as stream:
            told = json.loads(stream.read(_LARGEST))
    except (InvalidInput, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and told.get("format") == "erstwhile-export"
