"""The lines at the head of a context: what the asker wants from every answer."""

from __future__ import annotations

from collections.abc import Iterable

from erstwhile.base.clock import micros
from erstwhile.layers.part import Item
from erstwhile.layers.standing.model import KIND, StandingRequest
from erstwhile.text import tokens
from erstwhile.text.lines import one_line
from erstwhile.writers import xml


def fit(newest_first: Iterable[StandingRequest], left: int, *, escaped: bool) -> tuple[list[Item], int]:
    """Take whole lines, the newest first, and return them in the order they were said, and the
    tokens that are left."""
    taken: list[Item] = []
    for each in newest_first:
        item = _item(each, escaped=escaped)
        cost = tokens.count(item.text) + 1
        if cost <= left:
            taken.append(item)
            left -= cost
    return sorted(taken, key=lambda item: (item.at, item.first)), left


def _item(each: StandingRequest, *, escaped: bool) -> Item:
    text = xml.escape(one_line(each.text)) if escaped else one_line(each.text)
    place = each.seq, each.seq, None, each.channel, micros(each.at)
    return Item(each.id, KIND.name, f"- {text}", *place)
