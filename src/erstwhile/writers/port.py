"""The contract of a writer, which does the language work.

A writer has one verb per step. It gets lines and a prompt and returns text with the name of who
wrote it. Texts of the extractive writer are drafts, replaced once a model is available.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from erstwhile.base.records import dataclass
from erstwhile.writers.prompt import Prompt

T = TypeVar("T")
Q = TypeVar("Q")


@dataclass(frozen=True, slots=True)
class Halves(Generic[Q, T]):
    """What to ask where a question is too long for the model: `first`, and then `rest`, given what
    the first gave. It is None where the first gives all."""

    first: Q
    rest: Callable[[T], Q | None]
    joined: Callable[[T, T], T]


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """A message or summary as a writer reads it. `speaker` is a name, a person id or a role."""

    speaker: str
    text: str
    at: datetime | None = None
    role: str = "user"


@dataclass(frozen=True, slots=True)
class JointReading:
    """Facts and memories with types of the same messages can come from one call, with this prompt. `key` names the
    messages; `waiting`: the job for the other half has yet to be done."""

    prompt: Prompt
    key: str
    waiting: bool


@dataclass(frozen=True, slots=True)
class WriterRequest:
    """`text`, if given, is the input already formatted for a model; `cap` limits the answer's
    tokens. `before`: the last lines before, which only show whom a pronoun means. `halves`: what to
    ask where it is too long, if that is not each half of the lines; they may return None."""

    prompt: Prompt
    lines: Sequence[TranscriptLine]
    cache_key: str = ""
    text: str = ""
    cap: int = 0
    before: Sequence[TranscriptLine] = ()
    joint: JointReading | None = None
    halves: Callable[[], Halves[WriterRequest, WriterOutput] | None] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        names = ("input_tokens", "output_tokens", "cached_tokens")
        return Usage(*(getattr(self, name) + getattr(other, name) for name in names))


@dataclass(frozen=True, slots=True)
class TypedNote:
    """A memory with a type. `subject`: whom it is about; `slot` and `value`: which property, and
    what; `since` and `due`: dates as YYYY-MM-DD; `done`: a finished todo, or no longer valid;
    `message` counts lines from 1; `quote`: its words there, None if the answer had no place for it."""

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
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class WriterOutput:
    """`text` is stripped, "" if there was nothing to record; `writer` names model and prompt
    version. `noted`: memories with types, for steps that extract them. `unborne`: how many were left
    out because no message bears them out. `failed`: only the usage of a call that gave nothing."""

    text: str
    writer: str
    draft: bool
    usage: Usage = field(default_factory=Usage)
    noted: tuple[TypedNote, ...] = ()
    unborne: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True)
class WriterQuestion(Generic[T]):
    """A step with an answer of its own shape. `text` is the input; `read` converts the answer or
    raises `MalformedAnswer`; `draft` is the step without a model, given a writer. `room`: output
    tokens beyond the usual 1,024. `check` leaves out what no message bears out; and counts it. `tries`: how often it is
    asked, with what was wrong, until the answer has the right shape. `halves`: what to ask where it is too long."""

    prompt: Prompt
    text: str
    read: Callable[[str], T]
    draft: Callable[[Writer], Awaitable[T]]
    schema: dict[str, Any] | None = None
    cache_key: str = ""
    room: int = 0
    check: Callable[[T], tuple[T, int]] | None = None
    tries: int = 2
    halves: Callable[[], Halves[WriterQuestion[T], T] | None] | None = None


@dataclass(frozen=True, slots=True)
class WriterAnswer(Generic[T]):
    value: T
    writer: str
    draft: bool
    usage: Usage = field(default_factory=Usage)
    unborne: int = 0


class Writer(Protocol):
    draft: bool

    async def summarise(self, request: WriterRequest) -> WriterOutput:
        """Summarise messages in a few sentences."""
        ...

    async def condense(self, request: WriterRequest) -> WriterOutput:
        """Summarise consecutive summaries."""
        ...

    async def extract_facts(self, request: WriterRequest) -> WriterOutput:
        """Return concrete facts as "- " bullets, one per line; "" if there is nothing to record."""
        ...

    async def structure(self, request: WriterRequest) -> WriterOutput:
        """Return memories with types as `noted`."""
        ...

    async def fold(self, request: WriterRequest) -> WriterOutput:
        """Merge new turns into the running summary, which is the first line if its role is
        `summary`."""
        ...

    async def answer(self, ask: WriterQuestion[T]) -> WriterAnswer[T]:
        """Answer any other question of a step."""
        ...

    async def close(self) -> None: ...
