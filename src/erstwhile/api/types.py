"""The types of parameters, each with its limits and its check, declared once for every interface.

A rule is metadata of an `Annotated` type. `check` is what the API does with a value; `limits` is what the OpenAPI document says of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from erstwhile.api.page import MOST
from erstwhile.base.errors import InvalidInput
from erstwhile.log import check
from erstwhile.search import find
from erstwhile.search.period import Time

LARGEST = 2**53 - 1  # fits both databases, and JavaScript
LONGEST_PERIOD = 3660  # days


class Conversation(Protocol):
    """A channel of any of the APIs."""

    channel: str
    space: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Any value. `name` is the parameter's name over HTTP where it is another."""

    description: str = ""
    example: Any = None
    name: str = ""

    @property
    def limits(self) -> Mapping[str, Any]:
        return {}

    def check(self, _name: str, value: Any) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class Identifier(Rule):
    """The caller's own id of something: any text up to 512 bytes."""

    what: str = "id"

    @property
    def limits(self) -> Mapping[str, Any]:
        return {"min_length": 1, "max_length": check.LONGEST_ID}

    def check(self, _name: str, value: Any) -> Any:
        return check.identifier(self.what, value)


@dataclass(frozen=True, slots=True)
class Editor(Identifier):
    """Who does it. Over HTTP it may be left out: it is the key's name then."""


@dataclass(frozen=True, slots=True)
class Words(Rule):
    """Text of any length."""

    least: int = 0
    most: int | None = None

    @property
    def limits(self) -> Mapping[str, Any]:
        bounds = {"min_length": self.least or None, "max_length": self.most}
        return {name: value for name, value in bounds.items() if value is not None}

    def check(self, name: str, value: Any) -> Any:
        return check.words(name, value)


@dataclass(frozen=True, slots=True)
class SearchText(Words):
    """Text to look for. It is never stored, so what no database stores may be in it."""

    def check(self, name: str, value: Any) -> Any:
        if not isinstance(value, str):
            raise InvalidInput(f"The {name} must be text, not {type(value).__name__}.")
        return value


@dataclass(frozen=True, slots=True)
class Number(Rule):
    low: int = 0
    high: int = LARGEST

    @property
    def limits(self) -> Mapping[str, Any]:
        return {"ge": self.low, "le": self.high}

    def check(self, name: str, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high:
            return value
        bounds = f"at least {self.low}" if self.high == LARGEST else f"from {self.low} to {self.high}"
        raise InvalidInput(f"`{name}` must be {bounds}.")


@dataclass(frozen=True, slots=True)
class OneOf(Rule):
    choices: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> Any:
        if value not in self.choices:
            raise InvalidInput(f"Unknown {name} {value!r}. Use one of {', '.join(self.choices)}.")
        return value


@dataclass(frozen=True, slots=True)
class Several(Rule):
    """A list of ids, given over HTTP once for each. `none`: it may be empty, for which "" stands in an address."""

    what: str = "id"
    most: int = 10_000
    none: bool = False

    @property
    def limits(self) -> Mapping[str, Any]:
        return {"max_length": self.most}

    def check(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            raise InvalidInput(f"`{name}` is a list.")
        return [check.identifier(self.what, each) for each in value if each or not self.none]


@dataclass(frozen=True, slots=True)
class Channels(Several):
    """Channels that may be told of."""

    def check(self, _name: str, value: Any) -> Any:
        return check.channels(value)


@dataclass(frozen=True, slots=True)
class CommaSeparated(Rule):
    """Kinds of memories; over HTTP one text with commas between."""

    def check(self, _name: str, value: Any) -> Any:
        return find.checked_kinds(value)


Space = Annotated[str | None, Identifier("The space; else the one of the settings.", "my-app", what="space")]
ChannelId = Annotated[str, Identifier("The channel.", "support-42", what="channel")]
PersonId = Annotated[str, Identifier("A person's id.", "alice", what="person")]
MemoryId = Annotated[str, Identifier("A memory's id, or a message's.", "fct_0123456789abcdefghjkmnpqrs", what="id")]
MessageKey = Annotated[str, Identifier("Your own id of a message.", "discord:1187", what="key")]
RequestId = Annotated[str, Identifier("A request's id.", "req_0123456789abcdefghjkmnpqrs", what="request")]
JobId = Annotated[str, Identifier("A job's id.", what="job")]
KeyId = Annotated[str, Identifier("A key's id: what stands between `er_` and the secret.", what="key")]
PromptName = Annotated[str, Identifier("The prompt's name.", "summarise", what="prompt")]
WriterName = Annotated[str, Identifier("A model, a person, or `extractive`: who wrote it.", what="writer")]
By = Annotated[str, Editor("Who does it.", "alice", what="person")]
Text = Annotated[str, Words("The text.", "Alice prefers trains to planes.", least=1)]
Note = Annotated[str, Words("A note, or nothing.")]
Title = Annotated[str, Words("What people call the channel.", most=512)]
Position = Annotated[str, Words("The key of a message; empty: none.", "discord:1187", most=512)]
Matching = Annotated[str, Words("Text that is in the name or title.", most=512)]
Query = Annotated[str, SearchText("What you look for, in your own words.", "where does alice live", name="q")]
Question = Annotated[str, SearchText("What is to be answered, or nothing.", "Where do I live now?")]
Seq = Annotated[int, Number("The number of a message in its channel.", 20)]
Tokens = Annotated[int, Number("Tokens, at least 100.", 2000, low=100)]
Days = Annotated[int, Number("The last days, today included.", low=1, high=LONGEST_PERIOD)]
Kinds = Annotated[
    Sequence[str] | None,
    CommaSeparated(
        "Only these kinds: message, chunk, meta, fact, brief, told, day, note, topic, profile, structured.",
        "fact,chunk",
    ),
]
Within = Annotated[
    Sequence[str] | None,
    Channels(
        "Only what was said in these channels and in the one asked in, and what everyone may see.",
        what="channel",
        none=True,
    ),
]
Since = Annotated[Time | None, Rule("Not before this day (UTC) or time.", "2026-03-01")]
Until = Annotated[Time | None, Rule("Up to the end of this day (UTC), or before this time.", "2026-03-31")]

# Pages. The same default and the same largest page for every list; `cursor` is `next` of the page before.
Limit = Annotated[int, Number("How many at most.", low=1, high=MOST)]
# For what belongs to one channel and is read whole: without a limit, all of it.
LimitOrAll = Annotated[int | None, Number("How many of the latest; without it, all.", low=1, high=MOST)]
Cursor = Annotated[str | None, Rule("`next` of the page before.")]
# For tables that people page through by number, and for ranked lists, which have no place to go on from.
Offset = Annotated[int, Number("How many of the first to pass over.")]
