"""Read a JSON array one element at a time: LongMemEval's larger file has gigabytes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.scan import DamagedFile, JsonScanner, SkippedValue

_LARGEST = 256 << 20  # characters of one element; a larger one means a broken file


def elements(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of the array in `file`, holding only one in memory."""
    try:
        with file.open("rb") as stream:
            if stream.read(3) != codecs.BOM_UTF8:
                stream.seek(0)
            scanner = JsonScanner(stream, _LARGEST)
            if scanner.next() != "[":
                raise InvalidInput(f"{file.name} is not a JSON array. Give the data set's own .json file.")
            for element in scanner.items():
                if isinstance(element, SkippedValue):
                    raise InvalidInput(f"{file.name} is not a data set: {element.why} in it.")
                if not isinstance(element, dict):
                    raise InvalidInput(
                        f"{file.name} holds something other than objects. Give the data set's own .json file."
                    )
                yield element
    except DamagedFile as damage:
        raise InvalidInput(f"{file.name} is not valid JSON: {damage}. Download it again.") from None
