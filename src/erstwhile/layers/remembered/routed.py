"""What a line of talk asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from erstwhile.layers.remembered.model import ABOUT

ME: Final = "me"
EVERYTHING: Final = "everything"


@dataclass(frozen=True, slots=True)
class Routed:
    """`whom` as it was said, "me" for the speaker, "" if it was not said; `fact` what to remember or forget. `before`: that stands in the
    messages before. `sure`: whether it is a request whoever it is about; "who is X" is one only if X is someone here."""

    intent: str
    whom: str = ""
    fact: str = ""
    before: bool = False
    sure: bool = True


def about(whom: str) -> Routed:
    """What is known of oneself and of who is mentioned is surely asked for; of others, if they are someone here."""
    return Routed(ABOUT, whom, sure=whom == ME or whom.startswith(("@", "<@")))
