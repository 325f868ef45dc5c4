"""A dict that forgets: what is kept of many, the most recent."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class RecentItems(OrderedDict[K, V]):
    """A dict of the most recent items, `most` of them."""

    def __init__(self, most: int = 10_000) -> None:
        super().__init__()
        self._most = most

    def put(self, key: K, value: V) -> None:
        self[key] = value
        self.move_to_end(key)
        while len(self) > self._most:
            self.popitem(last=False)
