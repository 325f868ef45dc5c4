"""Erase a person, channel, message or source, check that nothing is left, write a receipt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from erstwhile.base import crash, ids
from erstwhile.base.clock import Clock, micros, moment
from erstwhile.base.errors import NotFound
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.events import store as events
from erstwhile.jobs import store as jobs
from erstwhile.layers.contract import Layer, Remake
from erstwhile.layers.days import store as day_store
from erstwhile.layers.erasure import naming
from erstwhile.layers.erasure.model import Receipt, digest
from erstwhile.layers.summaries import store as summaries
from erstwhile.log import erase as log_erase
from erstwhile.log import store as log_store
from erstwhile.memories import erase
from erstwhile.receipts import store as receipts
from erstwhile.receipts.store import Mark
from erstwhile.storage import Database, Transaction
from erstwhile.tables import listed, rows
from erstwhile.tables.model import Erasing, Subject, Table
from erstwhile.tables.owner import Owner

log = Log(__name__)


class Erasure:
    """`owners`: the packages with tables that are not layers."""

    def __init__(
        self, database: Database, clock: Clock, layers: Sequence[Layer], owners: Sequence[Owner]
    ) -> None:
        self._database, self._clock, self._layers, self._owners = database, clock, layers, owners
        self._texts = [texts for owner in owners for texts in owner.texts]

    @property
    def tables(self) -> list[Table]:
        """All tables with a space."""
        owned = [table for owner in self._owners for table in owner.tables]
        return [*owned, *(table for layer in self._layers for table in layer.tables)]

    async def erase(self, space: str, subject: Subject, by: str) -> Receipt:
        person = subject.person
        names: Sequence[str] = []
        if person is not None:
            names = await self._database.read(space, lambda tx: naming.names_of(tx, person))
        receipt, clean = await self._database.write(space, lambda tx: self._erase(tx, subject, by))
        await erase_stored(self._database, space)
        cleaned = await self._database.clean()
        left = await self._database.read(space, lambda tx: self._left(tx, subject))
        if names:
            named = naming.pattern(names)
            found = await self._database.read(space, lambda tx: naming.find(tx, self._texts, named))
            left += [f"{what} that name them" for what, ids in found.items() if ids]
        checked = clean and cleaned and not left
        await self._database.write(
            space, lambda tx: receipts.set_checked(tx, receipt.id, checked=checked)
        )
        told = {"space": space, "kind": subject.kind, "receipt": receipt.id}
        log.info("erasure.done", **told, checked=checked, **receipt.counts)
        if not checked:
            log.warning(
                "erasure.left", receipt=receipt.id, tables=left, listed=not clean, cleaned=cleaned
            )
        return replace(receipt, checked=checked)

    async def _erase(self, tx: Transaction, subject: Subject, by: str) -> tuple[Receipt, bool]:
        """Erase. Jobs come first, so that a worker about to store a result waits and is refused."""
        await jobs.restart_all(tx)  # before the mark, as a worker that stores a result does
        mark = await receipts.hold(tx)
        await _known(tx, subject, mark)
        await receipts.move_for_all(tx)
        await log_store.hold_channels(tx)
        await jobs.restart_all(tx)  # again, for jobs enqueued by whoever held a channel until now
        erasing = await self._list(tx, subject)
        await receipts.add_tombstones(tx, mark, await log_erase.listed_rows(tx))
        senders = await log_erase.senders(tx) if subject.source is not None else []
        await self._take(tx, erasing)
        erasing.people = await self._gone(tx, subject, senders)
        for owner in self._owners:
            await owner.erase_places(tx, erasing)
        left = await rows.words_left(tx, self.tables)
        await listed.clear(tx)
        crash.point("erasure.after_erased")
        # The end: questions asked until now are not recorded any more.
        done = moment(micros(self._clock()))
        what = {"space": tx.space, subject.kind: subject.name}
        hashed, by = mark.hash(subject.kind, subject.name), "" if by == subject.person else by
        erased = WrittenReceipt(subject.kind, what, hashed, by, done)
        receipt = await erased.write(tx, erasing.counts)
        if not subject.single:  # for a message, an event of its channel was emitted
            await events.emit(tx, subject.kind, "erased", receipt.id)
        return receipt, not left

    async def _list(self, tx: Transaction, subject: Subject) -> Erasing:
        """List the messages to erase."""
        await listed.clear(tx)
        people = [] if subject.person is None else [subject.person]
        for person in people:
            await summaries.list_expired(tx, person)
        channels = await log_erase.list_messages(tx, subject)
        since = await log_erase.first_stored(tx, subject.person)
        now = moment(micros(self._clock()))
        return Erasing(subject, now, channels, people, since)

    async def _take(self, tx: Transaction, erasing: Erasing) -> None:
        """Delete what was made from the messages, then the messages; request memories again."""
        for layer in self._layers:
            await layer.leave_out(tx)
        remakes = await take_memories(tx, self._layers, erasing)
        spans = await listed.spans(tx)
        for person in erasing.people:
            await naming.erase(tx, self._texts, person, erasing)
        for owner in self._owners:
            await owner.erase(tx, erasing)
        crash.point("erasure.after_messages")
        for remake in remakes:
            await remake(tx, erasing.now)
        for span in spans:
            if span["channel"] not in erasing.channels:
                place = {"channel": span["channel"], "seq": span["first"], "until": span["last"]}
                await events.emit(tx, "message", "erased", span["channel"], **place)

    async def _gone(self, tx: Transaction, subject: Subject, senders: Sequence[str]) -> list[str]:
        """Return who is erased: the person, or those of whom nothing else is known."""
        if subject.person is not None:
            return [subject.person]
        gone = set(await day_store.unknown(tx, await log_erase.strangers(tx)))
        for sender in senders:
            if not any([await owner.knows(tx, sender) for owner in self._owners]):
                gone.add(sender)
        return sorted(gone)

    async def _left(self, tx: Transaction, subject: Subject) -> list[str]:
        """Return the tables that still have rows of the subject."""
        left = ["erasing"] if await listed.count(tx) else []
        if subject.person is not None or subject.channel is not None:
            return left + await rows.left(tx, self.tables, subject)
        return left + (["messages"] if await log_erase.is_known(tx, subject) else [])


async def take_memories(tx: Transaction, layers: Sequence[Layer], erasing: Erasing) -> list[Remake]:
    """List and erase the memories made from listed messages. Return what to do once the messages are deleted."""
    counted = [table for layer in layers for table in layer.tables if table.counted]
    before = await rows.counts(tx, counted)
    await erase.list_memories(tx, layers, erasing.subject.person)
    remakes = []
    for layer in layers:
        erasing.counts += Counter(await erase.take(tx, layer))
        await rows.erase(tx, layer.tables, erasing)
        remake = await layer.erased(tx, erasing.subject)
        remakes += [remake] if remake is not None else []
    erasing.counts += before - await rows.counts(tx, counted)
    return remakes


async def erase_stored(database: Database, space: str) -> None:
    """Write the files of the stored index anew, without what is gone."""
    from erstwhile.index import storing  # numpy is only loaded by whoever needs it
    from erstwhile.index.stored import IndexFiles

    await storing.erase(IndexFiles(database), space)


async def _known(tx: Transaction, subject: Subject, mark: Mark) -> None:
    """Raise `NotFound` if the subject never existed. What was erased before can be erased again."""
    if subject.person is not None:
        there = await day_store.known(tx, subject.person)
    else:
        there = await log_erase.is_known(tx, subject)
    if there or await receipts.known(tx, mark.hash(subject.kind, subject.name)):
        return
    if subject.person is not None:
        raise NotFound(
            f"There is no person {subject.name!r} in space {tx.space!r}. `people list` lists everyone."
        )
    if subject.source is not None:
        raise NotFound(
            f"No message of space {tx.space!r} has the origin {subject.name!r}. `archive origins` lists the origins."
        )
    raise NotFound(f"There is no {subject.kind} {subject.name!r} in space {tx.space!r}.")


@dataclass(frozen=True, slots=True)
class WrittenReceipt:
    """What a receipt says: the kind of what was erased, its names, its `subject` (the keyed hash),
    by whom and when."""

    kind: str
    what: dict[str, str]
    subject: str
    by: str
    at: datetime

    async def write(self, tx: Transaction, counted: Mapping[str, int]) -> Receipt:
        counts = {name: counted[name] for name in sorted(counted) if counted[name]}
        id = ids.new("era")
        sealed = digest(id, self.at, self.subject, counts)
        row = {"id": id, "at": micros(self.at), "digest": sealed}
        named = {"kind": self.kind, "subject": self.subject, "by": self.by}
        await receipts.add(tx, {**row, **named, "counts": json.dumps(counts)})
        return Receipt(id, self.at, self.what, counts, checked=False, digest=sealed)
