"""A rule for memories with a type and a slot: a pattern that finds a value, and the plain sentence that says it.

Precision before recall: a rule matches only what people say of themselves in so many words. The extractive writer follows it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from erstwhile.language import Language
from erstwhile.language.facts import NEVER, Parts


@dataclass(frozen=True, slots=True)
class PatternRule:
    """`says` is a sentence with {name}, {value} and, where the pattern has such a group, {what}; so is `slot`. Of the rules with one
    `slot`, the first that matches a sentence is taken. `request`: also in a request ("remind me to …"), which other rules pass over."""

    type: str
    slot: str
    pattern: re.Pattern[str]
    says: str
    done: bool = False
    request: bool = False
    entity: bool = False
    """It is about the value, which is a name, and not about whoever speaks."""


@dataclass(frozen=True, slots=True)
class MemoryRules:
    """`others`: the sentence is about somebody else. `useless`: no value to keep. `maybe`: nothing that is so."""

    rules: tuple[PatternRule, ...]
    others: re.Pattern[str] = NEVER
    useless: re.Pattern[str] = NEVER
    maybe: re.Pattern[str] = NEVER
    ending: re.Pattern[str] = NEVER
    """What a value may lose at its end."""
    today: tuple[tuple[str, int], ...] = ()
    """Words that make a todo due, and in how many days."""
    doing: str = ""
    """Words of doing, which are not what a todo is about: buy, bought."""
    by_others: Mapping[str, str] = field(default_factory=dict)
    """What a speaker calls themselves, and how others say it: my → their."""


def read(language: Language) -> MemoryRules:
    """Read the rules of a language from its `memory_rules.toml`."""
    data = language.data("memory_rules")
    parts = Parts(data.pop("parts", {}))
    rules = tuple(PatternRule(**{**rule, "pattern": parts.compile(rule["pattern"])}) for rule in data.pop("rules"))
    made: dict[str, Any] = {"today": tuple(data.pop("today", {}).items())}
    for name, value in data.items():
        made[name] = value if name in ("doing", "by_others") else parts.compile(value)
    return MemoryRules(rules, **made)
