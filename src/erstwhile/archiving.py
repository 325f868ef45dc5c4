"""The part of the door for handing everything out, taking it in again, and keeping a copy of the whole database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from erstwhile.archive import backup as backups
from erstwhile.archive import reader, rows
from erstwhile.archive.model import EXPORT, Backup, Progress, no_progress
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.door import Door
from erstwhile.exports import load, write
from erstwhile.exports.admit import Admission
from erstwhile.exports.model import Exported, Loaded, Of
from erstwhile.layers.days import store as days
from erstwhile.log import check
from erstwhile.log import store as log

_BATCH: Final = 500
_Said = tuple[str, str, dict[str, Any]]  # the channel, the id it had, and the message


class Archiving(Door):
    async def export(
        self, *, space: str | None = None, person: str | None = None, channel: str | None = None, to: str | Path
    ) -> Exported:
        """Writes all of a person, of a channel, or with neither of the space, into one zip: messages, memories with where each came from, a
        page to read, and what it takes to import it again without loss. In a person's, what others said is named by its ids alone."""
        chosen, of = self._space(space), _of(person, channel)
        await self.house.recorder.flush()
        if of.person is not None and not await self._read(chosen, lambda tx: days.known(tx, of.person or "")):
            raise NotFound(f"Nobody called {person!r} ever spoke in space {chosen!r}, and nothing was told of them.")
        if of.kind == "space" and chosen not in await log.spaces(self.house.database):
            raise NotFound(f"There is no space {chosen!r}.")
        house = self.house
        return await write.export(house.database, chosen, of, house.hearing, Path(to), self._clock())

    async def backup(self, *, to: str | Path) -> Backup:
        """Writes the whole database, all spaces, into one zip while others go on writing, and reads it back. It is of one moment, for the
        eyes of whoever runs this, and restored by `erstwhile backup FILE --restore`, on either database."""
        return await self._backup(Path(to), no_progress)

    async def _backup(self, to: Path, progress: Progress) -> Backup:
        await self.house.recorder.flush()
        return await backups.backup(self.house.database, to, self._clock(), progress)

    async def _load_export(
        self, path: str | Path, *, space: str | None = None, progress: Progress = no_progress
    ) -> Loaded:
        """Takes an export in: into an empty space its rows as they were, into any other its messages alone, as `add` would."""
        chosen, file, now = self._remembering(space), Path(path), self._clock()
        with reader.open_archive(file) as found:
            load.check(found)
        kinds, largest = self.house.worker.kinds, self.settings.message_bytes
        if await self._read(chosen, load.empty):
            loaded = await self.house.database.write(
                chosen, lambda tx: load.load(tx, file, Admission(largest, kinds), now, progress)
            )
            if loaded is not None:
                self.house.worker.wake()
                return loaded
        return await self._say_again(chosen, file, progress)

    async def _say_again(self, space: str, file: Path, progress: Progress) -> Loaded:
        """Through the ordinary door, which knows what is there already, who is blocked, and what was erased."""
        new = skipped = 0
        channels = set[str]()
        with reader.open_archive(file) as found:
            found.verify()
            for batch in _batches(found):
                there = await self._read(space, lambda tx: log.by_ids(tx, [id for _, id, _ in batch]))  # noqa: B023
                skipped += len(there)
                for name in dict.fromkeys(channel for channel, id, _ in batch if id not in there):
                    chat = self.channel(name, space)
                    said = [message for channel, id, message in batch if channel == name and id not in there]
                    before = await chat.size()
                    stored = {each.seq for each in await chat.add_many(said) if each.seq > before}
                    new, skipped = new + len(stored), skipped + len(said) - len(stored)
                    channels.add(name)
                progress("messages", new + skipped)
        return Loaded(False, new, 0, skipped, len(channels))

    def channel(self, channel: str, space: str | None = None) -> Any:
        raise AssertionError(f"the memory has {channel} of {space}")


def is_export(path: Path) -> bool:
    """Whether a file is a zip that `export` wrote."""
    return path.is_file() and reader.format_of(path) == EXPORT


def _of(person: str | None, channel: str | None) -> Of:
    if person is not None and channel is not None:
        raise InvalidInput("Name a person or a channel, one of the two, or neither for the whole space.")
    if person is not None:
        return Of(person=check.identifier("person", person))
    return Of() if channel is None else Of(channel=check.identifier("channel", channel))


def _batches(found: reader.ArchiveReader) -> Iterator[list[_Said]]:
    batch: list[_Said] = []
    for number, raw in enumerate(found.lines("messages.jsonl"), start=1):
        try:
            line = rows.parsed(raw)
            message = {name: value for name, value in line.items() if name not in ("id", "seq", "channel")}
            named = check.identifier("channel", line.get("channel")), check.identifier("id", line.get("id"))
        except InvalidInput as error:
            raise found.refused("messages.jsonl", number, error) from None
        batch.append((*named, message))
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
