"""Read a chat's text file twice: once to learn its dates and names, once for the messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.importers.model import SourceFile

MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"

# The file has no time zone: times are the phone's own and stored as UTC.
ZONE: Final = UTC

Order = Literal["day", "month", "year"]  # which number comes first

# AM and PM in many languages, without dots and spaces; after the time, in some languages before it.
_MORNING: Final = frozenset(
    "am vorm dop de πμ ص قظ öö 上午 凌晨 清晨 早上 午前 오전 fm ap sa pg पूर्वाह्न পূর্বাহ্ণ לפנה״צ".casefold().split()
)
_EVENING: Final = frozenset(
    "pm nachm odp du μμ م بظ ös 下午 中午 晚上 午後 오후 em ip ch ptg अपराह्न অপরাহ্ণ אחה״צ".casefold().split()
)

_DATE = r"(\d{1,4})([./-]) ?(\d{1,2})\3 ?(\d{1,4})\.?"
_BETWEEN = r"([^\d\[\]:\n]{0,16}?)"
_TIME = r"(\d{1,2})[:.٫](\d{2})(?:[:.٫](\d{2}))?"
_AFTER = r"([^\d\[\]:\n-]{0,14}?)"
_HEADER = re.compile(rf"(\[)?{_DATE}{_BETWEEN}{_TIME}{_AFTER}(?:(\])[ ]?|( [-–] )|(: ))")
_LONGEST = 90  # characters, with direction marks
_SPACES = {ord(space): " " for space in "\u00a0\u2007\u2009\u202f"}
_NO_MARKS = dict.fromkeys(map(ord, MARKS))
_YEAR, _SEVERAL, _MANY = 12, 3, 20
_WORD = re.compile(r"[^\W\d_]{1,5}\.?(?: [^\W\d_]{1,3})?\.?", re.UNICODE)


@dataclass(frozen=True, slots=True)
class DateStyle:
    """The date format. A file has only one; anything else is text."""

    end: str
    sign: str
    long_year: bool
    year_first: bool
    seconds: bool
    halves: bool


@dataclass(frozen=True, slots=True)
class DateHead:
    """The start of a message: three numbers of a date, and the time."""

    style: DateStyle
    numbers: tuple[int, int, int]
    hour: int
    minute: int
    second: int
    length: int
    padded: bool

    def at(self, order: Order) -> datetime | None:
        first, second, third = self.numbers
        day, month, year = {
            "day": (first, second, third),
            "month": (second, first, third),
            "year": (third, second, first),
        }[order]
        try:
            time = self.hour, self.minute, self.second
            return datetime(_year(year), month, day, *time, tzinfo=ZONE)
        except ValueError:
            return None


def _year(written: int) -> int:
    """Return the year. Thai years are 543 ahead. Reject years without WhatsApp."""
    if written < 100:
        written += 2500 if written >= 50 else 2000
    year = written - 543 if written >= 2500 else written
    if not 2000 <= year < 2100:
        raise ValueError
    return year


def head(line: str) -> DateHead | None:
    """Parse the start of a line, with direction marks and various spaces."""
    start = clean = line[:_LONGEST]
    if not start.isascii():
        start = start.translate(_SPACES)
        clean = start.translate(_NO_MARKS)
    found = _HEADER.match(clean)
    if found is None:
        return None
    opened, first, sign, second, third, before, *time, after, closed, dash, colon = found.groups()
    hour, minute, seconds = time
    if bool(opened) != bool(closed) or (colon and not seconds):
        return None
    half = _half(before, after)
    digits = len(first), len(third)
    if half is None or not set(digits) <= {1, 2, 4} or digits == (4, 4):
        return None
    end = closed or (dash and "-") or ":"
    style = _style(end, sign, digits, bool(seconds), bool(half))
    hours = int(hour)
    if half and hours <= 12:
        hours = hours % 12 + (12 if half == "pm" else 0)
    padded = first.startswith(("0", "٠", "۰")) or second.startswith(("0", "٠", "۰"))
    length = found.end() if start == clean else _with_marks(start, found.end())
    numbers = int(first), int(second), int(third)
    return DateHead(style, numbers, hours, int(minute), int(seconds or 0), length, padded)


@lru_cache(maxsize=256)
def _style(end: str, sign: str, digits: tuple[int, int], seconds: bool, halves: bool) -> DateStyle:
    return DateStyle(end, sign, 4 in digits, digits[0] == 4, seconds, halves)


def _with_marks(start: str, length: int) -> int:
    for place, sign in enumerate(start):
        if sign not in MARKS:
            length -= 1
        if not length:
            return place + 1
    return len(start)


def _half(before: str, after: str) -> str | None:
    """Return "am", "pm" or ""; None if the words do not belong to a date."""
    after = after.strip().casefold()
    before = before.strip(" ,،").casefold()
    for word in (after, before):
        word = word.replace(".", "").replace(" ", "")
        if word in _MORNING:
            return "am"
        if word in _EVENING:
            return "pm"
    if after or (before and not _WORD.fullmatch(before)):  # "klo", "à", "kl.", "um", "г."
        return None
    return ""


@dataclass(slots=True)
class _OrderFit:
    """How well an order fits: impossible dates, steps backwards in time, and months passed. People
    write on consecutive days more often than on the same day of consecutive months."""

    impossible: int = 0
    backwards: int = 0
    months: int = 0
    last: datetime | None = None

    def add(self, at: datetime | None) -> bool:
        if at is None:
            self.impossible += 1
            return False
        if self.last is not None:
            self.backwards += at < self.last
            self.months += abs((at.year - self.last.year) * 12 + at.month - self.last.month)
        self.last = at
        return True


@dataclass(slots=True)
class DateOrders:
    """Compares the orders over every date of a file."""

    style: DateStyle
    tried: dict[Order, _OrderFit] = field(default_factory=dict)
    dates: int = 0
    padded: bool = False

    def add(self, found: DateHead) -> bool:
        orders: tuple[Order, ...] = ("year",) if self.style.year_first else ("day", "month", "year")
        if self.style.long_year and not self.style.year_first:
            orders = ("day", "month")
        self.dates += 1
        self.padded = self.padded or found.padded
        fits = [self.tried.setdefault(order, _OrderFit()) for order in orders]
        possible = [fit.add(found.at(order)) for fit, order in zip(fits, orders, strict=True)]
        return any(possible)

    def decide(self) -> tuple[Order, bool]:
        fit = {order: (tried.impossible, tried.backwards) for order, tried in self.tried.items()}
        best = min(fit.values())
        fitting = [order for order, how in fit.items() if how == best]
        fitting.sort(key=lambda order: self.tried[order].months)
        if "year" in fitting[1:] or ("year" in fitting and self._fewer(fitting) < _YEAR):
            fitting.remove("year")  # a two-digit year hardly ever comes first
        if len(fitting) == 1 or fitting[0] == "year":
            return fitting[0], True
        if self.style.sign == ".":
            return "day", True  # with dots the day always comes before the month
        fewer = self._fewer(fitting)
        if fewer:
            return fitting[0], fewer >= _YEAR or (fewer >= _SEVERAL and self.dates >= _MANY)
        return ("month" if self._american() else "day"), False

    def _fewer(self, fitting: list[Order]) -> int:
        """Return how many months fewer the first order passes than the second."""
        if len(fitting) == 1:
            return _YEAR
        return self.tried[fitting[1]].months - self.tried[fitting[0]].months

    def _american(self) -> bool:
        written = self.style.sign == "/" and not self.style.long_year and not self.padded
        return written and self.style.halves


_LONGEST_LINE: Final = 2**20
_LONGEST_NAME: Final = 100
_MOST_NAMES: Final = 20_000  # counted; a group has up to 1,024 members
_OFTEN: Final = 3
_COLON = re.compile(r" ?:(?: |\Z|(?=\u200e))")
_QUOTES: Final = '"“”„«»「」\u201d'
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
                encoding = "utf-8-sig" if number == 1 else "utf-8"
                text = given.decode(encoding, "ignore" if cut else "strict")
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


def _count_names(names: Counter[str], body: str) -> None:
    """Count the name after a date, and each beginning that could be a name with a colon in it."""
    for found in _first_colons(body):
        name = clean_name(body[: found.start()])
        if name in names or len(names) < _MOST_NAMES:
            names[name] += 1


def _first_colons(body: str) -> list[re.Match[str]]:
    found = _COLON.finditer(body, 0, _LONGEST_NAME * 2)
    return list(islice(found, 2))


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
            if self.names[long] == self.names[short] >= _OFTEN:  # it is the name
                chosen = colons[1]
        name = clean_name(body[: chosen.start()])
        if not name or len(name) > _LONGEST_NAME or self._about(name):
            return None
        return name, body[chosen.end() :]

    def _about(self, name: str) -> bool:
        """Return whether this is no name: `Robin changed the subject to “a: b”` has a colon too."""
        if not any(quote in name for quote in _QUOTES):
            return False
        first, _, _ = name.partition(" ")
        whose = name.split()
        known = (" ".join(whose[:words]) for words in range(1, min(len(whose), 5)))
        calls = first in ("You", "Du", "Tu", "Você", "Vous")
        return calls or any(self.names[each] for each in known)


def survey(entry: SourceFile) -> ChatSurvey | None:
    styles: Counter[DateStyle] = Counter()
    orders: dict[DateStyle, DateOrders] = {}
    names: dict[DateStyle, Counter[str]] = {}
    examples: dict[DateStyle, str] = {}
    for line in lines(entry):
        found = begins(line.text)
        if found is None:
            continue
        style = found.style
        styles[style] += 1
        counted = names.setdefault(style, Counter())
        if orders.setdefault(style, DateOrders(style)).add(found):
            _count_names(counted, line.text[found.length :])
        examples.setdefault(style, line.text[: found.length].strip(MARKS + " -:"))
    if not styles:
        return None
    style = styles.most_common(1)[0][0]
    order, sure = orders[style].decide()
    return ChatSurvey(style, order, sure, examples[style], names[style])


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
