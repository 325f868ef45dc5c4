"""The head of every context: what the asker wants from all answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from erstwhile.base.clock import micros
from erstwhile.configuration.visibility import Visibility
from erstwhile.context.model import ContextPart
from erstwhile.layers.part import Item
from erstwhile.layers.standing import store
from erstwhile.layers.standing.model import KIND, StandingRequest
from erstwhile.storage import Transaction
from erstwhile.text import tokens
from erstwhile.text.lines import one_line
from erstwhile.writers import xml

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

NAME: Final = "standing"
HEADING: Final = "=== How to Answer This Person ==="
_SHARE: Final = 0.08  # of the budget
_LEAST: Final = 48  # tokens, of a budget that is large enough: a request or two
_MARKED_UP: Final = ("community", "person")  # recipes whose text is escaped


async def parts(tx: Transaction, wanted: ContextRequest, visibility: Visibility) -> list[ContextPart]:
    """Return the part, if the asker wants anything. It depends on nothing in the question."""
    if wanted.person in wanted.silent:
        return []
    found = await store.of_asker(tx, wanted.person, visibility, wanted.channel)
    limit = max(int(wanted.budget * _SHARE), min(_LEAST, wanted.budget // 4))
    items = [_item(each, escaped=wanted.recipe in _MARKED_UP) for each in found]
    return _fit(items, limit)


def _fit(newest_first: Sequence[Item], limit: int) -> list[ContextPart]:
    """Take whole lines, the newest first, and show them in the order they were said."""
    taken: list[Item] = []
    left = limit - tokens.count(HEADING) - 2
    for item in newest_first:
        cost = tokens.count(item.text) + 1
        if cost <= left:
            taken.append(item)
            left -= cost
    taken.sort(key=lambda item: (item.at, item.first))
    return [ContextPart(NAME, HEADING, tuple(taken), limit - left)] if taken else []


def _item(each: StandingRequest, *, escaped: bool) -> Item:
    text = one_line(each.text)
    line = f"- {xml.escape(text) if escaped else text}"
    at = micros(each.at)
    return Item(each.id, KIND.name, line, each.seq, each.seq, channel=each.channel, at=at)
