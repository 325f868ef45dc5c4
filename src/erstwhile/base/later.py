"""Build an object, or compile a pattern, when it is first used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class _Later:
    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build

    def __getattr__(self, name: str) -> Any:
        return getattr(self._build(), name)


def later(build: Callable[[], T]) -> T:
    """Return something that stands for what `build` returns, which is called for every attribute:
    it must return the same object each time."""
    return cast(T, _Later(build))


class _Pattern:
    """Has the methods of its pattern, once that is compiled."""


class _LatePattern(_Pattern):
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        made = re.compile(self.pattern, self.flags)
        known = [each for each in dir(made) if not each.startswith("_")]
        self.__dict__.update({each: getattr(made, each) for each in known})
        self.__class__ = _Pattern  # type: ignore[assignment]  # from now on without this method
        return getattr(made, name)


def late_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used: one with Chinese characters takes
    as long as importing ten modules."""
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))
