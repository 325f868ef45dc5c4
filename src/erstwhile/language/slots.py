"""Find the slot of a statement in the third person: something one has only one of, or a taste.

Precision before recall: in doubt there is no slot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from erstwhile.base.records import dataclass

Rule = tuple[str, bool, re.Pattern[str]]
"""The slot, whether it is over, and a pattern of the statement after its subject."""


@dataclass(frozen=True, slots=True)
class SlotValue:
    """`what`: the kind of thing, if the slot is "favourite"."""

    slot: str
    over: bool
    value: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class Slots:
    find: Callable[[str], SlotValue | None]
    assertion: Callable[[str, Callable[[str], str]], tuple[str, ...]]
    """Returns what a statement asserts or denies; the function removes negating words."""
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


def first(rules: Sequence[Rule], rest: str) -> SlotValue | None:
    """Return what the first matching rule finds."""
    for slot, over, pattern in rules:
        match = pattern.match(rest)
        if match:
            groups = match.groupdict()
            value = groups.get("value") or groups.get("value2") or ""
            return SlotValue(slot, over, value, groups.get("what") or "")
    return None
