"""A whole space goes: every row of every table that has its name, in one transaction, whatever tables there are.

Which tables those are is asked of the database, so that one which is added later can't be forgotten. What stays is what an erasure leaves:
its mark, its receipts, a tombstone of each message; a number that tells indexes in memory to let go; and keys that open nothing, so that a
server which was closed by them stays closed.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Final

from erstwhile.base import crash, ids
from erstwhile.base.clock import Clock, micros, moment
from erstwhile.base.errors import NotFound
from erstwhile.base.logs import Log
from erstwhile.erasures import store as erasures
from erstwhile.erasures.store import Mark
from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.layers.erasure.listing import queries
from erstwhile.layers.erasure.model import Receipt, digest
from erstwhile.log import store as log_store
from erstwhile.storage import Database, Transaction
from erstwhile.storage.queries import Query, make

log = Log(__name__)

KIND: Final = "space"
STAYS: Final = frozenset({"erasure_marks", "erasures", "tombstones"})
_APART: Final = frozenset({"keys", "documents_gone"})  # of these something else than nothing is left
_FIRST: Final = ("jobs", "channels")  # whoever works, and whoever speaks, waits for these and finds them gone
_PAGE: Final = 5000  # messages whose keys are in memory at a time
_ROUNDS: Final = 3  # on Postgres others may write a row of a table that was emptied a moment ago


async def erase(database: Database, space: str, by: str, clock: Clock) -> Receipt:
    receipt, clean = await database.write(space, lambda tx: _erase(tx, by, clock))
    checked = clean and await database.scrub()
    if checked:  # looked through before the commit: from then on others may use the space anew
        await database.write(space, lambda tx: erasures.set_checked(tx, receipt.id, checked=True))
    log.info("erasure.done", space=space, kind=KIND, receipt=receipt.id, checked=checked, **receipt.counts)
    return Receipt(receipt.id, receipt.at, receipt.what, receipt.counts, checked, receipt.digest)


async def _erase(tx: Transaction, by: str, clock: Clock) -> tuple[Receipt, bool]:
    mark = await erasures.hold(tx)
    tables = [row["name"] for row in await tx.all(queries.tables)]
    emptied = [*_FIRST, *(name for name in tables if name not in {*_FIRST, *STAYS, *_APART})]
    subject = mark.hash(KIND, tx.space)
    if not await _left(tx, [*emptied, "keys"]) and not await erasures.known(tx, subject):
        raise NotFound(f"There is no space {tx.space!r}.")
    await erasures.move(tx)
    counts = {"keys": await tx.run(queries.close_keys, now=micros(clock()))}
    for _ in range(_ROUNDS):
        await _empty(tx, mark, emptied, counts)
        left = await _left(tx, emptied)
        if not left:
            break
    await documents.mark_all_gone(tx, mark.number + 1)
    await tx.run(queries.unsign_receipts)
    crash.point("erasure.after_space")
    receipt = await _receipt(tx, subject, counts, (by, moment(micros(clock()))))
    return receipt, not left


async def _empty(tx: Transaction, mark: Mark, tables: list[str], counts: dict[str, int]) -> None:
    """Channels are held, then the space's own row, for which whoever opens a new channel waits; then the channels go, with those that
    came in between. From there on nobody says anything here before the commit, and the messages can be buried page by page."""
    counts["jobs"] = counts.get("jobs", 0) + await tx.run(_emptying("jobs"))
    await log_store.hold_channels(tx)
    await log_store.add_space(tx)
    counts["channels"] = counts.get("channels", 0) + await tx.run(_emptying("channels"))
    await _bury(tx, mark)
    for table in tables:
        counts[table] = counts.get(table, 0) + await tx.run(_emptying(table))
    await tx.run(_emptying("documents_gone"))


async def _bury(tx: Transaction, mark: Mark) -> None:
    place = {"channel": "", "seq": 0}
    while rows := await tx.all(queries.page_to_bury, **place, limit=_PAGE):
        await erasures.bury(tx, mark, [(row["channel"], row["key"] or row["id"]) for row in rows])
        place = {"channel": rows[-1]["channel"], "seq": rows[-1]["seq"]}


async def _left(tx: Transaction, tables: list[str]) -> list[str]:
    """Those of the tables that have something of the space."""
    found = [(table, await tx.first(_looking(table))) for table in tables]
    return [table for table, row in found if row is not None]


def _emptying(table: str) -> Query:
    """Names of tables come from the database's own structure, never from outside."""
    sql = f"DELETE FROM {table} WHERE space = :space"
    return make(f"empty_{table}", sql, sql)


def _looking(table: str) -> Query:
    sql = f"SELECT 1 AS there FROM {table} WHERE space = :space LIMIT 1"
    return make(f"look_into_{table}", sql, sql)


async def _receipt(tx: Transaction, subject: str, counts: dict[str, int], signed: tuple[str, datetime]) -> Receipt:
    by, now = signed
    counts = {name: counts[name] for name in sorted(counts) if counts[name] and name != "spaces"}
    id = ids.new("era")
    sealed = digest(id, now, subject, counts)
    row = {"id": id, "at": micros(now), "kind": KIND, "subject": subject, "digest": sealed}
    await erasures.add(tx, {**row, "counts": json.dumps(counts), "by": by})
    await events.emit(tx, KIND, "erased", id)
    return Receipt(id, now, {"space": tx.space}, counts, checked=False, digest=sealed)
