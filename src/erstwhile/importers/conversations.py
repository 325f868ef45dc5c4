"""`conversations.json` of ChatGPT and Claude: conversations in one file or in numbered ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.importers import scan
from erstwhile.importers.model import ImportProblem, ImportSource, ReadItem, SourceFile

Convert = Callable[[str, dict[str, Any]], Iterator[ReadItem]]


@dataclass(frozen=True, slots=True)
class Branch:
    """Message ids from the first to the last. `broken`: why it does not begin at the start."""

    ids: Sequence[str]
    broken: str = ""


def leaf(parents: Mapping[str, str], newest_last: Sequence[str]) -> str:
    """Return the newest message that nothing follows; in a cycle, the newest."""
    followed = set(parents.values())
    ends = [id for id in newest_last if id not in followed]
    return (ends or newest_last)[-1]


def upwards(parents: Mapping[str, str], start: str, known: Mapping[str, object], roots: Sequence[str] = ()) -> Branch:
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


def files(source: ImportSource, like: Callable[[str], bool]) -> list[SourceFile]:
    """Return files with the usual name and beginning, else renamed files with that beginning."""
    all_json = scan.json_files(source)
    named = [entry for entry in all_json if _NAMED.search(entry.name)]
    return [entry for entry in named or all_json[:_LOOKED_AT] if like(scan.head(entry))]


class ConversationFormat:
    """A format of conversations. `like` recognises the beginning of a file; `convert` makes what
    converts a conversation, given its position, from what stands beside it in the source."""

    def __init__(self, program: str, like: Callable[[str], bool], convert: Callable[[ImportSource], Convert]) -> None:
        self.name, self._program, self._like, self._convert = program.lower(), program, like, convert

    def recognises(self, source: ImportSource) -> bool:
        return bool(files(source, self._like))

    def read(self, source: ImportSource) -> Iterator[ReadItem]:
        found, program = files(source, self._like), self._program
        if not found:
            raise InvalidInput(
                f"{source.name} has no conversations of {program}. Give the zip that {program} sent you, its folder, "
                "or its conversations.json."
            )
        convert = self._convert(source)
        for entry in found:
            for each in scan.read_objects(entry, "conversation", single=True):
                if isinstance(each, ImportProblem):
                    yield each
                else:
                    yield from convert(*each)


def read_side_file(source: ImportSource, name: str) -> Any:
    """Return the content of a small file beside them; None if it is missing or unreadable."""
    entry = next((entry for entry in source.entries if entry.name.rpartition("/")[2].lower() == name), None)
    if entry is None:
        return None
    try:
        with entry.open() as stream:
            return scan.JsonScanner(stream, 2**20).value()
    except (scan.DamagedFile, InvalidInput):
        return None
