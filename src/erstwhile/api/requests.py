"""`memory.requests`: list and explain requests, give feedback, report."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from erstwhile.api import types, verb
from erstwhile.api.resource import Resource
from erstwhile.base.clock import first_midnight
from erstwhile.base.errors import NotFound
from erstwhile.base.page import DEFAULT, Page, cut
from erstwhile.requests import recommendations, statistics, store
from erstwhile.requests.model import (
    ONLY,
    OPS,
    Explanation,
    Recommendation,
    Report,
    Request,
    RequestFilter,
)
from erstwhile.storage import Transaction

Operation = Annotated[str, types.OneOf("What was asked.", choices=OPS)]
Only = Annotated[
    str, types.OneOf("Only those with feedback, that failed, …; `real`: no trials.", choices=ONLY)
]


class Requests(Resource, noun="requests"):
    @verb.get("requests", refusals=(404,))
    async def list(
        self,
        *,
        channel: types.ChannelId | None = None,
        person: types.PersonId | None = None,
        op: Operation | None = None,
        words: types.Note = "",
        only: Only | None = None,
        cursor: types.Cursor = None,
        limit: types.Limit = DEFAULT,
        space: types.Space = None,
    ) -> Page[Request]:
        """List requests, newest first. `words` must occur literally in the question."""
        which = RequestFilter(channel, person, op, words, only, cursor)
        await self._runtime.recorder.flush()
        found = await self._read(space, lambda tx: store.latest(tx, which, limit + 1))
        if found is None:
            raise _unknown(cursor or "")
        return cut(found, limit, lambda request: request.id)

    @verb.get("requests/{request}", refusals=(404,))
    async def explain(self, request: types.RequestId, *, space: types.Space = None) -> Explanation:
        """Explain how a request was answered: every candidate, its score, and why it was kept or
        not."""
        await self._runtime.recorder.flush()

        async def unit(tx: Transaction) -> Explanation:
            found = await store.get(tx, request)
            if found is None:
                raise _unknown(request)
            seen = await store.look_up(tx, found.candidates)
            candidates = tuple(each.candidate for each in seen)
            return Explanation(replace(found, candidates=candidates), seen)

        return await self._read(space, unit)

    @verb.post("requests/{request}/feedback", refusals=(404,), repeatable=True)
    async def feedback(
        self, request: types.RequestId, note: types.Note = "", *, space: types.Space = None
    ) -> None:
        """Mark a request as one where something was missed. A second time changes the note."""
        await self._runtime.recorder.flush()
        now = self._now()
        if not await self._write(space, lambda tx: store.add_feedback(tx, request, note, now)):
            raise _unknown(request)

    @verb.get("report")
    async def report(self, *, days: types.Days = 7, space: types.Space = None) -> Report:
        """Report usage and quality figures of the last days, including today."""
        await self._runtime.recorder.flush()
        until = self._now()
        since = first_midnight(until, days)
        return await self._read(space, lambda tx: statistics.report(tx, since, until))

    @verb.get("recommendations")
    async def recommendations(
        self, *, days: types.Days = 7, space: types.Space = None
    ) -> Page[Recommendation]:
        """List each figure that has a threshold, and what to turn on when the figure passes it."""
        report = await self.report(days=days, space=space)
        return Page(recommendations.recommend(report, self._memory.settings))


def _unknown(request: str) -> NotFound:
    return NotFound(
        f"Unknown request {request!r} in this space. `erstwhile requests list` shows the latest; "
        "requests older than ERSTWHILE_KEEP_DAYS__REQUESTS are removed."
    )
