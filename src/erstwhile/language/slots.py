"""What a statement in the third person tells: which of the things one has only one of, or which taste.

Precision before recall: in doubt there is no slot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Rule = tuple[str, bool, re.Pattern[str]]
"""The slot, whether it is over, and a pattern of the statement behind its subject."""


@dataclass(frozen=True, slots=True)
class SlotValue:
    """`what` is the thing, where the slot is "favourite"."""

    slot: str
    over: bool
    value: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class Slots:
    find: Callable[[str], SlotValue | None]
    assertion: Callable[[str, Callable[[str], str]], tuple[str, ...]]
    """What a statement says, whether that is so or not; the function takes out the words that deny."""
    by_terms: bool = False
    """Whether assertions are compared by their search terms."""
    besides: str = ""
    """A pattern: what is so besides something else, or a part of the time, ends nothing."""
    several: str = ""
    """A pattern: a value is more than one thing."""
    birthday: str = ""
    """A pattern of what a birthday looks like."""
    no_value: Mapping[str, str] = field(default_factory=dict)
    """By slot, a pattern of what begins no value of it: "my name is pronounced …" is no name."""


def first(rules: Sequence[Rule], rest: str) -> SlotValue | None:
    """What the first rule that matches finds."""
    for slot, over, pattern in rules:
        match = pattern.match(rest)
        if match:
            groups = match.groupdict()
            return SlotValue(slot, over, groups.get("value") or groups.get("value2") or "", groups.get("what") or "")
    return None
