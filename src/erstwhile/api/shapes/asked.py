"""What is asked in the address: the ids in the path, and what comes after the question mark."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from fastapi import Path
from pydantic import Field

from erstwhile.api.shapes.given import Asked, Name, Number

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
Cursor = Annotated[str | None, Field(description="`next` of the page before.")]
Days = Annotated[int, Field(ge=1, le=3660, description="The last days, today included.")]


def several(kinds: str | None) -> list[str] | None:
    return None if kinds is None else [each.strip() for each in kinds.split(",")]


class MessagesPage(Asked):
    after: Number | None = Field(None, description="The `seq` of the last message you have; not with `cursor`.")
    limit: int = Field(100, ge=1, le=1000)
    cursor: Cursor = None


class Search(Asked):
    q: str = Field(description="What you look for, in your own words.", examples=["where does alice live"])
    channel: Name | None = None
    person: Name | None = None
    limit: int = Field(10, ge=1, le=1000)
    kinds: Kinds = None


class MemoriesPage(Asked):
    kinds: Kinds = None
    channel: Name | None = None
    person: Name | None = None
    limit: int = Field(50, ge=1, le=500)
    cursor: Cursor = None
    before: Name | None = Field(None, description="The id of a memory: those older than it; not with `cursor`.")


class Level(Asked):
    level: Number | None = Field(
        None, le=63, description="0: chunks; 1: summaries of chunks; and so on. Without it: all."
    )


class FactsAsked(Asked):
    category: str | None = None
    min_importance: int | None = Field(None, ge=1, le=5)


class ChannelNotes(Asked):
    person: Name | None = None
    day: date | None = Field(None, examples=["2026-03-02"])
    kind: Literal["note", "topic"] | None = None
    limit: int = Field(50, ge=1, le=1000)


class Notes(ChannelNotes):
    channel: Name | None = None


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


class Of(Asked):
    person: Name | None = None


class Ended(Asked):
    ended: bool = Field(False, description="Also what no longer holds.")


class Latest(Asked):
    channel: Name | None = None
    limit: int = Field(20, ge=1, le=1000)


class Period(Asked):
    days: Days = 7


class JobsAsked(Asked):
    state: Literal["waiting", "running", "done", "parked", "timer"] | None = None
    limit: int = Field(100, ge=1, le=1000)
