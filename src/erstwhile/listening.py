"""The part of the door for which channels of a chat platform are listened to, and how far each was heard."""

from __future__ import annotations

from erstwhile.base.clock import parse
from erstwhile.by_hand import Conversation
from erstwhile.door import Door
from erstwhile.log import append, check
from erstwhile.log import listening as store
from erstwhile.log.listening import Choice, Listened
from erstwhile.log.store import queries
from erstwhile.storage import Transaction


class Listening(Door):
    async def listen(
        self, chat: Conversation, on: bool = True, *, since: str = "", by: str = "", title: str | None = None
    ) -> None:
        """Says whether a channel is listened to, from the time `since` on or, without one, from its beginning; `by` is who chose, `title`
        what people call the channel. What was heard so far stays."""
        begins = parse(since).isoformat() if since else ""
        choice = Choice(on, begins, by and check.identifier("person", by))
        called, now = None if title is None else check.words("title", title), self._clock()

        async def unit(tx: Transaction) -> None:
            await store.choose(tx, chat.channel, choice, now)
            if called is not None:
                await append.open_channel(tx, chat.channel, now)
                await tx.run(queries.set_title, channel=chat.channel, title=called)

        await self.house.database.write(self._remembering(chat.space) if on else chat.space, unit)

    async def listening(self, *, space: str | None = None) -> list[Listened]:
        """The channels of which something was chosen, or that were heard: by name."""
        return await self._read(self._space(space), store.all_of)

    async def heard(self, chat: Conversation, key: str) -> None:
        """Notes how far a channel was heard: up to the message with this key, "" being not at all."""
        last, now = key and check.identifier("key", key), self._clock()
        await self.house.database.write(chat.space, lambda tx: store.heard(tx, chat.channel, last, now))

    async def audited(self, chat: Conversation, key: str) -> None:
        """Notes how far the whole of a channel was compared again with what stands on its platform: up to this key, "" being to the end."""
        last, now = key and check.identifier("key", key), self._clock()
        await self.house.database.write(chat.space, lambda tx: store.audited(tx, chat.channel, last, now))
