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

    async def channels(self, *, space: str | None = None) -> list[ChannelShown]:
        return read(list[ChannelShown], await self._http.get(self._at(space, "channels")), "channels")

    async def summaries(self, chat: Conversation, *, level: int | None = None) -> list[Summary]:
        where = self._at(chat.space, "channels", chat.channel, "summaries")
        return read(list[Summary], await self._http.get(where, level=level), "summaries")

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

    async def said(
        self, person: str, *, space: str | None = None, before: str | None = None, limit: int = 50
    ) -> list[Hit]:
        path = self._at(space, "people", person, "messages")
        return read(list[Hit], await self._http.get(path, before=before, limit=limit), "hits")

    async def get(self, id: str, *, space: str | None = None) -> Source:
        return read(Source, await self._http.get(self._at(space, "memories", id)))
