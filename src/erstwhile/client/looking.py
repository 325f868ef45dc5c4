"""The part of the remote door for looking through a space."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.by_hand import Conversation
from erstwhile.client.answers import read
from erstwhile.client.part import Part, listed
from erstwhile.client.paths import path
from erstwhile.looking import BriefShown, ChannelShown, Summary
from erstwhile.search.counted import Counted
from erstwhile.search.flagged import Flagged
from erstwhile.search.model import Browsed, Hit, Source
from erstwhile.search.period import Time


class RemoteLooking(Part):
    async def flagged(
        self,
        *,
        space: str | None = None,
        reason: str | None = None,
        reviewed: bool = False,
        before: str | None = None,
        limit: int = 50,
    ) -> list[Flagged]:
        wanted = {"reason": reason, "reviewed": reviewed, "before": before, "limit": limit}
        return read(list[Flagged], await self._http.get(self._at(space, "flagged"), **wanted), "flagged")

    async def flag_counts(self, *, space: str | None = None) -> dict[str, int]:
        return read(dict[str, int], await self._http.get(self._at(space, "flagged", "counts")), "counts")

    async def review(self, id: str, *, by: str, decision: str = "keep", space: str | None = None) -> int:
        body = {"by": by, "decision": decision}
        return read(int, await self._post(self._at(space, "memories", id, "review"), body), "reviewed")

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

    async def counts(self, *, space: str | None = None, days: int = 30) -> Counted:
        return read(Counted, await self._http.get(self._at(space, "counts"), days=days))

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
        wanted = {"channel": channel, "person": person, "kinds": listed(kinds), "before": before, "limit": limit}
        return read(list[Hit], await self._http.get(self._at(space, "memories"), **wanted), "memories")

    async def browse(
        self,
        words: str = "",
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        kinds: Sequence[str] | None = None,
        since: Time | None = None,
        until: Time | None = None,
        writer: str | None = None,
        offset: int = 0,
        limit: int = 20,
    ) -> Browsed:
        wanted = {
            "q": words,
            "channel": channel,
            "person": person,
            "kinds": listed(kinds),
            "since": since,
            "until": until,
            "writer": writer,
            "offset": offset,
            "limit": limit,
        }
        return read(Browsed, await self._http.get(self._at(space, "browse"), **wanted))

    async def said(
        self, person: str, *, space: str | None = None, before: str | None = None, limit: int = 50
    ) -> list[Hit]:
        path = self._at(space, "people", person, "messages")
        return read(list[Hit], await self._http.get(path, before=before, limit=limit), "hits")

    async def get(self, id: str, *, space: str | None = None) -> Source:
        return read(Source, await self._http.get(self._at(space, "memories", id)))
