"""What the patterns of a language find in a sentence. Each pattern is asked at most once: several
steps read the same messages, and ask the same about them."""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from typing import Final

from erstwhile import language
from erstwhile.language.facts import Signals
from erstwhile.text import suspect

_KEPT: Final = 4096  # sentences; those of a few hundred chunks


class Judgement:
    """`text` is a sentence as the patterns expect it."""

    def __init__(self, spoken: str, text: str) -> None:
        self._signals, self._text = signals_of(spoken), text

    @cached_property
    def dependent(self) -> bool:
        return self._signals.dependent.match(self._text) is not None

    @cached_property
    def fragment(self) -> bool:
        return self._signals.fragment.match(self._text) is not None

    @cached_property
    def occasion(self) -> bool:
        return self._signals.occasion.search(self._text) is not None

    @cached_property
    def asking(self) -> bool:
        return self._signals.asking.search(self._text) is not None

    @cached_property
    def addressed(self) -> bool:
        return self._signals.addressed.search(self._text) is not None

    @cached_property
    def settled(self) -> bool:
        return self._signals.settled.search(self._text) is not None

    @cached_property
    def unreal(self) -> bool:
        return self._signals.unreal.search(self._text) is not None

    @cached_property
    def vague(self) -> bool:
        return self._signals.vague.search(self._text) is not None

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """The weights of the patterns that ask to keep it."""
        return tuple(weight for weight, pattern in self._signals.primary if pattern.search(self._text))

    @cached_property
    def evidence(self) -> frozenset[str]:
        """The kinds of evidence. Several amounts or days are a further kind."""
        kinds, text = self._signals.evidence, self._text
        once = (("recent", kinds.recent), ("kin", kinds.kin), ("matter", kinds.matter), ("name", kinds.name))
        found = {kind for kind, pattern in once if pattern.search(text)}
        for kind, pattern in (("day", kinds.day), ("amount", kinds.amount)):
            number = sum(1 for _ in pattern.finditer(text))
            if number:
                found.add(kind)
            if number > 1:
                found.add(f"{kind}s")
        return frozenset(found)


@lru_cache(maxsize=_KEPT)
def judge(spoken: str, text: str) -> Judgement:
    return Judgement(spoken, text)


@lru_cache(maxsize=_KEPT)
def is_order(text: str) -> bool:
    """Whether it tries to command whoever reads this later."""
    return suspect.orders().search(text) is not None


@cache
def signals_of(spoken: str) -> Signals:
    """Return the patterns of a language; those of the default one if it has none."""
    found = language.of(spoken).facts if spoken in language.codes() else None
    found = found or language.of(language.DEFAULT).facts
    assert found is not None
    return found
