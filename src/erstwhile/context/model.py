from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from erstwhile.base.records import dataclass
from erstwhile.layers.part import Item
from erstwhile.log.model import Message
from erstwhile.search.trace import Trace

_DAY = len("[2026-01-01")
_ELSEWHERE = "(in "


def stamp(said: Message) -> str:
    """Return the time in front of a line."""
    return f"[{said.at.isoformat(' ', 'minutes')[:16]}]"


def day(item: Item) -> str:
    """Return the day in front of a line, "" if there is none."""
    if item.said is None:
        return ""
    front, found, _ = item.text.partition(stamp(item.said))
    return found[:_DAY] if not front or front.startswith(_ELSEWHERE) else ""


def lines(items: Iterable[Item]) -> Iterator[str]:
    """Return the text of each. A day is named once, by its first line: a message of the same day as
    the line above has only the time, in brackets, so that no name is at the beginning of a line."""
    above = ""
    for item in items:
        found = day(item)
        if found and found == above:
            yield item.text.replace(f"{found} ", "[", 1)
        else:
            yield item.text
        above = found


@dataclass(frozen=True, slots=True)
class ContextPart:
    """`body`: its text if not just heading and lines; `glue`: the separator before it."""

    name: str
    heading: str
    items: tuple[Item, ...]
    tokens: int
    body: str = ""
    glue: str = "\n\n"

    @property
    def text(self) -> str:
        return self.body or "\n".join([self.heading, *lines(self.items)])


def joined(parts: Sequence[ContextPart]) -> str:
    return "".join((part.glue if number else "") + part.text for number, part in enumerate(parts))


@dataclass(frozen=True, slots=True)
class ContextSource:
    id: str
    kind: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """`text`: for a prompt of your own; `messages`: for a chat model, a system message and recent
    turns without the question. `request`: the id to explain it by, "" if not recorded.

    `relevant` is False if nothing that was found bears on the question; `relevance`: how likely the
    best of it does, None without a search; `withheld`: how many lines were left out as less likely
    than the floor."""

    text: str
    messages: tuple[dict[str, str], ...]
    parts: tuple[ContextPart, ...]
    sources: tuple[ContextSource, ...]
    tokens: int
    request: str = field(default="", compare=False)
    relevant: bool = True
    relevance: float | None = None
    withheld: int = 0


NOTHING = Context(text="", messages=(), parts=(), sources=(), tokens=0)


@dataclass(frozen=True, slots=True)
class BuiltContext:
    """A context, and what the search did for it."""

    context: Context
    trace: Trace
