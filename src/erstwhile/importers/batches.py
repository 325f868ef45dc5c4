"""Collect what a format reads into batches that fit into one request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.digest_counts import DigestCounts, digest
from erstwhile.importers.model import ImportedMessage, ImportProblem, ReadItem, SkippedItems
from erstwhile.importers.source_file import DamagedFile
from erstwhile.log import check
from erstwhile.log.model import NewMessage

ANY_SIZE: Final = 1 << 62
_MESSAGES: Final = 500
_BYTES: Final = 2**20  # of text; a server accepts four times that, and JSON needs some
_READS: Final = 10_000  # so that progress is reported even if a source has only problems


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message and its position in the batch. It is checked only if it is new."""

    place: int
    where: str
    key: str
    message: NewMessage

    def checked(self, source: str, largest: int) -> NewMessage:
        meta = self.message.meta
        if isinstance(meta, Mapping) and "source" not in meta:
            meta = {**meta, "source": source}
        return check.message(replace(self.message, key=self.key, meta=meta), largest=largest)


@dataclass(slots=True)
class ImportBatch:
    """`error`: why nothing comes after it."""

    channels: dict[str, list[FoundMessage]] = field(default_factory=dict)
    problems: dict[int, ImportProblem] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    people: set[str] = field(default_factory=set)
    times: tuple[datetime, datetime] | None = None
    error: InvalidInput | None = None
    reads: int = 0
    messages: int = 0
    size: int = 0

    @property
    def full(self) -> bool:
        return self.messages >= _MESSAGES or self.size >= _BYTES or self.reads >= _READS

    def add(self, channel: str, found: FoundMessage) -> None:
        message = found.message
        self.channels.setdefault(channel, []).append(found)
        self.messages += 1
        self.size += len(message.text.encode("utf-8", "replace")) + (
            len(str(message.meta)) if len(message.meta) > 8 else 200
        )
        if isinstance(message.person, str):
            self.people.add(message.person)
        if isinstance(message.at, datetime):
            first, last = self.times or (message.at, message.at)
            self.times = min(first, message.at), max(last, message.at)


class Batches(Iterator[ImportBatch]):
    def __init__(self, reads: Iterator[ReadItem]) -> None:
        self._reads = reads
        self._seen = DigestCounts()
        self._ended = False

    def __next__(self) -> ImportBatch:
        if self._ended:
            raise StopIteration
        batch = ImportBatch()
        while not batch.full and not self._ended:
            try:
                self._take(batch, next(self._reads))
            except StopIteration:
                self._ended = True
            except DamagedFile as damage:
                self._ended = True
                batch.problems[batch.reads] = ImportProblem("here it ends", str(damage))
            except InvalidInput as error:
                self._ended, batch.error = True, error
            batch.reads += 1
        if self._ended and batch.reads == 1 and not (batch.problems or batch.error):
            raise StopIteration
        return batch

    def _take(self, batch: ImportBatch, read: ReadItem) -> None:
        if isinstance(read, ImportProblem):
            batch.problems[batch.reads] = read
        elif isinstance(read, SkippedItems):
            batch.left[read.reason] = batch.left.get(read.reason, 0) + read.count
        else:
            try:
                batch.add(check.identifier("channel", read.channel), self._to_found(batch.reads, read))
            except InvalidInput as error:
                batch.problems[batch.reads] = ImportProblem(read.where, str(error))

    def _to_found(self, place: int, line: ImportedMessage) -> FoundMessage:
        message = line.message
        if message.key is not None:
            return FoundMessage(place, line.where, check.identifier("key", message.key), message)
        made = digest(*map(str, (line.channel, message.role, message.person, message.text, message.at)))
        return FoundMessage(place, line.where, f"import:{made.hex()[:32]}:{self._seen.count(made)}", message)
