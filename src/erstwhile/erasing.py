"""The part of the door for taking everything of someone away, and for handing it out."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.door import Door, T
from erstwhile.exports import write
from erstwhile.exports.model import Exported
from erstwhile.log import check
from erstwhile.log import store as log
from erstwhile.log.model import FURTHEST, Message, Origin
from erstwhile.rooms.days import store as days
from erstwhile.rooms.erasure.model import Receipt, Subject


class Erasing(Door):
    async def erase(
        self,
        *,
        space: str | None = None,
        person: str | None = None,
        channel: str | None = None,
        message: str | None = None,
        source: str | None = None,
        by: str = "",
    ) -> Receipt:
        """Takes away all of a person, of a channel or of a source (see `origins`), or one message by its id, with what was made of it, and
        looks whether anything is left. What was made of others' words too is made again without it, by `settle` or a worker; until then
        nobody is shown it. It can't be undone."""
        chosen, subject = self._space(space), _subject(person=person, channel=channel, message=message, source=source)
        await self.house.recorder.flush()
        receipt = await self.house.erasure.erase(chosen, subject, by and check.identifier("person", by))
        self.house.worker.wake()
        return receipt

    async def origins(self, *, space: str | None = None, limit: int = 100) -> list[Origin]:
        """Where messages came from, as their `source` says: imports by their file, platforms by their name. The one with the newest message
        comes first."""
        if limit < 1:
            raise InvalidInput("`limit` must be at least 1.")
        return await self._read(self._space(space), lambda tx: log.origins(tx, min(limit, FURTHEST)))

    async def _revise(self, space: str, channel: str, key: str, text: str) -> Message | None:
        """Words that are gone take their message with them."""
        if not text:
            await self._retract(space, channel, [key])
            return None
        check.said(text, self.settings.message_bytes)
        return await self._changed(self.house.revising.revise(space, channel, check.identifier("key", key), text))

    async def _retract(self, space: str, channel: str, keys: Sequence[str]) -> int:
        if isinstance(keys, str):
            raise InvalidInput("`keys` is a list of keys.")
        named = list(dict.fromkeys(check.identifier("key", key) for key in keys))
        return await self._changed(self.house.revising.retract(space, channel, named))

    async def _changed(self, change: Coroutine[Any, Any, T]) -> T:
        await self.house.recorder.flush()
        done = await change
        self.house.worker.wake()
        return done

    async def export(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, to: str | Path
    ) -> Exported:
        """Writes all of a person, or of a channel, into one zip: messages that can be imported again, memories with where each came from,
        and a page to read. What others said is named by its ids alone."""
        chosen, subject = self._space(space), _subject(person=person, channel=channel)
        if subject.person is not None and not await self._read(chosen, lambda tx: days.known(tx, subject.name)):
            raise NotFound(f"Nobody called {person!r} ever spoke in space {chosen!r}, and nothing was told of them.")
        return await write.export(self.house.database, chosen, subject, Path(to), self._clock())


def _subject(**given: str | None) -> Subject:
    named = {kind: check.identifier(kind, name) for kind, name in given.items() if name is not None}
    if len(named) != 1:
        kinds = [f"a {kind}" for kind in given]
        raise InvalidInput(f"Name {', '.join(kinds[:-1])} or {kinds[-1]}, one of them.")
    return Subject(**named)
