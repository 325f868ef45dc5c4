from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from erstwhile.log.model import Message
from erstwhile.search.trace import Trace


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a context. It comes from the messages `first` to `last` of its channel, unless `sources` names others, and is shown in
    that order; `at` comes before it, for lines of several channels."""

    id: str
    kind: str
    text: str
    first: int
    last: int
    said: Message | None = None
    channel: str = ""
    at: int = 0
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextPart:
    """`body` is its text where that is more than a heading and lines; `glue` stands between the part before and this one."""

    name: str
    heading: str
    items: tuple[Item, ...]
    tokens: int
    body: str = ""
    glue: str = "\n\n"

    @property
    def text(self) -> str:
        return self.body or "\n".join([self.heading, *(item.text for item in self.items)])


def joined(parts: Sequence[ContextPart]) -> str:
    return "".join((part.glue if number else "") + part.text for number, part in enumerate(parts))


@dataclass(frozen=True, slots=True)
class ContextSource:
    id: str
    kind: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """`text` for a prompt of your own; `messages` for a chat model: a system message and the recent turns, without the question.
    `request` is the id under which `why` tells how it came to be; empty when requests are not recorded."""

    text: str
    messages: tuple[dict[str, str], ...]
    parts: tuple[ContextPart, ...]
    sources: tuple[ContextSource, ...]
    tokens: int
    request: str = field(default="", compare=False)


NOTHING = Context(text="", messages=(), parts=(), sources=(), tokens=0)


@dataclass(frozen=True, slots=True)
class Built:
    """A context, and what recall did for it."""

    context: Context
    trace: Trace
