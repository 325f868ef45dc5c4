"""Lists come under their name, so that more can be said beside them later; single things are the door's own dataclasses."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, Field

from erstwhile.configuration.hearing import Audience
from erstwhile.configuration.prompts import Shown
from erstwhile.configuration.space import Choice
from erstwhile.context.model import Context, ContextSource, Item
from erstwhile.doctor import Finding
from erstwhile.history.store import Version
from erstwhile.jobs.model import ListedJob, QueueCount
from erstwhile.layers.facts.model import Fact
from erstwhile.layers.notes.model import Buffer, Note, NotedDay
from erstwhile.layers.remembered.model import Told
from erstwhile.layers.structured.model import Change, Structured
from erstwhile.log.listening import Listened
from erstwhile.log.model import Message, Origin
from erstwhile.log.people import Person
from erstwhile.looking import BriefShown, ChannelShown, Summary
from erstwhile.requests.model import Advice, Request
from erstwhile.search.flagged import Flagged
from erstwhile.search.model import Hit

Next: TypeAlias = str | None


class Messages(BaseModel):
    messages: list[Message]


class PageOfMessages(BaseModel):
    """`next` is the cursor of the page that follows; null when this was the last one."""

    messages: list[Message]
    next: Next = None


class ChannelSize(BaseModel):
    """`size` is how many messages it has had, and the `seq` of the last one."""

    space: str
    channel: str
    size: int


class Spaces(BaseModel):
    spaces: list[str]


class Channels(BaseModel):
    channels: list[ChannelShown]


class Origins(BaseModel):
    sources: list[Origin]


class Revised(BaseModel):
    """What it says now; null where there is no such message."""

    message: Message | None


class Retracted(BaseModel):
    """How many were there."""

    retracted: int


class Audiences(BaseModel):
    audiences: list[Audience]


class AllListened(BaseModel):
    listening: list[Listened]


class Summaries(BaseModel):
    summaries: list[Summary]


class LatestBrief(BaseModel):
    brief: BriefShown | None


class PartShown(BaseModel):
    """`glue` stands between the part before and this one. `items` are its lines, each with where it comes from, if they were asked for;
    `body` is its text where that is more than a heading and lines."""

    name: str
    heading: str
    text: str
    tokens: int
    glue: str
    body: str = ""
    items: list[Item] | None = None


class ContextShown(BaseModel):
    """`text` for a prompt of your own; `messages` for a chat model. `request` is the id that /requests/{id} explains."""

    text: str
    tokens: int
    request: str
    messages: list[dict[str, str]]
    parts: list[PartShown]
    sources: list[ContextSource]

    @classmethod
    def of(cls, context: Context, *, items: bool = False) -> ContextShown:
        return cls(
            text=context.text,
            tokens=context.tokens,
            request=context.request,
            messages=list(context.messages),
            parts=[
                PartShown(
                    name=part.name,
                    heading=part.heading,
                    text=part.text,
                    tokens=part.tokens,
                    glue=part.glue,
                    body=part.body if items else "",
                    items=list(part.items) if items else None,
                )
                for part in context.parts
            ],
            sources=list(context.sources),
        )


class Hits(BaseModel):
    hits: list[Hit]


class PageOfMemories(BaseModel):
    memories: list[Hit]
    next: Next = None


class Versions(BaseModel):
    versions: list[Version]


class Facts(BaseModel):
    facts: list[Fact]


class Notes(BaseModel):
    notes: list[Note]


class NotedDays(BaseModel):
    days: list[NotedDay]


class Buffers(BaseModel):
    buffers: list[Buffer]


class People(BaseModel):
    people: list[Person]


class AllTold(BaseModel):
    told: list[Told]


class AllStructured(BaseModel):
    structured: list[Structured]


class Changes(BaseModel):
    changes: list[Change]


class Requests(BaseModel):
    requests: list[Request]


class AllAdvice(BaseModel):
    advice: list[Advice]


class Jobs(BaseModel):
    jobs: list[ListedJob]


class Queue(BaseModel):
    queue: list[QueueCount]


class Findings(BaseModel):
    findings: list[Finding]


class Prompts(BaseModel):
    prompts: list[Shown]


class Configuration(BaseModel):
    configuration: list[Choice]


class Realigned(BaseModel):
    realigned: int


class Undone(BaseModel):
    undone: int


class Deleted(BaseModel):
    deleted: int


class Imported(BaseModel):
    imported: int


class AllFlagged(BaseModel):
    flagged: list[Flagged]


class FlagCounts(BaseModel):
    counts: dict[str, int]


class Reviewed(BaseModel):
    """For how many reasons it was flagged."""

    reviewed: int


class Retried(BaseModel):
    retried: int


class Reset(BaseModel):
    reset: bool


class Nothing(BaseModel):
    """It was asked for, and is done by and by."""


Exported: TypeAlias = dict[str, Any]


class Problem(BaseModel):
    """RFC 9457. `detail` says what happened and what to do; `errors` which fields of the request were wrong."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str
    error: str | None = Field(None, description="Which of erstwhile's errors it is.", examples=["NotFound"])
    errors: list[dict[str, str]] | None = None
