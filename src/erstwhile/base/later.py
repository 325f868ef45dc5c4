"""Build an object when it is first used."""

from __future__ import annotations

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
