"""The part of the door for who is remembered at all, and who may hear what."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base.errors import InvalidInput
from erstwhile.by_hand import Conversation
from erstwhile.configuration.hearing import EVERYONE, Audience, Page
from erstwhile.door import Door
from erstwhile.layers.retention.model import Expired
from erstwhile.log import check, people
from erstwhile.log.people import Directory, Person, Wanted, directory
from erstwhile.log.store import queries as log_queries
from erstwhile.storage import Transaction

_MOST = 1000  # channels in one page
_MOST_PEOPLE = 500
_FURTHEST = 2**53


class Gatekeeping(Door):
    async def people(self, *, space: str | None = None) -> list[Person]:
        """Everyone who ever spoke in a space, with the name they go by now."""
        return await self._read(self._space(space), people.everyone)

    async def directory(
        self,
        *,
        space: str | None = None,
        people: Sequence[str] | None = None,
        named: str | None = None,
        skip: int = 0,
        limit: int = 50,
    ) -> Directory:
        """A page of the people of a space, whoever was heard of last first: with the names each went by, how many of their messages are
        kept, and when they said the last. `people`: only these, by id; `named`: only those with this in their id or in a name."""
        if not 1 <= limit <= _MOST_PEOPLE:
            raise InvalidInput(f"`limit` must be from 1 to {_MOST_PEOPLE}.")
        if not 0 <= skip <= _FURTHEST:
            raise InvalidInput("`skip` can't be negative.")
        these = None if people is None else tuple(check.identifier("person", person) for person in people)
        wanted = Wanted(these, None if not named else check.words("named", named), skip, limit)
        return await self._read(self._space(space), lambda tx: directory(tx, wanted))

    async def block(self, person: str, *, space: str | None = None, by: str | None = None) -> None:
        """From now on nothing the person says is kept, and nothing that is kept of them is recalled, until they are unblocked. `by`: who
        wants it so; whoever does so themselves may take it back."""
        await self._set_blocked(person, space, by, blocked=True)

    async def unblock(self, person: str, *, space: str | None = None, by: str | None = None) -> None:
        """What was kept before is recalled again; what was said in between was never kept. Refused where the person asks for it and someone
        else has blocked them."""
        await self._set_blocked(person, space, by, blocked=False)

    async def share(self, person: str, shares: bool = True, *, space: str | None = None) -> None:
        """Whether what the person said in private channels may be told in others. A channel's words are, once all its people share."""
        who, now = check.identifier("person", person), self._clock()
        await self.house.database.write(self._space(space), lambda tx: people.share(tx, who, now, shares=shares))

    async def declare(
        self, chat: Conversation, privacy: str, *, people: Sequence[str] = (), title: str | None = None
    ) -> None:
        """Says of a channel that it is open, private or direct, who else hears it, and what people call it (`title`). What is said
        in a private or direct channel is told in another only where everyone who listens there hears this one too; that holds from the
        next question on, also for what was said while everyone could hear it."""
        hearers = [check.identifier("person", person) for person in people]
        house, channel, now = self.house, chat.channel, self._clock()
        called = None if title is None else check.words("title", title)

        async def unit(tx: Transaction) -> None:
            was = await house.hearing.audience(tx, channel)
            await house.hearing.declare(tx, channel, privacy, hearers, now)
            if called is not None:
                await tx.run(log_queries.set_title, channel=channel, title=called)
            if was == EVERYONE != await house.hearing.audience(tx, channel):
                await house.told.withdraw(tx, channel, now)
                await house.notes.withdraw(tx, channel, now)
                await house.profiles.withdraw(tx, channel, now)
                await house.days.withdraw(tx, channel, now)

        await house.database.write(chat.space, unit)

    async def audiences(
        self, *, space: str | None = None, declared: bool = False, after: str = "", limit: int = 100
    ) -> list[Audience]:
        """Who may hear what is said in each channel, by the channels' names, from the one after `after`; with `declared`, only those of
        which something was declared."""
        if not 1 <= limit <= _MOST:
            raise InvalidInput(f"`limit` must be from 1 to {_MOST}.")
        page = Page(check.identifier("channel", after) if after else "", limit, declared)
        return await self._read(self._space(space), lambda tx: self.house.hearing.shown(tx, page))

    async def expiring(self, *, space: str | None = None) -> Expired:
        """How many of each kind `expire` would take away now, at most; nothing goes."""
        return await self.house.retention.expiring(self._space(space))

    async def expire(self, *, space: str | None = None) -> Expired:
        """Takes away, now, what has been kept as long as the retention of the space says; a job does so every hour. What work still
        needs waits."""
        return await self.house.retention.expire(self._space(space))

    async def _keeps(self, space: str, person: str | None) -> bool:
        """Whether what the person says in the space is kept, and remembered for."""
        if not self._remembered(space):
            return False
        return person is None or person not in await self._read(space, people.blocked)

    async def _set_blocked(self, person: str, space: str | None, by: str | None, *, blocked: bool) -> None:
        who, now = check.identifier("person", person), self._clock()
        own = by is not None and check.identifier("person", by) == who
        await self.house.database.write(
            self._space(space), lambda tx: people.block(tx, who, now, blocked=blocked, own=own)
        )
