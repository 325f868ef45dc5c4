"""Parameter types with their limits and checks, declared once for every interface.

A rule is metadata of an `Annotated` type. `check` validates a value; `limits` are its constraints
in the OpenAPI document: `least` and `most` characters or items, `low` and `high` of a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Protocol

from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput
from erstwhile.base.page import MOST
from erstwhile.base.records import dataclass
from erstwhile.base.trust import TIERS
from erstwhile.log import check
from erstwhile.search.period import Time

LARGEST = 2**53 - 1  # fits both databases, and JavaScript
LONGEST_PERIOD = 3660  # days
_LIMITS = {"least": "min_length", "most": "max_length", "low": "ge", "high": "le"}


class Conversation(Protocol):
    """A channel of the async, blocking or remote API."""

    channel: str
    space: str


@dataclass(frozen=True, slots=True)
class ParameterRule:
    """Any value. `name` is the parameter's name over HTTP, if different."""

    description: str = ""
    example: Any = None
    name: str = ""

    @property
    def limits(self) -> Mapping[str, Any]:
        found = {named: getattr(self, name, None) for name, named in _LIMITS.items()}
        return {named: limit for named, limit in found.items() if limit is not None}

    def check(self, _name: str, value: Any) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class ChannelOfMemory(ParameterRule):
    """A channel, as `memory.channel` returns it."""

    def check(self, name: str, value: Any) -> Any:
        if not (hasattr(value, "channel") and hasattr(value, "space")):
            raise InvalidInput(f"`{name}` is a channel: give memory.channel({value!r}).")
        return value


@dataclass(frozen=True, slots=True)
class Identifier(ParameterRule):
    """An id chosen by the caller: any text up to 512 bytes."""

    what: str = "id"
    least: int | None = 1
    most: int | None = check.LONGEST_ID

    def check(self, _name: str, value: Any) -> Any:
        return check.identifier(self.what, value)


@dataclass(frozen=True, slots=True)
class EditorName(Identifier):
    """Who makes a change. Over HTTP the default is the key's name."""


@dataclass(frozen=True, slots=True)
class Words(ParameterRule):
    """Text of any length."""

    least: int | None = None
    most: int | None = None

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
class Number(ParameterRule):
    low: int = 0
    high: int = LARGEST

    def check(self, name: str, value: Any) -> Any:
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidInput(f"`{name}` must be a whole number, not {type(value).__name__}.")
        if self.low <= value <= self.high:
            return value
        bounded = f"from {self.low} to {self.high}"
        bounds = f"at least {self.low}" if self.high == LARGEST else bounded
        raise InvalidInput(f"`{name}` must be {bounds}.")


@dataclass(frozen=True, slots=True)
class Share(ParameterRule):
    """A number from 0 to 1."""

    low: int = 0
    high: int = 1

    def check(self, name: str, value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
            return float(value)
        raise InvalidInput(f"`{name}` must be from 0 to 1.")


@dataclass(frozen=True, slots=True)
class OneOf(ParameterRule):
    choices: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> Any:
        if value not in self.choices:
            raise InvalidInput(f"Unknown {name} {value!r}. Use one of {', '.join(self.choices)}.")
        return value


@dataclass(frozen=True, slots=True)
class IdList(ParameterRule):
    """A list of ids; over HTTP a repeated parameter. `none`: it may be empty, "" in a URL."""

    what: str = "id"
    most: int = 10_000
    none: bool = False

    def check(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            raise InvalidInput(f"`{name}` is a list.")
        return [check.identifier(self.what, each) for each in value if each or not self.none]


@dataclass(frozen=True, slots=True)
class ChannelList(IdList):
    """Channels whose content may be used."""

    def check(self, _name: str, value: Any) -> Any:
        return check.channels(value)


@dataclass(frozen=True, slots=True)
class AnyList(ParameterRule):
    """A list of anything."""

    def check(self, name: str, value: Any) -> Any:
        return check.listed(name, value)


@dataclass(frozen=True, slots=True)
class CommaSeparated(ParameterRule):
    """Kinds of memories; over HTTP one comma-separated text."""

    def check(self, name: str, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, str):
            raise InvalidInput(f"`{name}` is a list, such as {[value]!r}.")
        unknown = [kind for kind in value if kind not in ids.kinds()]
        if unknown or not value:
            known = ", ".join(ids.kinds())
            raise InvalidInput(f"Unknown kind {', '.join(unknown)!r}. Kinds are {known}.")
        return tuple(dict.fromkeys(value))


Space = Annotated[
    str | None, Identifier("The space; by default that of the settings.", "my-app", what="space")
]
ChannelId = Annotated[str, Identifier("The channel.", "support-42", what="channel")]
PersonId = Annotated[str, Identifier("A person's id.", "alice", what="person")]
MemoryId = Annotated[
    str, Identifier("A memory's id, or a message's.", "fct_0123456789abcdefghjkmnpqrs", what="id")
]
MessageKey = Annotated[str, Identifier("Your own id of a message.", "discord:1187", what="key")]
RequestId = Annotated[
    str, Identifier("A request's id.", "req_0123456789abcdefghjkmnpqrs", what="request")
]
JobId = Annotated[str, Identifier("A job's id.", what="job")]
KeyId = Annotated[str, Identifier("A key's id: the part between `er_` and the secret.", what="key")]
PromptName = Annotated[str, Identifier("The prompt's name.", "summarise", what="prompt")]
WriterName = Annotated[
    str, Identifier("Who wrote it: a model, a person, or `extractive`.", what="writer")
]
By = Annotated[str, EditorName("Who makes the change.", "alice", what="person")]
Text = Annotated[str, Words("The text.", "Alice prefers trains to planes.", least=1)]
Note = Annotated[str, Words("A note; may be empty.")]
Title = Annotated[str, Words("What people call the channel.", most=512)]
Position = Annotated[str, Words("The key of a message, or empty.", "discord:1187", most=512)]
Matching = Annotated[str, Words("Part of the name or title.", most=512)]
Query = Annotated[str, SearchText("What to search for.", "where does alice live", name="q")]
Question = Annotated[
    str, SearchText("The question to answer; may be empty.", "Where do I live now?")
]
Seq = Annotated[int, Number("The sequence number of a message in its channel.", 20)]
Tokens = Annotated[int, Number("Tokens, at least 100.", 2000, low=100)]
Days = Annotated[int, Number("The last days, today included.", low=1, high=LONGEST_PERIOD)]
Kinds = Annotated[
    Sequence[str] | None,
    CommaSeparated(f"Only these kinds: {', '.join(ids.kinds())}.", "fact,chunk"),
]
Within = Annotated[
    Sequence[str] | None,
    ChannelList(
        "Only content of these channels, of the channel asked in, and what is visible to everyone.",
        what="channel",
        none=True,
    ),
]
Decompose = Annotated[
    bool,
    ParameterRule("A model first splits the question into at most three, which are searched too."),
]
Trust = Annotated[
    str,
    OneOf(
        "Only what is at least as trusted: `user` is what people said, `self` what they said of themselves.",
        "user",
        choices=TIERS,
    ),
]
Since = Annotated[Time | None, ParameterRule("Not before this day (UTC) or time.", "2026-03-01")]
Until = Annotated[
    Time | None,
    ParameterRule("Up to the end of this day (UTC), or before this time.", "2026-03-31"),
]

# Paging is the same for every list. `cursor` is `next` of the previous page.
Limit = Annotated[int, Number("The maximum number of items.", low=1, high=MOST)]
Cursor = Annotated[str | None, ParameterRule("`next` of the previous page.")]
