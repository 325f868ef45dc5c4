"""Build a context: gather candidates from the layers, pack them, render."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.context import (
    brief,
    community,
    facts_on_file,
    known_people,
    person,
    render,
    timed_facts,
    trust_filter,
    turns,
    visible_notes,
)
from erstwhile.context.model import PREFACE, BuiltContext, Context, ContextPart, ContextSource
from erstwhile.context.recipes import FLOOR, STANDING, STEADY, facts_first, recipe, with_parts
from erstwhile.context.timed_facts import PastValues
from erstwhile.index.documents import Scope
from erstwhile.layers.contract import Layer
from erstwhile.layers.days.model import Portrait
from erstwhile.layers.part import Part, PartRequest
from erstwhile.layers.remembered.route import ME
from erstwhile.layers.standing import store as standing
from erstwhile.log import people as people_of_the_log
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.memories import kinds
from erstwhile.search.find import NOTES
from erstwhile.search.model import NO_CANDIDATES, SearchQuery, TracedHits
from erstwhile.search.trace import BELOW, BUDGET, KEPT, SHOWN, Trace
from erstwhile.storage import Transaction
from erstwhile.text import tokens
from erstwhile.text.lines import flat

_FOUND = (100, 150)  # at least, at most; in between as many as the budget may hold
_LINE = 20  # tokens: a found message with its date and speaker is seldom shorter
_MISSED = 10
_STANDING = 48  # tokens for standing requests, if the budget is large enough: one or two
_SUMMARIES = ("brief", "metas", "chunks")
_CHAT = ("recent", "turns")  # parts that a chat model gets as messages
_UNASKED = Trace("", {}, "none", False, "channel", "", "", NO_CANDIDATES, 0.0)
_NOTHING = TracedHits([], _UNASKED, {}, {}, frozenset())


@dataclass(frozen=True, slots=True)
class ContextRequest:
    channel: str
    query: str
    person: str | None
    budget: int
    recipe: str
    recent: int
    turns: int
    scope: str = "auto"
    beside: int = 3  # profiles of people who are not in the conversation
    silent: frozenset[str] = frozenset()  # who is blocked
    within: Sequence[str] | None = None  # the only channels that may be used, if the app names them
    floor: float | None = None  # lines that are less likely to bear on the question are left out
    trust: int | None = None  # the lowest tier that is shown
    people: tuple[Portrait, ...] = ()
    """For the recipe `person`: the asker, and people the question names."""


async def build(
    tx: Transaction,
    layers: Iterable[Layer],
    request: ContextRequest,
    found: TracedHits | None,
    visibility: Visibility,
) -> BuiltContext:
    blocked = await people_of_the_log.blocked(tx) if found is None else found.blocked
    request = replace(request, silent=blocked)
    serving = [layer for layer in layers if layer.serves(request.recipe)]
    kept = None if found is None else _kept(found, request)
    context = await _build(
        tx, serving, request, kept or _NOTHING, visibility.only(request.within).in_transaction()
    )
    if found is not None and kept is not None:
        withheld = len(found.hits) - len(kept.hits)
        context = replace(
            context,
            relevance=round(found.best, 3),
            withheld=withheld,
            relevant=bool(kept.hits) or _tells_of_somebody(request, context),
        )
    return BuiltContext(context, _trace(context, kept))


def _tells_of_somebody(request: ContextRequest, context: Context) -> bool:
    """Return whether it has facts on file that the question asks for."""
    return known_people.asked_whom(request) is not None and any(
        part.name == "facts" for part in context.parts
    )


async def _build(
    tx: Transaction,
    layers: Sequence[Layer],
    request: ContextRequest,
    found: TracedHits,
    visibility: Visibility,
) -> Context:
    if request.budget < 100:
        raise InvalidInput("A context needs a budget of at least 100 tokens.")
    recipe(request.recipe)
    head = await _standing(tx, request, visibility)
    rest = replace(request, budget=request.budget - head[0].tokens) if head else request
    return await _finish(tx, [*head, *await _parts(tx, layers, rest, found, visibility)], request)


async def _standing(
    tx: Transaction, request: ContextRequest, visibility: Visibility
) -> list[ContextPart]:
    """Return what the asker wants from every answer. It depends on nothing in the question."""
    if request.person in request.silent:
        return []
    found = await standing.of_asker(tx, request.person, visibility, request.channel)
    limit = max(int(request.budget * STANDING.share), min(_STANDING, request.budget // 4))
    left = limit - tokens.count(STANDING.heading) - 2
    taken, left = standing.fit(found, left, escaped=request.recipe in ("community", "person"))
    return (
        [ContextPart(STANDING.name, STANDING.heading, tuple(taken), limit - left)] if taken else []
    )


async def _parts(
    tx: Transaction,
    layers: Sequence[Layer],
    request: ContextRequest,
    found: TracedHits,
    visibility: Visibility,
) -> list[ContextPart]:
    """Return the parts of the recipe, within the budget."""
    room = request.budget - tokens.count(PREFACE) - 1
    if request.recipe == "brief":
        past = await timed_facts.past_values(tx, request, visibility)
        return await brief.parts(tx, request, room, past)
    if request.recipe == "community":
        return await community.parts(tx, request, found.hits, visibility)
    if request.recipe == "person":
        return await person.parts(tx, request, room, visibility)
    part_request = PartRequest(request.channel, request.query, request.person, request.silent)
    said, past, *parts_of_layers = await tx.together(
        log.latest_rows(tx, request.channel, request.recent),
        timed_facts.past_values(tx, request, visibility, {hit.channel for hit in found.hits}),
        *(layer.parts(tx, part_request) for layer in layers),
    )
    # What was found names its channel, the latest don't.
    named = await people_of_the_log.tell_rows_apart(tx, [*said, *found.said.values()])
    said, others = named[: len(said)], named[len(said) :]
    found = replace(found, said={row["id"]: row for row in others})
    given = [_without_past(part, past) for parts in parts_of_layers for part in parts if part.items]
    ingredients = with_parts(request.recipe, given)
    recent = render.MessageLines(
        [row for row in said if row["person"] not in request.silent], cut=past.in_recent
    )
    if request.trust is not None:
        recent = trust_filter.messages(recent, request.trust)
    candidates: dict[str, render.Lines] = {part.name: part.items for part in given}
    candidates |= {"recent": recent}  # each sorted by what a tight budget keeps first
    names = {each.name for each in ingredients}
    more: list[Coroutine[Any, Any, Mapping[str, render.Lines]]] = []
    if "people" in names:
        spoke = [row["person"] for row in said if row["role"] == "user"]
        more.append(known_people.parts(tx, request, (spoke, found.hits), (visibility, past)))
    if "facts" in names:
        more.append(timed_facts.find_facts(tx, request, found, visibility))
        if (whom := known_people.asked_whom(request)) is not None:
            more.append(facts_on_file.asked_for(tx, request, visibility, whom))
    for each in await tx.together(*more):
        candidates |= each
    on_file = candidates.pop("on file", ())
    told = {item.id for item in on_file}
    if told:
        ingredients = facts_first(ingredients)
        left = [item for item in candidates["facts"] if item.id not in told]
        candidates["facts"] = [*on_file, *left]
    if notes := candidates.get("notes"):
        candidates["notes"] = await timed_facts.in_notes(tx, request, list(notes), visibility, past)
    candidates.setdefault("people", [])
    candidates["facts"] = [
        past.in_fact(item) if item.kind == "fact" and item.id not in told else item
        for item in candidates.get("facts", ())
    ]
    if request.trust is not None:
        candidates = {
            name: await trust_filter.lines(tx, each, request.trust)
            for name, each in candidates.items()
        }
    related = await _related(tx, request, found, (visibility, past)) if "related" in names else None
    if related is not None and request.trust is not None:
        related = trust_filter.messages(related, request.trust)
    if related is not None:
        candidates["related"] = related
    costs = render.Costs()
    parts = render.pack(ingredients, candidates, room, costs)
    shown = {part.name: part.items for part in parts}
    tight = not told and len(shown.get("related", ())) < len(related or ())
    asked_for = {hit.id for hit in found.hits}
    facts_left = timed_facts.beside(shown, candidates["facts"], asked_for, tight=tight)
    again = len(facts_left) < len(candidates["facts"])
    # The facts left are those that these lines on people don't say.
    known_here = {item.id for item in shown.get("people", ())}
    candidates["facts"] = facts_left
    candidates["people"] = [item for item in candidates["people"] if item.id in known_here]
    if related:  # don't repeat what is among the latest messages
        latest = {item.id for item in shown.get("recent", ())}
        candidates["related"] = related.where(lambda id: id not in latest)
        candidates["recent"] = recent.where(lambda id: id in latest)
    return render.pack(ingredients, candidates, room, costs) if related or again else parts


def query(request: ContextRequest) -> SearchQuery | None:
    """Return what to search for; None without a question, or if the recipe doesn't use it."""
    if not request.query or request.recipe in ("brief", "person"):
        return None
    looked_for = SearchQuery(
        request.query,
        Scope(
            channel=request.channel, kinds=("message", "fact", *kinds.timed()), trust=request.trust
        ),
        max(_FOUND[0], min(_FOUND[1], request.budget // _LINE)),
        asker=request.person,
        widen=request.scope,
        beside=True,
        here=request.channel,
        notes=visible_notes.LOOKED_FOR if request.recipe == "full" else 0,
        within=request.within,
        sources=False,
    )
    if request.recipe == "community":
        return replace(
            looked_for,
            scope=Scope(kinds=NOTES, trust=request.trust),
            limit=visible_notes.LOOKED_FOR,
            widen="",
        )
    return looked_for


def _kept(found: TracedHits, request: ContextRequest) -> TracedHits:
    """Leave out what doesn't bear on the question. One about the asker shares no words with its answer: what they
    said themselves is kept."""
    kept = _above(found, request.floor)
    about_me = request.floor is None and known_people.asked_whom(request) == ME
    if kept.hits or not about_me:
        return kept
    return replace(found, hits=[hit for hit in found.hits if hit.person == request.person])


def _above(found: TracedHits, floor: float | None) -> TracedHits:
    """Leave out lines below the floor. Without one, all lines or none, as a weak line beside a strong one is often
    right; and all of them where there are no vectors, as words alone tell too little."""
    if floor is None:
        floor = FLOOR if found.by_meaning and found.best < FLOOR else 0.0
    return found.above(floor)


def _without_past(part: Part, past: PastValues) -> Part:
    """Mark in summaries what no longer holds."""
    if not past.by_channel or part.name not in _SUMMARIES:
        return part
    return replace(part, items=[past.in_summary(item) for item in part.items])


async def _related(
    tx: Transaction,
    request: ContextRequest,
    found: TracedHits,
    shown: tuple[Visibility, PastValues],
) -> render.MessageLines:
    """Return the messages the question is about, best first."""
    if request.recipe == "recall":
        return await turns.found(tx, request, found.hits, shown)
    rows = [found.said[hit.id] for hit in found.hits if hit.kind == "message"]
    elsewhere = {row["channel"] for row in rows} - {request.channel}
    titles = await log.titles(tx, elsewhere) if elsewhere else {}
    cut, past = render.Excerpts.of(request.query, request.budget).cut, shown[1]
    shortened = (lambda item: past.in_message(cut(item))) if past.by_channel else cut
    return render.MessageLines(rows, request.channel, titles=titles, cut=shortened)


async def _finish(tx: Transaction, parts: list[ContextPart], request: ContextRequest) -> Context:
    if request.trust is not None:
        whole = request.recipe in ("person", "community")
        parts = await trust_filter.parts(tx, parts, request.trust, whole=whole)
    text = render.whole(parts)
    size = tokens.count(text)
    while parts and size > request.budget:  # counts of pieces don't add up exactly
        parts = _smaller(parts)
        text = render.whole(parts)
        size = tokens.count(text)
    items = [item for part in parts for item in part.items]
    unknown = [item for item in items if not item.sources and item.said is None]
    ranges = [
        (item.channel or request.channel, *kinds.newest(item.first, item.last)) for item in unknown
    ]
    messages = iter(await log.ids_in(tx, ranges))
    sources = [
        ContextSource(
            item.id,
            item.kind,
            item.sources or ((item.id,) if item.said is not None else next(messages)),
        )
        for item in items
    ]
    return Context(
        text=text,
        messages=tuple(_messages(parts)),
        parts=tuple(parts),
        sources=tuple(sources),
        tokens=size,
    )


def _trace(context: Context, found: TracedHits | None) -> Trace:
    """Return what the search did, and what became of each candidate."""
    summaries = sum(
        len(part.items) for part in context.parts if part.name in STEADY - {STANDING.name}
    )
    recent = sum(len(part.items) for part in context.parts if part.name in _CHAT)
    path = "recent" if recent else "summaries" if summaries else "none"
    if found is None:
        return replace(_UNASKED, hits={"summaries": summaries, "recent": recent}, path=path)
    trace = found.trace
    where = {item.id: part.name for part in context.parts for item in part.items}
    kept = {hit.id for hit in found.hits}
    return replace(
        trace,
        hits={**trace.hits, "summaries": summaries, "recent": recent},
        path=trace.path if trace.path != "none" else path,
        fallback=trace.fallback or trace.path == "none",
        candidates=trace.candidates.with_fates(partial(_fate, where)),
        truncated=any(id in kept and id not in where for id in trace.candidates.ids[:_MISSED]),
    )


def _fate(where: Mapping[str, str], id: str, fate: str, number: int) -> str:
    """Return what became of a candidate. Only the best count as dropped by the budget."""
    if id in where:
        return SHOWN if where[id] in _CHAT else KEPT
    if fate != KEPT:
        return fate
    return BUDGET if number < _MISSED else BELOW


def _smaller(parts: list[ContextPart]) -> list[ContextPart]:
    """Drop the oldest line of the largest part."""
    largest = max(range(len(parts)), key=lambda index: parts[index].tokens)
    part = parts[largest]
    kept = replace(part, items=part.items[1:])
    kept = replace(kept, tokens=tokens.count(kept.text))
    return [*parts[:largest], *([kept] if kept.items else []), *parts[largest + 1 :]]


def _messages(parts: Sequence[ContextPart]) -> list[dict[str, str]]:
    background = [part for part in parts if part.name not in _CHAT]
    recent = [
        (item.said, render.around(item)[1])  # with what is noted behind it
        for part in parts
        if part.name in _CHAT
        for item in part.items
        if item.said is not None and not item.said.is_failure
    ]
    several = len({each.speaker for each, _ in recent if each.role == "user"}) > 1
    chat = [
        {
            "role": each.role if each.role in ("user", "assistant") else "user",
            "content": (_named(each) if _is_told(each, several=several) else each.text.strip())
            + note,
        }
        for each, note in recent
    ]
    return [{"role": "system", "content": render.whole(background)}, *chat] if background else chat


def _is_told(each: Message, *, several: bool) -> bool:
    """Return whether a turn needs its speaker in front: of several people, and whatever neither a
    person nor the model said."""
    return each.role not in ("user", "assistant") or (several and each.role == "user")


def _named(each: Message) -> str:
    return f"{each.speaker}: {flat(each.text)}"
