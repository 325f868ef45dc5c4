"""The part of the door for taking everything of someone away, and for handing it out."""

from __future__ import annotations

from pathlib import Path

from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.door import Door
from erstwhile.exports import write
from erstwhile.exports.model import Exported
from erstwhile.log import check
from erstwhile.rooms.days import store as days
from erstwhile.rooms.erasure.model import Receipt, Subject


class Erasing(Door):
    async def erase(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, by: str = ""
    ) -> Receipt:
        """Takes away all of a person, or of a channel, with what was made of it, and looks whether anything is left. What was made of
        others' words too is made again without it, by `settle` or a worker; until then nobody is shown it. It can't be undone."""
        chosen, subject = self._space(space), _subject(person, channel)
        await self.house.recorder.flush()
        receipt = await self.house.erasure.erase(chosen, subject, by and check.identifier("person", by))
        self.house.worker.wake()
        return receipt

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
