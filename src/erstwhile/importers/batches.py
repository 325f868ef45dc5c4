"""What a format reads, checked and gathered into batches that fit into one request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers.model import Left, Line, Problem, Read
from erstwhile.importers.reading import Damaged
from erstwhile.importers.seen import Seen, digest
from erstwhile.log import check
from erstwhile.log.model import NewMessage

ANY_SIZE: Final = 1 << 62
_MESSAGES: Final = 500
_BYTES: Final = 2**20  # of text: a server takes four times that, and JSON needs some for itself
_READS: Final = 10_000  # a source of nothing but problems is told of now and then, too


@dataclass(frozen=True, slots=True)
class Found:
    """A message as it was read, and the place it came at in its batch. It is checked when it turns out to be new."""

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
class Batch:
    """`error`: why nothing comes after it."""

    channels: dict[str, list[Found]] = field(default_factory=dict)
    problems: dict[int, Problem] = field(default_factory=dict)
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

    def add(self, channel: str, found: Found) -> None:
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


class Batches(Iterator[Batch]):
    def __init__(self, reads: Iterator[Read]) -> None:
        self._reads = reads
        self._seen = Seen()
        self._ended = False

    def __next__(self) -> Batch:
        if self._ended:
            raise StopIteration
        batch = Batch()
        while not batch.full and not self._ended:
            try:
                self._take(batch, next(self._reads))
            except StopIteration:
                self._ended = True
            except Damaged as damage:
                self._ended = True
                batch.problems[batch.reads] = Problem("here it ends", str(damage))
            except InvalidInput as error:
                self._ended, batch.error = True, error
            batch.reads += 1
        if self._ended and batch.reads == 1 and not (batch.problems or batch.error):
            raise StopIteration
        return batch

    def _take(self, batch: Batch, read: Read) -> None:
        if isinstance(read, Problem):
            batch.problems[batch.reads] = read
        elif isinstance(read, Left):
            batch.left[read.reason] = batch.left.get(read.reason, 0) + read.count
        else:
            try:
                batch.add(check.identifier("channel", read.channel), self._found(batch.reads, read))
            except InvalidInput as error:
                batch.problems[batch.reads] = Problem(read.where, str(error))

    def _found(self, place: int, line: Line) -> Found:
        message = line.message
        if message.key is not None:
            return Found(place, line.where, check.identifier("key", message.key), message)
        made = digest(*map(str, (line.channel, message.role, message.person, message.text, message.at)))
        return Found(place, line.where, f"import:{made.hex()[:32]}:{self._seen.count(made)}", message)
