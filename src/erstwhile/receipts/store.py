"""Store and read erasure marks, tombstones and receipts."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from erstwhile.base.clock import micros
from erstwhile.base.errors import StorageBusy
from erstwhile.base.records import dataclass
from erstwhile.storage import Row, Transaction, value
from erstwhile.storage.queries import load

queries = load(__package__)

_REMEMBERED: Final = timedelta(days=1)
_MINUTE: Final = 60_000_000  # microseconds

# Returns whether a changed message (a row with `id`, `channel` and `seq`) was read.
Read = Callable[[Row], bool]


@dataclass(frozen=True, slots=True)
class Mark:
    """The state of a space. `number` counts its erasures."""

    number: int
    secret: str

    def hash(self, *parts: str) -> str:
        """Hash parts with their lengths, so that ("a", "bc") and ("ab", "c") differ."""
        told = "".join(f"{len(part)}:{part}" for part in parts)
        return hmac.new(bytes.fromhex(self.secret), told.encode(), hashlib.sha256).hexdigest()


async def hold(tx: Transaction) -> Mark:
    """Lock the space against erasures until the commit."""
    row = await tx.first(queries.hold, secret=secrets.token_hex(32))
    assert row is not None
    return Mark(row["number"], row["secret"])


async def number(tx: Transaction) -> int:
    return await value(tx, queries.mark) or 0


async def drop_blank(tx: Transaction) -> None:
    """Delete the mark of a space in which nothing was erased."""
    await tx.run(queries.drop_blank_mark)


async def unchanged(tx: Transaction, seen: int, read: Read) -> bool:
    """Return whether nothing that was `read` was erased or edited since; it is locked until the
    commit.

    Erasing a person, a channel or an origin affects every reader; editing or deleting single
    messages affects only those who read them."""
    now = (await hold(tx)).number
    if now == seen:
        return True
    since = await tx.all(queries.revisions, after=seen)
    if len({row["number"] for row in since}) < now - seen:
        return False
    return not any(read(row) for row in since)


async def refuse_if_erased(tx: Transaction, seen: int, read: Read) -> None:
    if not await unchanged(tx, seen, read):
        raise StorageBusy("Something of this space was erased meanwhile. Try again in a moment.")


def no_message(_row: Row) -> bool:
    """Only memories were read; the caller compares them with the stored ones."""
    return False


def within(channel: str, first: int, last: int) -> Read:
    """Describe that a range of a channel was read."""
    return lambda row: row["channel"] == channel and first <= row["seq"] <= last


def these(ids: Collection[str]) -> Read:
    return lambda row: row["id"] in ids


async def move(tx: Transaction) -> None:
    await tx.run(queries.move)


async def move_for_all(tx: Transaction) -> None:
    """Count an erasure that affects all readers; delete the list of edits, which names channels."""
    await move(tx)
    await tx.run(queries.drop_revisions)


async def revised(tx: Transaction, mark: Mark, messages: Sequence[Row], now: datetime) -> None:
    """Count an edit or deletion of single messages and list them. The list is kept for a day."""
    await move(tx)
    at = {"number": mark.number + 1, "at": micros(now)}
    rows = [{name: row[name] for name in ("id", "channel", "seq")} | at for row in messages]
    await tx.run_many(queries.add_revision, rows)
    await tx.run(queries.forget_revisions, before=micros(now - _REMEMBERED))


# Tombstones


# What a message is known by after it was erased.
Trace = tuple[str, ...]


def key_trace(channel: str, key: str) -> Trace:
    """Return the trace of a key: a message is known by its key in its channel; without a key, by its id, as in exports."""
    return "message", channel, key


def words_trace(person: str | None, at: int, text: str) -> Trace:
    """Return the trace of words: a message is also known by its words, its author and the minute, whatever its channel: so
    a file that is imported under another name brings nothing back."""
    return (
        "words",
        person or "",
        str(at // _MINUTE),
        " ".join(unicodedata.normalize("NFC", text).split()),
    )


async def add_tombstones(tx: Transaction, mark: Mark, messages: Iterable[Row]) -> None:
    """Add tombstones of messages: rows with `channel`, `key`, `id`, `person`, `at` and `text`."""
    traces: list[Trace] = []
    for row in messages:
        traces.append(key_trace(row["channel"], row["key"] or row["id"]))
        traces.append(words_trace(row["person"], row["at"], row["text"]))
    await add_traces(tx, mark, traces)


async def add_traces(tx: Transaction, mark: Mark, traces: Iterable[Trace]) -> None:
    rows = [{"hash": hash} for hash in sorted({mark.hash(*trace) for trace in traces})]
    if rows:
        await tx.run_many(queries.add_tombstone, rows)


async def find_traces(tx: Transaction, traces: Sequence[Trace]) -> frozenset[Trace]:
    """Return those of the traces whose messages were erased."""
    row = await tx.first(queries.mark) if traces else None
    if row is None or not row["number"]:
        return frozenset()
    mark = Mark(row["number"], row["secret"])
    hashes = {mark.hash(*trace): trace for trace in traces}
    found = await tx.all(queries.tombstones, keys=json.dumps(list(hashes)))
    return frozenset(hashes[each["hash"]] for each in found)


# Receipts


async def add(tx: Transaction, row: dict[str, object]) -> None:
    await tx.run(queries.add, **row)


async def set_checked(tx: Transaction, id: str, *, checked: bool) -> None:
    await tx.run(queries.set_checked, id=id, checked=int(checked))


async def listed(tx: Transaction, about: tuple[str, str] | None, limit: int) -> list[Row]:
    """List receipts, newest first; with `about`, only those of this kind and name."""
    mark = await tx.first(queries.mark)
    if mark is None:
        return []
    subject = None if about is None else Mark(mark["number"], mark["secret"]).hash(*about)
    return await tx.all(queries.receipts, subject=subject, limit=limit)


async def unsign(tx: Transaction) -> None:
    """Remove from all receipts who erased."""
    await tx.run(queries.unsign_receipts)


async def lately(tx: Transaction, since: int) -> dict[str, int]:
    """Return what was erased since then, each with its last time."""
    found: dict[str, int] = {}
    for row in await tx.all(queries.lately, since=since):
        found[row["subject"]] = max(row["at"], found.get(row["subject"], 0))
    return found


async def known(tx: Transaction, subject: str) -> bool:
    """Return whether this was erased before."""
    return await tx.first(queries.of_subject, subject=subject) is not None
