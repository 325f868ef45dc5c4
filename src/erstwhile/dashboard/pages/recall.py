"""Recall lab: explain why the model knows something, or why it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from nicegui import background_tasks, html
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
from erstwhile.dashboard.recall.diagnosis import ContextQuery
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Backend, Viewer
from erstwhile.http import problems, scores
from erstwhile.http.problems import Problem
from erstwhile.requests.figures import PATH_NAMES, duration
from erstwhile.requests.model import Explanation, Request
from erstwhile.search.model import Hit

_OFFERED = 200  # channels and people; any other can be typed
_SPLIT = (("", "No"), ("1", "By a model"))
_SCOPES = (("", "Automatic"), ("channel", "Here alone"), ("person", "Theirs elsewhere too"))


def address(viewer: Viewer, query: ContextQuery) -> str:
    given = {**query.options, "query": query.query or None}
    given["decompose"] = "1" if query.decompose else None
    return viewer.url("/recall", channel=query.channel, **given)


async def draw_form(viewer: Viewer, memory: Memory, query: ContextQuery) -> None:
    channels = await memory.channels.list(order="recent", limit=_OFFERED)
    people = await memory.people.list(limit=_OFFERED)
    chosen = {each.name: each.value for each in await memory.spaces.configuration()}
    with parts.form(viewer, "/recall", "card lab-form") as made:
        made.props("data-lab")
        with parts.field("Question", "wide"):
            area = parts.tag("textarea", "", query.query, name="query", rows=1, dir="auto")
            placeholder = "What would someone ask? Empty: what is worth knowing anyway."
            area.props["placeholder"] = placeholder
        offered = partial(parts.entry, autocomplete="off")
        choice = {"list": "lab-channels", "placeholder": "Choose …", "required": True}
        offered("Conversation", "channel", query.channel, **choice)
        offered("Who asks", "person", query.person, list="lab-people", placeholder="Nobody")
        with parts.field("Recipe"):
            usual = chosen.get("recipe") or memory.settings.recipe
            recipes = [("", f"Usual: {usual}"), *((each, each) for each in RECIPES)]
            parts.select("recipe", recipes, query.recipe)
        budget = "" if query.budget is None else str(query.budget)
        usual = str(memory.settings.budget)
        number = partial(parts.entry, type="number", min="100", max="1000000", step="1")
        number("Budget in tokens", "budget", budget, placeholder=usual)
        with parts.field("Where to look"):
            parts.select("scope", _SCOPES, query.scope)
        with parts.field("Split the question"):
            parts.select("decompose", _SPLIT, "1" if query.decompose else "")
        with html.div().classes("lab-ask"):
            parts.submit("Ask", "primary")
        sizes = [
            (each.channel, f"{each.title or each.channel}, {parts.count(each.size, 'message')}")
            for each in channels
        ]
        parts.suggestions("lab-channels", sizes)
        parts.suggestions("lab-people", [(each.person, each.name) for each in people])


_PAGE = 25
# Names in the address that are not the question's own.
_FILTERS = ("words", "in", "who", "op", "only")
_OPS = (("", "Any"), ("context", "context"), ("ask", "ask"), ("search", "search"))
_ONLY = (
    ("", "All"),
    ("feedback", "With feedback"),
    ("truncated", "The budget left something out"),
    ("empty", "Nothing found"),
    ("failed", "Failed"),
    ("real", "Without trials"),
    ("trial", "Only trials"),
)


async def past(viewer: Viewer, memory: Memory) -> None:
    chosen = {name: viewer.asked(name) or None for name in _FILTERS}
    before = viewer.asked("before") or None
    found = await memory.requests.list(
        channel=chosen["in"],
        person=chosen["who"],
        op=chosen["op"],
        words=viewer.asked("words"),
        only=chosen["only"],
        cursor=before,
        limit=_PAGE,
    )
    await viewer.read_titles(each.channel for each in found)
    with parts.card("Past requests"):
        with parts.form(viewer, "/recall", "lab-past-form"):
            parts.entry("Question holds", "words", viewer.asked("words"), type="search", dir="auto")
            offered = partial(parts.entry, autocomplete="off")
            offered("Conversation", "in", viewer.asked("in"), list="lab-channels")
            offered("Who asked", "who", viewer.asked("who"), list="lab-people")
            with parts.field("Way of asking"):
                parts.select("op", _OPS, viewer.asked("op"))
            with parts.field("Only"):
                parts.select("only", _ONLY, viewer.asked("only"))
            with html.div().classes("lab-ask"):
                parts.submit("Show")
        if found:
            numbers = ("Lines", "Tokens", "Took")
            with html.table().classes("table lab-past"):
                with html.thead(), html.tr():
                    for each in ("Asked", "Question", "Found by", *numbers):
                        html.th(each).props("scope=col").classes(
                            "number" if each in numbers else ""
                        )
                with html.tbody():
                    for request in found:
                        _row(viewer, request)
        elif any(chosen.values()) or before is not None:
            parts.quiet("No request matches.")
        else:
            parts.empty(
                "Nothing was asked yet. Ask above, or from a terminal:",
                commands.example(viewer, 'context CHANNEL "What do you know?"'),
            )
        newer = viewer.url("/recall", **chosen) if before is not None else None
        older = viewer.url("/recall", **chosen, before=found.next) if found.next else None
        parts.pages(newer, older, ("Newest", "Older"))


def _row(viewer: Viewer, request: Request) -> None:
    with html.tr().props("data-row"):
        with html.td().classes("lab-when"):
            parts.moment(request.at)
        with html.td().classes("lab-says"), html.div().classes("stack"):
            url = viewer.url("/recall", request=request.id)
            parts.link(_short(request.query) or "Without a question", url, "lab-question")
            with html.div().classes("details"):
                parts.badge(request.op)
                parts.badge_if(request.trial, "trial")
                parts.badge_if(request.feedback is not None, "feedback", "bad")
                failed = f"failed: {request.error_stage}"
                parts.badge_if(request.error_stage is not None, failed, "bad")
                parts.badge_if(request.truncated, "cut by the budget", "warn")
                parts.said(request.channel and f"in {viewer.title_of(request.channel)}")
                parts.said(request.person and f"asked by {request.person}")
                parts.said(request.feedback and f"“{_short(request.feedback)}”")
        fallback = " (fallback)" if request.fallback else ""
        named = PATH_NAMES.get(request.path, "nothing") + fallback
        html.td(named if request.searched else "not searched").props["data-label"] = "Found by"
        took = request.retrieval_ms + (request.model_ms or 0)
        tokens = f"{request.tokens:,}" if request.budget else "–"
        figures = {"Lines": f"{request.items:,}", "Tokens": tokens, "Took": duration(took)}
        for label, figure in figures.items():
            parts.tag("td", "number", figure, data_label=label)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


_AT_ONCE = 0.5  # seconds that a page waits for its answer
_CONNECTS = 60.0  # seconds in which a browser shows a page it has got


@dataclass(frozen=True, slots=True)
class _Answer:
    """`why` is None where it is not on record; `said` was found for what was expected."""

    context: Context
    why: Explanation | None
    said: list[Hit]
    keyed: bool
    withheld: Sequence[WithheldHit] = ()


@page("/recall")
async def recall(viewer: Viewer) -> None:
    memory = await viewer.reading()
    about = "Ask as an app would, and see what the model gets, where it comes from and what was left out."
    parts.title("Recall lab", about)
    if viewer.asked("request"):
        await _past(viewer, memory, viewer.asked("request"))
        return
    names = ("channel", "query", "person", "recipe", "scope")
    words = {name: viewer.asked(name) for name in names}
    budget = viewer.number("budget", 0) if viewer.asked("budget") else None
    split = bool(viewer.asked("decompose"))
    query = ContextQuery(viewer.space, budget=budget, decompose=split, **words)
    await draw_form(viewer, memory, query)
    if query.channel:
        await _asked(viewer, memory, query)
    else:
        await past(viewer, memory)


async def _asked(viewer: Viewer, memory: Memory, query: ContextQuery) -> None:
    """Show the answer with the page if it is quick, else as soon as it is there."""
    slot = parts.tag("div", "stack lab-answer")
    answering = asyncio.create_task(_answered(viewer, memory, query), name="dashboard recall lab")
    await asyncio.wait({answering}, timeout=_AT_ONCE)
    if answering.done():
        await _shown(viewer, query, answering, slot)
        return
    with slot, parts.card("", "lab-wait"), html.div().props("role=status").classes("stack"):
        html.p("Looking …")
        html.progress().props('aria-label="Looking"')
        once = "The first question to a large space reads it all once"
        parts.quiet(f"{once}; the next ones take a moment.")

    async def later() -> None:
        try:
            await viewer.client.connected(timeout=_CONNECTS)
        except ClientConnectionTimeout:
            return
        await asyncio.wait({answering})
        if not viewer.client.is_deleted:
            await _shown(viewer, query, answering, slot)

    background_tasks.create(later(), name="recall lab", context=viewer.client)


async def _answered(viewer: Viewer, memory: Memory, query: ContextQuery) -> _Answer:
    chat = memory.channel(query.channel)
    made = await chat.context(query.query, **query.options, trial=True)
    said = await lab_answer.looked_for(memory, viewer.asked("expected"))
    keyed = await Backend.gate.needs_key()
    if not made.request:
        return _Answer(made, None, said, keyed)
    try:
        why = await _explanation(viewer, memory, made.request)
        return _Answer(made, why, said, keyed, await withheld(memory, why))
    except NotFound:  # a database that is busy costs rows of the record, never an answer
        return _Answer(made, None, said, keyed)


async def _explanation(viewer: Viewer, memory: Memory, id: str) -> Explanation:
    why: Explanation = await memory.requests.explain(id)
    return why if viewer.caller.admin else scores.ranked(why)


async def _shown(
    viewer: Viewer, query: ContextQuery, answering: asyncio.Task[_Answer], slot: Element
) -> None:
    try:
        await viewer.reading()
        answer = answering.result()
        seen = [each.candidate.channel for each in answer.why.seen] if answer.why else []
        hits = (*answer.said, *(each.hit for each in answer.withheld))
        await viewer.read_titles((query.channel, *seen, *(hit.channel for hit in hits)))
    except (Error, Problem) as error:
        with parts.redrawn(slot):
            parts.problem(problems.of(error).detail)
        return
    with parts.redrawn(slot):
        _explained(viewer, query, answer)


def _explained(viewer: Viewer, query: ContextQuery, answer: _Answer) -> None:
    made, why = answer.context, answer.why
    if why is not None:
        with parts.card("", "lab-sum"):
            lab_answer.tokens(why.request)
            with html.div().classes("row lab-foot"):
                lab_answer.way(why.request, split=query.decompose)
                html.span().classes("grow")
                lab_answer.feedback(viewer, why.request.id, why.request.feedback)
                url = viewer.url("/recall", request=why.request.id)
                parts.link("As a past request", url, "button quiet")
                parts.link("All past requests", viewer.url("/recall"), "button quiet")
    else:
        unkept = "the database was too busy, or ERSTWHILE_KEEP_DAYS__REQUESTS is 0."
        parts.quiet(f"This request was not recorded: {unkept}")
    with html.div().classes("lab-sides"):
        lab_answer.context(made)
        if why is not None:
            candidates(viewer, why, answer.withheld)
    if why is not None:
        lab_answer.box(viewer, (why, made), answer.said)
    lab_answer.lines(viewer, made, why, query.channel)
    lab_answer.code(viewer, query, keyed=answer.keyed)


async def _past(viewer: Viewer, memory: Memory, id: str) -> None:
    why = await _explanation(viewer, memory, id)
    said = await lab_answer.looked_for(memory, viewer.asked("expected"))
    request = why.request
    seen = (each.candidate.channel for each in why.seen)
    await viewer.read_titles((request.channel, *seen, *(hit.channel for hit in said)))
    with parts.card(""):
        with html.div().classes("details"):
            parts.badge(request.op)
            parts.badge_if(request.trial, "trial")
            parts.moment(request.at)
            lab_answer.place(viewer, request.channel, None)
            parts.said(request.person and f"asked by {request.person}")
            html.code(request.id)
        parts.text(request.query or "Without a question", "lab-asked")
        lab_answer.way(request)
        lab_answer.tokens(request)
        with html.div().classes("row"):
            lab_answer.feedback(viewer, request.id, request.feedback)
            if request.channel is not None:
                asked = request.query, request.person or "", request.recipe, request.budget
                split = bool(request.sub_questions)
                again = ContextQuery(viewer.space, request.channel, *asked, decompose=split)
                parts.link("Run again", address(viewer, again), "button")
            parts.link("All past requests", viewer.url("/recall"), "button quiet")
    if request.reply is not None:
        await _reply(viewer, memory, request.reply)
    lab_answer.box(viewer, (why, None), said)
    candidates(viewer, why)


async def _reply(viewer: Viewer, memory: Memory, id: str) -> None:
    with parts.card("Reply"):
        try:
            reply = await memory.memories.get(id)
            await viewer.read_titles([reply.channel])
        except Error:
            parts.quiet("The reply is no longer kept.")
            return
        parts.text(reply.text)
        with html.div().classes("details"):
            lab_answer.place(viewer, reply.channel, reply.seq)
