"""`conversations.json` of ChatGPT and Claude: conversations in one file or in numbered ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.importers import scan
from erstwhile.importers.model import (
    Format,
    ImportProblem,
    ImportSource,
    ReadItem,
    ReadItems,
    SourceFile,
)

Convert = Callable[[str, dict[str, Any]], Iterator[ReadItem]]


@dataclass(frozen=True, slots=True)
class Branch:
    """Message ids from the first to the last. `broken`: why it does not begin at the start."""

    ids: Sequence[str]
    broken: str = ""

    def problems(self, where: str) -> Iterator[ImportProblem]:
        if self.broken:
            yield ImportProblem(
                where, f"Only the last {len(self.ids):,} messages could be followed: {self.broken}."
            )


def leaf(parents: Mapping[str, str], times: Mapping[str, datetime | None]) -> str:
    """Return the newest message that nothing follows; in a cycle, the newest."""
    newest_last = sorted(times, key=lambda id: at.timestamp() if (at := times[id]) else 0.0)
    followed = set(parents.values())
    return ([id for id in newest_last if id not in followed] or newest_last)[-1]


def upwards(
    parents: Mapping[str, str], start: str, known: Mapping[str, object], roots: Sequence[str] = ()
) -> Branch:
    """Follow parents from the last message to the first, up to a missing one or a cycle."""
    ids: list[str] = []
    seen: set[str] = set()
    here, broken = start, ""
    while True:
        ids.append(here)
        seen.add(here)
        above = parents.get(here, "")
        if not above or above in roots:
            break
        if above in seen:
            broken = "its messages follow each other in a ring"
            break
        if above not in known:
            broken = "a message that others follow is missing"
            break
        here = above
    return Branch(ids[::-1], broken)


_NAMED = re.compile(r"(?:^|/)conversations(?:[-_. ]?\d+)?\.json$", re.IGNORECASE)
_LOOKED_AT = 20  # files of a folder, to recognise it


def conversation_format(
    program: str,
    like: Callable[[str], bool],
    convert: Callable[[ImportSource], Convert],
    beside: Callable[[ImportSource], Iterable[ReadItem]] = lambda _: (),
) -> Format:
    """Make a format of conversations. `like` recognises the beginning of a file; `convert` makes what
    converts a conversation, given its position, from what stands beside it in the source, and
    `beside` counts what is left out there."""

    def files(source: ImportSource) -> list[SourceFile]:
        """Return files with the usual name and beginning, else renamed ones."""
        all_json = scan.json_files(source)
        named = [entry for entry in all_json if _NAMED.search(entry.name)]
        return [entry for entry in named or all_json[:_LOOKED_AT] if like(scan.head(entry))]

    def read(source: ImportSource) -> ReadItems:
        found = files(source)
        if not found:
            raise InvalidInput(
                f"{source.name} has no conversations of {program}. Give the zip that {program} sent you, its folder, "
                "or its conversations.json."
            )
        convert_one = convert(source)
        for entry in found:
            for each in scan.read_objects(entry, "conversation", single=True):
                if isinstance(each, ImportProblem):
                    yield each
                else:
                    yield from convert_one(*each)
        yield from beside(source)

    return Format(program.lower(), lambda source: bool(files(source)), read)


def read_side_file(source: ImportSource, name: str) -> Any:
    """Return the content of a small file beside them; None if it is missing or unreadable."""
    found = (each for each in source.entries if each.name.rpartition("/")[2].lower() == name)
    entry = next(found, None)
    if entry is None:
        return None
    try:
        with entry.open() as stream:
            return scan.JsonScanner(stream, 2**20).value()
    except (scan.DamagedFile, InvalidInput):
        return None
