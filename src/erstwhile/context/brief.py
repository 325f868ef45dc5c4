"""The recipe `brief`: the running summary, then the last turns verbatim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from erstwhile.base.logs import Log
from erstwhile.context import render
from erstwhile.context.model import ContextPart
from erstwhile.context.timed_facts import PastValues
from erstwhile.layers.brief import store
from erstwhile.layers.brief.model import Brief
from erstwhile.layers.brief.turns import Turn, group, several_people
from erstwhile.layers.part import Item
from erstwhile.log import people
from erstwhile.log import store as log_store
from erstwhile.storage import Transaction
from erstwhile.text import tokens
from erstwhile.text.excerpt import beginning
from erstwhile.text.lines import flat

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

log = Log(__name__)

HEADING = "BACKGROUND – PRIOR CONVERSATION SUMMARY (use only if relevant):"
TURNS = "RECENT TURNS:"
_JOINT = 4  # tokens that joining parts may add


async def parts(
    tx: Transaction, request: ContextRequest, budget: int, past: PastValues
) -> list[ContextPart]:
    """Return summary and turns. Over budget, old turns are dropped, then the summary is cut."""
    channel, keep, blocked = request.channel, request.turns, request.silent
    brief = await store.get(tx, channel)
    shown = past.in_summary(Item("", "brief", brief.shown, 1, brief.covers)).text if brief else ""
    newest = await log_store.latest(tx, channel, 1)
    if not newest:
        return []
    first = max(brief.covers if brief else 0, newest[0].seq - 50 * keep) + 1
    said = await log_store.between(tx, channel, first, newest[0].seq)
    unblocked = [message for message in said if message.person not in blocked]
    said = await people.tell_apart(tx, unblocked)
    turns = group(said)
    finished = sum(turn.finished for turn in turns)
    tail = turns[max(0, finished - keep) :]
    kept, text = fit(tail, shown, budget)
    if len(kept) < len(tail):
        log.info("brief.turns_dropped", channel=channel, turns=len(tail) - len(kept), budget=budget)
    if text != shown:
        sizes = {"tokens_before": tokens.count(shown), "tokens_after": tokens.count(text)}
        log.info("brief.cut", channel=channel, **sizes)
    made = [_brief(brief, text)] if brief is not None and text else []
    left = budget - sum(part.tokens for part in made)
    last = _turns(kept, left, past) if kept else None
    return [*made, *([last] if last else [])]


def fit(turns: Sequence[Turn], summary: str, budget: int) -> tuple[list[Turn], str]:
    """Return the turns and the summary that fit."""
    kept = list(turns)
    room = budget - tokens.count(HEADING) - tokens.count(TURNS) - 8
    while len(kept) > 1 and tokens.count(summary) + sum(turn.tokens for turn in kept) > room:
        kept.pop(0)
    left = room - sum(turn.tokens for turn in kept)
    return kept, beginning(summary, max(0, left))


def _brief(brief: Brief, text: str) -> ContextPart:
    return _part("brief", HEADING, [Item(brief.id, "brief", flat(text), 1, brief.covers)])


def _turns(turns: Sequence[Turn], room: int, past: PastValues) -> ContextPart | None:
    """Return the part with the turns. A last turn that is too long by itself is cut to its first
    sentences; a message without one that fits is left out."""
    several = several_people(turns)
    said = (render.message(message) for turn in turns for message in turn.messages)
    items = [past.in_recent(_said(item, several)) for item in said]
    part = _part("turns", TURNS, items)
    for index in sorted(range(len(items)), key=lambda index: -tokens.count(items[index].text)):
        if part.tokens <= room - _JOINT:
            break
        keep = tokens.count(items[index].text) - (part.tokens - room + 2 * _JOINT)
        items[index] = render.cut(items[index], keep)
        part = _part("turns", TURNS, [item for item in items if item.text])
    return part if part.items else None


def _said(item: Item, several: bool) -> Item:
    assert item.said is not None
    who = {"assistant": "Assistant", "user": "User"}.get(item.said.role, item.said.speaker)
    if several and who == "User":
        who = f"User ({item.said.speaker})"
    return replace(item, text=f"{who}: {flat(item.said.text)}", day="")


def _part(name: str, heading: str, items: list[Item]) -> ContextPart:
    made = ContextPart(name, heading, tuple(items), 0)
    return replace(made, tokens=tokens.count(made.text))
