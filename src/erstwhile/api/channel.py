"""`memory.channel(…)`: one conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from erstwhile.api import types, verb
from erstwhile.api.resource import Resource
from erstwhile.context.recipes import RECIPES
from erstwhile.log import check
from erstwhile.log import store as log
from erstwhile.log.model import FURTHEST, KnownKeys, Message, NewMessage

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.context.model import Context
    from erstwhile.layers.remembered.model import CommandReply

T = TypeVar("T")
Recipe = Annotated[
    str, types.OneOf("What it is made of; else the space's.", "full", choices=tuple(RECIPES))
]
Scope = Annotated[
    str,
    types.OneOf(
        "`person` looks in the person's other channels too.", choices=("channel", "person")
    ),
]
Floor = Annotated[
    float, types.Share("Leave out what is less likely to bear on the question.", 0.02)
]
Keys = Annotated[
    Sequence[str], types.IdList("Keys of messages.", ["discord:1187", "discord:1188"], what="key")
]
Name = Annotated[str, types.Identifier("The name they go by.", "Alice", what="name")]
Line = Annotated[str, types.ParameterRule("What was said.", "remember that I am allergic to nuts")]
Reworded = Annotated[
    str, types.Words("An empty text deletes the message.", "I moved to Busan last month")
]
_PAGE = 500


class Channel(Resource):
    """One conversation in a space. It is created with its first message."""

    def __init__(self, memory: Memory, channel: str, space: str) -> None:
        super().__init__(memory)
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
        """Add one message. It is on disk when this returns. `seq` is 0 if it was not stored (see
        `people.block`)."""
        new = NewMessage(role, text, person, name, at, key, model, meta or {})
        return (await self.add_many([new]))[0]

    async def add_many(self, messages: Sequence[NewMessage | Mapping[str, Any]]) -> list[Message]:
        """Add messages as one durable batch, all or none. A `key` that exists already returns the
        stored message."""
        from erstwhile.api import message_store  # not needed to search

        return await message_store.add_many(self, messages)

    @verb.patch("channels/{channel}/messages/{key}", answer="message")
    async def edit(self, key: types.MessageKey, text: Reworded) -> Message | None:
        """Edit a message, as its sender did. Memories made from the old text are made again.

        Returns None if there is no message with this key. An empty text deletes the message."""
        if not text:
            await self.delete([key])
            return None
        check.said(text, self._memory.settings.limits.message_bytes)
        revising = self._runtime.revising
        return await self._changed(revising.revise(self.space, self.channel, key, text))

    @verb.by_hand
    async def delete(self, keys: Keys) -> int:
        """Delete messages, as their sender did, and return how many existed. They are erased with
        everything made from them.

        The database file is rewritten within an hour; `erase` does so at once."""
        named = list(dict.fromkeys(keys))
        return await self._changed(self._runtime.revising.delete(self.space, self.channel, named))

    @verb.get("channels/{channel}", answer="size")
    async def size(self) -> int:
        """Count the messages the channel has had; also the `seq` of its last one."""
        found = await self._read(self.space, lambda tx: log.channel(tx, self.channel))
        return found.last_seq if found else 0

    @verb.post("channels/{channel}/messages/known", writes=False, repeatable=True)
    async def known(self, keys: Keys) -> KnownKeys:
        """Return which of these keys `add` would skip because their messages exist or were erased.
        For resuming an import."""
        return await self._read(self.space, lambda tx: log.known(tx, self.channel, keys))

    async def messages(self, after: int = 0, limit: int | None = None) -> AsyncIterator[Message]:
        """Iterate over the messages after seq `after`, in order. Expired ones are skipped."""
        check.places(after, limit)
        if after > FURTHEST:
            return
        left = limit
        while left is None or left > 0:
            place = after, _PAGE if left is None else min(left, _PAGE)
            page = await self._read(self.space, lambda tx: log.after(tx, self.channel, *place))  # noqa: B023
            for message in page:
                yield message
            if len(page) < place[1]:
                return
            after, left = page[-1].seq, None if left is None else left - len(page)

    # Over HTTP the question is in the body, because it may be too long for a URL.
    @verb.post("channels/{channel}/context", repeatable=True, routed=False, also=(("items", True),))
    async def context(
        self,
        query: types.Question = "",
        *,
        person: types.PersonId | None = None,
        budget: types.Tokens | None = None,
        recipe: Recipe | None = None,
        scope: Scope | None = None,
        trial: bool = False,
        within: types.Within = None,
        floor: Floor | None = None,
        trust: types.Trust | None = None,
        decompose: types.Decompose = False,
    ) -> Context:
        """Build what a model should know to answer `query` here, within `budget` tokens.

        It searches this channel. With `scope` "person" it also searches the person's other
        channels; without a scope it does so only if there is too little here or the question refers
        to the past. A `trial` is not counted in reports. `within` limits the search to these
        channels, this one, and what is visible to everyone in the space. Lines that are less
        likely than `floor` to bear on the question are left out; without a floor, all that were
        found if none is likelier than 0.01. If nothing is left, the context is not `relevant`.
        `trust` leaves out what is less trusted. With `decompose`, a model first splits the
        question into at most three, and what they find is shown too."""
        from erstwhile.api import context_builder
        from erstwhile.requests.model import CONTEXT

        asked = context_builder.start_request(self, CONTEXT, query, person, trial=trial)
        more = floor, trust, decompose
        options = context_builder.ContextOptions(budget, recipe, scope, within, *more)
        context = await context_builder.build(self, asked, options)
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
        scope: str | None = None,
        floor: float | None = None,
        decompose: bool = False,
    ) -> AsyncIterator[str]:
        """Ask the chat model with memory. The reply is streamed; question and reply are logged.

        `system` are your instructions, `sources` are texts of your own for this question. If the
        model fails, the reply says so and is logged as failed. A blocked person gets a reply
        without memory, and nothing is logged. `within`, `scope`, `floor` and `decompose` are as
        for `context`. Without `keep`, nothing is logged."""
        from erstwhile.api import ask_turn, context_builder
        from erstwhile.requests.model import ASK

        chat = await ask_turn.chat_model(self._memory, self.space)
        asked = context_builder.start_request(self, ASK, query, person)
        kept = await self._memory.people.kept(person, space=self.space)
        where = scope, check.channels(within)
        shape = context_builder.ContextOptions(budget, recipe, *where, floor, decompose=decompose)
        context = await context_builder.build(self, asked, shape) if kept else asked.unrecorded()
        store = self._say if kept and keep else ask_turn.store_nothing
        question = asyncio.create_task(store("user", query, person=person, name=name, key=key))
        cache_key = f"chat:{self.channel}"
        messages = ask_turn.prompt(context, query, system=system, sources=sources)
        reply = chat.reply(messages, model=model, cache_key=cache_key)
        turn = ask_turn.AskTurn(store, reply, question, context, cache_key, asked)
        async for piece in turn.pieces(partial(ask_turn.finish, self._memory)):
            yield piece

    @verb.post("channels/{channel}/command", slow=True, refusals=(502,))
    async def command(
        self, text: Line, *, person: types.PersonId | None = None, name: Name | None = None
    ) -> CommandReply:
        """Carry out a spoken command: "remember that …", "forget that …", "what do you know about
        …".

        The intent "talk" means that the text is no command and nothing was done. `person` is the
        speaker."""
        from erstwhile.api import portraits
        from erstwhile.layers.remembered.commands import Commands, SpokenLine
        from erstwhile.layers.remembered.model import ABOUT, TALK, CommandReply

        if not isinstance(text, str) or not text.strip() or not self._remembered(self.space):
            return CommandReply(TALK)
        # refuses what no database stores
        check.memory_text(text, self._memory.settings.limits.message_bytes)
        runtime = self._runtime
        texts, clock = runtime.layers.remembered, self._memory._clock
        commands = Commands(runtime.database, runtime.writers, texts, clock)
        done = await commands.command(self.space, SpokenLine(self.channel, text, person, name))
        runtime.worker.wake()
        if done.intent != ABOUT or done.person is None:
            return done
        reader = portraits.PortraitReader(self.channel, person)
        who = check.identifier("person", done.person)
        known = await portraits.about(self, self.space, who, reader, fresh=True)
        return replace(done, found=not known.nothing, text=str(known))

    async def _say(self, *said: str, **more: Any) -> Message:
        role, text = said
        from erstwhile.api import message_store

        return await message_store.say(self, role, text, **more)

    async def _changed(self, change: Coroutine[Any, Any, T]) -> T:
        await self._runtime.recorder.flush()
        done = await change
        self._runtime.worker.wake()
        return done
