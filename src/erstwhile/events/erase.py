"""Erase events of a channel, and the names of people in others."""

from __future__ import annotations

from typing import Final

from erstwhile.events.store import queries
from erstwhile.storage import Transaction
from erstwhile.tables.model import Erasing, Table
from erstwhile.tables.owner import Owner


class EventOwner(Owner):
    tables = (Table("events", ("id", "person"), ("channel",), exported="", counted=True),)

    async def erase_places(self, tx: Transaction, erasing: Erasing) -> None:
        await super().erase_places(tx, erasing)
        for person in erasing.people:
            await tx.run(queries.unname_events, person=person)


OWNER: Final = EventOwner()
