"""Bodies, queries and responses of the routes that are written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from erstwhile.base.settings import Recipe as Recipe
from erstwhile.context.model import Context, ContextSource
from erstwhile.layers.notes.model import Note
from erstwhile.layers.part import Item
from erstwhile.log.model import Message

# Integers fit both databases, and JavaScript.
Number = Annotated[int, Field(ge=0, le=2**53 - 1)]
Text = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(min_length=1, max_length=512)]
Within = Annotated[
    list[Annotated[str, Field(max_length=512)]] | None,
    Field(
        max_length=10_000,
        description="Only content of these channels (repeat for each), of the channel asked in, and what is visible to everyone.",
    ),
]
Tier = Literal["unknown", "third_party", "tool", "assistant", "user", "self"]


def _id(description: str, example: str | None = None) -> Any:
    examples = [example] if example else None
    return Path(description=description, min_length=1, max_length=512, examples=examples)


ChannelName = Annotated[str, _id("The channel.", "support-42")]
PersonName = Annotated[str, _id("A person's id.", "alice")]
MemoryId = Annotated[str, _id("A memory's id, or a message's.", "fct_0123456789abcdefghjkmnpqrs")]
MessageId = Annotated[str, _id("A message's id.", "msg_0123456789abcdefghjkmnpqrs")]
OriginName = Annotated[str, _id("What messages name as their origin.", "import:chat.txt")]


class QueryModel(BaseModel):
    """Query parameters. They are text and are converted to their type."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BodyModel(BaseModel):
    """A JSON body. Types are strict: "5" is not a number and 1 is not true."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


def _told(description: str, default: Any = None, **limits: Any) -> Any:
    """Return an optional field with its description."""
    return Field(default, description=description, **limits)


_FLOOR = "Leave out what is less likely to bear on the question."
_SPLITS = "A model first splits the question into at most three, which are searched too."


class MessageBody(BodyModel):
    """One message. `at` is ISO 8601 with a time zone, for imports. `key` is your own id; sending it
    again changes nothing."""

    model_config = _example(
        role="user", text="I moved to Busan last week", person="alice", name="Alice"
    )

    role: Literal["user", "assistant", "system", "tool"]
    text: Text
    person: Name | None = None
    name: Name | None = None
    at: str | None = None
    key: Name | None = None
    model: Name | None = None
    meta: Mapping[str, Any] | None = None
    channel: Name | None = Field(None, description="Optional; must be the channel of the path.")


class MessagesBody(BodyModel):
    """Messages that are stored together, all or none."""

    model_config = _example(
        messages=[
            {"role": "user", "text": "I moved to Busan last week", "person": "alice"},
            {"role": "assistant", "text": "How is the sea?", "model": "gpt-5-mini"},
        ]
    )

    messages: list[MessageBody]


def _how_many(given: object) -> str:
    listed = isinstance(given, Mapping) and "messages" in given
    return "many" if listed or isinstance(given, MessagesBody) else "one"


OneOrMany = Annotated[
    Annotated[MessageBody, Tag("one")] | Annotated[MessagesBody, Tag("many")],
    Discriminator(_how_many),
]


class ContextParameters(QueryModel):
    """Parameters of a context."""

    query: str = _told("The question. Without one, the context has standing memories only.", "")
    person: Name | None = Field(None, description="Who asks.")
    budget: Number | None = Field(None, description="Tokens, at least 100.")
    recipe: Recipe | None = Field(None, description="The recipe; by default the space's.")
    scope: Literal["channel", "person"] | None = _told(
        "`person` also searches the person's other channels; by default only if there is too little here."
    )
    within: Within = None
    floor: float | None = _told(_FLOOR, ge=0, le=1)
    trust: Tier | None = Field(None, description="Leave out what is less trusted than this tier.")
    decompose: bool = _told(_SPLITS, False)
    items: bool = Field(False, description="Include the lines of each part with their sources.")
    trial: bool = Field(False, description="A trial is not counted in reports.")


class ContextBody(ContextParameters):
    """Parameters of a context, in a body."""

    model_config = ConfigDict(strict=True) | _example(
        query="Where do I live now?", person="alice", budget=2000, recipe="full"
    )


class QuestionBody(BodyModel):
    model_config = _example(query="Where do I live now?", person="alice")

    query: Text
    person: Name | None = None
    name: Name | None = None
    model: Name | None = None
    system: str = ""
    sources: str = ""
    budget: Number | None = None
    recipe: Recipe | None = None
    key: Name | None = None
    within: Within = None
    scope: Literal["channel", "person"] | None = None
    floor: float | None = Field(None, ge=0, le=1)
    decompose: bool = Field(False, description="A model first splits the question.")
    keep: bool = Field(True, description="False: question and reply are not logged.")


class UndoBody(BodyModel):
    """`undo`, `replaced` and `gone` as returned by `regenerate`."""

    model_config = _example(
        undo="req_0123456789abcdefghjkmnpqrs", replaced=["chk_0123456789abcdefghjkmnpqrs"], gone=[]
    )

    undo: Name
    replaced: list[Name] = Field(max_length=10_000)
    gone: list[Name] = Field(max_length=10_000)
    by: Name | None = None


class MemoryTextBody(BodyModel):
    """The new text of a memory."""

    model_config = _example(text="Alice lives in Busan.", by="alice")

    text: Text
    by: Name | None = None


class MessagesPage(QueryModel):
    after: Number | None = _told("The `seq` of the last message you have; not with `cursor`.")
    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = Field(None, description="`next` of the previous page.")


class NotesPage(QueryModel):
    person: Name | None = None
    day: str | None = Field(None, examples=["2026-03-02"])
    kind: Literal["note", "topic"] | None = None
    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = Field(None, description="`next` of the previous page.")


class MessageKeys(QueryModel):
    key: list[Name] = Field(
        min_length=1, max_length=500, description="The key of a message; repeat for each."
    )


class ActorQuery(QueryModel):
    by: Name | None = Field(None, description="Who makes the change; by default the key's name.")


class WholeSpaceQuery(ActorQuery):
    everything: bool = _told("Must be true, to confirm that the whole space is erased.", False)


class MessageList(BaseModel):
    messages: list[Message]


class PageOfMessages(BaseModel):
    """`next` is the cursor of the next page; null on the last one."""

    messages: list[Message]
    next: str | None = None


class ChannelNotes(BaseModel):
    notes: list[Note]
    next: str | None = None


class DeleteResult(BaseModel):
    """How many messages existed."""

    deleted: int


class ContextPartResponse(BaseModel):
    """A part of a context. `glue` separates it from the part before. `items` are its lines with
    their sources, if requested; `body` is its text if that is more than a heading and lines."""

    name: str
    heading: str
    text: str
    tokens: int
    glue: str
    body: str = ""
    items: list[Item] | None = None


class ContextResponse(BaseModel):
    """A context. Use `text` in a prompt of your own, or `messages` for a chat model. /requests/{id}
    explains `request`."""

    text: str
    tokens: int
    request: str
    messages: list[dict[str, str]]
    parts: list[ContextPartResponse]
    sources: list[ContextSource]
    relevant: bool
    relevance: float | None
    withheld: int

    @classmethod
    def of(cls, context: Context, *, items: bool = False) -> ContextResponse:
        shown = cls.model_validate(context, from_attributes=True)
        for part in () if items else shown.parts:
            part.items, part.body = None, ""
        return shown


class UndoResult(BaseModel):
    undone: int


class ProblemDocument(BaseModel):
    """RFC 9457 problem. `detail` says what to do; `errors` lists the invalid fields."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str
    error: str | None = _told("The name of the error class.", examples=["NotFound"])
    errors: list[dict[str, str]] | None = None
