"""What the patterns of a language find in a sentence. Each pattern is asked at most once: several
steps read the same messages, and ask the same about them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from erstwhile import language
from erstwhile.language.facts import Signals
from erstwhile.language.memory_rules import MemoryRules, PatternRule
from erstwhile.language.triggers import Triggers
from erstwhile.text import suspect

T = TypeVar("T")

_BY_NAME: Final = ("occasion", "asking", "addressed", "settled", "unreal", "vague", "lost")
_KINDS: Final = ("recent", "kin", "matter", "name", "day", "amount")


class once(Generic[T]):  # noqa: N801 - used as a decorator
    """`cached_property` without its lock, which takes longer than most of what is asked here. Asked by two threads at
    once, the same is found twice."""

    def __init__(self, find: Callable[[Any], T]) -> None:
        self._find, self._name = find, find.__name__
        self.__doc__ = find.__doc__

    def __get__(self, asked: Any, _owner: type) -> T:
        found = asked.__dict__[self._name] = self._find(asked)
        return found


class Judgement:
    """`text` is a sentence as the patterns expect it."""

    def __init__(self, spoken: str, text: str) -> None:
        self.signals, self._text, self.spoken = signals_of(spoken), text, spoken
        self._triggers = triggers_of(spoken)

    @once
    def candidates(self) -> int:
        return self._triggers.candidates(self._text)

    @once
    def latin(self) -> bool:
        return self.spoken in language.codes() and language.of(self.spoken).script == "latin"

    def has(self, name: str) -> bool:
        return self._triggers.match(name, self._text, self.candidates)

    @once
    def dependent(self) -> bool:
        return self.signals.dependent.match(self._text) is not None

    @once
    def fragment(self) -> bool:
        return self.signals.fragment.match(self._text) is not None

    @once
    def occasion(self) -> bool:
        return self.has("occasion")

    @once
    def asking(self) -> bool:
        return self.has("asking")

    @once
    def addressed(self) -> bool:
        return self.has("addressed")

    @once
    def settled(self) -> bool:
        return self.has("settled")

    @once
    def unreal(self) -> bool:
        return self.has("unreal")

    @once
    def vague(self) -> bool:
        return self.has("vague")

    @once
    def weights(self) -> tuple[int, ...]:
        """Return the weights of the patterns that ask to keep it."""
        found, text, match = self.candidates, self._text, self._triggers.match
        return tuple(
            [
                weight
                for weight, name, bits in _weighty(self.spoken)
                if found & bits and match(name, text, found)
            ]
        )

    @once
    def evidence(self) -> frozenset[str]:
        """Return the kinds of evidence. Several amounts or days are a further kind."""
        found = {kind for kind in _KINDS if self.has(kind)}
        for kind in found & {"day", "amount"}:
            several = islice(getattr(self.signals.evidence, kind).finditer(self._text), 2)
            if sum(1 for _ in several) > 1:
                found.add(f"{kind}s")
        return frozenset(found)


@cache
def triggers_of(spoken: str) -> Triggers:
    """Return the patterns of a language that are searched for in every sentence."""
    signals = signals_of(spoken)
    patterns = {name: getattr(signals, name) for name in _BY_NAME}
    patterns |= {kind: getattr(signals.evidence, kind) for kind in _KINDS}
    patterns |= {f"primary {place}": pattern for place, (_, pattern) in enumerate(signals.primary)}
    patterns |= {"order": suspect.orders()}
    if rules := rules_of(spoken):
        patterns |= {f"rule {place}": rule.pattern for place, rule in enumerate(rules.rules)}
        patterns |= {"maybe": rules.maybe, "others": rules.others}
    return Triggers(patterns)


@cache
def _weighty(spoken: str) -> list[tuple[int, str, int]]:
    """Return the weight, name and bits of each pattern that asks to keep a sentence."""
    names = [
        (weight, f"primary {place}") for place, (weight, _) in enumerate(signals_of(spoken).primary)
    ]
    return [(weight, name, triggers_of(spoken).bits(name)) for weight, name in names]


@cache
def rule_bits(spoken: str) -> list[tuple[PatternRule, int]]:
    """Return each rule for memories with a type, with its bits."""
    rules = rules_of(spoken)
    bits = triggers_of(spoken).bits
    return [
        (rule, bits(f"rule {place}")) for place, rule in enumerate(rules.rules if rules else ())
    ]


def rules_of(spoken: str) -> MemoryRules | None:
    return language.of(spoken).memory_rules if spoken in language.codes() else None


@cache
def signals_of(spoken: str) -> Signals:
    """Return the patterns of a language; those of the default one if it has none."""
    found = language.of(spoken).facts if spoken in language.codes() else None
    found = found or language.of(language.DEFAULT).facts
    assert found is not None
    return found
