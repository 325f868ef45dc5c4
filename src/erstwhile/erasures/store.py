"""Marks, tombstones and receipts on disk."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from erstwhile.base.clock import micros
from erstwhile.base.errors import StorageBusy
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

_REMEMBERED: Final = timedelta(days=1)

# Whether a message that was changed, as a row with its `id`, `channel` and `seq`, is among those that were read.
Read = Callable[[Row], bool]


@dataclass(frozen=True, slots=True)
class Mark:
    """`number`: how often something was erased in the space."""

    number: int
    secret: str

    def hash(self, *parts: str) -> str:
        """Each part is measured, so that ("a", "bc") and ("ab", "c") differ."""
        told = "".join(f"{len(part)}:{part}" for part in parts)
        return hmac.new(bytes.fromhex(self.secret), told.encode(), hashlib.sha256).hexdigest()


async def hold(tx: Transaction) -> Mark:
    """Until the commit, nothing is erased by anyone else."""
    row = await tx.first(queries.hold, secret=secrets.token_hex(32))
    assert row is not None
    return Mark(row["number"], row["secret"])


async def number(tx: Transaction) -> int:
    row = await tx.first(queries.mark)
    return row["number"] if row else 0


async def unchanged(tx: Transaction, seen: int, read: Read) -> bool:
    """Whether nothing of what was `read` was erased or reworded since, and nothing will be until the commit: what was made of it may be
    kept. Always true: an erasure of a person, a channel, or whatever else is more than single messages, concerns everyone; a message that
    was changed or taken back by its sender concerns whoever read it, and nobody else."""
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
    """Read were only memories, which whoever keeps the result compares with what is there then."""
    return False


def within(channel: str, first: int, last: int) -> Read:
    """Read was a stretch of a channel."""
    return lambda row: row["channel"] == channel and first <= row["seq"] <= last


def these(ids: Collection[str]) -> Read:
    return lambda row: row["id"] in ids


async def move(tx: Transaction) -> None:
    await tx.run(queries.move)


async def move_for_all(tx: Transaction) -> None:
    """What is erased concerns everyone: nobody asks any longer which messages were reworded before, and those name their channels."""
    await move(tx)
    await tx.run(queries.drop_revisions)


async def revised(tx: Transaction, mark: Mark, messages: Sequence[Row], now: datetime) -> None:
    """Single messages have other words, or none: moves the mark, and says which they are. Those who might ask are done within a day."""
    await move(tx)
    at = {"number": mark.number + 1, "at": micros(now)}
    await tx.run_many(
        queries.add_revision,
        [{"id": row["id"], "channel": row["channel"], "seq": row["seq"], **at} for row in messages],
    )
    await tx.run(queries.forget_revisions, before=micros(now - _REMEMBERED))


# Messages that must not come back


async def bury(tx: Transaction, mark: Mark, messages: Iterable[tuple[str, str]]) -> None:
    """By channel and key; a message without a key goes by its id, as which it is exported."""
    rows = [{"hash": mark.hash("message", channel, key)} for channel, key in messages]
    if rows:
        await tx.run_many(queries.bury, rows)


async def buried(tx: Transaction, channel: str, keys: Sequence[str]) -> frozenset[str]:
    """Those of the keys whose messages were erased."""
    row = await tx.first(queries.mark) if keys else None
    if row is None or not row["number"]:
        return frozenset()
    mark = Mark(row["number"], row["secret"])
    hashes = {mark.hash("message", channel, key): key for key in keys}
    found = await tx.all(queries.buried, keys=json.dumps(list(hashes)))
    return frozenset(hashes[each["hash"]] for each in found)


# Receipts


async def add(tx: Transaction, row: dict[str, object]) -> None:
    await tx.run(queries.add, **row)


async def set_checked(tx: Transaction, id: str, *, checked: bool) -> None:
    await tx.run(queries.set_checked, id=id, checked=int(checked))


async def receipts(tx: Transaction, about: tuple[str, str] | None, limit: int) -> list[Row]:
    """Newest first; `about`: only those of this kind and name."""
    mark = await tx.first(queries.mark)
    if mark is None:
        return []
    subject = None if about is None else Mark(mark["number"], mark["secret"]).hash(*about)
    return await tx.all(queries.receipts, subject=subject, limit=limit)


async def lately(tx: Transaction, since: int) -> dict[str, int]:
    """What was erased from then on, each with when it last was."""
    found: dict[str, int] = {}
    for row in await tx.all(queries.lately, since=since):
        found[row["subject"]] = max(row["at"], found.get(row["subject"], 0))
    return found


async def known(tx: Transaction, subject: str) -> bool:
    """Whether this was erased before."""
    return await tx.first(queries.of_subject, subject=subject) is not None
