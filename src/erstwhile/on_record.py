"""The part of the door for looking back: what was asked, what became of it, and what the figures say."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base import ids, tracing
from erstwhile.base.clock import first_midnight
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.configuration.hearing import EVERYONE
from erstwhile.door import Door
from erstwhile.index.documents import Scope
from erstwhile.log import check
from erstwhile.requests import advice, reporting, store, texts
from erstwhile.requests.asked import Asked
from erstwhile.requests.model import ONLY, OPS, SEARCH, Advice, Report, Request, Which, Why
from erstwhile.search import find
from erstwhile.search.find import Wanted
from erstwhile.search.model import Hit
from erstwhile.search.period import Time, between
from erstwhile.storage import Transaction

_LONGEST_PERIOD = 3660  # days


class OnRecord(Door):
    async def search(
        self,
        query: str,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        limit: int = 10,
        kinds: Sequence[str] | None = None,
        since: Time | None = None,
        until: Time | None = None,
        writer: str | None = None,
        trial: bool = False,
        within: Sequence[str] | None = None,
    ) -> list[Hit]:
        """The messages and memories that `query` is about, best first. `since` and `until`: only of that time, days are meant whole, in
        UTC. `writer`: only memories with the words of this model, this person, or "extractive". A `trial` is on record for `why` and
        counts in no report. `within`: only what was said in these channels, or in `channel`, and what everyone may hear."""
        scope = Scope(
            _named("channel", channel),
            _named("person", person),
            find.checked_kinds(kinds),
            *between(since, until),
            _named("writer", writer),
        )
        chosen, these = self._space(space), check.channels(within)
        here = None if these is None else channel or EVERYONE
        wanted = Wanted(query, scope, limit, here=here, within=these)
        if not self._remembered(chosen):
            return []
        asked = self._asked(chosen, SEARCH, query, channel=channel, person=person, trial=trial)
        with tracing.span("search_memory", space=chosen, channel=channel, query=query) as span, asked:
            found = await self.house.recall.find(chosen, wanted)
            span.note(count=len(found.hits))
        hits = asked.found(found)
        asked.end()
        return hits

    async def requests(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        op: str | None = None,
        words: str = "",
        only: str | None = None,
        before: str | None = None,
        limit: int = 20,
    ) -> list[Request]:
        """What was asked of the memory, newest first. `words` are in the question as they stand here. `only`: "complained" about, "failed",
        "truncated" by the budget, "empty", "trial", or "real" for what was none. The next page is `before` the id of the last one seen."""
        if limit < 1:
            raise InvalidInput("`limit` must be at least 1.")
        which = Which(
            _named("channel", channel),
            _named("person", person),
            _one_of("op", op, OPS),
            check.words("words", words),
            _one_of("only", only, ONLY),
            _named("request", before),
        )
        await self.house.recorder.flush()
        found = await self._read(self._space(space), lambda tx: store.latest(tx, which, limit))
        if found is None:
            raise _unknown(before or "")
        return found

    async def why(self, request: str, *, space: str | None = None) -> Why:
        """How a request's answer came to be: every candidate, what its score was made of, and why it was kept or not."""
        check.identifier("request", request)
        await self.house.recorder.flush()

        async def unit(tx: Transaction) -> Why:
            found = await store.get(tx, request)
            if found is None:
                raise _unknown(request)
            return Why(found, await texts.looked_up(tx, found.candidates))

        return await self._read(self._space(space), unit)

    async def complain(self, request: str, note: str = "", *, space: str | None = None) -> None:
        """Marks a request as one where something was forgotten. A second time changes the note."""
        check.identifier("request", request)
        check.words("note", note)
        await self.house.recorder.flush()
        now = self._clock()
        if not await self.house.database.write(self._space(space), lambda tx: store.complain(tx, request, note, now)):
            raise _unknown(request)

    async def report(self, *, space: str | None = None, days: int = 7) -> Report:
        """How the memory did over the last days, today included."""
        if not 1 <= days <= _LONGEST_PERIOD:
            raise InvalidInput(f"`days` must be from 1 to {_LONGEST_PERIOD}.")
        await self.house.recorder.flush()
        until = self._clock()
        return await self._read(self._space(space), lambda tx: reporting.report(tx, first_midnight(until, days), until))

    async def advise(self, *, space: str | None = None, days: int = 7) -> list[Advice]:
        """Each figure that calls for an upgrade when it passes its threshold, and what to turn on then."""
        return advice.advise(await self.report(space=space, days=days), self.settings)

    def _asked(
        self, space: str, op: str, query: str, *, channel: str | None, person: str | None, trial: bool = False
    ) -> Asked:
        who = _named("person", person)
        request = Request(ids.new("req"), self._clock(), op, channel, who, query, trial=trial)
        return Asked(self.house.recorder, space, request, kept=self._remembered(space))


def _named(what: str, id: str | None) -> str | None:
    return None if id is None else check.identifier(what, id)


def _one_of(what: str, value: str | None, known: Sequence[str]) -> str | None:
    if value is not None and value not in known:
        raise InvalidInput(f"There is no {what} {value!r}. Use one of {', '.join(known)}.")
    return value


def _unknown(request: str) -> NotFound:
    return NotFound(
        f"There is no request {request!r} in this space. `erstwhile why --list` shows the last ones; "
        "older ones than ERSTWHILE_KEEP_DAYS__REQUESTS are removed."
    )
