"""The part of the remote door for finding, and for looking back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from erstwhile.client.answers import read
from erstwhile.client.part import Part, listed, several
from erstwhile.requests.model import Advice, Report, Request, Why
from erstwhile.search.model import Hit, Source
from erstwhile.search.period import Time


class RemoteOnRecord(Part):
    async def search(
        self,
        query: str,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        limit: int = 10,
        kinds: Sequence[str] | None = None,
        since: Time | None = None,
        until: Time | None = None,
        writer: str | None = None,
        trial: bool = False,
        within: Sequence[str] | None = None,
    ) -> list[Hit]:
        wanted: dict[str, Any] = {"q": query, "channel": channel, "person": person, "limit": limit}
        wanted |= {"kinds": listed(kinds), "since": since, "until": until, "writer": writer, "trial": trial or None}
        wanted["within"] = several(within)
        return read(list[Hit], await self._http.get(self._at(space, "search"), **wanted), "hits")

    async def sources(self, id: str, *, space: str | None = None) -> Source:
        return read(Source, await self._http.get(self._at(space, "memories", id, "sources")))

    async def requests(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        op: str | None = None,
        words: str = "",
        only: str | None = None,
        before: str | None = None,
        limit: int = 20,
    ) -> list[Request]:
        wanted = {"channel": channel, "person": person, "op": op, "words": words or None, "only": only}
        answer = await self._http.get(self._at(space, "requests"), **wanted, before=before, limit=limit)
        return read(list[Request], answer, "requests")

    async def why(self, request: str, *, space: str | None = None) -> Why:
        return read(Why, await self._http.get(self._at(space, "requests", request)))

    async def complain(self, request: str, note: str = "", *, space: str | None = None) -> None:
        await self._post(self._at(space, "requests", request, "complaint"), {"note": note})

    async def report(self, *, space: str | None = None, days: int = 7) -> Report:
        return read(Report, await self._http.get(self._at(space, "report"), days=days))

    async def advise(self, *, space: str | None = None, days: int = 7) -> list[Advice]:
        return read(list[Advice], await self._http.get(self._at(space, "advice"), days=days), "advice")
