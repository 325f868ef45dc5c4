"""Find the slot of a statement in the third person: something one has only one of, or a taste.

Precision before recall: in doubt there is no slot. The person must be the subject: no other name may come between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass
from erstwhile.language import Language
from erstwhile.language.facts import NEVER, Parts
from erstwhile.language.memory_rules import PatternRule, group

Respelling = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SlotValue:
    """`what`: the kind of thing, if the slot is "favourite"."""

    slot: str
    over: bool
    value: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class SlotRule:
    """The slot, whether it is over, and a pattern of the statement after its subject. {what} in the
    slot is that group of the pattern. `own`: the pattern is of what the person says of themselves,
    anywhere in it."""

    slot: str
    pattern: re.Pattern[str]
    over: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class Slots:
    rules: tuple[SlotRule, ...]
    """The first match counts."""
    slot_spelling: Respelling = ()
    removed: re.Pattern[str] = NEVER
    """Matches what two statements that assert the same need not share."""
    respelt: Respelling = ()
    by_words: bool = False
    """Whether assertions are compared word by word, the last by its first character."""
    by_terms: bool = False
    """Whether assertions are compared by their search terms."""
    besides: str = ""
    """Matches what is true besides something else, or part of the time: it ends nothing."""
    several: str = ""
    """Matches a value of more than one thing."""
    birthday: str = ""
    """Matches a birthday."""
    no_value: Mapping[str, str] = field(default_factory=dict)
    """By slot, a pattern of what is no value: "my name is pronounced …" is no name."""

    def find(self, rest: str) -> SlotValue | None:
        for rule in self.rules:
            match = rule.pattern.search(rest) if rule.own else rule.pattern.match(rest)
            if match:
                value, what = group(match, "value"), group(match, "what")
                if "{what}" not in rule.slot:
                    return SlotValue(rule.slot, rule.over, value, what)
                slot = _respelled(rule.slot.format(what=what.lower()), self.slot_spelling)
                return SlotValue(slot, rule.over, value)
        return None

    def assertion(self, said: str, undenied: Callable[[str], str]) -> tuple[str, ...]:
        """Return what a statement asserts or denies; the function removes negating words."""
        plain = _respelled(self.removed.sub("", undenied(said)), self.respelt)
        if not self.by_words:
            return (plain,)
        *before, verb = plain.split() or [""]
        return (*before, verb[:1])


def _both(rule: PatternRule) -> tuple[SlotRule, SlotRule]:
    """Return how others tell what a rule reads, if they begin with the name, and how people say it."""
    _, _, after = rule.says.rstrip(".。").partition("{name}")
    told = re.escape(after.strip(" ,:：")).replace(r"\{value\}", "(?P<value>.{1,80}?)")
    told = (
        told.replace(r"\{what\}", r"(?P<what>\w{1,20})") if rule.says[0] == "{" else NEVER.pattern
    )
    pattern = late_pattern(rf"[ ,:：]*{told}\Z", re.IGNORECASE)
    own = SlotRule(rule.slot, rule.pattern, rule.done, own=True)
    return SlotRule(rule.slot, pattern, rule.done), own


def _respelled(text: str, respelling: Respelling) -> str:
    for pattern, instead in respelling:
        text = re.sub(pattern, instead, text, flags=re.IGNORECASE)
    return text


def read(language: Language) -> Slots:
    """Read the rules of a language from its `slots.toml`. Without any, they are made from its rules
    for memories with a slot."""
    data = language.data("slots")
    parts = Parts(data.pop("parts", {}))
    rules = [
        SlotRule(**{**rule, "pattern": parts.compile(rule["pattern"])})
        for rule in data.pop("rules", ())
    ]
    known = language.memory_rules.rules if language.memory_rules and not rules else ()
    for each in (rule for rule in known if rule.slot and not rule.entity):
        rules += _both(each)
    removed = parts.compile(data.pop("removed", NEVER.pattern))
    filled: dict[str, Any] = {
        name: parts.fill(each) if isinstance(each, str) else each for name, each in data.items()
    }
    return Slots(tuple(rules), removed=removed, **filled)
