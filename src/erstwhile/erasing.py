"""The part of the door for taking everything of someone away, and for handing it out."""

from __future__ import annotations

import json
from pathlib import Path

from erstwhile.base.clock import moment
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.door import Door
from erstwhile.erasures import store as erasures
from erstwhile.exports import write
from erstwhile.exports.model import Exported
from erstwhile.log import check
from erstwhile.rooms.days import store as days
from erstwhile.rooms.erasure import spaces
from erstwhile.rooms.erasure.model import Erased, Receipt, Subject, alone

_MOST = 1000  # receipts in one answer


class Erasing(Door):
    async def erase(
        self,
        *,
        space: str | None = None,
        person: str | None = None,
        channel: str | None = None,
        everything: bool = False,
        by: str = "",
    ) -> Receipt:
        """Takes away all of a person, or of a channel, with what was made of it, and looks whether anything is left. What was made of
        others' words too is made again without it, by `settle` or a worker; until then nobody is shown it. With `everything`, the whole
        space goes, its settings and keys too. It can't be undone."""
        if everything:
            alone(person, channel)
            return await self._erase_space(self._space(space), by and check.identifier("person", by))
        chosen, subject = self._space(space), _subject(person, channel)
        await self.house.recorder.flush()
        receipt = await self.house.erasure.erase(chosen, subject, by and check.identifier("person", by))
        self.house.worker.wake()
        return receipt

    async def _erase_space(self, space: str, by: str) -> Receipt:
        house = self.house
        await house.recorder.flush()
        receipt = await spaces.erase(house.database, space, by, self._clock())
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
        subject = None if person is None and channel is None else _subject(person, channel)
        about = None if subject is None else (subject.kind, subject.name)
        rows = await self._read(self._space(space), lambda tx: erasures.receipts(tx, about, limit))
        return [
            Erased(
                **{
                    **row,
                    "at": moment(row["at"]),
                    "counts": json.loads(row["counts"]),
                    "checked": bool(row["checked"]),
                }
            )
            for row in rows
        ]

    async def export(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, to: str | Path
    ) -> Exported:
        """Writes all of a person, or of a channel, into one zip: messages that can be imported again, memories with where each came from,
        and a page to read. What others said is named by its ids alone."""
        chosen, subject = self._space(space), _subject(person, channel)
        if subject.person is not None and not await self._read(chosen, lambda tx: days.known(tx, subject.name)):
            raise NotFound(f"Nobody called {person!r} ever spoke in space {chosen!r}, and nothing was told of them.")
        return await write.export(self.house.database, chosen, subject, Path(to), self._clock())


def _subject(person: str | None, channel: str | None) -> Subject:
    if (person is None) == (channel is None):
        raise InvalidInput("Name a person or a channel, one of the two.")
    if person is not None:
        return Subject(person=check.identifier("person", person))
    return Subject(channel=check.identifier("channel", channel))
