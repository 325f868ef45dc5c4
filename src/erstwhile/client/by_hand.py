"""The part of the remote door for what people do to memories."""

from __future__ import annotations

import json
from datetime import datetime

from erstwhile.base.errors import Changed, Error
from erstwhile.by_hand import Conversation
from erstwhile.client import problems
from erstwhile.client.answers import read
from erstwhile.client.part import Part, given
from erstwhile.client.transport import Call, Turned
from erstwhile.layers.backfill import Backfilled, Progress
from erstwhile.layers.facts.model import Fact
from erstwhile.layers.preview import Preview
from erstwhile.layers.regenerate import Regenerated
from erstwhile.layers.structured.model import Change, Structured
from erstwhile.memories.history import Version
from erstwhile.search.model import Source


class RemoteByHand(Part):
    async def history(self, id: str, *, space: str | None = None) -> list[Version]:
        return read(list[Version], await self._http.get(self._at(space, "memories", id, "history")), "versions")

    async def edit(
        self, id: str, text: str, *, by: str, space: str | None = None, expected: str | None = None
    ) -> Version:
        match = await self._match(id, space, expected)
        body = {"text": text, "by": by}
        # Twice the same words are no change; but where others were expected, the second try would not find them.
        call = Call("PATCH", self._at(space, "memories", id), body=body, headers=match, again=not match)
        return read(Version, await self._http.call(call))

    async def delete(self, id: str, *, by: str, space: str | None = None, expected: str | None = None) -> Version:
        match = await self._match(id, space, expected)
        call = Call("DELETE", self._at(space, "memories", id), {"by": by}, headers=match, again=False)
        return read(Version, await self._http.call(call))

    async def restore(self, id: str, *, by: str, space: str | None = None) -> Version:
        call = Call("POST", self._at(space, "memories", id, "restore"), body={"by": by}, again=False)
        return read(Version, await self._http.call(call))

    async def _match(self, id: str, space: str | None, expected: str | None) -> dict[str, str]:
        """If-Match with the version that has the expected text, so that nothing else can come between."""
        if expected is None:
            return {}
        answer, headers = await self._http.answer(Call("GET", self._at(space, "memories", id)))
        # Of some kinds, what `get` shows has a title or an author besides.
        if read(Source, answer).text != expected and (await self.history(id, space=space))[-1].text != expected:
            raise Changed(f"{id} no longer says what was expected. Look at it again, then decide.")
        return {"If-Match": headers["etag"]}

    async def add_fact(self, chat: Conversation, text: str, *, by: str, person: str | None = None) -> Fact:
        body = {"text": text, "by": by, "person": person}
        return read(Fact, await self._post(self._at(chat.space, "channels", chat.channel, "facts"), body))

    async def facts(
        self,
        chat: Conversation,
        *,
        category: str | None = None,
        min_importance: int | None = None,
        first: int | None = None,
        last: int | None = None,
        limit: int | None = None,
    ) -> list[Fact]:
        path = self._at(chat.space, "channels", chat.channel, "facts")
        wanted = {"category": category, "min_importance": min_importance, "first": first, "last": last, "limit": limit}
        return read(list[Fact], await self._http.get(path, **wanted), "facts")

    async def structured(
        self,
        *,
        space: str | None = None,
        person: str | None = None,
        type: str | None = None,
        valid: datetime | str = "now",
        open: bool = False,
        asker: str | None = None,
        limit: int = 100,
    ) -> list[Structured]:
        wanted = {"person": person, "type": type, "valid": valid, "open": open, "asker": asker, "limit": limit}
        return read(list[Structured], await self._http.get(self._at(space, "structured"), **wanted), "structured")

    async def changes(self, *, space: str | None = None, person: str | None = None) -> list[Change]:
        return read(list[Change], await self._http.get(self._at(space, "changes"), person=person), "changes")

    async def regenerate(
        self, chat: Conversation, first: int, last: int, what: str = "chunk", *, overwrite: bool = False
    ) -> Regenerated:
        body = {"first": first, "last": last, "what": what, "overwrite": overwrite}
        path = self._at(chat.space, "channels", chat.channel, "regenerate")
        return read(Regenerated, await self._post(path, body, slow=True))

    async def preview(
        self, chat: Conversation, first: int, last: int, *, prompt: str, instructions: str | None = None
    ) -> Preview:
        body = given({"first": first, "last": last, "prompt": prompt, "instructions": instructions})
        # Each try is a call of the model, which is paid for.
        path = self._at(chat.space, "channels", chat.channel, "preview")
        return read(Preview, await self._http.call(Call("POST", path, body=body, again=False, slow=True)))

    async def undo_regenerate(self, chat: Conversation, made: Regenerated, *, by: str) -> int:
        body = {"undo": made.undo, "replaced": list(made.replaced), "gone": list(made.gone), "by": by}
        path = self._at(chat.space, "channels", chat.channel, "regenerate", "undo")
        return read(int, await self._http.call(Call("POST", path, body=body, again=False)), "undone")

    async def realign(self, chat: Conversation) -> int:
        path = self._at(chat.space, "channels", chat.channel, "realign")
        return read(int, await self._post(path, slow=True), "realigned")

    async def backfill(self, *, space: str | None = None, progress: Progress | None = None) -> Backfilled:
        call = Call("POST", self._at(space, "backfill"), body=given({}), again=False, slow=True)
        try:
            async with self._http.stream(call) as response:
                async for line in response.aiter_lines():
                    said = json.loads(line) if line.strip() else {}
                    if "backfilled" in said:
                        return read(Backfilled, said, "backfilled")
                    if "problem" in said:
                        raise problems.error(int(said["problem"]["status"]), said["problem"])
                    if "done" in said and progress is not None:
                        progress(said["done"], said["total"])
        except Turned as turned:
            raise turned.error from turned.__cause__
        raise Error("The backfill's answer broke off before its end. Backfill again: what is done stays done.")
