"""Rules for memories with a type and a slot: a pattern for a value, and a sentence with it.

Precision before recall: a rule matches only what people explicitly say about themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from erstwhile.base.records import dataclass
from erstwhile.language import Language
from erstwhile.language.facts import NEVER, Parts


@dataclass(frozen=True, slots=True)
class PatternRule:
    """`says` and `slot` may contain {name}, {value} and {what}, as groups of the pattern; the group `who` is whom it is
    about, if not the speaker, and {of} is " for" them. Of the rules with one `slot`, the first match counts. `request`:
    also for "remind me to …"."""

    type: str
    slot: str
    pattern: re.Pattern[str]
    says: str
    done: bool = False
    request: bool = False
    entity: bool = False
    """It is about the value, which is a name, not about the speaker."""


@dataclass(frozen=True, slots=True)
class MemoryRules:
    """`others`: about somebody else. `useless`: no value to keep. `maybe`: not a fact."""

    rules: tuple[PatternRule, ...]
    others: re.Pattern[str] = NEVER
    useless: re.Pattern[str] = NEVER
    maybe: re.Pattern[str] = NEVER
    ending: re.Pattern[str] = NEVER
    """What to remove from the end of a value."""
    today: tuple[tuple[str, int], ...] = ()
    """Words that make a todo due, and in how many days."""
    doing: str = ""
    """Verbs that are not the subject of a todo: buy, bought."""
    by_others: Mapping[str, str] = field(default_factory=dict)
    """Words for oneself, and how others say them: my → their."""


def group(match: re.Match[str], name: str) -> str:
    """Return the first of the groups `value`, `value2`, … that matched."""
    found = match.groupdict().items()
    return next((said for key, said in found if key.rstrip("0123456789") == name and said), "")


def read(language: Language) -> MemoryRules:
    """Read the rules of a language from its `memory_rules.toml`."""
    data = language.data("memory_rules")
    parts = Parts(data.pop("parts", {}))
    rules = tuple(
        PatternRule(**{**rule, "pattern": parts.compile(rule["pattern"])})
        for rule in data.pop("rules")
    )
    made: dict[str, Any] = {"today": tuple(data.pop("today", {}).items())}
    for name, value in data.items():
        made[name] = value if name in ("doing", "by_others") else parts.compile(value)
    return MemoryRules(rules, **made)
