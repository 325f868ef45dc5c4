"""Build a context, ask the chat model, and list the notes of a channel."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any, cast

from fastapi import Query
from fastapi.responses import StreamingResponse

from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error
from erstwhile.http import permissions, problems
from erstwhile.http.caller import ServedMemory
from erstwhile.http.dependencies import CHANNEL, ReadableChannel, WritableChannel, routes
from erstwhile.http.models import (
    ChannelNotes,
    ContextBody,
    ContextParameters,
    ContextResponse,
    NotesPage,
    QuestionBody,
)
from erstwhile.http.openapi import problem_responses

router = routes("channel", CHANNEL)

_STREAM: dict[str, Any] = {
    "description": "`piece` events with `text`, then `done`. A failure after the first piece is an `error` event with a problem.",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}


@router.get("/context", summary="Build a context")
async def context(
    chat: ReadableChannel, memory: ServedMemory, asked: Annotated[ContextParameters, Query()]
) -> ContextResponse:
    """Build what a model should know to answer `query` within `budget`, with sources."""
    return await _context(chat, memory, asked)


@router.post("/context", summary="Build a context for a long question")
async def context_of(
    chat: ReadableChannel, memory: ServedMemory, body: ContextBody
) -> ContextResponse:
    """Build a context, with the question in the body, where it may be of any length."""
    return await _context(chat, memory, body)


async def _context(chat: Channel, memory: Memory, wanted: ContextParameters) -> ContextResponse:
    await permissions.take_texts(memory, chat.space, [wanted.query])
    made = await chat.context(**wanted.model_dump(exclude={"items"}))
    return ContextResponse.of(made, items=wanted.items)


@router.post(
    "/ask",
    responses={200: _STREAM, **problem_responses(502)},
    response_class=StreamingResponse,
    summary="Ask the chat model",
)
async def ask(chat: WritableChannel, memory: ServedMemory, body: QuestionBody) -> StreamingResponse:
    """Ask the chat model with memory and stream its reply. Question and reply are logged, even if
    you disconnect. If the model fails, the reply says so and is logged as failed."""
    await permissions.take_texts(memory, chat.space, [body.query, body.system, body.sources])
    pieces = cast(AsyncGenerator[str], chat.ask(**dict(body)))
    first = await anext(pieces, None)  # an invalid question is a problem, not a stream
    headers = {"Cache-Control": "no-store"}
    stream = _events(first, pieces)
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


async def _events(first: str | None, rest: AsyncGenerator[str]) -> AsyncIterator[str]:
    async with contextlib.aclosing(rest):
        try:
            if first is not None:
                yield event("piece", {"text": first})
            async for piece in rest:
                yield event("piece", {"text": piece})
        except Error as error:
            yield event("error", problems.document(problems.of(error)))
        else:
            yield event("done", {})


def event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


@router.get("/notes", responses=problem_responses(404), summary="List the notes of a channel")
async def notes(
    chat: ReadableChannel, memory: ServedMemory, asked: Annotated[NotesPage, Query()]
) -> ChannelNotes:
    """List the notes and topics of a channel, newest first."""
    found = await memory.notes.list(space=chat.space, channel=chat.channel, **dict(asked))
    return ChannelNotes(notes=found, next=found.next)
