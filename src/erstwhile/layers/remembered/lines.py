"""A told text as lines: whose word each is, and what is only quoted. Plain functions.

What the person or the app said stands plainly; what someone else said begins with whose word it is; what is flagged is a quotation.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from erstwhile.language import DEFAULT, languages, of
from erstwhile.text import detection, sentences

LONGEST_NAME: Final = 60
# Control and tag characters: nothing that a person sees.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_QUOTED: Final = re.compile(r'\A(?P<author>[^:"\n]{1,140}) said: "(?P<body>.*)"\.\Z')
SOMEONE: Final = "Someone"


@dataclass(frozen=True, slots=True)
class Line:
    """`author` is the label of whose word it is, "" for the person's own and the app's; `body` is the statement alone."""

    body: str
    author: str = ""
    quoted: bool = False

    @property
    def text(self) -> str:
        if self.quoted:
            return f'{self.author or SOMEONE} said: "{self.body}".'
        return f"{_word_of(self.body).format(self.author)}{self.body}" if self.author else self.body


def parse(text: str) -> list[Line]:
    """Statement by statement. A quotation is one, whatever it holds; whose word a row is, all its sentences are."""
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
    """In one line that ends where it ends: no quotation mark inside closes it."""
    return Line(" ".join(seen(words).split()).replace('"', "'"), author, quoted=True)


def seen(text: str) -> str:
    """What a person would see of it; hidden characters are how instructions are smuggled in."""
    return _UNSEEN.sub("", unicodedata.normalize("NFC", text))


def label(name: str) -> str:
    """A name that can stand in a line: nothing in it ends the attribution or a sentence. "" when nothing is left."""
    kept = re.sub(r"[^\w'’·.@/+#-]+", " ", seen(name))
    short = " ".join(re.sub(r"\.(?!\w)", " ", kept).split())[:LONGEST_NAME].strip(" .")
    return short if sentences.split(f"{short} is here") == [f"{short} is here"] else re.sub(r"\s+", "_", short)


def apart(name: str, id: str) -> str:
    """A name with the id of whose it is, for when another has the name too."""
    known = label(id)
    if known != id:
        known = f"{known} {hashlib.blake2b(id.encode(), digest_size=4).hexdigest()}".strip()
    return f"{name} ({known})"


def whole(line: Line) -> bool:
    """Whether it is read as it was written."""
    return parse(line.text) == [line]


def _word_of(body: str) -> str:
    """How a line begins that is somebody's word, in the language of what they said."""
    script = detection.scripts(body)[0]
    known = [each.statements for each in languages() if each.statements and each.script == script]
    return next((each.word_of for each in [*known, of(DEFAULT).statements] if each and each.word_of), "{}: ")
