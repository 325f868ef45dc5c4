"""Recognise simple requests to remember, to forget, or for what is known. In doubt it is talk.

The forms are those of each language (`language/<code>/requests.py`). The person is returned as the
message names them; `commands` finds out who that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from erstwhile.language import DEFAULT, Language, languages, of
from erstwhile.language.requests import EVERYTHING, ME, MemoryRequest
from erstwhile.text import detection

__all__ = ["EVERYTHING", "ME", "MemoryRequest", "route"]

_LONGEST = 2000  # characters: the forms take time that grows with the square of the length


def route(text: str) -> MemoryRequest | None:
    """Return the request; None if the message has none of the forms."""
    said = " ".join(text.split())
    bare = _called().sub("", _address().sub("", said, count=1), count=1).strip()
    if not bare or len(bare) > _LONGEST:
        return None
    for each in _readers(bare):
        found = each.requests.read(bare) if each and each.requests else None
        if found:
            return found
    return None


def _readers(said: str) -> Iterator[Language | None]:
    """Yield the languages whose forms may fit: that of the script, the default, and the others of that script."""
    first = detection.reader(said, "requests")
    others = (each for each in languages() if first and each.script == first.script)
    yield from dict.fromkeys([first, of(DEFAULT), *others])


@cache
def _address() -> re.Pattern[str]:
    """Return a pattern for the bot's name in front of a request."""
    known = [each.requests for each in languages() if each.requests]

    def forms(what: str) -> str:
        return "|".join(filter(None, (getattr(each, what) for each in known)))

    apart = rf"(?:(?:{forms('greetings')})[ ,]+)?(?:<@!?\w+>|{forms('bot')})\s*[,:!，：、~-]*\s+"
    attached = rf"(?:{forms('bot_attached')})[,:!，：、~-]\s*"
    return re.compile(rf"\A{apart}|\A{attached}", re.IGNORECASE)


@cache
def _called() -> re.Pattern[str]:
    known = [each.requests.called for each in languages() if each.requests]
    return re.compile("|".join(filter(None, known)), re.IGNORECASE)
