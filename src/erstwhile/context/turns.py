"""The recipe `recall`: a few whole turns around the messages found."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.context import pack, render
from erstwhile.layers.brief.turns import group
from erstwhile.layers.part import Item
from erstwhile.log import store as log
from erstwhile.search.model import Hit
from erstwhile.storage import Transaction
from erstwhile.text import tokens

TURNS = 6
_REACH = 4  # a turn rarely has more messages
_ORDINARY = 60  # tokens


async def found(tx: Transaction, here: str, hits: Sequence[Hit], budget: int, silent: frozenset[str]) -> list[Item]:
    """Return the turns of the best messages, at most six, the found message first. Each is within a
    twelfth of the budget, but an ordinary message is never cut."""
    items: dict[str, Item] = {}
    limit = max(_ORDINARY, budget // (2 * TURNS))
    turns = 0
    for hit in hits:
        if hit.kind != "message" or hit.seq is None or hit.id in items:
            continue
        if turns == TURNS:
            break
        turns += 1
        around = await log.between(tx, hit.channel, max(1, hit.seq - _REACH), hit.seq + _REACH)
        whole = [each.messages for each in group(around) if any(message.id == hit.id for message in each.messages)]
        # Messages of tools and the system belong to no turn.
        turn = whole[0] if whole else [each for each in around if each.id == hit.id]
        heard = [message for message in turn if message.person not in silent]
        for message in sorted(heard, key=lambda message: message.id != hit.id):
            items.setdefault(message.id, _within(render.message(message, hit.channel, here), limit))
    return list(items.values())


def _within(item: Item, limit: int) -> Item:
    return item if tokens.count(item.text) <= limit else pack.cut(item, limit)
