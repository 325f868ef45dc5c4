"""The lines of a remembered text: parse and render them, with their authors.

What the person or the app said has no author. What someone else said begins with their name. A
suspicious statement is a quotation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.language import DEFAULT, languages, of
from erstwhile.text import detection, sentences
from erstwhile.text.labels import UNSEEN

_QUOTED: Final = re.compile(r'\A(?P<author>[^:"\n]{1,140}) said: "(?P<body>.*)"\.\Z')
SOMEONE: Final = "Someone"


@dataclass(frozen=True, slots=True)
class Line:
    """A statement. `author` is a label, "" for the person and the app; `body` is without it."""

    body: str
    author: str = ""
    quoted: bool = False

    @property
    def text(self) -> str:
        if self.quoted:
            return f'{self.author or SOMEONE} said: "{self.body}".'
        return f"{_word_of(self.body).format(self.author)}{self.body}" if self.author else self.body


def parse(text: str) -> list[Line]:
    """Split a text into statements. A quotation is one; the author of a row said all of it."""
    found: list[Line] = []
    for row in filter(None, map(str.strip, text.splitlines())):
        quoted = _QUOTED.match(row)
        if quoted:
            found.append(Line(quoted["body"], quoted["author"], quoted=True))
            continue
        author, body = _attributed(row)
        for sentence in sentences.split(body):
            other, statement = _attributed(sentence)
            found.append(Line(statement, other or author))
    return found


def _attributed(row: str) -> tuple[str, str]:
    match = _attribution().match(row)
    if match is None:
        return "", row
    *authors, body = match.groups()
    return next(filter(None, authors), ""), body


@cache
def _attribution() -> re.Pattern[str]:
    known = [each.statements for each in languages() if each.statements]
    forms = "|".join(each.word_of.format(f"({each.name})") for each in known if each.word_of)
    return re.compile(rf"\A(?:{forms})(.+)\Z", re.DOTALL)


def render(lines: Iterable[Line]) -> str:
    return "\n".join(line.text for line in lines)


def unquoted(text: str) -> str:
    return render(line for line in parse(text) if not line.quoted)


def quotation(words: str, author: str) -> Line:
    """Return a quotation on one line. No quotation mark inside can close it."""
    return Line(" ".join(seen(words).split()).replace('"', "'"), author, quoted=True)


def seen(text: str) -> str:
    """Return the visible characters. Hidden ones can carry instructions."""
    return UNSEEN.sub("", unicodedata.normalize("NFC", text))


def whole(line: Line) -> bool:
    """Return whether a line can be parsed back."""
    return parse(line.text) == [line]


def _word_of(body: str) -> str:
    """Return how an attributed line begins, in the language of the statement."""
    script = detection.scripts(body)[0]
    known = [each.statements for each in languages() if each.statements and each.script == script]
    forms = (each.word_of for each in [*known, of(DEFAULT).statements] if each and each.word_of)
    return next(forms, "{}: ")
