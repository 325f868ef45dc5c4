"""A JSON array read one element at a time: LongMemEval's larger file has gigabytes."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from erstwhile.base.errors import InvalidInput

_PIECE = 1 << 20
_LARGEST = 256 << 20  # characters of one element; by then the file is broken rather than large


def elements(file: Path) -> Iterator[dict[str, Any]]:
    """The objects of the array in `file`, with one or a few of them in memory."""
    pieces = _pieces(file)
    buffer = next(pieces, "").removeprefix("\ufeff").lstrip()
    if not buffer.startswith("["):
        raise InvalidInput(f"{file.name} is not a JSON array. Give the data set's own .json file.")
    buffer = buffer[1:]
    while True:
        while not (buffer := buffer.lstrip(" \t\r\n,")):
            buffer = _more(buffer, pieces, file)
        if buffer.startswith("]"):
            return
        element, buffer = _element(buffer, pieces, file)
        if not isinstance(element, dict):
            raise InvalidInput(f"{file.name} holds something other than objects. Give the data set's own .json file.")
        yield element


def _element(buffer: str, pieces: Iterator[str], file: Path) -> tuple[Any, str]:
    while True:
        try:
            element, end = json.JSONDecoder().raw_decode(buffer)
        except json.JSONDecodeError:
            buffer = _more(buffer, pieces, file)
        except RecursionError:
            raise InvalidInput(f"{file.name} is nested too deeply to be a data set.") from None
        else:
            return element, buffer[end:]


def _more(buffer: str, pieces: Iterator[str], file: Path) -> str:
    """At least twice as much, so that trying again costs no more than reading."""
    parts, size = [buffer], len(buffer)
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size >= 2 * len(buffer):
            break
    if len(parts) == 1 or size > _LARGEST:
        raise InvalidInput(f"{file.name} ends in the middle of an element, or is not JSON. Download it again.")
    return "".join(parts)


def _pieces(file: Path) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with file.open("rb") as stream:
        try:
            while raw := stream.read(_PIECE):
                yield decoder.decode(raw)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            raise InvalidInput(f"{file.name} is not UTF-8 text. Give the data set's own .json file.") from None
