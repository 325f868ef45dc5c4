"""Read the standing requests in a message. Plain functions."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.language import languages
from erstwhile.language.assistant import may_request
from erstwhile.language.standing import SEARCHED, StandingForms
from erstwhile.language.triggers import Triggers
from erstwhile.text import analyse, sentences, suspect
from erstwhile.text.lines import one_line

LONGEST: Final = 240  # characters of a request; what is longer is a text, not a wish
_LOOKED_AT: Final = 2000  # characters of a message
_MARKUP: Final = re.compile(r"[<>{}|]|https?:|www\.")
_CODE: Final = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{0,200}`|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE
)
# A longer quotation is somebody's words; a short one may be a name.
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{16,400}\"|“[^”\n]{9,400}”|„[^“\n]{16,400}“|«[^»\n]{16,400}»|「[^」\n]{9,400}」|『[^』\n]{9,400}』"
)
_INTRODUCED: Final = re.compile(r"[:：][ \t]*\n.*", re.DOTALL)  # what follows is quoted, or pasted
_QUESTION: Final = ("?", "？")


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """`topics`: of what only one request can hold at a time; none if it is about something else, or holds in some cases
    only. `ends`: it takes a request back."""

    text: str
    topics: tuple[str, ...]
    ends: bool = False


def read(text: str) -> list[ReadRequest]:
    """Return the requests in what a person said to an assistant, in their order."""
    own = _INTRODUCED.sub("", _QUOTED.sub(" … ", _CODE.sub(" ", text[:_LOOKED_AT])))
    found = [_read(one_line(_address().sub("", each))) for each in sentences.split(own)]
    return list({each.text: each for each in found if each is not None}.values())


def topics_of(text: str) -> tuple[str, ...]:
    """Return the topics of a request, also of one that somebody edited."""
    said = text.replace("’", "'")
    return next(filter(None, (_topics(forms, said) for forms in _forms())), ())


def is_addressed(text: str) -> bool:
    """Return whether a message begins with how the bot is called."""
    return _bot().match(text) is not None


def words_of(text: str) -> frozenset[str]:
    return frozenset(analyse.query_terms(text))


def _read(sentence: str) -> ReadRequest | None:
    said = sentence.replace("’", "'")
    if len(said) > LONGEST or _MARKUP.search(said) or not may_request(said):
        return None
    triggers = _triggers()
    candidates = triggers.candidates(said)
    if not candidates & _asking():
        return None
    for place, forms in enumerate(_forms()):

        def has(form: str, place: int = place) -> bool:
            return triggers.match(f"{form} {place}", said, candidates)

        if has("others") or (said.endswith(_QUESTION) and not has("polite")):
            continue
        ends = has("ends")
        if (ends or has("asks")) and not _is_suspect(sentence):
            topics = _topics(forms, said)
            return None if ends and not topics else ReadRequest(sentence, topics, ends)
    return None


def _topics(forms: StandingForms, said: str) -> tuple[str, ...]:
    if forms.condition.search(said):
        return ()
    return tuple(name for name, pattern in forms.topics if pattern.search(said))


def _is_suspect(text: str) -> bool:
    """Return whether it claims rights, holds a secret or sends something away. That it tells a
    machine what to do is its nature."""
    reasons = set(suspect.reasons(text)) - {suspect.INSTRUCTION}
    return bool(reasons) or any(forms.planted.search(text) for forms in _forms())


@cache
def _forms() -> tuple[StandingForms, ...]:
    return tuple(each.standing for each in languages() if each.standing)


@cache
def _triggers() -> Triggers:
    """Return the forms of all languages that are searched for in every sentence."""
    named = ((name, place, forms) for place, forms in enumerate(_forms()) for name in SEARCHED)
    return Triggers({f"{name} {place}": getattr(forms, name) for name, place, forms in named})


@cache
def _asking() -> int:
    """Return the bits of the forms of which every request has one."""
    bits = _triggers().bits
    return sum(bits(f"ends {place}") | bits(f"asks {place}") for place in range(len(_forms())))


@cache
def _bot() -> re.Pattern[str]:
    known = [each.requests.bot for each in languages() if each.requests]
    called = "|".join(filter(None, known))
    return re.compile(rf"\A\s*(?:hey |hi |ok )?(?:{called})(?!\w)[\s,:!，：、]*", re.IGNORECASE)


@cache
def _address() -> re.Pattern[str]:
    return re.compile(rf"\A(?:<@!?\w+>|@\w+)[\s,:!，：、]*|{_bot().pattern}", re.IGNORECASE)
