"""What is asked in the address: the ids in the path, and what comes after the question mark."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from fastapi import Path
from pydantic import Field

from erstwhile.http.shapes.given import Asked, Name, Number, Within

ChannelName = Annotated[
    str, Path(description="The conversation.", min_length=1, max_length=512, examples=["support-42"])
]
PersonName = Annotated[str, Path(description="A person's id.", min_length=1, max_length=512, examples=["alice"])]
MemoryId = Annotated[
    str,
    Path(
        description="A memory's id, or a message's.",
        min_length=1,
        max_length=512,
        examples=["fct_0123456789abcdefghjkmnpqrs"],
    ),
]
MessageId = Annotated[
    str, Path(description="A message's id.", min_length=1, max_length=512, examples=["msg_0123456789abcdefghjkmnpqrs"])
]
MessageKey = Annotated[
    str, Path(description="Your own id of a message.", min_length=1, max_length=512, examples=["discord:1187"])
]
SourceName = Annotated[
    str,
    Path(description="What messages name as their source.", min_length=1, max_length=512, examples=["import:chat.txt"]),
]
RequestId = Annotated[str, Path(description="A request's id.", min_length=1, max_length=512)]
JobId = Annotated[str, Path(description="A job's id.", min_length=1, max_length=512)]
PromptName = Annotated[
    str, Path(description="The prompt's name.", min_length=1, max_length=512, examples=["summarise"])
]

Kinds = Annotated[
    str | None,
    Field(
        description="Only these, with commas between: message, chunk, meta, fact, brief, told, day, note, topic, profile, structured.",
        examples=["fact,chunk"],
    ),
]
Since = Annotated[str | None, Field(description="Not before this day (UTC) or time.", examples=["2026-03-01"])]
Until = Annotated[
    str | None, Field(description="Up to the end of this day (UTC), or before this time.", examples=["2026-03-31"])
]
Writer = Annotated[
    Name | None, Field(description="Only memories with this writer's words: a model, a person, or `extractive`.")
]
Cursor = Annotated[str | None, Field(description="`next` of the page before.")]
Days = Annotated[int, Field(ge=1, le=3660, description="The last days, today included.")]


def several(kinds: str | None) -> list[str] | None:
    return None if kinds is None else [each.strip() for each in kinds.split(",")]


class MessagesPage(Asked):
    after: Number | None = Field(None, description="The `seq` of the last message you have; not with `cursor`.")
    limit: int = Field(100, ge=1, le=1000)
    cursor: Cursor = None


class OriginsAsked(Asked):
    limit: int = Field(100, ge=1, le=1000)


class Retracting(Asked):
    key: list[Name] = Field(min_length=1, max_length=500, description="The message's own key; once for each.")


class Search(Asked):
    q: str = Field(description="What you look for, in your own words.", examples=["where does alice live"])
    channel: Name | None = None
    person: Name | None = None
    limit: int = Field(10, ge=1, le=1000)
    kinds: Kinds = None
    since: Since = None
    until: Until = None
    writer: Writer = None
    trial: bool = Field(False, description="Someone tries it out: it counts in no report.")
    within: Within = None


class Browse(Asked):
    q: str = Field("", description="Words that it holds. Without any: everything, the newest first.", examples=["cat"])
    channel: Name | None = None
    person: Name | None = None
    kinds: Kinds = None
    since: Since = None
    until: Until = None
    writer: Writer = None
    offset: Number = Field(0, description="As many of the first are passed over.")
    limit: int = Field(20, ge=1, le=1000)


class MemoriesPage(Asked):
    kinds: Kinds = None
    channel: Name | None = None
    person: Name | None = None
    limit: int = Field(50, ge=1, le=500)
    cursor: Cursor = None
    before: Name | None = Field(None, description="The id of a memory: those older than it; not with `cursor`.")


class AudiencesAsked(Asked):
    declared: bool = Field(False, description="Only channels of which something was declared.")
    after: str = Field("", max_length=512, description="The last channel you have.")
    limit: int = Field(100, ge=1, le=1000)


class FlaggedAsked(Asked):
    reason: Literal["instruction", "authority", "secret", "hidden", "sending", "contradiction"] | None = None
    reviewed: bool = Field(False, description="Those that someone has looked at, as they are now.")
    before: Name | None = Field(None, description="The id of the last one seen: those after it.")
    limit: int = Field(50, ge=1, le=500)


class ChannelsAsked(Asked):
    matching: str | None = Field(None, max_length=512, description="What is in their names.")
    order: Literal["name", "recent"] = Field("name", description="`recent`: the one last heard of first.")
    limit: int | None = Field(None, ge=1, le=10_000, description="Without it: all.")
    skip: Number = 0
    counts: bool = Field(False, description="Also how much was made of each.")


class InRange(Asked):
    first: Number | None = Field(None, description="What touches the messages from this `seq` on.")
    last: Number | None = Field(None, description="… up to this one.")
    limit: int | None = Field(None, ge=1, le=10_000, description="The latest so many. Without it: all.")


class Level(InRange):
    level: Number | None = Field(
        None, le=63, description="0: chunks; 1: summaries of chunks; and so on. Without it: all."
    )


class FactsAsked(InRange):
    category: str | None = None
    min_importance: int | None = Field(None, ge=1, le=5)


class ChannelNotes(Asked):
    person: Name | None = None
    day: date | None = Field(None, examples=["2026-03-02"])
    kind: Literal["note", "topic"] | None = None
    limit: int = Field(50, ge=1, le=1000)
    before: Name | None = Field(None, description="The id of a note: those that come after it in the list.")


class Notes(ChannelNotes):
    channel: Name | None = None


class BuffersAsked(Asked):
    channel: Name | None = None
    limit: int | None = Field(None, ge=1, le=1000, description="As many of the latest; else all.")


class Calendar(Asked):
    since: date = Field(description="The first day.", examples=["2026-03-01"])
    until: date = Field(description="The last day.", examples=["2026-03-31"])
    channel: Name | None = None
    person: Name | None = None


class StructuredAsked(Asked):
    person: Name | None = None
    type: Literal["fact", "preference", "decision", "todo", "entity"] | None = None
    valid: str = Field("now", description="`now`, `all`, or a time: 2026-03-01T09:30:00+09:00.")
    open: bool = Field(False, description="Only the todos that nobody has done.")
    asker: Name | None = Field(None, description="Only what they may hear.")
    limit: int = Field(100, ge=1, le=1000)


class Portrait(Asked):
    channel: Name | None = Field(None, description="Only what may be told in this channel.")
    asker: Name | None = Field(None, description="Only what they may hear.")
    fresh: bool = Field(True, description="False: what is there now, without waiting for a model.")
    within: Within = None


class SaidPage(Asked):
    before: Name | None = Field(None, description="The id of a message: those said before it.")
    limit: int = Field(50, ge=1, le=1000)


class DirectoryPage(Asked):
    people: list[Name] | None = Field(None, max_length=500, description="Only these, by their ids; once for each.")
    named: Name | None = Field(None, description="Only those with this in their id, or in a name they went by.")
    skip: Number = Field(0, description="How many to leave out: those of the pages before.")
    limit: int = Field(50, ge=1, le=500)


class By(Asked):
    by: Name | None = Field(None, description="Who does it; else the key's name.")


class Whole(By):
    everything: bool = Field(False, description="Must be true: that it is the whole space, and not something in it.")


class About(Asked):
    person: Name | None = Field(None, description="Only those of this person.")
    channel: Name | None = Field(None, description="Only those of this channel.")
    limit: int = Field(100, ge=1, le=1000)


class Of(Asked):
    person: Name | None = None


class Ended(Asked):
    ended: bool = Field(False, description="Also what no longer holds.")


class Latest(Asked):
    channel: Name | None = None
    person: Name | None = None
    op: Literal["context", "ask", "search"] | None = None
    words: str = Field("", description="In the question, as they stand here.")
    only: Literal["complained", "failed", "truncated", "empty", "trial", "real"] | None = None
    before: Name | None = Field(None, description="The id of a request: those older than it.")
    limit: int = Field(20, ge=1, le=1000)


class Counting(Asked):
    days: int = Field(30, ge=1, le=366, description="So many days, today included, are counted one by one.")


class Period(Asked):
    days: Days = 7


class Quick(Asked):
    quick: bool = Field(False, description="Without reading the whole database for damage.")


class JobsAsked(Asked):
    state: Literal["waiting", "running", "done", "parked", "timer"] | None = None
    limit: int = Field(100, ge=1, le=1000)
