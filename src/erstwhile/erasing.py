"""The part of the door for taking everything of someone away."""

from __future__ import annotations

import json
from collections.abc import Coroutine, Sequence
from typing import Any

from erstwhile.base.clock import moment
from erstwhile.base.errors import InvalidInput
from erstwhile.door import Door, T
from erstwhile.erasures import store as erasures
from erstwhile.layers.erasure import spaces
from erstwhile.layers.erasure.model import Erased, Receipt, Subject, alone
from erstwhile.log import check
from erstwhile.log import store as log
from erstwhile.log.model import FURTHEST, Message, Origin

_MOST = 1000  # receipts in one answer


class Erasing(Door):
    async def erase(
        self,
        *,
        space: str | None = None,
        person: str | None = None,
        channel: str | None = None,
        message: str | None = None,
        source: str | None = None,
        everything: bool = False,
        by: str = "",
    ) -> Receipt:
        """Takes away all of a person, of a channel or of a source (see `origins`), or one message by its id, with what was made of it, and
        looks whether anything is left. What was made of others' words too is made again without it, by `settle` or a worker; until then
        nobody is shown it. With `everything`, the whole space goes, its settings and keys too. It can't be undone."""
        if everything:
            alone(person, channel, message, source)
            return await self._erase_space(self._space(space), by and check.identifier("person", by))
        chosen, subject = self._space(space), _subject(person=person, channel=channel, message=message, source=source)
        await self.house.recorder.flush()
        receipt = await self.house.erasure.erase(chosen, subject, by and check.identifier("person", by))
        self.house.worker.wake()
        return receipt

    async def _erase_space(self, space: str, by: str) -> Receipt:
        house = self.house
        await house.recorder.flush()
        receipt = await spaces.erase(house.database, space, by, self._clock)
        house.recall.let_go(space)
        return receipt

    async def receipts(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, limit: int = 100
    ) -> list[Erased]:
        """The erasures on record, newest first; with a person or a channel, those of them. None of them names anybody."""
        if person is not None and channel is not None:
            raise InvalidInput("Name a person or a channel, or neither.")
        if not 1 <= limit <= _MOST:
            raise InvalidInput(f"`limit` must be from 1 to {_MOST}.")
        subject = None if person is None and channel is None else _subject(person=person, channel=channel)
        about = None if subject is None else (subject.kind, subject.name)
        rows = await self._read(self._space(space), lambda tx: erasures.receipts(tx, about, limit))
        return [
            Erased(
                **{**row, "at": moment(row["at"]), "counts": json.loads(row["counts"]), "checked": bool(row["checked"])}
            )
            for row in rows
        ]

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
        check.said(text, self.settings.limits.message_bytes)
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


def _subject(**given: str | None) -> Subject:
    named = {kind: check.identifier(kind, name) for kind, name in given.items() if name is not None}
    if len(named) != 1:
        kinds = [f"a {kind}" for kind in given]
        raise InvalidInput(f"Name {', '.join(kinds[:-1])} or {kinds[-1]}, one of them.")
    return Subject(**named)
