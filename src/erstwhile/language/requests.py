"""Requests to remember, to forget, or to say what is known, in a language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from erstwhile.base.records import dataclass

ME: Final = "me"
EVERYTHING: Final = "everything"


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """`intent`: remember, forget or about; `whom`: as it was said, "me" for the speaker, "" if not
    said; `fact`: what to remember or forget.

    `before`: the fact is in earlier messages. `sure`: whether this is a request whomever it is
    about; "who is X" is one only if X is a person of the space.
    """

    intent: str
    whom: str = ""
    fact: str = ""
    before: bool = False
    sure: bool = True


@dataclass(frozen=True, slots=True)
class RequestPatterns:
    read: Callable[[str], MemoryRequest | None]
    """Returns the request in a line; None in doubt."""
    greetings: str = ""
    bot: str = ""
    """Matches how the bot is addressed."""
    bot_attached: str = ""
    """The same, if no space follows."""
    called: str = ""
    """Matches any name, if a request follows at once."""


def about(whom: str) -> MemoryRequest:
    """Return a request for what is known. It is sure for the speaker and for mentions."""
    return MemoryRequest("about", whom, sure=whom == ME or whom.startswith(("@", "<@")))
