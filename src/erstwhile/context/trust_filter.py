"""Leave out of a context what is less trusted than the caller wants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from erstwhile.base import trust
from erstwhile.context.model import ContextPart
from erstwhile.context.render import Lines, MessageLines
from erstwhile.layers.part import Item
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction
from erstwhile.text import tokens


async def lines(tx: Transaction, found: Lines, least: int) -> Lines:
    """Return the lines of at least this tier."""
    if isinstance(found, MessageLines):
        return messages(found, least)
    kept = await _trusted(tx, found, least)
    return [item for item in found if item.id in kept]


def messages(found: MessageLines, least: int) -> MessageLines:
    """Return the messages of at least this tier."""
    said = {item.id: item.said for item in found}
    kept = {id for id, it in said.items() if it is None or trust.TIERS.index(it.trust) >= least}
    return found.where(lambda id: id in kept)


async def parts(
    tx: Transaction, made: Sequence[ContextPart], least: int, *, whole: bool
) -> list[ContextPart]:
    """Return the parts without lines of lower tiers. With `whole`, a part is one text: all of it or nothing."""
    found: list[ContextPart] = []
    for part in made:
        kept = await _trusted(tx, part.items, least)
        items = tuple(item for item in part.items if item.id in kept)
        if items == part.items:
            found.append(part)
        elif items and not whole:
            shorter = replace(part, items=items, body="")
            found.append(replace(shorter, tokens=tokens.count(shorter.text)))
    return found


async def _trusted(tx: Transaction, items: Iterable[Item], least: int) -> set[str]:
    """Return the ids of those whose tier, and that of every message they name, is high enough. What is unknown is not."""
    lines = list(items)
    stored = await memories.by_ids(tx, [item.id for item in lines if item.said is None])
    tiers = {id: each.trust or 0 for id, each in stored.items()}
    said = {item.id: item.said for item in lines if item.said is not None}
    tiers |= {id: trust.TIERS.index(it.trust) for id, it in said.items()}
    unknown = {id for item in lines for id in item.sources if id not in tiers}
    named = await log.voices(tx, sorted(unknown))
    low = {id for id, (tier, _) in named.items() if tier < least}
    known = (item for item in lines if tiers.get(item.id, 0) >= least)
    return {item.id for item in known if not low.intersection(item.sources)}
