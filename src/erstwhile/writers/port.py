"""What language work is, without saying who does it.

A writer has one verb per step. It gets the raw lines and the room's prompt, and gives back text with the name of who wrote it.
What the extractive writer gives is a draft: readable, searchable, and replaced once a model is available.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from erstwhile.writers.prompt import Prompt

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Line:
    """One message, or one summary, as a writer reads it. `speaker` is the label: a name, a person id or a role."""

    speaker: str
    text: str
    at: datetime | None = None
    role: str = "user"


@dataclass(frozen=True, slots=True)
class Request:
    """`text`, where given, is the material already laid out for a model; `cap` is how many tokens the answer may have."""

    prompt: Prompt
    lines: Sequence[Line]
    cache_key: str = ""
    text: str = ""
    cap: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True, slots=True)
class Noted:
    """One structured memory as a writer noted it. `subject` is whom it is about, `slot` what it says something about and `value` what;
    `since` and `due` are dates as YYYY-MM-DD; `done`: a todo that is finished, or what no longer holds; `message` counts lines from 1."""

    type: str
    text: str
    message: int
    subject: str | None = None
    slot: str = ""
    value: str = ""
    confidence: float = 0.5
    since: str | None = None
    due: str | None = None
    done: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """`text` is what was written, stripped, "" when there was nothing to record; `writer` says by which model and prompt version.
    `noted` is what a step that notes single memories found."""

    text: str
    writer: str
    draft: bool
    usage: Usage = field(default_factory=Usage)
    noted: tuple[Noted, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """A step with an answer of its own shape. `text` is the material as a model reads it; `read` makes of its answer what the step wants,
    or raises `Misshapen`; `draft` is the step without a model, by the verbs of the writer that it is handed. `room`: output tokens
    beyond the usual 1,024."""

    prompt: Prompt
    text: str
    read: Callable[[str], T]
    draft: Callable[[Writer], Awaitable[T]]
    schema: dict[str, Any] | None = None
    cache_key: str = ""
    room: int = 0


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    value: T
    writer: str
    draft: bool
    usage: Usage = field(default_factory=Usage)


class Writer(Protocol):
    draft: bool

    async def summarise(self, request: Request) -> Written:
        """A few sentences that say what happened in these messages."""
        ...

    async def condense(self, request: Request) -> Written:
        """One summary of consecutive summaries."""
        ...

    async def extract_facts(self, request: Request) -> Written:
        """The concrete facts of these messages as "- " bullets, one a line; empty when there is nothing to record."""
        ...

    async def structure(self, request: Request) -> Written:
        """The structured memories of these messages, as `noted`; none when there is nothing to note."""
        ...

    async def fold(self, request: Request) -> Written:
        """The running summary, with new turns taken into it. The first line with role `summary`, if any, is the summary so far."""
        ...

    async def answer(self, ask: Ask[T]) -> Answered[T]:
        """Whatever else a step wants to have answered."""
        ...

    async def close(self) -> None: ...
