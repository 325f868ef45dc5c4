"""The recipe `person`: what is known about the asker and people named, as XML; recent messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from erstwhile.base import ids
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.context import render, timed_facts
from erstwhile.context.model import ContextPart
from erstwhile.context.recipes import RECENT
from erstwhile.context.timed_facts import PastValues
from erstwhile.layers.days import store as days
from erstwhile.layers.days.model import Day, Portrait
from erstwhile.layers.part import Item
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.storage import Transaction
from erstwhile.text import tokens
from erstwhile.text.excerpt import beginning
from erstwhile.text.lines import flat, one_line
from erstwhile.writers import xml

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

HEADING = "=== People ==="
_SHARE = 0.7  # of the budget, if there are messages to show too
_JOINT = 4  # tokens that joining parts may add
# What is dropped first when the budget is too small.
_ORDER = ("history", "known", "today", "context", "facts")


@dataclass(frozen=True, slots=True)
class PersonElement:
    """One element about one person, with the ids of what it was made from."""

    person: int
    name: str
    tag: str
    text: str
    ids: tuple[str, ...]


async def parts(
    tx: Transaction, request: ContextRequest, budget: int, visibility: Visibility
) -> list[ContextPart]:
    newest = await log.latest(tx, request.channel, request.recent)
    shown_messages = [each for each in newest if each.person not in request.silent]
    said = await people.tell_apart(tx, shown_messages)
    about = [each.person for each in request.people]
    past = await timed_facts.past_values(tx, request, visibility, people=about)
    lines = (past.in_recent(render.message(each)) for each in said)
    latest = [replace(item, text=xml.escape(item.text)) for item in lines]
    noted = [id for each in request.people for id in (*each.today_ids, *each.history_ids)]
    dated = {day.id: day for day in await days.by_ids(tx, noted)} if noted else {}
    portraits = [_without_past(each, past, dated) for each in request.people]
    shown = fit(portraits, int(budget * _SHARE) if latest else budget - _JOINT)
    made = [_part(await _items(tx, shown, dated))] if shown else []
    left = budget - sum(part.tokens + _JOINT for part in made)
    return [*made, *render.pack([replace(RECENT, share=1.0)], {"recent": latest[::-1]}, left)]


def _without_past(portrait: Portrait, past: PastValues, dated: Mapping[str, Day]) -> Portrait:
    """Mark in the texts of days what no longer holds."""

    def marked(text: str, ids: Sequence[str]) -> str:
        known = [dated[id] for id in ids if id in dated]
        if not known or not past.by_channel:
            return text
        time = min(day.from_at for day in known), max(day.to_at for day in known)
        return past.in_days(text, portrait.person, time)

    today, before = portrait.today_ids, portrait.history_ids
    return replace(
        portrait,
        today=marked(portrait.today, today),
        history=marked(portrait.history, before),
        text=marked(portrait.text, (*today, *before)),
    )


def fit(portraits: Sequence[Portrait], limit: int) -> list[PersonElement]:
    """Return a stored merged text, or its parts if the budget is too small for it. History is
    dropped first, then today, facts last; of each the last person's first."""
    merged: list[PersonElement] = []
    for number, portrait in enumerate(portraits):
        merged += _pieces(number, portrait)
    if _cost(merged) <= limit:
        return merged
    pieces = []
    for number, portrait in enumerate(portraits):
        pieces += _pieces(number, replace(portrait, merged=False))
    while pieces and (excess := _cost(pieces) - limit) > 0:
        index = min(
            range(len(pieces)),
            key=lambda at: (_ORDER.index(pieces[at].tag), -pieces[at].person, -at),
        )
        piece = pieces[index]
        keep = tokens.count(piece.text) - excess - 1
        shorter = _shorter(piece, keep)
        if shorter and shorter != piece.text:
            pieces[index] = replace(piece, text=shorter)
        else:
            pieces.pop(index)
    return pieces


def _shorter(piece: PersonElement, keep: int) -> str:
    """Cut a text to its first sentences, single facts to the first ones; "" if none fits."""
    if piece.tag != "known":
        return beginning(piece.text, keep)
    rows = piece.text.splitlines()
    while rows and tokens.count("\n".join(rows)) > keep:
        rows.pop()
    return "\n".join(rows)


def _pieces(number: int, portrait: Portrait) -> list[PersonElement]:
    known = ("known", portrait.stated, portrait.stated_ids)
    if portrait.merged:
        merged = (*portrait.told_ids, *portrait.today_ids, *portrait.history_ids)
        said = [("context", portrait.text, merged), known]
    else:
        day = ("today", portrait.today, portrait.today_ids)
        before = ("history", portrait.history, portrait.history_ids)
        said = [("facts", portrait.told, portrait.told_ids), known, day, before]
    return [PersonElement(number, portrait.name, tag, text, ids) for tag, text, ids in said if text]


def lines(pieces: Sequence[PersonElement]) -> list[str]:
    """Return elements, one per line, inside those of their people. Text can't leave its element."""
    rows = []
    for index, piece in enumerate(pieces):
        first = index == 0 or pieces[index - 1].person != piece.person
        last = index == len(pieces) - 1 or pieces[index + 1].person != piece.person
        name = xml.escape(one_line(piece.name))
        row = f"<{piece.tag}>{flat(xml.escape(piece.text))}</{piece.tag}>"
        row = f'<person name="{name}">\n{row}' if first else row
        rows.append(f"{row}\n</person>" if last else row)
    if rows:
        rows[0] = f"<people>\n{rows[0]}"
        rows[-1] = f"{rows[-1]}\n</people>"
    return rows


def _cost(pieces: Sequence[PersonElement]) -> int:
    return tokens.count("\n".join([HEADING, *lines(pieces)])) + _JOINT if pieces else 0


async def _items(
    tx: Transaction, pieces: Sequence[PersonElement], dated: Mapping[str, Day]
) -> list[Item]:
    rows = zip(pieces, lines(pieces), strict=True)
    return [await _item(tx, piece, line, dated) for piece, line in rows]


async def _item(tx: Transaction, piece: PersonElement, line: str, dated: Mapping[str, Day]) -> Item:
    """Name it after its newest day, or else what is remembered, with all messages of its days."""
    found = [dated[id] for id in piece.ids if id in dated]
    said = [message for day in found for message in await days.messages_of(tx, day)]
    newest = max(found, key=lambda day: (day.day, day.id), default=None)
    id, kind = piece.ids[0], ids.kind_of(piece.ids[0])
    if newest is not None:
        id, kind = newest.id, "day"
    return Item(id=id, kind=kind, text=line, first=0, last=-1, sources=tuple(dict.fromkeys(said)))


def _part(items: Sequence[Item]) -> ContextPart:
    made = ContextPart("people", HEADING, tuple(items), 0)
    return replace(made, tokens=tokens.count(made.text))
