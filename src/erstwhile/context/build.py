"""Building a context: gather candidates from the rooms, pack them, render."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from erstwhile.base.errors import InvalidInput
from erstwhile.context import brief, pack, render, structured
from erstwhile.context.model import Context, ContextSource, Item, Part
from erstwhile.context.recipes import recipe, rooms
from erstwhile.index import documents
from erstwhile.index.documents import Match, Scope
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.rooms.brief import store as briefs
from erstwhile.rooms.chunks import store as chunks
from erstwhile.rooms.facts import store as facts
from erstwhile.storage import Transaction
from erstwhile.text import tokens

_FACTS = 400  # candidates; a budget holds far fewer
_RELATED = 30
_AROUND, _REACH = 3, 1  # this many of the best matches are shown with their neighbours, this many to each side
_CHAT = ("recent", "turns")  # parts that a chat model gets as messages
_WORD = re.compile(r"\w+")
_SELF = re.compile(
    r"\b(i|i'm|i've|me|my|mine|myself|we|our)\b|\b(나|저)(는|도|를|한테|의|랑)?\b|\b(내|제)(가|게)?\b|\b우리|[我咱]|私|僕",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    channel: str
    query: str
    person: str | None
    budget: int
    recipe: str
    recent: int
    turns: int


async def build(tx: Transaction, wanted: Wanted) -> Context:
    if wanted.budget < 100:
        raise InvalidInput("A context needs a budget of at least 100 tokens.")
    ingredients = recipe(wanted.recipe)
    if wanted.recipe == "brief":
        room = wanted.budget - tokens.count(render.PREFACE) - 1
        return await _finish(tx, await brief.parts(tx, wanted.channel, wanted.turns, room), wanted)
    summaries = [render.chunk(each) for each in await chunks.standing(tx, wanted.channel)]
    recent = [render.message(each) for each in await log.latest(tx, wanted.channel, wanted.recent)]
    running = await briefs.get(tx, wanted.channel)
    candidates: dict[str, Sequence[Item]] = {  # each with what a tight budget should keep first
        "brief": [render.brief(running)] if running is not None and running.shown else [],
        "metas": [item for item in reversed(summaries) if item.kind == "meta"],
        "chunks": [item for item in reversed(summaries) if item.kind == "chunk"],
        "facts": await _facts(tx, wanted),
        "recent": recent[::-1],
    }
    if any(each.name == "related" for each in ingredients):
        candidates["related"] = await _related(tx, wanted, {item.id for item in recent})
    parts = pack.pack(ingredients, candidates, wanted.budget - tokens.count(render.PREFACE) - 1)
    return await _finish(tx, parts, wanted)


async def _facts(tx: Transaction, wanted: Wanted) -> list[Item]:
    """Those the question is about first, then the newest."""
    asked_for = [match.id for match in await _matches(tx, wanted, "fact", _FACTS // 4)]
    by_id = {fact.id: fact for fact in await facts.by_ids(tx, asked_for)}
    found = [by_id[id] for id in asked_for if id in by_id]
    found += [fact for fact in await facts.latest(tx, wanted.channel, _FACTS) if fact.id not in by_id]
    items = [render.fact(fact) for fact in found]
    if "structured" not in rooms(wanted.recipe):
        return items
    return await structured.weave(tx, wanted.channel, await _question(tx, wanted), items)


async def _related(tx: Transaction, wanted: Wanted, shown: set[str]) -> list[Item]:
    """The messages the question is about, the best of them with what was said around them: an answer often stands beside its question."""
    matches = await _matches(tx, wanted, "message", _RELATED + len(shown))
    by_id = await log.by_ids(tx, [match.id for match in matches])
    found = [by_id[match.id][1] for match in matches if match.id in by_id]
    around: list[Message] = []
    for each in found[:_AROUND]:
        around += await log.between(tx, wanted.channel, each.seq - _REACH, each.seq + _REACH)
    preferred = dict.fromkeys(message.id for message in (*found[:_AROUND], *around, *found[_AROUND:]))
    messages = {message.id: message for message in (*found, *around)}
    return [render.message(messages[id]) for id in preferred if id not in shown]


async def _matches(tx: Transaction, wanted: Wanted, kind: str, limit: int) -> list[Match]:
    if not wanted.query:
        return []
    return await documents.search(tx, await _question(tx, wanted), Scope(channel=wanted.channel, kinds=(kind,)), limit)


async def _question(tx: Transaction, wanted: Wanted) -> str:
    """ "Where do I live?" is a question about whoever asks it, unless it names someone."""
    if (
        wanted.person is None
        or not _SELF.search(wanted.query)
        or await log.names_among(tx, _WORD.findall(wanted.query))
    ):
        return wanted.query
    return f"{wanted.query} {await log.name_of(tx, wanted.person)}"


async def _finish(tx: Transaction, parts: list[Part], wanted: Wanted) -> Context:
    text = _text(parts)
    while parts and tokens.count(text) > wanted.budget:  # counts of pieces don't add up exactly
        parts = _smaller(parts)
        text = _text(parts)
    sources = [await _source(tx, wanted.channel, item) for part in parts for item in part.items]
    return Context(
        text=text,
        messages=tuple(_messages(parts)),
        parts=tuple(parts),
        sources=tuple(sources),
        tokens=tokens.count(text),
    )


async def _source(tx: Transaction, channel: str, item: Item) -> ContextSource:
    if item.said is not None or item.sources:
        return ContextSource(item.id, item.kind, item.sources or (item.id,))
    return ContextSource(item.id, item.kind, tuple(await log.ids_between(tx, channel, item.first, item.last)))


def _text(parts: Sequence[Part]) -> str:
    return "\n\n".join([render.PREFACE, *(part.text for part in parts)]) if parts else ""


def _smaller(parts: list[Part]) -> list[Part]:
    """Without the oldest line of the largest part."""
    largest = max(range(len(parts)), key=lambda index: parts[index].tokens)
    part = parts[largest]
    kept = replace(part, items=part.items[1:])
    kept = replace(kept, tokens=tokens.count(kept.text))
    return [*parts[:largest], *([kept] if kept.items else []), *parts[largest + 1 :]]


def _messages(parts: Sequence[Part]) -> list[dict[str, str]]:
    background = [part for part in parts if part.name not in _CHAT]
    recent = [item.said for part in parts if part.name in _CHAT for item in part.items if item.said is not None]
    several = len({each.speaker for each in recent if each.role == "user"}) > 1
    chat = [
        {
            "role": each.role if each.role in ("user", "assistant") else "user",
            "content": _named(each) if several and each.role != "assistant" else each.text.strip(),
        }
        for each in recent
    ]
    return [{"role": "system", "content": _text(background)}, *chat] if background else chat


def _named(each: Message) -> str:
    return f"{render.one_line(each.speaker)}: {render.flat(each.text)}"
