from __future__ import annotations

from dataclasses import dataclass

from erstwhile.log.model import Message


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a context. It is shown in the order of `first`, and comes from the messages `first` to `last` of the channel, unless
    `sources` names others."""

    id: str
    kind: str
    text: str
    first: int
    last: int
    said: Message | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    heading: str
    items: tuple[Item, ...]
    tokens: int

    @property
    def text(self) -> str:
        return "\n".join([self.heading, *(item.text for item in self.items)])


@dataclass(frozen=True, slots=True)
class ContextSource:
    id: str
    kind: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """`text` for a prompt of your own; `messages` for a chat model: a system message and the recent turns, without the question."""

    text: str
    messages: tuple[dict[str, str], ...]
    parts: tuple[Part, ...]
    sources: tuple[ContextSource, ...]
    tokens: int
