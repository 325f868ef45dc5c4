"""Build the context of a question in a channel, and record the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from erstwhile.base import ids, tracing
from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.base.settings import Settings
from erstwhile.base.trust import tier
from erstwhile.configuration import space as choices
from erstwhile.context.model import NOTHING, BuiltContext, Context
from erstwhile.log import check
from erstwhile.requests import store as requests
from erstwhile.requests.model import Request
from erstwhile.requests.recorder import RequestRecord as RequestRecord
from erstwhile.search.model import Hit, SearchQuery, TracedHits
from erstwhile.storage import Transaction

if TYPE_CHECKING:
    from erstwhile.api.channel import Channel
    from erstwhile.api.memory import Memory
    from erstwhile.api.resource import Resource
    from erstwhile.context.build import ContextRequest
    from erstwhile.search.find import Finder


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """Options of a context."""

    budget: int | None
    recipe: str | None
    scope: str | None = None
    within: Sequence[str] | None = None
    floor: float | None = None
    trust: str | None = None
    decompose: bool = False


def start_request(
    chat: Channel, op: str, query: str, person: str | None, *, trial: bool = False
) -> RequestRecord:
    """Start the record of a question in a channel."""
    request = Request("", chat._now(), op, chat.channel, person, query, trial=trial)
    return record_request(chat, chat.space, request)


def record_request(api: Resource, space: str, request: Request) -> RequestRecord:
    """Start the record of a request under a new id. It is stored when the request ends."""
    person = None if request.person is None else check.identifier("person", request.person)
    where = request.at, request.op, request.channel
    new = Request(ids.new("req"), *where, person, request.query, trial=request.trial)
    return RequestRecord(api._runtime.recorder, space, new, kept=api._remembered(space))


async def search(
    api: Resource, record: RequestRecord, wanted: SearchQuery, *, decompose: bool
) -> list[Hit]:
    """Search, and record it."""
    from erstwhile.search import find

    space, channel, query = record.space, record.request.channel, wanted.query
    searching = tracing.span("search_memory", space=space, channel=channel, query=query)
    with searching as span, record:
        finder = await _finder(api, space, query, split=decompose)
        found = await find.search(finder, space, wanted)
        span.note(count=len(found.hits))
    hits = record.found(found)
    record.end()
    return hits


async def build(chat: Channel, record: RequestRecord, shape: ContextOptions) -> Context:
    """Build what a model should know to answer the question."""
    from erstwhile.context import build as contexts  # a search, recorded here too, does without

    space = chat.space
    if not chat._remembered(space):
        return NOTHING
    query = record.request.query
    searching = tracing.span("search_memory", space=space, channel=chat.channel, query=query)
    with searching as span, record:
        wanted, made = await _search_and_build(chat, record.request, shape)
        if made is None:
            from erstwhile.api import portraits

            wanted = await portraits.with_people(chat, space, wanted)
            visibility = chat._runtime.visibility
            made = await chat._read(
                space, lambda tx: contexts.build(tx, chat._runtime.layers, wanted, None, visibility)
            )
        span.note(count=len(made.context.sources))
    if wanted.people:
        from erstwhile.api import portraits

        await portraits.request_updates(chat, space, wanted)
    return record.built(made, wanted.budget, wanted.recipe)


async def _search_and_build(
    chat: Channel, request: Request, shape: ContextOptions
) -> tuple[ContextRequest, BuiltContext | None]:
    """Search and build in one transaction. The recipe `person` is only looked up: its people come first."""
    from erstwhile.context import build as contexts

    runtime, settings = chat._runtime, chat._memory.settings
    wanted = _request(settings, request, shape, shape.recipe or settings.recipe)

    async def ask(tx: Transaction) -> SearchQuery | None:
        nonlocal wanted
        if not shape.recipe or shape.floor is None:
            recipe, floor = await choices.of_contexts(tx)
            mine = replace(shape, floor=floor if shape.floor is None else shape.floor)
            wanted = _request(settings, request, mine, shape.recipe or recipe or settings.recipe)
        return contexts.query(wanted)

    async def use(tx: Transaction, found: TracedHits | None) -> BuiltContext | None:
        if wanted.recipe == "person":
            return None
        return await contexts.build(tx, runtime.layers, wanted, found, runtime.visibility)

    finder = await _finder(chat, chat.space, request.query, split=shape.decompose)
    return wanted, await finder.find(chat.space, ask, use)


async def _finder(api: Resource, space: str, question: str, *, split: bool) -> Finder:
    """Return what searches. If the question is to be split, that is done now."""
    runtime = api._runtime
    if not split:
        return runtime.recall
    from erstwhile.search import decompose

    questions = await decompose.split(runtime.writers, space, question)
    return decompose.SplitSearch(runtime.recall, questions)


def _request(
    settings: Settings, request: Request, shape: ContextOptions, recipe: str
) -> ContextRequest:
    from erstwhile.context import build as contexts
    from erstwhile.search import question

    usual = settings.brief.budget if recipe == "brief" else settings.budget
    assert request.channel is not None
    return contexts.ContextRequest(
        channel=request.channel,
        query=question.ends(request.query),
        scope=checked_scope(shape.scope),
        person=request.person,
        budget=usual if shape.budget is None else shape.budget,
        recipe=recipe,
        recent=settings.recent_messages,
        turns=settings.brief.turns,
        beside=settings.profiles_beside,
        within=None if shape.within is None else tuple(shape.within),
        floor=checked_floor(shape.floor),
        trust=tier(shape.trust),
    )


async def warm(memory: Memory, spaces: int) -> None:
    """Load the indexes of the most recently queried spaces."""
    runtime = memory._runtime
    for space in await requests.recent_spaces(runtime.database, spaces):
        await runtime.recall.warm(space)


def checked_scope(scope: str | None) -> str:
    if scope not in (None, "channel", "person"):
        raise InvalidInput(f"There is no scope {scope!r}. Use channel or person.")
    return {"channel": "", "person": "person"}.get(scope or "", "auto")


def checked_floor(floor: float | None) -> float | None:
    if floor is not None and not 0 <= floor <= 1:
        raise InvalidInput("`floor` must be from 0 (leave nothing out) to 1.")
    return floor
