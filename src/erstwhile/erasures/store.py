"""Marks, tombstones and receipts on disk."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from erstwhile.base.errors import StorageBusy
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)


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


async def unchanged(tx: Transaction, seen: int) -> bool:
    """Whether nothing was erased since, and nothing will be until the commit: what was made of what was there then may be kept."""
    return (await hold(tx)).number == seen


async def refuse_if_erased(tx: Transaction, seen: int) -> None:
    if not await unchanged(tx, seen):
        raise StorageBusy("Something of this space was erased meanwhile. Try again in a moment.")


async def move(tx: Transaction) -> None:
    await tx.run(queries.move)


# Messages that must not come back


async def bury(tx: Transaction, mark: Mark, messages: Iterable[tuple[str, str]]) -> None:
    """By channel and key; a message without a key goes by its id, as which it is exported."""
    rows = [{"hash": mark.hash("message", channel, key)} for channel, key in messages]
    if rows:
        await tx.run_many(queries.bury, rows)


async def buried(tx: Transaction, channel: str, keys: Sequence[str]) -> frozenset[str]:
    """Those of the keys whose messages were erased."""
    row = await tx.first(queries.mark) if keys else None
    if row is None:
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
