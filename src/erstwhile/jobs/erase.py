"""Cancel the jobs of a person or of a channel."""

from __future__ import annotations

from typing import Final

from erstwhile.jobs import store
from erstwhile.storage import Transaction
from erstwhile.tables.model import Erasing, Table
from erstwhile.tables.owner import Owner

_NAMED: Final = ("person", "asker", "about")  # fields of a payload that name a person
_PLACED: Final = ("channel", "here", "audience")  # and a channel


class JobOwner(Owner):
    tables = (Table("jobs"), Table("paces", exported=""))

    async def erase(self, tx: Transaction, erasing: Erasing) -> None:
        for person in erasing.people:
            erasing.counts["jobs"] += await store.cancel_naming(tx, person, _NAMED)
        for channel in erasing.channels:
            erasing.counts["jobs"] += await store.cancel_naming(tx, channel, _PLACED)


OWNER: Final = JobOwner()
