"""The door to one conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from erstwhile import asking
from erstwhile.base import tracing
from erstwhile.base.errors import InvalidInput
from erstwhile.configuration import space as choices
from erstwhile.context import build as contexts
from erstwhile.context.model import NOTHING, Context
from erstwhile.layers.remembered.commands import Said
from erstwhile.layers.remembered.model import ABOUT, Commanded
from erstwhile.log import check
from erstwhile.log import store as log
from erstwhile.log.append import Agreed, agree
from erstwhile.log.model import FURTHEST, Known, Message, NewMessage
from erstwhile.requests.asked import Asked
from erstwhile.requests.model import ASK, CONTEXT

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a context."""

    budget: int | None
    recipe: str | None
    scope: str | None = None
    within: Sequence[str] | None = None


class Channel:
    """One conversation in a space. Nothing is created until something is said."""

    def __init__(self, memory: Memory, channel: str, space: str) -> None:
        self._memory = memory
        self.channel = check.identifier("channel", channel)
        self.space = check.identifier("space", space)

    async def add(
        self,
        role: str,
        text: str,
        *,
        person: str | None = None,
        name: str | None = None,
        at: datetime | str | None = None,
        key: str | None = None,
        model: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Message:
        """Stores one message. When this returns, it is on disk; with `seq` 0 it is not to be kept (see `block`), and is nowhere."""
        new = NewMessage(role, text, person=person, name=name, at=at, key=key, model=model, meta=meta or {})
        return (await self.add_many([new]))[0]

    async def add_many(self, messages: Sequence[NewMessage | Mapping[str, Any]]) -> list[Message]:
        """Stores messages as one durable batch: all of them or none. A `key` that is there already gives back the message stored then."""
        return await self._add_many(messages)

    async def _say(self, role: str, text: str, *, question: Message | None = None, **more: Any) -> Message:
        """As `add`; an answer whose `question` was erased meanwhile is not stored."""
        new = NewMessage(role, text, **{**more, "meta": more.get("meta") or {}})
        return (await self._memory._append(self, [new], question=question))[0]

    async def _add_many(
        self, messages: Sequence[NewMessage | Mapping[str, Any]], agreed: Agreed = agree
    ) -> list[Message]:
        with tracing.span("create_memory", space=self.space, channel=self.channel) as span:
            stored = await self._memory._append(self, messages, agreed)
            span.note(count=len(stored), id=stored[0].id if len(stored) == 1 else None)
            return stored

    async def revise(self, key: str, text: str) -> Message | None:
        """The message with this key has other words now, as where it came from: it stays in its place, and the old words go from everything
        that was made of them, which is made again. None if there is no such message. Without any text it is taken back."""
        return await self._memory._revise(self.space, self.channel, key, text)

    async def retract(self, keys: Sequence[str]) -> int:
        """Their sender took these messages back: they are erased with what was made of them, and don't come back. Says how many were there.
        The file is written anew within the hour (see `erase`, which does so at once)."""
        return await self._memory._retract(self.space, self.channel, keys)

    async def size(self) -> int:
        """How many messages the channel has had; also the `seq` of its last one."""
        found = await self._memory._read(self.space, lambda tx: log.channel(tx, self.channel))
        return found.last_seq if found else 0

    async def known(self, keys: Sequence[str]) -> Known:
        """Which of these keys `add` would pass over: their messages are there already, or were erased. For taking up a long import."""
        checked = [check.identifier("key", key) for key in keys]
        return await self._memory._read(self.space, lambda tx: log.known(tx, self.channel, checked))

    async def messages(self, after: int = 0, limit: int | None = None) -> AsyncIterator[Message]:
        """In order, from the one after `after`; those that have expired are passed over."""
        if after < 0 or (limit is not None and limit < 0):
            raise InvalidInput("`after` and `limit` can't be negative.")
        if after > FURTHEST:
            return
        left = limit
        while left is None or left > 0:
            place = after, _PAGE if left is None else min(left, _PAGE)
            page = await self._memory._read(self.space, lambda tx: log.after(tx, self.channel, *place))  # noqa: B023
            for message in page:
                yield message
            if len(page) < place[1]:
                return
            after, left = page[-1].seq, None if left is None else left - len(page)

    async def context(
        self,
        query: str = "",
        *,
        person: str | None = None,
        budget: int | None = None,
        recipe: str | None = None,
        scope: str | None = None,
        trial: bool = False,
        within: Sequence[str] | None = None,
    ) -> Context:
        """What a model should know to answer `query` here, within `budget` tokens. Found is what was said in this channel; with `scope`
        "person" also in the person's other channels; without it, only when there is too little here or the question points back. A `trial`
        is on record for `why` and counts in no report. `within`: what was said in these channels and in this one may be told, and what
        everyone in the space may hear, and nothing else; the app knows who listens."""
        asked = self._asked(CONTEXT, query, person, trial=trial)
        context = await self._built(asked, Shape(budget, recipe, scope, check.channels(within)))
        asked.end()
        return context

    async def ask(
        self,
        query: str,
        *,
        person: str | None = None,
        name: str | None = None,
        model: str | None = None,
        system: str = "",
        sources: str = "",
        budget: int | None = None,
        recipe: str | None = None,
        key: str | None = None,
        within: Sequence[str] | None = None,
        keep: bool = True,
    ) -> AsyncIterator[str]:
        """The chat model's reply, piece by piece, with memory behind it; question and reply are logged. `system` are your own instructions,
        `sources` what you found elsewhere for this question. A failing model gives an error reply, which is logged and marked. To a person
        who is blocked the model replies without memory, and nothing is logged. `within` as for `context`; without `keep`, question and
        reply are not logged."""
        chat = await self._memory.house.writers.chat_for(self.space)
        asked = self._asked(ASK, query, person)
        kept = await self._memory._keeps(self.space, person)
        shape = Shape(budget, recipe, within=check.channels(within))
        context = await self._built(asked, shape) if kept else asked.unrecorded()
        store = self._say if kept and keep else asking.unkept
        question = asyncio.create_task(store("user", query, person=person, name=name, key=key))
        cache_key = f"chat:{self.channel}"
        messages = asking.prompt(context, query, system=system, sources=sources)
        reply = chat.reply(messages, model=model, cache_key=cache_key)
        turn = asking.Turn(store, reply, question, context, cache_key, asked)
        async for piece in turn.pieces(self._memory._see_to):
            yield piece

    async def command(self, text: str, *, person: str | None = None, name: str | None = None) -> Commanded:
        """Does what a line of talk asks: "remember that …", "forget that …", "what do you know about …". With intent "talk", it asked
        nothing of the kind and nothing was done. `person` is who speaks."""
        who = None if person is None else check.identifier("person", person)
        called = None if name is None else check.identifier("name", name)
        done = await self._memory._command(self.space, Said(self.channel, text, who, called))
        if done.intent != ABOUT or done.person is None:
            return done
        known = await self._memory.about(done.person, space=self.space, channel=self.channel, asker=who)
        return replace(done, found=bool(known.text), text=known.text)

    def _asked(self, op: str, query: str, person: str | None, *, trial: bool = False) -> Asked:
        return self._memory._asked(self.space, op, query, channel=self.channel, person=person, trial=trial)

    def _searching(self, asked: Asked) -> tracing.Span:
        return tracing.span("search_memory", space=self.space, channel=self.channel, query=asked.request.query)

    async def _built(self, asked: Asked, shape: Shape) -> Context:
        settings = self._memory.settings
        if not self._memory._remembered(self.space):
            return NOTHING
        with self._searching(asked) as span, asked:
            recipe = shape.recipe or await self._memory._read(self.space, choices.recipe) or settings.recipe
            usual = settings.brief.budget if recipe == "brief" else settings.budget
            wanted = contexts.Wanted(
                channel=self.channel,
                query=asked.request.query,
                scope=contexts.checked_scope(shape.scope),
                person=asked.request.person,
                budget=usual if shape.budget is None else shape.budget,
                recipe=recipe,
                recent=settings.recent_messages,
                turns=settings.brief.turns,
                beside=settings.profiles_beside,
                within=shape.within,
            )
            house = self._memory.house
            wanted = await self._memory._with_people(self.space, wanted)
            found = await contexts.find(house.recall, self.space, wanted)
            made = await self._memory._read(self.space, lambda tx: contexts.build(tx, wanted, found, house.hearing))
            span.note(count=len(made.context.sources))
        await self._memory._freshen(self.space, wanted)
        return asked.built(made, wanted.budget, recipe)
