"""A chat's text file, line by line. It is gone through twice: once to learn how it writes dates and names, once to read it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.model import Entry
from erstwhile.importers.whatsapp.dates import Head, Order, Orders, Style, head
from erstwhile.importers.whatsapp.words import MARKS

_LONGEST_LINE: Final = 2**20
_LONGEST_NAME: Final = 100
_MOST_NAMES: Final = 20_000  # counted; a group has up to 1,024 members
_OFTEN: Final = 3
_COLON = re.compile(r" ?:(?: |\Z|(?=\u200e))")
_QUOTES: Final = '"“”„«»「」\u201d'
_NO_MARKS: Final = dict.fromkeys(map(ord, MARKS))
_STARTS: Final = frozenset("[" + MARKS)


@dataclass(frozen=True, slots=True)
class Raw:
    """A line; `cut` if it went on and on."""

    number: int
    text: str
    cut: bool = False


def lines(entry: Entry) -> Iterator[Raw]:
    """Only a line feed ends a line: phones leave other separators in messages as they are."""
    with entry.open() as stream:
        number = 0
        while given := stream.readline(_LONGEST_LINE):
            number += 1
            cut = len(given) == _LONGEST_LINE and not given.endswith(b"\n")
            rest = given
            while cut and rest and not rest.endswith(b"\n"):
                rest = stream.readline(_LONGEST_LINE)
            try:
                text = given.decode("utf-8-sig" if number == 1 else "utf-8", "ignore" if cut else "strict")
            except UnicodeDecodeError as error:
                raise InvalidInput(
                    f"{entry.name} is not UTF-8 in line {number:,} (byte {given[error.start]:#04x}). "
                    "Save it as UTF-8, or export the chat again."
                ) from None
            yield Raw(number, text.removesuffix("\n").removesuffix("\r"), cut)


def begins(line: str) -> Head | None:
    """A message begins with its date; most lines that don't are told by their first sign."""
    if not line or not (line[0] in _STARTS or line[0].isdecimal()):
        return None
    return head(line)


@dataclass(slots=True)
class _Names:
    """How often each name, and each beginning that could be a name with a colon in it, stands after a date."""

    count: Counter[str] = field(default_factory=Counter)

    def add(self, body: str) -> None:
        for found in _first_colons(body):
            name = called(body[: found.start()])
            if name in self.count or len(self.count) < _MOST_NAMES:
                self.count[name] += 1


def _first_colons(body: str) -> list[re.Match[str]]:
    return [found for found, _ in zip(_COLON.finditer(body, 0, _LONGEST_NAME * 2), range(2), strict=False)]


def called(written: str) -> str:
    """Without the marks around numbers, and the ~ before a name that is in no address book."""
    if not written.isascii():
        written = written.translate(_NO_MARKS)
    return " ".join(written.lstrip("~ \u00a0\u202f").split())


@dataclass(slots=True)
class Survey:
    """What a file taught about itself. `sure`: which number of a date is the day is not a guess."""

    style: Style
    order: Order
    sure: bool
    example: str
    names: Counter[str]

    def name_and_text(self, body: str) -> tuple[str, str] | None:
        """None for a line of nobody: WhatsApp's own."""
        colons = _first_colons(body)
        if not colons:
            return None
        chosen = colons[0]
        if len(colons) > 1:
            short, long = called(body[: chosen.start()]), called(body[: colons[1].start()])
            if self.names[long] == self.names[short] >= _OFTEN:  # whoever it is always goes on so: it is the name
                chosen = colons[1]
        name = called(body[: chosen.start()])
        if not name or len(name) > _LONGEST_NAME or self._about(name):
            return None
        return name, body[chosen.end() :]

    def _about(self, name: str) -> bool:
        """`Robin changed the subject to “a: b”` has a colon, but nobody is called so."""
        if not any(quote in name for quote in _QUOTES):
            return False
        first, _, _ = name.partition(" ")
        whose = name.split()
        known = (" ".join(whose[:words]) for words in range(1, min(len(whose), 5)))
        return first in ("You", "Du", "Tu", "Você", "Vous") or any(self.names[each] for each in known)


def survey(entry: Entry) -> Survey | None:
    """None if the file has no dates."""
    styles: Counter[Style] = Counter()
    orders: dict[Style, Orders] = {}
    names: dict[Style, _Names] = {}
    examples: dict[Style, str] = {}
    for line in lines(entry):
        found = begins(line.text)
        if found is None:
            continue
        style = found.style
        styles[style] += 1
        counted = names.setdefault(style, _Names())
        if orders.setdefault(style, Orders(style)).add(found):
            counted.add(line.text[found.length :])
        examples.setdefault(style, line.text[: found.length].strip(MARKS + " -:"))
    if not styles:
        return None
    style = styles.most_common(1)[0][0]
    order, sure = orders[style].decide()
    return Survey(style, order, sure, examples[style], names[style].count)


@dataclass(slots=True)
class Said:
    """A message as it stands in the file."""

    line: int
    at: datetime
    name: str | None
    parts: list[str]
    size: int = 0
    cut: bool = False

    def add(self, line: Raw, most: int) -> None:
        self.size += len(line.text)
        if line.cut or self.size > most:
            self.cut = True
        else:
            self.parts.append(line.text)
