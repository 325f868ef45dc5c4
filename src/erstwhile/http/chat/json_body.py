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


_NOTHING = JsonPiece.of(None)


class JsonBody:
    def __init__(self, given: bytes) -> None:
        try:
            self._members = dict(_parts(given.decode(), ("{", "}")))
        except (ValueError, IndexError, RecursionError):
            raise Problem(400, "The body is not a JSON object in UTF-8.") from None

    def get(self, name: str) -> Any:
        return self._members.get(name, _NOTHING).value

    def put(self, name: str, value: Any) -> None:
        self._members[name] = JsonPiece.of(value)

    def drop(self, name: str) -> None:
        self._members.pop(name, None)

    def pieces(self, name: str) -> list[JsonPiece]:
        """Return the elements of a list; nothing for other values."""
        piece = self._members.get(name, _NOTHING)
        if not isinstance(piece.value, list):
            return []
        return [each for _, each in _parts(piece.text, ("[", "]"))]

    def put_pieces(self, name: str, pieces: list[JsonPiece]) -> None:
        whole = "[" + ",".join(piece.text for piece in pieces) + "]"
        self._members[name] = JsonPiece(whole, [piece.value for piece in pieces])

    def encode(self) -> bytes:
        """Encode the body. Lone surrogates are written as JSON escapes."""
        members = (f"{json.dumps(name)}:{piece.text}" for name, piece in self._members.items())
        return ("{" + ",".join(members) + "}").encode(errors="backslashreplace")


def _parts(text: str, brackets: tuple[str, str]) -> Iterator[tuple[str, JsonPiece]]:
    """Yield the members of an object, or the elements of a list, which have no names."""
    opening, closing = brackets
    name, at = "", _past(text, 0, opening)
    while text[at] != closing:
        if opening == "{":
            name, at = _scan(text, at)
            if not isinstance(name, str):
                raise ValueError
            at = _past(text, at, ":")
        value, end = _scan(text, at)
        yield name, JsonPiece(text[at:end], value)
        at = _blank(text, end)
        if text[at] != closing:
            at = _past(text, at, ",")
            if text[at] == closing:
                raise ValueError
    if _BLANK.fullmatch(text, at + 1) is None:
        raise ValueError


def _past(text: str, at: int, mark: str) -> int:
    at = _blank(text, at)
    if text[at] != mark:
        raise ValueError
    return _blank(text, at + 1)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
