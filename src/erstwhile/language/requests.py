"""Requests to remember, to forget, or to say what is known, as a language words them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

ME: Final = "me"
EVERYTHING: Final = "everything"


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """`intent` is remember, forget or about; `whom` as it was said, "me" for the speaker, "" if it was not said;
    `fact` what to remember or forget.

    `before`: that stands in the messages before. `sure`: whether it is a request whoever it is about; "who is X" is one
    only if X is someone here.
    """

    intent: str
    whom: str = ""
    fact: str = ""
    before: bool = False
    sure: bool = True


@dataclass(frozen=True, slots=True)
class RequestPatterns:
    read: Callable[[str], MemoryRequest | None]
    """Which of them a line is; None in doubt."""
    greetings: str = ""
    bot: str = ""
    """How the bot is addressed, as a pattern."""
    bot_attached: str = ""
    """The same, where no space follows."""
    called: str = ""
    """A pattern: any name, where a request follows at once."""


def about(whom: str) -> MemoryRequest:
    """What is known of oneself and of who is mentioned is surely asked for; of others, if they are someone here."""
    return MemoryRequest("about", whom, sure=whom == ME or whom.startswith(("@", "<@")))
