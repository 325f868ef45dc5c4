"""Read the standing requests of a person, as far as the reader may see them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from erstwhile.base.clock import micros
from erstwhile.configuration.visibility import Visibility
from erstwhile.layers.part import Item
from erstwhile.layers.standing.model import KIND, StandingRequest, requests
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction
from erstwhile.text import tokens
from erstwhile.text.lines import one_line
from erstwhile.writers import xml

_MOST: Final = 200  # the newest of a person


async def of_person(
    tx: Transaction, person: str, visibility: Visibility, here: str | None, asker: str | None
) -> list[StandingRequest]:
    """List a person's requests. `here` None is the operator, who sees all."""
    rows = await memories.newest_about(tx, (KIND.name,), person, _MOST)
    if not rows:
        return []
    channels = {each.channel for each in rows}
    visible = await visibility.visible(tx, here, channels, asker)
    shown = [each for each in rows if each.text and visible.shows(each.channel, each.seq)]
    return requests(shown, await log.titles(tx, channels)) if shown else []


async def of_asker(
    tx: Transaction, asker: str | None, visibility: Visibility, here: str
) -> list[StandingRequest]:
    """List the requests that hold for whoever asks here. Without a name it is the one who speaks
    here, if that is one only."""
    if asker is None:
        rows = await memories.latest(tx, KIND.name, here, _MOST)
        if not rows or len({each.person for each in rows}) > 1 or await people.several(tx, here):
            return []
        if (speaker := rows[0].person) is None:
            return [each for each in requests(rows) if each.until is None]
        asker = speaker
    found = await of_person(tx, asker, visibility, here, asker)
    return [each for each in found if each.until is None]


# The lines at the head of a context: what the asker wants from every answer


def fit(
    newest_first: Iterable[StandingRequest], left: int, *, escaped: bool
) -> tuple[list[Item], int]:
    """Take whole lines, newest first. Return them as they were said, and the tokens left."""
    taken: list[Item] = []
    for each in newest_first:
        text = xml.escape(one_line(each.text)) if escaped else one_line(each.text)
        place = each.seq, each.seq, None, each.channel, micros(each.at)
        item = Item(each.id, KIND.name, f"- {text}", *place)
        cost = tokens.count(item.text) + 1
        if cost <= left:
            taken.append(item)
            left -= cost
    return sorted(taken, key=lambda item: (item.at, item.first)), left
