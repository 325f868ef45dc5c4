"""Recall lab: explain why the model knows something, or why it does not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from nicegui import Client, background_tasks, html
from nicegui.client import ClientConnectionTimeout
from nicegui.element import Element

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error, NotFound
from erstwhile.context.model import Context
from erstwhile.dashboard import parts
from erstwhile.dashboard.recall import answer as lab_answer
from erstwhile.dashboard.recall import feedback as lab_feedback
from erstwhile.dashboard.recall import form as lab_form
from erstwhile.dashboard.recall import past_requests as lab_requests
from erstwhile.dashboard.recall.snippets import ContextQuery
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Backend, Viewer
from erstwhile.http.problems import Problem
from erstwhile.requests.model import Explanation, Request
from erstwhile.search.model import Hit

_AT_ONCE = 0.5  # seconds that a page waits for its answer; one that takes longer comes after the page
_CONNECTS = 60.0  # seconds in which a browser shows a page it has got


@dataclass(frozen=True, slots=True)
class _Answer:
    """`why` is None where it is not on record; `said` is what was found for what was expected;
    `keyed`: the API wants a key."""

    context: Context
    why: Explanation | None
    said: list[Hit]
    keyed: bool


@page("/recall")
async def recall(viewer: Viewer) -> None:
    memory = await viewer.reading()
    parts.title(
        "Recall lab", "Ask as an app would, and see what the model gets, where it comes from and what was left out."
    )
    if viewer.asked("request"):
        await _past(viewer, memory, viewer.asked("request"))
        return
    asked = lab_form.asked(viewer)
    await lab_form.form(viewer, memory, asked)
    if asked.channel:
        await _asked(viewer, memory, asked)
    else:
        await lab_requests.past(viewer, memory)


async def _asked(viewer: Viewer, memory: Memory, asked: ContextQuery) -> None:
    """Show the answer with the page if it is quick, else as soon as it is there."""
    with html.div().classes("stack lab-answer") as slot:
        pass
    answering = asyncio.create_task(_answered(memory, asked, viewer.asked("expected")), name="dashboard recall lab")
    await asyncio.wait({answering}, timeout=_AT_ONCE)
    if answering.done():
        await _shown(viewer, asked, answering, slot)
        return
    with slot, parts.card("", "lab-wait"), html.div().props("role=status").classes("stack"):
        html.p("Looking …")
        html.progress().props('aria-label="Looking"')
        parts.quiet("The first question to a large space reads it all once; the next ones take a moment.")
    background_tasks.create(_later(viewer, asked, answering, slot), name="recall lab", context=viewer.client)


async def _later(viewer: Viewer, asked: ContextQuery, answering: asyncio.Task[_Answer], slot: Element) -> None:
    client: Client = viewer.client
    try:
        await client.connected(timeout=_CONNECTS)
    except ClientConnectionTimeout:
        return
    await asyncio.wait({answering})
    if client.is_deleted:
        return
    await _shown(viewer, asked, answering, slot)


async def _answered(memory: Memory, asked: ContextQuery, expected: str) -> _Answer:
    chat = memory.channel(asked.channel, space=asked.space)
    made = await chat.context(asked.query, **asked.options, trial=True)
    said = await lab_feedback.looked_for(memory, asked.space, expected)
    keyed = await Backend.gate.needs_key()
    if not made.request:
        return _Answer(made, None, said, keyed)
    try:
        return _Answer(made, await memory.requests.explain(made.request, space=asked.space), said, keyed)
    except NotFound:  # a database that is busy costs rows of the record, never an answer
        return _Answer(made, None, said, keyed)


async def _shown(viewer: Viewer, asked: ContextQuery, answering: asyncio.Task[_Answer], slot: Element) -> None:
    try:
        await viewer.reading()
        answer = answering.result()
    except (Error, Problem) as error:
        slot.clear()
        with slot:
            parts.problem(error.detail if isinstance(error, Problem) else str(error))
        return
    slot.clear()
    with slot:
        _explained(viewer, asked, answer)


def _explained(viewer: Viewer, asked: ContextQuery, answer: _Answer) -> None:
    made, why = answer.context, answer.why
    if why is not None:
        with parts.card("Explain"):
            lab_answer.way(why.request)
            with html.div().classes("row"):
                lab_feedback.feedback(viewer, why.request.id, why.request.complaint)
                parts.link("As a past request", viewer.url("/recall", request=why.request.id), "button", "quiet")
                parts.link("All past requests", viewer.url("/recall"), "button", "quiet")
        lab_answer.tokens(why.request)
    else:
        parts.quiet("This request was not recorded: the database was too busy, or ERSTWHILE_KEEP_DAYS__REQUESTS is 0.")
    lab_answer.context(made)
    lab_answer.code(viewer, asked, keyed=answer.keyed)
    if why is not None:
        lab_feedback.box(viewer, (why, made), answer.said)
        lab_answer.candidates(viewer, why)
    lab_answer.lines(viewer, made, asked.channel)


async def _past(viewer: Viewer, memory: Memory, id: str) -> None:
    why = await memory.requests.explain(id, space=viewer.space)
    said = await lab_feedback.looked_for(memory, viewer.space, viewer.asked("expected"))
    request = why.request
    with parts.card(""):
        with html.div().classes("details"):
            parts.badge(request.op)
            if request.trial:
                parts.badge("trial")
            parts.moment(request.at)
            if request.channel is not None:
                lab_answer.place(viewer, request.channel, None, request.channel)
            if request.person is not None:
                html.span(f"asked by {request.person}").props("dir=auto")
            html.code(request.id)
        parts.text(request.query or "Without a question", "lab-asked")
        lab_answer.way(request)
        with html.div().classes("row"):
            lab_feedback.feedback(viewer, request.id, request.complaint)
            if request.channel is not None:
                parts.link("Run again", lab_form.address(viewer, _again(viewer, request)), "button")
            parts.link("All past requests", viewer.url("/recall"), "button", "quiet")
    if request.reply is not None:
        await _reply(viewer, memory, request.reply)
    lab_answer.tokens(request)
    lab_feedback.box(viewer, (why, None), said)
    lab_answer.candidates(viewer, why)


def _again(viewer: Viewer, request: Request) -> ContextQuery:
    asked = ContextQuery(viewer.space, request.channel or "", request.query, request.person or "", request.recipe)
    return replace(asked, budget=request.budget)


async def _reply(viewer: Viewer, memory: Memory, id: str) -> None:
    with parts.card("Reply"):
        try:
            reply = await memory.memories.get(id, space=viewer.space)
        except Error:
            parts.quiet("The reply is no longer kept.")
            return
        parts.text(reply.text)
        with html.div().classes("details"):
            lab_answer.place(viewer, reply.channel, reply.seq, f"{reply.channel} #{reply.seq}")
