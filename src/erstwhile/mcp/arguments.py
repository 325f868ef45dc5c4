"""Arguments of the tools. Models read the descriptions with every request, so they are short."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from erstwhile.base import ids

Person = Annotated[str | None, Field(description="Id or name of a person.")]
Channel = Annotated[str | None, Field(description="A conversation.")]
if TYPE_CHECKING:
    Kind = str
else:
    Kind = Literal[ids.kinds()]
Kinds = Annotated[list[Kind] | None, Field(description="Only these kinds.")]
Id = Annotated[str, Field(description="Id of a memory, from a result.")]

MOST = 50


class ToolArguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SearchArguments(ToolArguments):
    query: Annotated[str, Field(min_length=1, description="A question or keywords.")]
    limit: Annotated[int, Field(ge=1, le=MOST)] = 10
    person: Annotated[
        str | None, Field(description="Only what this person said, or what is about them.")
    ] = None
    channel: Channel = None
    kinds: Kinds = None
    since: Annotated[datetime | None, Field(description="ISO date or time.")] = None
    until: Annotated[datetime | None, Field(description="ISO date or time.")] = None


class ContextArguments(ToolArguments):
    query: Annotated[str, Field(description="The question to answer.")]
    channel: Channel = None
    person: Annotated[str | None, Field(description="Who asks.")] = None
    max_tokens: Annotated[int, Field(ge=100, le=100_000)] = 2000


class AddArguments(ToolArguments):
    text: Annotated[
        str, Field(min_length=1, description="One self-contained statement, in the third person.")
    ]
    about: Annotated[
        str | None, Field(description="Id of the person it is about, if it is about one.")
    ] = None
    channel: Channel = None


class ListArguments(ToolArguments):
    cursor: Annotated[str | None, Field(description="`next` of the page before.")] = None
    kinds: Kinds = None
    person: Person = None
    limit: Annotated[int, Field(ge=1, le=MOST)] = 20


class GetArguments(ToolArguments):
    id: Id


class UpdateArguments(ToolArguments):
    id: Id
    text: Annotated[str, Field(min_length=1, description="The new text.")]


class ForgetArguments(ToolArguments):
    ids: Annotated[
        list[str] | None, Field(min_length=1, max_length=MOST, description="Ids, from results.")
    ] = None
    person: Annotated[str | None, Field(description="With `fact`: the person it is about.")] = None
    fact: Annotated[str | None, Field(description="What to forget about the person, in words.")] = (
        None
    )

    @model_validator(mode="after")
    def _either(self) -> ForgetArguments:
        by_words = self.person is not None and self.fact is not None
        if (self.ids is not None) == by_words or (self.person is None) != (self.fact is None):
            raise ValueError("give either `ids`, or `person` and `fact`")
        return self


class AboutArguments(ToolArguments):
    person: Annotated[str, Field(min_length=1, description="Id or name.")]


def schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema without titles and nullable types. Null values are not sent."""
    return _slim(model.model_json_schema())


def _slim(node: dict[str, Any]) -> dict[str, Any]:
    slim: dict[str, Any] = {}
    for name, value in node.items():
        if name in ("properties", "$defs"):
            slim[name] = {each: _slim(inner) for each, inner in value.items()}
        elif name == "anyOf":
            given = [_slim(each) for each in value if each != {"type": "null"}]
            slim |= given[0] if len(given) == 1 else {"anyOf": given}
        elif name == "items":
            slim[name] = _slim(value)
        elif name in ("title", "format") or (name == "default" and value is None):
            continue
        else:
            slim[name] = value
    return slim
