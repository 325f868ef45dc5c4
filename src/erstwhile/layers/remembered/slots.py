"""Find the slot of a statement: something a person has only one of (a home, an age), or a taste.

Another value in the same slot contradicts the earlier one. Precision before
recall. The patterns are those of each language (`language/<code>/slots.toml`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

from erstwhile.base.records import dataclass
from erstwhile.language import languages
from erstwhile.language.slots import Slots
from erstwhile.layers import threads
from erstwhile.layers.threads import key
from erstwhile.text import analyse, detection

TASTE: Final = "taste"
_LONGEST: Final = 400  # characters of a statement that fills a slot

# A value must look like this.
_LOOKS_LIKE: Final = {"phone": r"\d{3}", "email": "@", "age": r"\d", "birthday": r"\d"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot and its value. `over`: it no longer holds. `side`: like or dislike, of one taste."""

    name: str
    value: str
    over: bool = False
    side: str = ""

    def contradicts(self, other: Slot) -> bool:
        """Return whether both can't be true at once."""
        if self.name != other.name:
            return False
        if self.over or other.over:
            return self.value == other.value and self.over != other.over
        return self.side != other.side if self.side else self.value != other.value


def of(body: str, names: tuple[str, ...]) -> Slot | None:
    """Return the slot of a statement about the person with these names."""
    said = body.strip().rstrip(".!。！~ ")
    rest = _without_subject(said, names)
    known = detection.readers(said, "slots") if len(said) <= _LONGEST else ()
    read = (words.find(rest) for words in (each.slots for each in known) if words)
    found = next(filter(None, read), None)
    if found is None:
        return None
    value = found.value
    if found.slot in threads.TASTES:
        return Slot(f"{TASTE} {key(value)}", key(value), found.over, found.slot)
    named = threads.slot(f"favourite {found.what}" if found.slot == "favourite" else found.slot)
    several = _joined("several").search(value) or _joined("besides").search(said)
    if several or not threads.single("fact", named) or not _looks_like(named).search(value):
        return None
    return Slot(named, key(value), found.over)


def _words(said: str) -> Slots | None:
    found = detection.reader(said, "slots")
    return found.slots if found else None


@cache
def _joined(what: Literal["several", "besides", "birthday"]) -> re.Pattern[str]:
    known = [getattr(each.slots, what) for each in languages() if each.slots]
    return re.compile("|".join(filter(None, known)), re.IGNORECASE if what == "besides" else 0)


@cache
def _looks_like(slot: str) -> re.Pattern[str]:
    looks = _LOOKS_LIKE.get(slot, "")
    if slot == "birthday":
        looks = f"{looks}|{_joined('birthday').pattern}"
    known = (each.slots.no_value.get(slot) for each in languages() if each.slots)
    unlike = "|".join(filter(None, known))
    flags = re.IGNORECASE if slot == "birthday" else 0
    return re.compile(rf"\A(?!(?:{unlike})\b)" if unlike else looks, flags)


def _without_subject(said: str, names: tuple[str, ...]) -> str:
    for name in sorted(filter(None, names), key=len, reverse=True):
        match = re.match(rf"{re.escape(name)}{_after_name()}\s*", said, re.IGNORECASE)
        if match:
            return (match["own"] or "") + (" " if match["own"] else "") + said[match.end() :]
    return said


@cache
def _after_name() -> str:
    known = [each.names for each in languages() if each.names]
    own = "|".join(each.possessive for each in known if each.possessive)
    return f"(?:(?P<own>{own})|[{''.join(each.subject_particles for each in known)}] |: |：)?"


def negated(body: str) -> bool:
    return _negation("negated").search(body) is not None


def terms(body: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the terms of a statement, without the person's names."""
    own = {term for name in names for term in analyse.terms(name)}
    found = frozenset(analyse.query_terms(body))
    return found - own or found


def opposite(one: str, other: str, names: tuple[str, ...]) -> bool:
    """Return whether one denies the other in the same words: "eats meat", "doesn't eat meat"."""
    denied = [_negation("negator").search(each) is not None for each in (one, other)]
    return denied[0] != denied[1] and asserted(one, names) == asserted(other, names)


@cache
def _negation(what: Literal["negated", "negator", "ending"]) -> re.Pattern[str]:
    known = [getattr(each.negation, what) for each in languages() if each.negation]
    return re.compile("|".join(filter(None, known)), re.IGNORECASE if what != "ending" else 0)


def asserted(body: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the terms of what it says, without the negation."""
    said = _without_subject(body.strip().rstrip(".!。！~ "), names)
    words = _words(said)
    if words is None:
        return tuple(analyse.terms(_undenied(said)))
    found = words.assertion(said, _undenied)
    return tuple(analyse.terms(found[0])) if words.by_terms else found


def _undenied(said: str) -> str:
    """Leave the verb without its negation: "can" of "can't", nothing of "doesn't"."""

    def kept(found: re.Match[str]) -> str:
        verb = _negation("ending").sub("", found[0].lower())
        return _kept().get(verb, verb if verb != found[0].lower() else "")

    return _negation("negator").sub(kept, said)


@cache
def _kept() -> dict[str, str]:
    known = (each.negation.kept for each in languages() if each.negation)
    return {word: left for kept in known for word, left in kept.items()}
