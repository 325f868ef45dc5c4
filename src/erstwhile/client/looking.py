"""The part of the remote door for looking through a space."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.by_hand import Conversation
from erstwhile.client.answers import read
from erstwhile.client.part import Part, listed
from erstwhile.client.paths import path
from erstwhile.looking import BriefShown, ChannelShown, Summary
from erstwhile.recall.model import Hit, Source


class RemoteLooking(Part):
    async def spaces(self) -> list[str]:
        return read(list[str], await self._http.get(path("spaces")), "spaces")

    async def channels(
        self,
        *,
        space: str | None = None,
        matching: str | None = None,
        order: str = "name",
        limit: int | None = None,
        skip: int = 0,
        counts: bool = False,
    ) -> list[ChannelShown]:
        wanted = {"matching": matching or None, "order": order, "limit": limit, "skip": skip, "counts": counts}
        return read(list[ChannelShown], await self._http.get(self._at(space, "channels"), **wanted), "channels")

    async def outline(self, chat: Conversation) -> ChannelShown:
        return read(ChannelShown, await self._http.get(self._at(chat.space, "channels", chat.channel, "outline")))

    async def summaries(
        self,
        chat: Conversation,
        *,
        level: int | None = None,
        first: int | None = None,
        last: int | None = None,
        limit: int | None = None,
    ) -> list[Summary]:
        where = self._at(chat.space, "channels", chat.channel, "summaries")
        wanted = {"level": level, "first": first, "last": last, "limit": limit}
        return read(list[Summary], await self._http.get(where, **wanted), "summaries")

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
