"""One large JSON object, member by member, without holding it whole.

Values are read by Python's own decoder out of a window of the text. That is twice as fast as ijson here, keeps half surrogates so that
they can be refused (ijson writes "?" in their place), and lets what comes before a damage be used.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO, Any

from erstwhile.imports.reading import Damaged

_AT_ONCE = 256 * 1024
_LARGEST = 32 * 2**20  # characters of one value; what is larger is no message of anyone's
_SPACE = re.compile(r"[ \t\r\n]*")
_FIRST_KEYS = re.compile(rb'"([^"\\]{1,40})"\s*:')


def keys_at_start(head: bytes) -> list[str]:
    """Names in the first bytes of a file, in their order, for telling what it is."""
    return [key.decode("utf-8", "replace") for key in _FIRST_KEYS.findall(head)]


class Window:
    """The part of a file that is looked at."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream, self._name = stream, name
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._decode = json.JSONDecoder(parse_constant=_refuse).raw_decode
        self._text, self._at = "", 0
        self._read = 0
        self._ended = False
        self._bad: Damaged | None = None

    def members(self, large: str) -> Iterator[tuple[str, Any]]:
        """Every member of the object in the order of the file; of the array called `large`, each item by itself."""
        self._expect("{")
        if self._next() == "}":
            return
        while True:
            name = self._value()
            if not isinstance(name, str):
                raise self._damaged("a name was expected")
            self._expect(":")
            if name == large and self._next() == "[":
                for item in self._items():
                    yield name, item
            else:
                yield name, self._value()
            if self._one_of(",}") == "}":
                return

    def _items(self) -> Iterator[Any]:
        self._expect("[")
        if self._next() == "]":
            self._at += 1
            return
        while True:
            yield self._value()
            if self._one_of(",]") == "]":
                return

    def _value(self) -> Any:
        self._next()
        wanted = _AT_ONCE
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if self._ended or len(self._text) - self._at > _LARGEST:
                    raise self._damaged(str(error) or "nested too deep") from None
            else:
                if end < len(self._text) or self._ended:  # a number may go on behind the window's edge
                    self._at = end
                    return value
            self._more(wanted)
            wanted *= 2  # the value is tried again from its start: twice as much each time keeps that cheap

    def _next(self) -> str:
        """The next sign that is no space, which stays where it is."""
        while True:
            found = _SPACE.match(self._text, self._at)
            assert found is not None
            self._at = found.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                raise self._damaged("it ends in the middle")
            self._more(_AT_ONCE)

    def _one_of(self, signs: str) -> str:
        found = self._next()
        if found not in signs:
            raise self._damaged(f"{' or '.join(signs)} was expected")
        self._at += 1
        return found

    def _expect(self, sign: str) -> None:
        self._one_of(sign)

    def _more(self, size: int) -> None:
        if self._bad is not None:
            raise self._bad
        got = self._stream.read(size)
        self._ended = not got
        try:
            fresh = self._utf8.decode(got, final=self._ended)
        except UnicodeDecodeError as error:
            fresh, place = (
                error.object[: error.start].decode(),
                self._read - (len(error.object) - len(got)) + error.start,
            )
            self._bad = Damaged(
                f"{self._name} is not UTF-8 at byte {place:,}. Save it as UTF-8; what came before that is good."
            )
        self._read += len(got)
        self._text, self._at = self._text[self._at :] + fresh, 0

    def _damaged(self, why: str) -> Damaged:
        place = self._read - len(self._text[self._at :].encode("utf-8", "replace"))
        return Damaged(f"{self._name} is no good JSON near byte {place:,} ({why}). What came before that is good.")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
