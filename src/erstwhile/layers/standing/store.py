"""Read the standing requests of a person, as far as the reader may see them."""

from __future__ import annotations

from typing import Final

from erstwhile.configuration.visibility import Visibility
from erstwhile.layers.standing.model import KIND, StandingRequest, requests
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction

_MOST: Final = 200  # the newest of a person


async def of_person(
    tx: Transaction, person: str, visibility: Visibility, here: str | None, asker: str | None
) -> list[StandingRequest]:
    """List a person's requests. `here` None is the operator, who sees all."""
    rows = await memories.newest_about(tx, (KIND.name,), person, _MOST)
    return await _seen(tx, rows, visibility, here, asker) if rows else []


async def of_asker(tx: Transaction, asker: str | None, visibility: Visibility, here: str) -> list[StandingRequest]:
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


async def _seen(
    tx: Transaction, rows: list[StoredMemory], visibility: Visibility, here: str | None, asker: str | None
) -> list[StandingRequest]:
    channels = {each.channel for each in rows}
    visible = await visibility.visible(tx, here, channels, asker)
    shown = [each for each in rows if each.text and visible.shows(each.channel, each.seq)]
    return requests(shown, await log.titles(tx, channels) if shown else {})
