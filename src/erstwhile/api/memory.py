"""`erstwhile.open(…)`: the everyday verbs, and an object for each noun."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from erstwhile.api import types, verb
from erstwhile.api.channel import Channel
from erstwhile.api.resource import RESOURCES, Resource
from erstwhile.base import tracing
from erstwhile.base.clock import Clock, utc_now
from erstwhile.base.errors import InvalidInput, NotFound, StorageError
from erstwhile.base.page import Page
from erstwhile.base.settings import Settings, load
from erstwhile.log import check
from erstwhile.storage import migrate as migrations

if TYPE_CHECKING:
    from erstwhile.api.administration import Ids, Jobs, Keys, Prompts
    from erstwhile.api.archive import Archive
    from erstwhile.api.ask_turn import Stoppable
    from erstwhile.api.channels import Channels
    from erstwhile.api.doctor import Finding
    from erstwhile.api.draft_refresh import DraftRefresh
    from erstwhile.api.events import Events
    from erstwhile.api.facts import Facts
    from erstwhile.api.memories import Memories
    from erstwhile.api.notes import Notes
    from erstwhile.api.people import People
    from erstwhile.api.portraits import About
    from erstwhile.api.requests import Requests
    from erstwhile.api.spaces import Spaces
    from erstwhile.exports.rows import ExportResult
    from erstwhile.jobs.model import Settled
    from erstwhile.layers.erasure.model import Receipt
    from erstwhile.layers.remembered.model import ForgetResult, RememberRequest, ToldText
    from erstwhile.search.model import Hit
    from erstwhile.wiring import Runtime

LONGEST_FACT = 4_000  # characters
Quick = Annotated[bool, types.ParameterRule("Skip checking the whole database for damage.")]
Fact = Annotated[str, types.Words("What to remember, in a sentence.", "goes by Ally", least=1)]


class Memory(Resource):
    """`async with erstwhile.open(…) as memory`. An object for a noun is made when it is first used."""

    archive: Archive
    channels: Channels
    events: Events
    facts: Facts
    ids: Ids
    jobs: Jobs
    keys: Keys
    memories: Memories
    notes: Notes
    people: People
    prompts: Prompts
    requests: Requests
    spaces: Spaces

    def __init__(self, settings: Settings, clock: Clock = utc_now) -> None:
        super().__init__(self)
        self.settings = settings
        self._clock = clock
        self._running: Runtime | None = None
        self._drafts: DraftRefresh
        self._examining = asyncio.Lock()
        self._replies: dict[asyncio.Task[None], Stoppable] = {}

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *RESOURCES]

    def __getattr__(self, noun: str) -> Any:
        if noun not in RESOURCES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {noun!r}")
        made = self.__dict__[noun] = self._resource(noun)(self)
        return made

    def _resource(self, noun: str) -> type[Resource]:
        return RESOURCES[noun]

    async def __aenter__(self) -> Self:
        from erstwhile import wiring
        from erstwhile.api.draft_refresh import DraftRefresh

        runtime = wiring.Runtime(self.settings, self._clock)
        await runtime.database.open()
        try:
            await migrations.ready(runtime.database)
        except BaseException:  # a failed open must leave nothing open
            await runtime.database.close()
            raise
        self._running, self._drafts = runtime, DraftRefresh(runtime, self.settings, self._clock)
        if self.settings.worker:
            await self._drafts.ask()
            runtime.worker.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._running is not None and self._running.built("feed"):
            await self._running.feed.close()
        while self._replies:  # stopping a turn may start another task that logs it
            for turn in self._replies.values():
                turn.leave()
            await asyncio.gather(*self._replies, return_exceptions=True)
            # A task that was done already is taken off by the loop, which gather need not run.
            await asyncio.sleep(0)
        runtime, self._running = self._running, None
        if runtime is not None:
            await runtime.close()

    def channel(self, channel: str, space: str | None = None) -> Channel:
        """Return one conversation. It is created with its first message."""
        return Channel(self, channel, self.settings.space if space is None else space)

    @verb.get("search", answer="hits")
    async def search(
        self,
        query: types.Query,
        *,
        channel: types.ChannelId | None = None,
        person: types.PersonId | None = None,
        asker: types.PersonId | None = None,
        kinds: types.Kinds = None,
        since: types.Since = None,
        until: types.Until = None,
        writer: types.WriterName | None = None,
        trust: types.Trust | None = None,
        trial: bool = False,
        within: types.Within = None,
        decompose: types.Decompose = False,
        limit: types.Limit = 10,
        space: types.Space = None,
    ) -> Page[Hit]:
        """Search messages and memories, best first.

        With an `asker`, only what is visible to them, also in a `channel`. `since` and `until` limit the time; days are
        whole days in UTC. `writer` selects memories written by a model, a person, or "extractive".
        `trust` leaves out what is less trusted. A `trial` is not counted in reports. `within`
        limits the search to these channels, `channel`, and what is visible to everyone. With
        `decompose`, a model first splits the question into at most three."""
        from erstwhile.api import context_builder
        from erstwhile.base.trust import tier
        from erstwhile.configuration.visibility import EVERYONE
        from erstwhile.index.documents import Scope
        from erstwhile.requests.model import SEARCH, Request
        from erstwhile.search.model import SearchQuery
        from erstwhile.search.period import between

        only = None if kinds is None else tuple(kinds)
        scope = Scope(channel, person, only, *between(since, until), writer, tier(trust))
        # An asker is alone with the answer: naming a channel shows nobody what is said there.
        here = None if within is None and asker is None else EVERYONE
        here = channel if within is not None and channel else here
        wanted = SearchQuery(query, scope, limit, asker=asker, here=here, within=within)
        chosen = self._space(space)
        if not self._remembered(chosen):
            return Page()
        request = Request("", self._now(), SEARCH, channel, person, query, trial=trial)
        asked = context_builder.record_request(self, chosen, request)
        return Page(await context_builder.search(self, asked, wanted, decompose=decompose))

    @verb.post("people/{person}/remember", slow=True, repeatable=True, refusals=(502,))
    async def remember(
        self,
        person: types.PersonId,
        fact: Fact,
        *,
        by: types.PersonId | None = None,
        channel: types.ChannelId | None = None,
        space: types.Space = None,
    ) -> ToldText:
        """Remember a fact about a person. It replaces facts it contradicts and is on disk when this
        returns.

        `by` is who says it, by default the app itself. A fact said by someone else is shown as
        theirs. A fact told in a private `channel` is visible only there."""
        from erstwhile.layers.remembered.model import REMEMBER

        given = self._telling(person, REMEMBER, fact, by, channel)
        with tracing.span("upsert_memory", space=self._space(space)) as span:
            told = await self._runtime.layers.remembered.remember(self._remembering(space), given)
            span.note(id=told.id)
        self._runtime.worker.wake()
        return told

    @verb.post("people/{person}/forget", slow=True, refusals=(502,))
    async def forget(
        self,
        person: types.PersonId,
        fact: Fact,
        *,
        by: types.PersonId | None = None,
        channel: types.ChannelId | None = None,
        space: types.Space = None,
    ) -> ForgetResult:
        """Forget a fact about a person, and return whether it was known. About others, people can
        only forget what they said themselves."""
        from erstwhile.layers.remembered.model import FORGET

        given = self._telling(person, FORGET, fact, by, channel)
        with tracing.span("delete_memory", space=self._space(space)):
            gone = await self._runtime.layers.remembered.forget(self._remembering(space), given)
        self._runtime.worker.wake()
        return gone

    @verb.get("people/{person}", slow=True, refusals=(404, 502))
    async def about(
        self,
        person: types.PersonId,
        *,
        channel: types.ChannelId | None = None,
        asker: types.PersonId | None = None,
        fresh: bool = True,
        within: types.Within = None,
        space: types.Space = None,
    ) -> About:
        """Show what is known about a person, by id or name: remembered facts, their last days,
        their profile.

        With `fresh`, missing daily summaries are written now, which may wait for a model. With a
        `channel` or an `asker`, only what is visible there or to them; without either, everything.
        `within` limits it to these channels, `channel`, and what is visible to everyone."""
        from erstwhile.api import portraits

        reader = portraits.PortraitReader(channel, asker, within)
        return await portraits.about(self, self._space(space), person, reader, fresh=fresh)

    @verb.post("settle", scope=verb.SERVER, slow=True, repeatable=True, refusals=(502,))
    async def settle(self) -> Settled:
        """Run everything that is due now. Jobs with a later due time stay waiting."""
        await self._drafts.ask()
        await self._runtime.layers.hurry()
        return await self._runtime.worker.settle()

    @verb.by_hand
    async def work(self) -> None:
        """Run jobs as they become due, until cancelled: what `erstwhile worker` does."""
        await self._drafts.ask()
        await self._runtime.worker.run()

    @verb.by_hand
    async def erase(
        self,
        *,
        person: types.PersonId | None = None,
        channel: types.ChannelId | None = None,
        message: str | None = None,
        origin: str | None = None,
        everything: bool = False,
        by: str = "",
        space: types.Space = None,
    ) -> Receipt:
        """Erase a person, a channel, an origin or one message, and verify that nothing is left.
        This can't be undone.

        A message is named by its id, an origin as in `archive.origins`. Memories made from the
        erased messages are erased too; those made from other messages as well are hidden until
        `settle` or a worker has regenerated them. `everything` erases the whole space with its
        settings and keys."""
        from erstwhile.layers.erasure import spaces as whole_spaces
        from erstwhile.layers.erasure.model import alone
        from erstwhile.tables.model import Subject

        runtime = self._runtime
        chosen = self._space(space)
        who = by and check.identifier("person", by)
        if everything:
            alone(person, channel, message, origin)
            await runtime.recorder.flush()
            receipt = await whole_spaces.erase(runtime.database, chosen, who, self._clock)
            runtime.recall.indexes.drop(chosen)
            return receipt
        kind, name = check.one_of(person=person, channel=channel, message=message, origin=origin)
        await runtime.recorder.flush()
        subject = Subject(**{"source" if kind == "origin" else kind: name})
        receipt = await runtime.erasure.erase(chosen, subject, who)
        runtime.worker.wake()
        return receipt

    @verb.by_hand
    async def export(
        self,
        *,
        person: types.PersonId | None = None,
        channel: types.ChannelId | None = None,
        to: str | Path,
        space: types.Space = None,
    ) -> ExportResult:
        """Export a person, a channel or the whole space into one zip.

        The zip has messages, memories with their sources, a readable page, and everything needed to
        import it without loss. The export of a person names other people's messages by id only."""
        from erstwhile.exports import rows, write
        from erstwhile.layers.days import store as days
        from erstwhile.log import store as log

        of, chosen, runtime = rows.of(person, channel), self._space(space), self._runtime
        await runtime.recorder.flush()
        if person is not None and not await self._read(chosen, lambda tx: days.known(tx, person)):
            raise self._unknown(chosen, person)
        if of.kind == "space" and chosen not in await log.spaces(runtime.database):
            raise NotFound(f"There is no space {chosen!r}.")
        wanted = write.ExportRequest(of, runtime.visibility, runtime.erasure.tables)
        return await write.export(runtime.database, chosen, wanted, Path(to), self._now())

    @verb.get("doctor", answer="findings", slow=True)
    async def doctor(self, *, quick: Quick = False, space: types.Space = None) -> Page[Finding]:
        """Find problems and say what to do about them. `quick` skips checking the whole database
        for damage, and what a model of one's own server can do."""
        from erstwhile.api import doctor

        runtime, chosen, now = self._runtime, self._space(space), self._now()
        if quick:
            return Page(await doctor.examine(runtime, chosen, now))
        async with self._examining:  # one at a time, because it reads the whole database
            return Page(await doctor.examine_all(runtime, chosen, now))

    def describe(self) -> str:
        """Name the database, without its password."""
        return self._runtime.database.describe()

    async def ready(self) -> None:
        """Raise StorageError unless the database answers and its schema is recent enough."""
        database = self._runtime.database
        await database.verify()
        version, needed = await database.version(), migrations.known(database.dialect)[-1].version
        if version < needed:
            raise StorageError(f"The database has schema {version}, this version needs {needed}.")

    @property
    def _open_runtime(self) -> Runtime:
        if self._running is None:
            how = "`async with erstwhile.open(…) as memory:`."
            raise NotFound(f"This memory is not open. Use {how}")
        return self._running

    async def _perform(self, resource: Resource, declared: verb.Verb, given: dict[str, Any]) -> Any:
        """Run a declared verb with checked arguments. The remote client overrides it to send."""
        return await verb.perform(resource, declared, given)

    def _telling(
        self, person: str, action: str, fact: str, by: str | None, channel: str | None
    ) -> RememberRequest:
        from erstwhile.layers.remembered.model import RememberRequest

        if not fact.strip():
            raise InvalidInput(f"There is nothing to {action}. Say it in a sentence.")
        words = check.memory_text(fact, self.settings.limits.message_bytes)
        if len(words) > LONGEST_FACT:
            most = f"the longest taken is {LONGEST_FACT:,}"
            raise InvalidInput(f"The fact has {len(words):,} characters; {most}. Split it.")
        return RememberRequest(person, action, words, by, channel, at=self._now())


def open(database: str | Path | None = None, *, clock: Clock = utc_now, **settings: Any) -> Memory:
    """Open a memory: `async with erstwhile.open("chat.db") as memory`. The default database is that
    of the settings."""
    return Memory(load(database=database, **settings), clock)


async def migrate(database: str | None = None, **settings: Any) -> list[str]:
    """Bring a database's structure up to date and name the migrations applied."""
    from erstwhile import wiring

    chosen = wiring.open_database(load(database=database, **settings))
    await chosen.open()
    try:
        return await migrations.migrate(chosen)
    finally:
        await chosen.close()
