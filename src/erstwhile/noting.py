"""The part of the door for notes of conversations, the topics of a day, and the night's work."""

from __future__ import annotations

from datetime import date

from erstwhile.base.errors import InvalidInput
from erstwhile.door import Door
from erstwhile.log import check
from erstwhile.rooms.notes import store
from erstwhile.rooms.notes.model import KINDS, Buffer, Night, Note
from erstwhile.rooms.notes.store import Asked


class Noting(Door):
    async def notes(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        day: date | str | None = None,
        kind: str | None = None,
        limit: int = 50,
    ) -> list[Note]:
        """Notes of conversations and the topics they were put into, newest first: of a channel, with a person, of a day (2026-03-02), or
        of one kind, "note" or "topic". Topics of one note, which say the same as it, are listed only where topics are asked for."""
        if kind is not None and kind not in KINDS:
            raise InvalidInput(f"Unknown kind {kind!r}. Kinds are {', '.join(KINDS)}.")
        if limit < 1:
            raise InvalidInput("`limit` must be at least 1.")
        chosen = self._space(space)
        wanted = Asked(
            kind=kind,
            channel=None if channel is None else check.identifier("channel", channel),
            person=None if person is None else await self._who(chosen, person),
            day=_day(day) if isinstance(day, str) else day,
            limit=limit,
        )
        return await self._read(chosen, lambda tx: store.listed(tx, wanted))

    async def buffers(self, *, space: str | None = None, channel: str | None = None) -> list[Buffer]:
        """The conversations that are still going on, or whose note is being written; of one channel, or of all."""
        here = None if channel is None else check.identifier("channel", channel)
        return await self._read(self._space(space), lambda tx: store.buffers(tx, here))

    async def nightly(self, *, space: str | None = None) -> Night:
        """The night's work, here and now: every note that is in no topic yet is put into one. Conversations that go on stay open. In a
        space that is not remembered nothing is done."""
        chosen = self._space(space)
        if not self._remembered(chosen):
            return self.house.notes.no_night()
        night = await self.house.notes.nightly(chosen)
        self.house.worker.wake()
        return night


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise InvalidInput(f"{written!r} is not a day. Write it like 2026-03-02.") from None
