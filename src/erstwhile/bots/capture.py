"""Store posts, edits and deletions as they happen."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base.errors import InvalidInput
from erstwhile.base.logs import Log
from erstwhile.bots.port import ChatPlace, Deletion, Edit, Post
from erstwhile.bots.register import PlaceRegister
from erstwhile.log.model import Message, NewMessage
from erstwhile.memory import Channel

log = Log(__name__)

MessageEvent = Post | Edit | Deletion


class Capture:
    """`refused`: places with a post that was not stored, such as one of a blocked person. Their
    position must be saved at once."""

    def __init__(self, register: PlaceRegister, source: str) -> None:
        self.refused: set[tuple[str, str]] = set()
        self._register = register
        self._source = source

    async def take(self, place: ChatPlace, events: Sequence[MessageEvent]) -> str:
        """Apply events in order and return the key of the last post, or "".

        Edits and deletions of stored messages apply even where nothing new is stored.
        """
        state = await self._register.load_state(place)
        chat, last = self._register.chat(place), ""
        if not state.tracked:
            return last
        waiting: list[Post] = []
        for event in events:
            if isinstance(event, Post):
                waiting += [event] if state.accepts(event) else []
                last = event.key if state.on else last
            else:
                await self._flush(place, waiting)
                await self._change(chat, event)
        await self._flush(place, waiting)
        return last

    async def store(self, place: ChatPlace, post: Sequence[Post]) -> list[Message]:
        """Store posts. A post that the log refuses is logged and left out."""
        await self._register.declare(place)
        chat, new = self._register.chat(place), [self._message(each) for each in post]
        try:
            return await chat.add_many(new)
        except InvalidInput as error:
            if len(new) > 1:
                return [message for each in post for message in await self.store(place, [each])]
            log.warning("bot.message_refused", key=post[0].key, reason=str(error))
            return []

    async def revise(self, chat: Channel, key: str, text: str) -> None:
        """Edit a stored message. An edit to an empty text deletes it."""
        if not text.strip():
            await chat.retract([key])
            return
        try:
            await chat.revise(key, text)
        except InvalidInput as error:
            log.warning("bot.message_refused", key=key, reason=str(error))
            await chat.retract([key])

    async def _flush(self, place: ChatPlace, waiting: list[Post]) -> None:
        if waiting:
            stored = await self.store(place, waiting)
            if len(stored) < len(waiting) or not all(message.seq for message in stored):
                self.refused.add((place.space, place.channel))
            waiting.clear()

    async def _change(self, chat: Channel, event: Edit | Deletion) -> None:
        if isinstance(event, Edit):
            await self.revise(chat, event.key, event.text)
        else:
            await chat.retract(list(event.keys))

    def _message(self, post: Post) -> NewMessage:
        return NewMessage(
            "user",
            post.text,
            person=post.person,
            name=post.name or None,
            at=post.at,
            key=post.key,
            meta={"source": self._source},
        )
