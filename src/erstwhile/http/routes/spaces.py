"""Configure a space, run the doctor, list the notes of a channel."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import BaseModel, Field

from erstwhile.api.finding import Finding
from erstwhile.http import permissions
from erstwhile.http.caller import CurrentCaller, ReadableSpace, ServedMemory, WritableSpace
from erstwhile.http.dependencies import CHANNEL, ReadableChannel, routes
from erstwhile.http.models import Name, QueryModel, SpaceConfigurationBody
from erstwhile.http.openapi import problem_responses
from erstwhile.layers.notes.model import Note

router = routes("spaces")
whole = routes("memory")
of_channel = routes("channel", CHANNEL)


class DoctorQuery(QueryModel):
    quick: bool = Field(False, description="Skip checking the whole database for damage.")


class FindingList(BaseModel):
    findings: list[Finding]


class NotesPage(QueryModel):
    person: Name | None = None
    day: str | None = Field(None, examples=["2026-03-02"])
    kind: Literal["note", "topic"] | None = None
    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = Field(None, description="`next` of the previous page.")


class ChannelNotes(BaseModel):
    notes: list[Note]
    next: str | None = None


@router.patch("/configuration", status_code=204, summary="Configure a space")
async def configure(
    space: WritableSpace, memory: ServedMemory, caller: CurrentCaller, body: SpaceConfigurationBody
) -> None:
    """Set the settings of a space. Omitted settings stay; "" resets one. An api_key is stored
    encrypted. `base_url` needs an admin key; so does a model if the space has no api_key of its
    own, because the server's key is used."""
    await permissions.check_configuration(caller, memory, space, body.model_dump(exclude_none=True))
    await memory.spaces.configure(space=space, **body.model_dump(exclude_none=True))


@whole.get("/doctor", summary="Find problems")
async def doctor(
    request: Request, space: ReadableSpace, memory: ServedMemory, asked: Annotated[DoctorQuery, Query()]
) -> FindingList:
    """Find problems and say what to do about them."""
    if asked.quick:
        return FindingList(findings=await memory.doctor(space=space, quick=True))
    async with request.app.state.examining:  # one at a time, because it reads the whole database
        return FindingList(findings=await memory.doctor(space=space))


@of_channel.get("/notes", responses=problem_responses(404), summary="List the notes of a channel")
async def notes(chat: ReadableChannel, memory: ServedMemory, asked: Annotated[NotesPage, Query()]) -> ChannelNotes:
    """List the notes and topics of a channel, newest first."""
    found = await memory.notes.list(space=chat.space, channel=chat.channel, **dict(asked))
    return ChannelNotes(notes=found, next=found.next)
