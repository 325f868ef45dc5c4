"""The jsonl format: a message per line, {"channel", "role", "person"?, "name"?, "text", "at"?, "key"?, "model"?,
"meta"?}, or a line of another chat log (chat_lines.py). The same objects may also stand in one JSON array.

A line that names no channel belongs to the channel of the import, else to one with the file's name; a conversation
that names none has a channel of its own there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import IO, Any, Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers import scan
from erstwhile.importers.chat_lines import looks_like_chat, read_line
from erstwhile.importers.model import (
    DigestCounts,
    ImportedMessage,
    ImportProblem,
    ImportSource,
    ReadItem,
    SkippedItems,
    SourceFile,
)
from erstwhile.importers.source_file import DamagedFile
from erstwhile.log import check

_ENDINGS: Final = (".jsonl", ".ndjson")
_LONGEST: Final = 32 * 2**20  # bytes of a line
_HEAD: Final = 65536
_ANY_SIZE: Final = 1 << 62  # the size is checked when it is stored


class Jsonl:
    name = "jsonl"

    def recognises(self, source: ImportSource) -> bool:
        return any(_named(entry) for entry in source.entries) or (
            len(source.entries) == 1 and _looks(source.entries[0])
        )

    def read(self, source: ImportSource) -> Iterator[ReadItem]:
        alone = len(source.entries) == 1
        chosen = [entry for entry in source.entries if alone or _named(entry) or _looks(entry)]
        if not chosen:
            raise InvalidInput(f"{source.name} has no file that ends in {' or '.join(_ENDINGS)}.")
        others = sum(
            entry.name.lower().endswith(".json") for entry in source.entries if entry not in chosen
        )
        if others:
            yield SkippedItems("JSON files of another kind", others)
        seen = DigestCounts()
        for entry in chosen:
            yield from lines(entry, source.channel, seen, "" if alone else f"{entry.name}, ")


FORMAT = Jsonl()


def _named(entry: SourceFile) -> bool:
    return entry.name.lower().endswith(_ENDINGS)


def _looks(entry: SourceFile) -> bool:
    """Return whether the first line, or the first object of an array, is a message, whatever the
    file's name."""
    if not _is_array(entry):
        return looks_like_chat(_start(entry, lambda stream: stream.readline(_HEAD)))
    try:
        first, _ = json.JSONDecoder().raw_decode(scan.head(entry).lstrip()[1:].lstrip())
    except (ValueError, RecursionError):
        return False
    return looks_like_chat(first)


def _is_array(entry: SourceFile) -> bool:
    return scan.head(entry).lstrip().startswith("[")


def _start(entry: SourceFile, read: Callable[[IO[bytes]], bytes]) -> object:
    """Return the JSON at the beginning of a file, or None."""
    try:
        with entry.open() as stream:
            return json.loads(read(stream))
    except (InvalidInput, ValueError, RecursionError):
        return None


def lines(
    entry: SourceFile, channel: str | None, seen: DigestCounts, within: str
) -> Iterator[ReadItem]:
    stem = entry.name.replace("\\", "/").rpartition("/")[2].partition(".")[0].strip()
    named = channel or stem or "imported"
    number = 0
    if _is_array(entry):
        for number, each in enumerate(scan.read_objects(entry, "message"), 1):
            if isinstance(each, ImportProblem):
                yield each
            else:
                yield from _messages(each[1], named, number, seen, each[0])
        return
    try:
        with entry.open() as stream:
            for raw in _raw(stream):
                number += 1
                if raw is None:
                    why = f"it is longer than {_LONGEST:,} bytes; split its message"
                    yield ImportProblem(f"{within}line {number}", why)
                elif raw.strip():
                    yield from _line(raw, named, number, seen, within)
    except DamagedFile as damage:
        yield ImportProblem(f"{within}line {number + 1}", str(damage))


def _raw(stream: IO[bytes]) -> Iterator[bytes | None]:
    """Yield lines; None for one that is too long."""
    while raw := stream.readline(_LONGEST + 1):
        if len(raw) <= _LONGEST:
            yield raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(_HEAD)
        yield None


def _line(
    raw: bytes, named: str, number: int, seen: DigestCounts, within: str
) -> Iterator[ReadItem]:
    where = f"{within}line {number}"
    try:
        told = _parse(raw)
    except InvalidInput as error:
        yield ImportProblem(where, str(error))
    else:
        yield from _messages(told, named, number, seen, where)


def _messages(
    told: dict[str, Any], named: str, number: int, seen: DigestCounts, where: str
) -> Iterator[ReadItem]:
    """Yield the messages of a line or of an object of an array."""
    try:
        for each in read_line(told):
            at = f"{where}, message {each.number}" if each.number else where
            alone = f"{named}:{number}" if each.number else named
            if each.fields is None:
                yield SkippedItems("messages without text, such as tool calls")
            else:
                yield _message(each.channel or alone, each.fields, seen, at)
    except InvalidInput as error:
        yield ImportProblem(where, str(error))


def _message(channel: str, told: dict[str, Any], seen: DigestCounts, where: str) -> ReadItem:
    try:
        name = check.identifier("channel", channel)
        if told.get("key") is None:
            told["key"] = _key(name, told, seen)
        return ImportedMessage(name, check.message(told, largest=_ANY_SIZE), where)
    except InvalidInput as error:
        return ImportProblem(where, str(error))


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        line = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"not UTF-8 at its byte {error.start + 1:,}; convert the file first, for example with iconv"
        ) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"not JSON ({error})") from None
    if not isinstance(line, dict):
        raise InvalidInput("not a JSON object")
    return line


def _key(channel: str, told: dict[str, Any], seen: DigestCounts) -> str:
    """Make a key from the content and its number among equal lines."""
    written = json.dumps([channel, told], sort_keys=True, ensure_ascii=False, default=str)
    digest = hashlib.sha256(written.encode("utf-8", "replace")).digest()
    return f"jsonl:{digest.hex()[:32]}:{seen.count(digest)}"


class OwnExport:
    name = "erstwhile"

    def recognises(self, source: ImportSource) -> bool:
        return any(entry.name == "manifest.json" and _is_ours(entry) for entry in source.entries)

    def read(self, source: ImportSource) -> Iterator[ReadItem]:
        found = [entry for entry in source.entries if entry.name == "messages.jsonl"]
        if not found:
            raise InvalidInput(
                f"{source.name} has no messages.jsonl. Give a zip made by `erstwhile export`; "
                "a backup is restored with `erstwhile backup FILE --restore`."
            )
        yield from lines(found[0], source.channel, DigestCounts(), "messages.jsonl, ")


OWN_FORMAT = OwnExport()


def _is_ours(entry: SourceFile) -> bool:
    told = _start(entry, lambda stream: stream.read(_HEAD))
    return isinstance(told, dict) and told.get("format") in ("erstwhile-export", "erstwhile-backup")
