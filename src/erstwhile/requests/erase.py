"""Erase recorded requests and feedback: a person's, those that name them, and those of a channel."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from erstwhile.log import people
from erstwhile.requests.store import queries
from erstwhile.storage import Transaction
from erstwhile.tables.model import Erasing, Table
from erstwhile.tables.owner import Owner, Texts


class RequestOwner(Owner):
    tables = (
        Table("requests", ("person",), ("channel",), exported="space"),
        Table("feedback", exported="space"),
        Table("usage", exported="space"),
    )
    texts = (
        Texts("requests", queries.requests_after, queries.drop_requests_of),
        Texts("feedback", queries.feedback_after, queries.drop_feedback_of),
    )

    async def erase(self, tx: Transaction, erasing: Erasing) -> None:
        subject = erasing.subject
        gone = await tx.run(queries.drop_requests_in_words)
        spoken_in = await people.channels_of(tx, subject.person) if subject.person else []
        theirs = {"person": subject.person, "channels": json.dumps(spoken_in)}
        gone += await tx.run(queries.drop_requests, **theirs)
        if subject.channel is not None:
            gone += await tx.run(queries.drop_requests_showing, channel=subject.channel)
        erasing.counts["requests"] += gone
        erasing.counts["feedback"] += await tx.run(queries.drop_loose_feedback)

    async def erase_questions(self, tx: Transaction, texts: Sequence[str], since: int) -> None:
        for text in texts:
            if await tx.run(queries.drop_requests_saying, text=text, since=since):
                await tx.run(queries.drop_loose_feedback)

    async def knows(self, tx: Transaction, person: str) -> bool:
        return await tx.first(queries.asked_by, person=person) is not None


OWNER: Final = RequestOwner()
