"""Recall lab: explain why the model knows something, or why it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from nicegui import Client, background_tasks, html
from nicegui.client import ClientConnectionTimeout
from nicegui.element import Element

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error, NotFound
from erstwhile.base.records import dataclass
from erstwhile.context.model import Context
from erstwhile.context.recipes import RECIPES
from erstwhile.dashboard import commands, parts
from erstwhile.dashboard.recall import answer as lab_answer
from erstwhile.dashboard.recall.candidates import WithheldHit, candidates, withheld
from erstwhile.dashboard.recall.wording import ContextQuery
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Backend, Viewer
from erstwhile.http.problems import Problem
from erstwhile.requests.figures import PATH_NAMES, duration
from erstwhile.requests.model import Explanation, Request
from erstwhile.search.model import Hit

_OFFERED = 200  # channels and people; any other can be typed
_SCOPES = (("", "Automatic"), ("channel", "Here alone"), ("person", "Theirs elsewhere too"))


def read_query(viewer: Viewer) -> ContextQuery:
    """Read the parameters from the address."""
    return ContextQuery(
        space=viewer.space,
        channel=viewer.asked("channel"),
        query=viewer.asked("query"),
        person=viewer.asked("person"),
        recipe=viewer.asked("recipe"),
        budget=viewer.number("budget", 0) if viewer.asked("budget") else None,
        scope=viewer.asked("scope"),
    )


def address(viewer: Viewer, wanted: ContextQuery) -> str:
    """The address of the lab with this question."""
    given = {**wanted.options, "query": wanted.query or None}
    return viewer.url("/recall", channel=wanted.channel, **given)


async def draw_form(viewer: Viewer, memory: Memory, wanted: ContextQuery) -> None:
    channels = sorted(
        await memory.channels.list(space=viewer.space), key=lambda each: each.last_at.timestamp() if each.last_at else 0
    )[-_OFFERED:]
    people = await memory.people.list(space=viewer.space, limit=_OFFERED)
    chosen = {each.name: each.value for each in await memory.spaces.configuration(space=viewer.space)}
    with parts.form(viewer, "/recall", "card lab-form") as made:
        made.props("data-lab")
        with parts.field("Question", "wide"):
            area = html.textarea(name="query", rows="1", value=wanted.query).props("dir=auto")
            area.props["placeholder"] = "What would someone ask? Empty: what is worth knowing anyway."
        with parts.field("Conversation"):
            box = html.input_(name="channel", value=wanted.channel, list="lab-channels", autocomplete="off")
            box.props["required"] = True
            box.props["placeholder"] = "Choose or type"
        with parts.field("Who asks"):
            html.input_(name="person", value=wanted.person, list="lab-people", autocomplete="off", placeholder="Nobody")
        with parts.field("Recipe"):
            usual = chosen.get("recipe") or memory.settings.recipe
            parts.select("recipe", [("", f"Usual: {usual}"), *((each, each) for each in RECIPES)], wanted.recipe)
        with parts.field("Budget in tokens"):
            budget = html.input_(name="budget", type="number", min="100", max="1000000", step="1")
            budget.props["value"] = "" if wanted.budget is None else str(wanted.budget)
            budget.props["placeholder"] = str(memory.settings.budget)
        with parts.field("Where to look"):
            parts.select("scope", _SCOPES, wanted.scope)
        with html.div().classes("lab-ask"):
            html.button("Ask", type="submit").classes("button primary")
        parts.suggestions("lab-channels", [(each.channel, f"{each.size:,} messages") for each in reversed(channels)])
        parts.suggestions("lab-people", [(each.person, each.name) for each in people])


_PAGE = 25
# Names in the address that are not the question's own.
_FILTERS = ("words", "in", "who", "op", "only")
_OPS = (("", "Any"), ("context", "context"), ("ask", "ask"), ("search", "search"))
_ONLY = (
    ("", "All"),
    ("complained", "With feedback"),
    ("truncated", "The budget dropped something"),
    ("empty", "Nothing found"),
    ("failed", "Failed"),
    ("real", "Without trials"),
    ("trial", "Only trials"),
)


async def past(viewer: Viewer, memory: Memory) -> None:
    before = viewer.asked("before") or None
    found = await memory.requests.list(
        space=viewer.space,
        channel=viewer.asked("in") or None,
        person=viewer.asked("who") or None,
        op=viewer.asked("op") or None,
        words=viewer.asked("words"),
        only=viewer.asked("only") or None,
        cursor=before,
        limit=_PAGE,
    )
    chosen = {name: viewer.asked(name) or None for name in _FILTERS}
    with parts.card("Past requests"):
        _filters(viewer)
        if not found:
            _nothing(viewer, any(chosen.values()) or before is not None)
        else:
            _table(viewer, found)
        newer = viewer.url("/recall", **chosen) if before is not None else None
        older = viewer.url("/recall", **chosen, before=found.next) if found.next else None
        parts.pages(newer, older, ("Newest", "Older"))


def _nothing(viewer: Viewer, narrowed: bool) -> None:
    if narrowed:
        parts.quiet("No request matches.")
    else:
        parts.empty(
            "Nothing was asked yet. Ask above, or from a terminal:",
            commands.example(viewer, 'context CHANNEL "What do you know?"'),
        )


def _filters(viewer: Viewer) -> None:
    with parts.form(viewer, "/recall", "lab-past-form"):
        with parts.field("Question holds"):
            html.input_(type="search", name="words", value=viewer.asked("words")).props("dir=auto")
        with parts.field("Conversation"):
            html.input_(name="in", value=viewer.asked("in"), list="lab-channels", autocomplete="off")
        with parts.field("Who asked"):
            html.input_(name="who", value=viewer.asked("who"), list="lab-people", autocomplete="off")
        with parts.field("Way of asking"):
            parts.select("op", _OPS, viewer.asked("op"))
        with parts.field("Only"):
            parts.select("only", _ONLY, viewer.asked("only"))
        with html.div().classes("lab-ask"):
            html.button("Show", type="submit").classes("button")


def _table(viewer: Viewer, requests: Sequence[Request]) -> None:
    numbers = ("Lines", "Tokens", "Took")
    with parts.table("Asked", "Question", "Found by", *numbers, numbers=numbers, classes="lab-past"):
        for each in requests:
            _row(viewer, each)


def _row(viewer: Viewer, request: Request) -> None:
    with html.tr().props("data-row"):
        with html.td().classes("lab-when"):
            parts.moment(request.at)
        with html.td().classes("lab-says"), html.div().classes("stack"):
            parts.link(
                _short(request.query) or "Without a question", viewer.url("/recall", request=request.id), "lab-question"
            )
            _details(request)
        named = PATH_NAMES.get(request.path, "nothing") + (" (fallback)" if request.fallback else "")
        html.td(named if request.searched else "not searched").props["data-label"] = "Found by"
        took = request.retrieval_ms + (request.model_ms or 0)
        for label, figure in (
            ("Lines", f"{request.items:,}"),
            ("Tokens", f"{request.tokens:,}" if request.budget else "–"),
            ("Took", duration(took)),
        ):
            html.td(figure).classes("number").props["data-label"] = label


def _details(request: Request) -> None:
    with html.div().classes("details"):
        parts.badge(request.op)
        if request.trial:
            parts.badge("trial")
        if request.complaint is not None:
            parts.badge("feedback", "bad")
        if request.error_stage is not None:
            parts.badge(f"failed: {request.error_stage}", "bad")
        if request.truncated:
            parts.badge("cut by the budget", "warn")
        if request.channel is not None:
            html.span(f"in {request.channel}").props("dir=auto")
        if request.person is not None:
            html.span(f"asked by {request.person}").props("dir=auto")
        if request.complaint:
            html.span(f"“{_short(request.complaint)}”").props("dir=auto")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


_AT_ONCE = 0.5  # seconds that a page waits for its answer
_CONNECTS = 60.0  # seconds in which a browser shows a page it has got


@dataclass(frozen=True, slots=True)
class _Answer:
    """`why` is None where it is not on record; `said` is what was found for what was expected;
    `keyed`: the API wants a key."""

    context: Context
    why: Explanation | None
    said: list[Hit]
    keyed: bool
    withheld: Sequence[WithheldHit] = ()


@page("/recall")
async def recall(viewer: Viewer) -> None:
    memory = await viewer.reading()
    parts.title(
        "Recall lab", "Ask as an app would, and see what the model gets, where it comes from and what was left out."
    )
    if viewer.asked("request"):
        await _past(viewer, memory, viewer.asked("request"))
        return
    asked = read_query(viewer)
    await draw_form(viewer, memory, asked)
    if asked.channel:
        await _asked(viewer, memory, asked)
    else:
        await past(viewer, memory)


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
    said = await lab_answer.looked_for(memory, asked.space, expected)
    keyed = await Backend.gate.needs_key()
    if not made.request:
        return _Answer(made, None, said, keyed)
    try:
        why = await memory.requests.explain(made.request, space=asked.space)
        return _Answer(made, why, said, keyed, await withheld(memory, asked.space, why))
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
        with parts.card("", "lab-sum"):
            lab_answer.tokens(why.request)
            with html.div().classes("row lab-foot"):
                lab_answer.way(why.request)
                html.span().classes("grow")
                lab_answer.feedback(viewer, why.request.id, why.request.complaint)
                parts.link("As a past request", viewer.url("/recall", request=why.request.id), "button", "quiet")
                parts.link("All past requests", viewer.url("/recall"), "button", "quiet")
    else:
        parts.quiet("This request was not recorded: the database was too busy, or ERSTWHILE_KEEP_DAYS__REQUESTS is 0.")
    with html.div().classes("lab-sides"):
        lab_answer.context(made)
        if why is not None:
            candidates(viewer, why, answer.withheld)
    if why is not None:
        lab_answer.box(viewer, (why, made), answer.said)
    lab_answer.lines(viewer, made, asked.channel)
    lab_answer.code(viewer, asked, keyed=answer.keyed)


async def _past(viewer: Viewer, memory: Memory, id: str) -> None:
    why = await memory.requests.explain(id, space=viewer.space)
    said = await lab_answer.looked_for(memory, viewer.space, viewer.asked("expected"))
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
        lab_answer.tokens(request)
        with html.div().classes("row"):
            lab_answer.feedback(viewer, request.id, request.complaint)
            if request.channel is not None:
                parts.link("Run again", address(viewer, _again(viewer, request)), "button")
            parts.link("All past requests", viewer.url("/recall"), "button", "quiet")
    if request.reply is not None:
        await _reply(viewer, memory, request.reply)
    lab_answer.box(viewer, (why, None), said)
    candidates(viewer, why)


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
