"""Read JSON of any size value by value, holding only the current value, and fields that may hold anything.

Python's decoder reads from a window of the text (docs/decisions/0009-json.md). Values that are too
large or nested too deep are skipped.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import IO, Any, Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.model import ImportProblem, ImportSource, SourceFile
from erstwhile.importers.sources import DamagedFile as DamagedFile  # raised by a scan

_LONGEST_NAME: Final = 200
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FURTHEST: Final = 253_402_300_799  # the last second of the year 9999
_NONE: Final[Mapping[str, Any]] = {}


def text(value: object) -> str:
    """Return the text, or "" for anything else."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NONE


def items(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def mappings(value: object) -> list[Mapping[str, Any]]:
    return [each for each in items(value) if isinstance(each, dict)]


def name(*values: object) -> str | None:
    """Return the first usable name, on one line."""
    for value in values:
        words = " ".join(text(value).split())
        if words:
            return words[:_LONGEST_NAME]
    return None


def identity(value: object) -> str:
    """Return an id as text; some are numbers. "" if it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**30 else ""
    return text(value).strip()


def seconds(value: object) -> datetime | None:
    """Parse seconds since 1970, a number or text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        since = float(value)
    except (ValueError, OverflowError):
        return None
    if not 0 < since < _FURTHEST:  # no chat is older than 1970; excludes NaN too
        return None
    return _EPOCH + timedelta(seconds=since)


def iso(value: object) -> datetime | None:
    """Parse an ISO time; without a zone it is UTC."""
    try:
        at = datetime.fromisoformat(text(value))
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def file(name: str) -> str:
    """Return the line for an attached file. Line breaks in its name are removed."""
    shown = " ".join(name.split())[:_LONGEST_NAME]
    return f"[file: {shown}]" if shown else "[file]"


def filled(**values: object) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


LARGEST: Final = 32 * 2**20  # characters of one value; conversations of years have 3 million
_AT_ONCE = 256 * 1024
_HEAD = 64 * 1024
_SPACE = re.compile(r"[ \t\r\n\ufeff]*")
_BRACKET = re.compile(r"[{}\[\]]")
_ENDS_A_NUMBER = frozenset(",]} \t\r\n")
_IN_STRING = re.compile(r'["\\]')
_CUT = 16  # the error of a cut value is at most this far before the window's edge


class SkippedValue:
    """Replaces a value that was too large or nested too deep; `why` says which."""

    def __init__(self, why: str) -> None:
        self.why = why


def skipped_problem(where: str, value: object) -> ImportProblem:
    """Report a value that is not an object."""
    why = value.why if isinstance(value, SkippedValue) else "it is not an object"
    return ImportProblem(where, f"It was left out: {why}.")


def head(entry: SourceFile) -> str:
    """Return the beginning of a file, to recognise it; "" if it cannot be opened."""
    start = b""
    try:
        with entry.open() as stream:  # which may return less than it is asked for
            while len(start) < _HEAD and (more := stream.read(_HEAD - len(start))):
                start += more
    except (InvalidInput, OSError):
        return ""
    return start.decode("utf-8-sig", "replace")


def damage_problem(entry: SourceFile, damage: DamagedFile, after: str = "") -> ImportProblem:
    """Report a file that was only read in part; `after` is the last item read."""
    where = f"{entry.name}, after {after}" if after else entry.name
    why = str(damage).removesuffix(".")
    return ImportProblem(where, f"The rest of the file can't be read: {why}.")


def json_files(source: ImportSource) -> list[SourceFile]:
    return [entry for entry in source.entries if entry.name.lower().endswith(".json")]


def read_objects(
    entry: SourceFile, noun: str, *, single: bool = False
) -> Iterator[tuple[str, dict[str, Any]] | ImportProblem]:
    """Yield each object of an array with its position. `single`: the file may be one object."""
    number = 0
    try:
        with entry.open() as stream:
            whole = JsonScanner(stream)
            values = whole.items() if not single or whole.next() == "[" else iter((whole.value(),))
            for value in values:
                number += 1
                where = f"{entry.name}, {noun} {number:,}"
                yield (where, value) if isinstance(value, dict) else skipped_problem(where, value)
    except DamagedFile as damage:
        yield damage_problem(entry, damage, f"{noun} {number:,}")


class JsonScanner:
    """Scans one file. The caller takes each value with `value`, `items` or `members`."""

    def __init__(self, stream: IO[bytes], largest: int = LARGEST) -> None:
        self._stream, self._largest = stream, largest
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._decode = json.JSONDecoder(parse_constant=lambda _: None).raw_decode
        self._text, self._at = "", 0
        self._read, self._ended = 0, False
        self._bad: DamagedFile | None = None

    def next(self) -> str:
        """Return the next character that is no space, without consuming it."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                raise DamagedFile("it ends in the middle")
            self._more(_AT_ONCE)

    def items(self) -> Iterator[Any]:
        yield from (self.value() for _ in self.places())

    def places(self) -> Iterator[None]:
        """Stop before each item of the array that begins here; the caller takes it."""
        self._one_of("[")
        if self.next() == "]":
            self._at += 1
            return
        while True:
            yield
            if self._one_of(",]") == "]":
                return

    def members(self) -> Iterator[str]:
        """Yield the names in the object that begins here; the caller takes each value."""
        self._one_of("{")
        if self.next() == "}":
            self._at += 1
            return
        while True:
            name = self.value()
            if not isinstance(name, str):
                raise DamagedFile("a name was expected")
            self._one_of(":")
            yield name
            if self._one_of(",}") == "}":
                return

    def value(self) -> Any:
        self.next()
        wanted = _AT_ONCE
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except RecursionError:
                self.skip()
                return SkippedValue("it is nested too deep")
            except json.JSONDecodeError as error:
                if self._ended and self._cut(error):
                    raise DamagedFile("it ends in the middle") from None
                if not self._cut(error):
                    raise DamagedFile(f"{error.msg} near byte {self._byte(error.pos):,}") from None
                if len(self._text) - self._at > self._largest:
                    self.skip()
                    return SkippedValue(f"it is larger than {self._largest // 2**20} MB")
            except ValueError:
                self.skip()
                return SkippedValue("a number in it has thousands of digits")
            else:
                if self._ended or not self._goes_on(value, end):
                    self._at = end
                    return value
            self._more(min(wanted, self._largest // 4))
            wanted *= 2  # the value is decoded again from its start: doubling keeps that cheap

    def _cut(self, error: json.JSONDecodeError) -> bool:
        """Return whether it may be valid JSON that the window cuts off."""
        return error.msg.startswith("Unterminated string") or error.pos > len(self._text) - _CUT

    def _goes_on(self, value: object, end: int) -> bool:
        """Return whether a number may continue after the window: 1 may be the start of 1.5."""
        return isinstance(value, int | float) and self._text[end : end + 1] not in _ENDS_A_NUMBER

    def skip(self) -> None:
        """Skip a value without decoding it."""
        first = self.next()
        if first not in '"{[':
            self.value()
            return
        self._at += 1
        if first == '"':
            self._to_the_end_of_the_string()
            return
        depth = 1
        while depth:
            quote = self._text.find('"', self._at)
            depth = self._levels(depth, len(self._text) if quote < 0 else quote)
            if depth and quote >= 0:
                self._at = quote + 1
                self._to_the_end_of_the_string()
            elif depth:
                self._forward(len(self._text))

    def _levels(self, depth: int, until: int) -> int:
        """Return the depth after the brackets up to there, or 0 right after the closing one."""
        part = self._text[self._at : until]
        closing = part.count("]") + part.count("}")
        if closing < depth:
            return depth - closing + part.count("[") + part.count("{")
        for found in _BRACKET.finditer(part):
            depth += 1 if found[0] in "{[" else -1
            if not depth:
                self._at += found.end()
                break
        return depth

    def _to_the_end_of_the_string(self) -> None:
        while True:
            found = _IN_STRING.search(self._text, self._at)
            if found is None:
                self._forward(len(self._text))
            elif found[0] == '"':
                self._at = found.end()
                return
            elif found.end() < len(self._text):
                self._at = found.end() + 1
            else:
                self._forward(found.start())

    def _forward(self, at: int) -> None:
        self._at = at
        if self._ended:
            raise DamagedFile("it ends in the middle")
        self._more(_AT_ONCE)

    def _one_of(self, signs: str) -> str:
        found = self.next()
        if found not in signs:
            place = self._byte(self._at)
            raise DamagedFile(f"{' or '.join(signs)} was expected near byte {place:,}")
        self._at += 1
        return found

    def _byte(self, at: int) -> int:
        return self._read - len(self._text[at:].encode("utf-8", "surrogatepass"))

    def _more(self, size: int) -> None:
        if self._bad is not None:
            raise self._bad
        got = self._stream.read(size)
        self._ended = not got
        try:
            fresh = self._utf8.decode(got, final=self._ended)
        except UnicodeDecodeError as error:
            place = self._read + len(got) - len(error.object) + error.start
            fresh = error.object[: error.start].decode()
            self._bad = DamagedFile(f"it is not UTF-8 at byte {place:,}; save it as UTF-8")
        self._read += len(got)
        self._text, self._at = self._text[self._at :] + fresh, 0
