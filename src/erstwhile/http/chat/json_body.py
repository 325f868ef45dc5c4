"""Edit a JSON body in place: members and list elements that are not changed stay byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from erstwhile.base.records import dataclass
from erstwhile.http.problems import Problem

_scan = json.JSONDecoder().raw_decode
_BLANK = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class JsonPiece:
    """A JSON value and its original text."""

    text: str
    value: Any

    @classmethod
    def of(cls, value: Any) -> JsonPiece:
        return cls(json.dumps(value, ensure_ascii=False, separators=(",", ":")), value)


class JsonBody:
    def __init__(self, given: bytes) -> None:
        try:
            text = given.decode()
            self._members = list(_members(text))
        except (ValueError, IndexError, RecursionError):
            raise Problem(400, "The body is not a JSON object in UTF-8.") from None

    def get(self, name: str) -> Any:
        return next((piece.value for key, piece in reversed(self._members) if key == name), None)

    def put(self, name: str, value: Any) -> None:
        self._put(name, JsonPiece.of(value))

    def drop(self, name: str) -> None:
        self._members = [member for member in self._members if member[0] != name]

    def pieces(self, name: str) -> list[JsonPiece]:
        """Return the elements of a list; nothing for other values."""
        piece = next((piece for key, piece in reversed(self._members) if key == name), None)
        return list(_elements(piece.text)) if piece is not None and isinstance(piece.value, list) else []

    def put_pieces(self, name: str, pieces: list[JsonPiece]) -> None:
        whole = "[" + ",".join(piece.text for piece in pieces) + "]"
        self._put(name, JsonPiece(whole, [piece.value for piece in pieces]))

    def encode(self) -> bytes:
        """Encode the body. Lone surrogates are written as JSON escapes."""
        return ("{" + ",".join(f"{json.dumps(key)}:{piece.text}" for key, piece in self._members) + "}").encode(
            errors="backslashreplace"
        )

    def _put(self, name: str, piece: JsonPiece) -> None:
        """Set a member in place, or append it. Duplicates are removed."""
        keys = [key for key, _ in self._members]
        place = keys.index(name) if name in keys else len(keys)
        kept = [member for member in self._members[:place] if member[0] != name]
        self._members = [*kept, (name, piece), *(member for member in self._members[place:] if member[0] != name)]


def _members(text: str) -> Iterator[tuple[str, JsonPiece]]:
    at = _opened(text, "{")
    while text[at] != "}":
        key, at = _scan(text, at)
        at = _past(text, at, ":")
        piece, at = _piece(text, at)
        if not isinstance(key, str):
            raise ValueError
        yield key, piece
        at = _next(text, at, "}")
    if _BLANK.fullmatch(text, at + 1) is None:
        raise ValueError


def _elements(text: str) -> Iterator[JsonPiece]:
    at = _opened(text, "[")
    while text[at] != "]":
        piece, at = _piece(text, at)
        yield piece
        at = _next(text, at, "]")


def _piece(text: str, at: int) -> tuple[JsonPiece, int]:
    value, end = _scan(text, at)
    return JsonPiece(text[at:end], value), end


def _opened(text: str, mark: str) -> int:
    return _past(text, 0, mark)


def _next(text: str, at: int, end: str) -> int:
    """Return the position of the next element or of the end. A trailing comma is an error."""
    at = _blank(text, at)
    if text[at] == end:
        return at
    at = _past(text, at, ",")
    if text[at] == end:
        raise ValueError
    return at


def _past(text: str, at: int, mark: str) -> int:
    at = _blank(text, at)
    if text[at] != mark:
        raise ValueError
    return _blank(text, at + 1)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
