"""What a layer gives to a context: lines under a heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from erstwhile.base.records import dataclass
from erstwhile.log.model import Message

SeqRange = tuple[str, int, int]  # a channel, and the first and last of some of its messages


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a context, from the messages `first` to `last` of its channel or from `sources`. Lines are shown in
    the order of `at`, then of their messages. A `draft` was written without a model. `day`: the one that the
    line begins with, "" if it doesn't. `ranges`: where its messages are, if they are not one range of a channel."""

    id: str
    kind: str
    text: str
    first: int
    last: int
    said: Message | None = None
    channel: str = ""
    at: int = 0
    sources: tuple[str, ...] = ()
    draft: bool = False
    day: str = ""
    ranges: tuple[SeqRange, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """`items`: those that a tight budget should keep first come first. A part without a heading is
    shown by the recipes that name it; one with a heading by every recipe of its layer."""

    name: str
    items: Sequence[Item]
    heading: str = ""
    share: float = 0.05


@dataclass(frozen=True, slots=True)
class PartRequest:
    """For whom a context is. `blocked`: nothing by these people is shown."""

    channel: str
    query: str
    asker: str | None
    blocked: frozenset[str] = field(default_factory=frozenset)
