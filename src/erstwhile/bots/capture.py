"""Storing what people say, as it happens."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.api.channel import Channel
from erstwhile.base.errors import InvalidInput
from erstwhile.base.logs import Log
from erstwhile.bots.listened import Register
from erstwhile.bots.port import Place, Retracted, Revised, Said
from erstwhile.log.model import Message, NewMessage

log = Log(__name__)

Happened = Said | Revised | Retracted


class Capture:
    """`refused`: places where something was not taken in, as of someone who is blocked, and how far they were heard has to be noted."""

    def __init__(self, register: Register, source: str) -> None:
        self.refused: set[tuple[str, str]] = set()
        self._register = register
        self._source = source

    async def take(self, place: Place, events: Sequence[Happened]) -> str:
        """In the order in which it happened; the key of the last message that was said. What was said before a channel was chosen, or in
        one that no longer is, is followed where it is stored."""
        ear = await self._register.ear(place)
        chat, last = self._register.chat(place), ""
        if not ear.known:
            return last
        waiting: list[Said] = []
        for event in events:
            if isinstance(event, Said):
                waiting += [event] if ear.wants(event) else []
                last = event.key if ear.on else last
            else:
                await self._flush(place, waiting)
                await self._change(chat, event)
        await self._flush(place, waiting)
        return last

    async def store(self, place: Place, said: Sequence[Said]) -> list[Message]:
        """All of them; what can't be stored at all is left out."""
        await self._register.declare(place)
        chat, new = self._register.chat(place), [self._message(each) for each in said]
        try:
            return await chat.add_many(new)
        except InvalidInput as error:
            if len(new) > 1:
                return [message for each in said for message in await self.store(place, [each])]
            log.warning("platform.message_left_out", key=said[0].key, reason=str(error))
            return []

    async def edit(self, chat: Channel, key: str, text: str) -> None:
        """Without words, it is as if it were gone."""
        if not text.strip():
            await chat.delete([key])
            return
        try:
            await chat.edit(key, text)
        except InvalidInput as error:
            log.warning("platform.message_left_out", key=key, reason=str(error))
            await chat.delete([key])

    async def _flush(self, place: Place, waiting: list[Said]) -> None:
        if waiting:
            stored = await self.store(place, waiting)
            if len(stored) < len(waiting) or not all(message.seq for message in stored):
                self.refused.add((place.space, place.channel))
            waiting.clear()

    async def _change(self, chat: Channel, event: Revised | Retracted) -> None:
        if isinstance(event, Revised):
            await self.edit(chat, event.key, event.text)
        else:
            await chat.delete(list(event.keys))

    def _message(self, said: Said) -> NewMessage:
        return NewMessage(
            "user",
            said.text,
            person=said.person,
            name=said.name or None,
            at=said.at,
            key=said.key,
            meta={"source": self._source},
        )
