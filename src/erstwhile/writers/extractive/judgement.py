"""What the patterns of a language find in a sentence. Each pattern is asked at most once: several
steps read the same messages, and ask the same about them."""

from __future__ import annotations

from functools import cache, cached_property
from itertools import islice
from typing import Final

from erstwhile import language
from erstwhile.language.facts import Signals
from erstwhile.language.triggers import Triggers

_BY_NAME: Final = ("occasion", "asking", "addressed", "settled", "unreal", "vague")
_KINDS: Final = ("recent", "kin", "matter", "name", "day", "amount")


class Judgement:
    """`text` is a sentence as the patterns expect it."""

    def __init__(self, spoken: str, text: str) -> None:
        self.signals, self._text = signals_of(spoken), text
        self._triggers = triggers_of(spoken)

    @cached_property
    def _candidates(self) -> int:
        return self._triggers.candidates(self._text)

    def _has(self, name: str) -> bool:
        return self._triggers.match(name, self._text, self._candidates)

    @cached_property
    def dependent(self) -> bool:
        return self.signals.dependent.match(self._text) is not None

    @cached_property
    def fragment(self) -> bool:
        return self.signals.fragment.match(self._text) is not None

    @cached_property
    def occasion(self) -> bool:
        return self._has("occasion")

    @cached_property
    def asking(self) -> bool:
        return self._has("asking")

    @cached_property
    def addressed(self) -> bool:
        return self._has("addressed")

    @cached_property
    def settled(self) -> bool:
        return self._has("settled")

    @cached_property
    def unreal(self) -> bool:
        return self._has("unreal")

    @cached_property
    def vague(self) -> bool:
        return self._has("vague")

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """The weights of the patterns that ask to keep it."""
        return tuple(weight for place, (weight, _) in enumerate(self.signals.primary) if self._has(f"primary {place}"))

    @cached_property
    def evidence(self) -> frozenset[str]:
        """The kinds of evidence. Several amounts or days are a further kind."""
        found = {kind for kind in _KINDS if self._has(kind)}
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
    return Triggers(patterns)


@cache
def signals_of(spoken: str) -> Signals:
    """Return the patterns of a language; those of the default one if it has none."""
    found = language.of(spoken).facts if spoken in language.codes() else None
    found = found or language.of(language.DEFAULT).facts
    assert found is not None
    return found
