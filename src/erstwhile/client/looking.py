"""The part of the remote door for looking through a space, and for watching it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence

from erstwhile.base.errors import Unreachable
from erstwhile.by_hand import Conversation
from erstwhile.client.answers import read
from erstwhile.client.part import Part, listed
from erstwhile.client.transport import Call, Pauses, Turned
from erstwhile.events.model import Event
from erstwhile.looking import BriefShown, ChannelShown, Summary
from erstwhile.recall.model import Hit, Source


class RemoteLooking(Part):
    async def channels(self, *, space: str | None = None) -> list[ChannelShown]:
        return read(list[ChannelShown], await self._http.get(self._at(space, "channels")), "channels")

    async def summaries(self, chat: Conversation, *, level: int | None = None) -> list[Summary]:
        path = self._at(chat.space, "channels", chat.channel, "summaries")
        return read(list[Summary], await self._http.get(path, level=level), "summaries")

    async def brief(self, chat: Conversation) -> BriefShown | None:
        answer = await self._http.get(self._at(chat.space, "channels", chat.channel, "brief"))
        return read(BriefShown, answer, "brief") if answer["brief"] is not None else None

    async def memories(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        kinds: Sequence[str] | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> list[Hit]:
        wanted = {
            "channel": channel,
            "person": person,
            "kinds": listed(kinds),
            "before": before,
            "limit": limit,
        }
        return read(list[Hit], await self._http.get(self._at(space, "memories"), **wanted), "memories")

    async def get(self, id: str, *, space: str | None = None) -> Source:
        return read(Source, await self._http.get(self._at(space, "memories", id)))

    async def events(self, *, space: str | None = None, after: str | None = None) -> AsyncIterator[Event]:
        """What changes in a space, as it changes. A broken connection is taken up where it broke: nothing is missed or repeated."""
        path, pauses = self._at(space, "events"), Pauses(self._http.patience)
        while True:
            headers = {} if after is None else {"Last-Event-ID": after}
            try:
                async with self._http.stream(Call("GET", path, headers=headers), pauses) as response:
                    async for said in self._http.events(response):
                        after = said.id or after
                        pauses = Pauses(self._http.patience)
                        if said.data:
                            yield read(Event, json.loads(said.data))
                raise Turned(Unreachable("The server ended the events."), again=True)
            except Turned as turned:
                await pauses.after(turned)
