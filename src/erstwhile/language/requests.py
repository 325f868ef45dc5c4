"""Requests to remember, to forget, or to say what is known, in a language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass
from erstwhile.language import Language

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


@dataclass(frozen=True, slots=True)
class RequestForms:
    """The forms of a language as patterns of a whole line, without regard to case. Their groups: `whom`; `fact`, a
    sentence; `clause`, which `rewrite` makes a sentence; each may have a number."""

    remember: str
    this: str
    """Remember what was just said."""
    forget: str
    everything: str
    """Forget everything about somebody; about the speaker without `whom`."""
    about: str
    who: str
    """"Who is X": a request only if X is a person of the space."""
    stated: str
    """Matches how a fact begins that is worth a request; anything else is talk."""
    topic: str
    """The same for what is to be forgotten."""
    me: str
    rewrite: Sequence[Sequence[str]] = ()
    """Pairs of a pattern and its replacement, of which the first that matches counts."""


def read(language: Language) -> RequestPatterns:
    """Read the forms of a language from its table. In doubt a line is no request."""
    table = language.data("requests")
    names = {"greetings", "bot", "bot_attached", "called"}
    address = {name: text for name, text in table.items() if name in names}
    forms = RequestForms(**{name: each for name, each in table.items() if name not in names})
    rewrite = [
        (late_pattern(rf"\A(?:{each})\Z", re.IGNORECASE), instead)
        for each, instead in forms.rewrite
    ]
    kinds = ("this", "everything", "remember", "forget", "about", "who")
    whole = {kind: late_pattern(_whole(getattr(forms, kind)), re.IGNORECASE) for kind in kinds}
    starts = {
        "remember": late_pattern(rf"\A(?:{forms.stated})", re.IGNORECASE),
        "forget": late_pattern(rf"\A(?:{forms.topic})", re.IGNORECASE),
    }
    me = late_pattern(rf"\A(?:{forms.me})\Z", re.IGNORECASE)

    def person(said: str | None) -> str:
        whom = (said or "").strip(" .!?,\"'«»“”")
        return ME if not whom or me.match(whom) else whom

    def sentence(clause: str) -> str:
        rewritten = (each.sub(new, clause) for each, new in rewrite if each.match(clause))
        return next(rewritten, clause)

    def found(said: str) -> MemoryRequest | None:
        for kind in kinds:
            match = whole[kind].match(said)
            if match is None:
                continue
            groups = match.groupdict()
            if kind == "this":
                return MemoryRequest("remember", person(groups.get("whom")), before=True)
            if kind == "everything":
                return MemoryRequest("forget", person(groups.get("whom")), EVERYTHING)
            if kind == "about":
                return about(person(_first(groups, "whom")))
            if kind == "who":
                return MemoryRequest("about", person(groups["whom"]), sure=False)
            clause = _first(groups, "clause")
            given = clause or _first(groups, "fact")
            if starts[kind].match(given):
                fact = given.strip(" ,.!。！、")
                return MemoryRequest(kind, fact=sentence(fact) if clause else fact)
        return None

    return RequestPatterns(read=found, **address)


def _first(groups: Mapping[str, str | None], name: str) -> str:
    return next((each for key, each in groups.items() if key.startswith(name) and each), "")


def _whole(form: str) -> str:
    return rf"\A(?:{form})[\s.!?。！？~～]*\Z"
