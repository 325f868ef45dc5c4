"""The part of the door for taking everything of someone away."""

from __future__ import annotations

from erstwhile.base.errors import InvalidInput
from erstwhile.door import Door
from erstwhile.log import check
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


def _subject(person: str | None, channel: str | None) -> Subject:
    if (person is None) == (channel is None):
        raise InvalidInput("Name a person or a channel, one of the two.")
    if person is not None:
        return Subject(person=check.identifier("person", person))
    return Subject(channel=check.identifier("channel", channel))
