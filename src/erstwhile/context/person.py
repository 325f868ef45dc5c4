"""The recipe `person`: what is known about the asker and people named, as XML; recent messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from erstwhile.base import ids
from erstwhile.base.records import dataclass
from erstwhile.context import render
from erstwhile.context.model import ContextPart
from erstwhile.context.recipes import RECENT
from erstwhile.layers.days import store as days
from erstwhile.layers.days.model import Portrait
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


async def parts(tx: Transaction, wanted: ContextRequest, budget: int) -> list[ContextPart]:
    newest = await log.latest(tx, wanted.channel, wanted.recent)
    heard = [each for each in newest if each.person not in wanted.silent]
    said = await people.tell_apart(tx, heard)
    latest = [replace(item, text=xml.escape(item.text)) for item in map(render.message, said)]
    shown = fit(wanted.people, int(budget * _SHARE) if latest else budget - _JOINT)
    made = [_part(await _items(tx, shown))] if shown else []
    left = budget - sum(part.tokens + _JOINT for part in made)
    return [*made, *render.pack([replace(RECENT, share=1.0)], {"recent": latest[::-1]}, left)]


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


async def _items(tx: Transaction, pieces: Sequence[PersonElement]) -> list[Item]:
    return [await _item(tx, piece, line) for piece, line in zip(pieces, lines(pieces), strict=True)]


async def _item(tx: Transaction, piece: PersonElement, line: str) -> Item:
    """Name it after its newest day, or else what is remembered, with all messages of its days."""
    found = await days.by_ids(tx, [id for id in piece.ids if id.startswith("day_")])
    said = [message for day in found for message in await days.messages_of(tx, day)]
    newest = max(found, key=lambda day: (day.day, day.id), default=None)
    id, kind = piece.ids[0], ids.kind_of(piece.ids[0])
    if newest is not None:
        id, kind = newest.id, "day"
    return Item(id=id, kind=kind, text=line, first=0, last=-1, sources=tuple(dict.fromkeys(said)))


def _part(items: Sequence[Item]) -> ContextPart:
    made = ContextPart("people", HEADING, tuple(items), 0)
    return replace(made, tokens=tokens.count(made.text))
