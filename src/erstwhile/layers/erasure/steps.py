"""Erase a person, channel, message or source, check that nothing is left, write a receipt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from erstwhile.base import crash, ids
from erstwhile.base.clock import Clock, micros, moment
from erstwhile.base.errors import NotFound
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.erasures import store as erasures
from erstwhile.erasures.store import Mark
from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.layers.contract import Layer
from erstwhile.layers.days import store as day_store
from erstwhile.layers.erasure import derived, listing, naming
from erstwhile.layers.erasure.listing import queries
from erstwhile.layers.erasure.model import Receipt, Subject, digest
from erstwhile.log import store as log_store
from erstwhile.storage import Database, Transaction, column, value

log = Log(__name__)

_PAGE = 1000
_NAMED = ("person", "asker", "about")  # fields of a job's payload that name a person
_PLACED = ("channel", "here", "audience")  # and a channel


class Erasure:
    def __init__(self, database: Database, clock: Clock, layers: Sequence[Layer]) -> None:
        self._database, self._clock, self._layers = database, clock, layers

    async def erase(self, space: str, subject: Subject, by: str) -> Receipt:
        person = subject.person
        names: Sequence[str] = []
        if person is not None:
            names = await self._database.read(space, lambda tx: naming.names_of(tx, person))
        receipt, clean = await self._database.write(space, lambda tx: self._erase(tx, subject, by))
        await erase_stored(self._database, space)
        scrubbed = await self._database.scrub()
        left = await self._database.read(space, lambda tx: left_of(tx, subject))
        if names:
            pattern = naming.pattern(names)
            found = await self._database.read(space, lambda tx: naming.find(tx, pattern))
            left += [f"{what} that name them" for what, ids in found.items() if ids]
        checked = clean and scrubbed and not left
        await self._database.write(
            space, lambda tx: erasures.set_checked(tx, receipt.id, checked=checked)
        )
        told = {"space": space, "kind": subject.kind, "receipt": receipt.id}
        log.info("erasure.done", **told, checked=checked, **receipt.counts)
        if not checked:
            log.warning(
                "erasure.left", receipt=receipt.id, tables=left, listed=not clean, scrubbed=scrubbed
            )
        return replace(receipt, checked=checked)

    async def _erase(self, tx: Transaction, subject: Subject, by: str) -> tuple[Receipt, bool]:
        """Erase. Jobs come first, so that a worker about to store a result waits and is refused."""
        now = moment(micros(self._clock()))
        mark = await erasures.hold(tx)
        await _known(tx, subject, mark)
        await erasures.move_for_all(tx)
        await jobs.restart_all(tx)
        await log_store.hold_channels(tx)
        await jobs.restart_all(tx)  # again, for jobs enqueued by whoever held a channel until now
        await tx.run(queries.clear)
        whole = await listing.messages(tx, subject)
        since = await value(tx, queries.first_stored, person=subject.person)
        await erasures.bury(tx, mark, await tx.all(queries.to_bury))
        senders = await column(tx, queries.senders) if subject.source is not None else []
        counts = await self._take(tx, subject, whole, now)
        await _records(tx, subject, since, counts)
        await _people(tx, subject, senders, counts, now)
        left = await value(tx, queries.words_left)
        await tx.run(queries.clear)
        crash.point("erasure.after_erased")
        # The end: questions asked until now are not recorded any more.
        done = moment(micros(self._clock()))
        what = {"space": tx.space, subject.kind: subject.name}
        hashed, by = mark.hash(subject.kind, subject.name), "" if by == subject.person else by
        erased = WrittenReceipt(subject.kind, what, hashed, by, done)
        receipt = await erased.write(tx, counts)
        if not subject.single:  # for a message, an event of its channel was emitted
            await events.emit(tx, subject.kind, "erased", receipt.id)
        return receipt, not left

    async def _take(
        self, tx: Transaction, subject: Subject, whole: Sequence[str], now: datetime
    ) -> dict[str, int]:
        """Delete memories made from the messages, then the messages, and request memories again."""
        counts: dict[str, int] = {"messages": 0}
        for layer in self._layers:
            await layer.shrink(tx)
        remakes = await derived.take(tx, self._layers, subject, counts)
        spans = await tx.all(queries.spans)
        counts["requests"] = await tx.run(queries.drop_requests_in_words)
        counts["vectors"] = await value(tx, queries.count_message_vectors)
        await _unsearch(tx, await column(tx, queries.listed_messages))
        counts["messages"] = await tx.run(queries.drop_messages)
        crash.point("erasure.after_messages")
        counts["jobs"] = 0
        if subject.person is not None:
            counts["jobs"] += await jobs.cancel_naming(tx, subject.person, _NAMED)
        for channel in whole:
            counts["jobs"] += await jobs.cancel_naming(tx, channel, _PLACED)
        for remake in remakes:
            await remake(tx, now)
        for span in spans:
            if span["channel"] not in whole:
                place = {"channel": span["channel"], "seq": span["first"], "until": span["last"]}
                await events.emit(tx, "message", "erased", span["channel"], **place)
        return counts


async def erase_stored(database: Database, space: str) -> None:
    """Write the files of the stored index anew, without what is gone."""
    from erstwhile.index import storing  # numpy is only loaded by whoever needs it
    from erstwhile.index.stored import IndexFiles

    await storing.erase(IndexFiles(database), space)


async def _known(tx: Transaction, subject: Subject, mark: Mark) -> None:
    """Raise `NotFound` if the subject never existed. What was erased before can be erased again."""
    if subject.person is not None:
        there = await day_store.known(tx, subject.person)
    elif subject.channel is not None:
        there = await tx.first(queries.channel_known, channel=subject.channel) is not None
    elif subject.source is not None:
        there = await tx.first(queries.source_known, source=subject.source) is not None
    else:
        there = await tx.first(queries.message_known, id=subject.message) is not None
    if there or await erasures.known(tx, mark.hash(subject.kind, subject.name)):
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


async def _records(
    tx: Transaction, subject: Subject, since: int | None, counts: dict[str, int]
) -> None:
    """Remove the listed from search, history, recorded questions and the feed."""
    person = subject.person
    await tx.run(queries.list_documents_left, person=person)
    found = await tx.first(queries.count_documents)
    assert found is not None
    counts["documents"] = counts["messages"] + found["documents"]
    counts["vectors"] += found["vectors"]
    await _unsearch(tx, await column(tx, queries.listed))
    counts["versions"] = await tx.run(queries.drop_versions) + await tx.run(queries.wipe_versions)
    counts["versions"] += await tx.run(queries.wipe_versions_by, person=person, hand=subject.hand)
    await tx.run(queries.unname_flags, person=person)
    if since is not None:
        counts["versions"] += await tx.run(queries.wipe_loose_versions, since=since)
    counts["requests"] += await tx.run(queries.drop_requests, person=person)
    if subject.channel is not None:
        counts["requests"] += await tx.run(queries.drop_requests_showing, channel=subject.channel)
    counts["complaints"] = 0
    if person is not None:
        found = await naming.find(tx, naming.pattern(await naming.names_of(tx, person)))
        counts["requests"] += await naming.drop(tx, queries.drop_requests_of, found["requests"])
        complaints = found["complaints"]
        counts["complaints"] += await naming.drop(tx, queries.drop_complaints_of, complaints)
        counts["titles"] = await naming.drop(tx, queries.drop_titles_of, found["titles"])
    counts["complaints"] += await tx.run(queries.drop_complaints)
    counts["events"] = await tx.run(queries.drop_events)


async def _unsearch(tx: Transaction, ids: Sequence[str]) -> None:
    for start in range(0, len(ids), _PAGE):
        await documents.remove(tx, ids[start : start + _PAGE])


async def _people(
    tx: Transaction, subject: Subject, senders: Sequence[str], counts: dict[str, int], now: datetime
) -> None:
    """Delete people. `senders` are deleted too if nothing else is known of them."""
    gone = [subject.person] if subject.person is not None else await column(tx, queries.strangers)
    known = queries.known_otherwise
    unknown = [each for each in senders if await tx.first(known, person=each) is None]
    for person in [*filter(None, [subject.person]), *unknown]:
        await tx.run(queries.keep_open, person=person)
        await tx.run(queries.drop_speaker, person=person)
    await tx.run(queries.drop_speakers)
    await tx.run(queries.drop_listening)
    await tx.run(queries.unname_chooser, person=subject.person)
    counts["channels"] = await tx.run(queries.drop_channels)
    counts["names"] = counts["people"] = counts["prompts"] = 0
    for person in sorted({*gone, *unknown}):
        counts["names"] += await tx.run(queries.drop_names, person=person)
        counts["people"] += await tx.run(queries.drop_person, person=person)
        counts["events"] += await tx.run(queries.drop_events_of, person=person)
        await tx.run(queries.unname_events, person=person)
        await tx.run(queries.unshare, person=person, now=micros(now))
    if subject.person is not None:
        await tx.run(queries.unsign_receipts_by, person=subject.person)
        counts["prompts"] = await tx.run(queries.drop_prompts, person=subject.person)
        counts["sessions"] = await tx.run(queries.drop_sessions, person=subject.person)


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
        await erasures.add(tx, {**row, **named, "counts": json.dumps(counts)})
        return Receipt(id, self.at, self.what, counts, checked=False, digest=sealed)


async def left_of(tx: Transaction, subject: Subject) -> list[str]:
    """Return the tables that still have rows of the subject."""
    if subject.person is not None:
        rows = await tx.all(queries.left_of_person, person=subject.person, hand=subject.hand)
    elif subject.channel is not None:
        rows = await tx.all(queries.left_of_channel, channel=subject.channel)
    elif subject.source is not None:
        rows = await tx.all(queries.left_of_source, source=subject.source)
    else:
        rows = await tx.all(queries.left_of_message, message=subject.message)
    return [row["what"] for row in rows if row["rows"]]
