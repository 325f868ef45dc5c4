"""Read a chat's text file twice: once to learn its dates and names, once for the messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.model import SourceFile
from erstwhile.importers.whatsapp.dates import DateHead, DateOrders, DateStyle, Order, head
from erstwhile.importers.whatsapp.phrases import MARKS

_LONGEST_LINE: Final = 2**20
_LONGEST_NAME: Final = 100
_MOST_NAMES: Final = 20_000  # counted; a group has up to 1,024 members
_OFTEN: Final = 3
_COLON = re.compile(r" ?:(?: |\Z|(?=\u200e))")
_QUOTES: Final = '"“”„«»「」\u201d'
_NO_MARKS: Final = dict.fromkeys(map(ord, MARKS))
_STARTS: Final = frozenset("[" + MARKS)


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line; `cut` if it was too long."""

    number: int
    text: str
    cut: bool = False


def lines(entry: SourceFile) -> Iterator[RawLine]:
    """Yield lines. Only a line feed ends one: messages may contain other separators."""
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
            yield RawLine(number, text.removesuffix("\n").removesuffix("\r"), cut)


def begins(line: str) -> DateHead | None:
    """Parse the date that begins a message. Most other lines fail at their first character."""
    if not line or not (line[0] in _STARTS or line[0].isdecimal()):
        return None
    return head(line)


@dataclass(slots=True)
class _NameCounts:
    """Counts each name after a date, and each beginning that could be a name with a colon in it."""

    count: Counter[str] = field(default_factory=Counter)

    def add(self, body: str) -> None:
        for found in _first_colons(body):
            name = clean_name(body[: found.start()])
            if name in self.count or len(self.count) < _MOST_NAMES:
                self.count[name] += 1


def _first_colons(body: str) -> list[re.Match[str]]:
    return [found for found, _ in zip(_COLON.finditer(body, 0, _LONGEST_NAME * 2), range(2), strict=False)]


def clean_name(written: str) -> str:
    """Remove direction marks, and the ~ before names that are in no address book."""
    if not written.isascii():
        written = written.translate(_NO_MARKS)
    return " ".join(written.lstrip("~ \u00a0\u202f").split())


@dataclass(slots=True)
class ChatSurvey:
    """What a file tells about its format. `sure`: the order of day and month is certain."""

    style: DateStyle
    order: Order
    sure: bool
    example: str
    names: Counter[str]

    def name_and_text(self, body: str) -> tuple[str, str] | None:
        """Split a line into name and text; None for a line of WhatsApp itself."""
        colons = _first_colons(body)
        if not colons:
            return None
        chosen = colons[0]
        if len(colons) > 1:
            short, long = clean_name(body[: chosen.start()]), clean_name(body[: colons[1].start()])
            if self.names[long] == self.names[short] >= _OFTEN:  # the longer beginning always occurs: it is the name
                chosen = colons[1]
        name = clean_name(body[: chosen.start()])
        if not name or len(name) > _LONGEST_NAME or self._about(name):
            return None
        return name, body[chosen.end() :]

    def _about(self, name: str) -> bool:
        """Whether this is no name: `Robin changed the subject to “a: b”` has a colon too."""
        if not any(quote in name for quote in _QUOTES):
            return False
        first, _, _ = name.partition(" ")
        whose = name.split()
        known = (" ".join(whose[:words]) for words in range(1, min(len(whose), 5)))
        return first in ("You", "Du", "Tu", "Você", "Vous") or any(self.names[each] for each in known)


def survey(entry: SourceFile) -> ChatSurvey | None:
    """Learn the format of a file; None if it has no dates."""
    styles: Counter[DateStyle] = Counter()
    orders: dict[DateStyle, DateOrders] = {}
    names: dict[DateStyle, _NameCounts] = {}
    examples: dict[DateStyle, str] = {}
    for line in lines(entry):
        found = begins(line.text)
        if found is None:
            continue
        style = found.style
        styles[style] += 1
        counted = names.setdefault(style, _NameCounts())
        if orders.setdefault(style, DateOrders(style)).add(found):
            counted.add(line.text[found.length :])
        examples.setdefault(style, line.text[: found.length].strip(MARKS + " -:"))
    if not styles:
        return None
    style = styles.most_common(1)[0][0]
    order, sure = orders[style].decide()
    return ChatSurvey(style, order, sure, examples[style], names[style].count)


@dataclass(slots=True)
class ChatEntry:
    """A message as written in the file."""

    line: int
    at: datetime
    name: str | None
    parts: list[str]
    size: int = 0
    cut: bool = False

    def add(self, line: RawLine, most: int) -> None:
        self.size += len(line.text)
        if line.cut or self.size > most:
            self.cut = True
        else:
            self.parts.append(line.text)
