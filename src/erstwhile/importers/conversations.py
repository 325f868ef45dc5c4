"""`conversations.json`, as both ChatGPT and Claude call it: an array of conversations, in one file or in numbered ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.importers import scan
from erstwhile.importers.model import Entry, Problem, Source

_NAMED = re.compile(r"(?:^|/)conversations(?:[-_. ]?\d+)?\.json$", re.IGNORECASE)
_LOOKED_AT = 20  # files of a folder, to tell what it is


def files(source: Source, like: Callable[[str], bool]) -> list[Entry]:
    """Those that are called so and begin as they should; where none is called so, those that begin so (a file that was renamed)."""
    all_json = [entry for entry in source.entries if entry.name.lower().endswith(".json")]
    named = [entry for entry in all_json if _NAMED.search(entry.name)]
    return [entry for entry in named or all_json[:_LOOKED_AT] if like(scan.head(entry))]


def nothing(source: Source, program: str) -> InvalidInput:
    return InvalidInput(
        f"{source.name} has no conversations of {program}. Give the zip that {program} sent you, its folder, or its conversations.json."
    )


def each(entry: Entry) -> Iterator[tuple[str, dict[str, Any]] | Problem]:
    """Where it stands, and the conversation."""
    number = 0
    try:
        with entry.open() as stream:
            whole = scan.Scan(stream)
            for value in whole.items() if whole.next() == "[" else iter((whole.value(),)):
                number += 1
                where = f"{entry.name}, conversation {number:,}"
                if isinstance(value, dict):
                    yield where, value
                else:
                    yield scan.left_out(where, value)
    except scan.Damaged as damage:
        yield scan.rest_of(entry, damage, f"conversation {number:,}")


def about(source: Source, name: str) -> Any:
    """What a small file beside them says; None if there is none, or it can't be read."""
    entry = next((entry for entry in source.entries if entry.name.rpartition("/")[2].lower() == name), None)
    if entry is None:
        return None
    try:
        with entry.open() as stream:
            return scan.Scan(stream, 2**20).value()
    except (scan.Damaged, InvalidInput):
        return None
