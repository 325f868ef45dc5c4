"""Which plain forms ask to remember, to forget, or what is known. Plain functions over one line of talk; in doubt it is talk.

The forms are those of each language (`language/<code>/requests.py`). Whom it is about is given as it was said; who that
is, is found out later.
"""

from __future__ import annotations

import re
from functools import cache

from erstwhile.language import DEFAULT, languages, of
from erstwhile.language.requests import EVERYTHING, ME, MemoryRequest
from erstwhile.text import detection

__all__ = ["EVERYTHING", "ME", "MemoryRequest", "route"]


def route(text: str) -> MemoryRequest | None:
    """None when it is talk, as far as plain forms tell."""
    said = " ".join(text.split())
    bare = _called().sub("", _address().sub("", said, count=1), count=1).strip()
    if not bare or len(bare) > 4_000:
        return None
    for each in dict.fromkeys([detection.reader(bare, "requests"), of(DEFAULT)]):
        found = each.requests.read(bare) if each and each.requests else None
        if found:
            return found
    return None


@cache
def _address() -> re.Pattern[str]:
    """The bot, addressed in front of a request."""
    known = [each.requests for each in languages() if each.requests]
    greetings, bot, attached = (
        "|".join(filter(None, (getattr(each, what) for each in known))) for what in ("greetings", "bot", "bot_attached")
    )
    return re.compile(
        rf"\A(?:(?:{greetings})[ ,]+)?(?:<@!?\w+>|{bot})\s*[,:!，：、~-]*\s+|\A(?:{attached})[,:!，：、~-]\s*",
        re.IGNORECASE,
    )


@cache
def _called() -> re.Pattern[str]:
    known = [each.requests.called for each in languages() if each.requests]
    return re.compile("|".join(filter(None, known)), re.IGNORECASE)
