"""Pydantic models of an answer to the structure prompt. Imported with the first such answer."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from erstwhile.writers.transcript import plain

MOST: Final = 40  # memories per answer; ten messages hold far fewer
_NOBODY = frozenset({"", "null", "none", "n/a", "unknown"})


def _type(given: object) -> object:
    """Accept plurals and capitals."""
    if not isinstance(given, str):
        return given
    word = given.strip().casefold()
    return "entity" if word == "entities" else word.removesuffix("s")


def _words(given: object) -> object:
    return " ".join(plain(str(given)).split()) if isinstance(given, str | int | float) else given


def _maybe(given: object) -> object:
    word = _words(given)
    return None if isinstance(word, str) and word.casefold() in _NOBODY else word


def _flag(given: object) -> object:
    return False if given is None else given


_Type = Literal["fact", "preference", "decision", "todo", "entity"]
_Text = Annotated[str, BeforeValidator(_words), Field(min_length=1, max_length=1000)]
_Name = Annotated[Annotated[str, Field(max_length=200)] | None, BeforeValidator(_maybe)]


class StructuredItem(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Annotated[_Type, BeforeValidator(_type)]
    text: _Text
    subject: _Name
    slot: _Name
    value: _Name
    confidence: Annotated[float, Field(ge=0, le=1)]
    since: _Name
    due: _Name
    done: Annotated[bool, BeforeValidator(_flag)]
    message: int
    # An empty quote is no quote, but null is what an answer without a schema leaves out.
    quote: Annotated[Annotated[str, Field(max_length=1000)] | None, BeforeValidator(_words)]


class StructuredItems(BaseModel):
    memories: Annotated[list[StructuredItem], Field(max_length=MOST)]
