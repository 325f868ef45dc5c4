"""Erase a whole space: its rows in every table, in one transaction.

The database lists the tables, so that none is forgotten. What stays: the mark, the receipts and a
tombstone per message, as after any erasure; a number that tells indexes in memory to remove their
documents; and keys that no longer work, so that a server that required keys still does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from erstwhile.base import crash
from erstwhile.base.clock import Clock, micros, moment
from erstwhile.base.errors import NotFound
from erstwhile.base.logs import Log
from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.keys import store as keys
from erstwhile.layers.erasure.model import Receipt
from erstwhile.layers.erasure.steps import WrittenReceipt, erase_stored
from erstwhile.log import erase as log_erase
from erstwhile.log import store as log_store
from erstwhile.receipts import store as receipts
from erstwhile.receipts.store import Mark
from erstwhile.storage import Database, Transaction, column
from erstwhile.storage.queries import load
from erstwhile.tables import rows

log = Log(__name__)
queries = load(__package__)

KIND: Final = "space"
STAYS: Final = frozenset({"erasure_marks", "erasures", "tombstones"})
_APART: Final = frozenset({"keys", "documents_gone"})  # not simply emptied
# Workers and writers wait for these rows, and then find them deleted.
_FIRST: Final = ("jobs", "channels")
_PAGE: Final = 5000  # messages whose keys are in memory at the same time
_ROUNDS: Final = 3  # on Postgres others may write to a table that was just emptied


async def erase(database: Database, space: str, by: str, clock: Clock) -> Receipt:
    receipt, clean = await database.write(space, lambda tx: _erase(tx, by, clock))
    await erase_stored(database, space)
    checked = clean and await database.clean()
    if checked:  # checked before the commit: afterwards others may use the space again
        await database.write(space, lambda tx: receipts.set_checked(tx, receipt.id, checked=True))
    told = {"space": space, "kind": KIND, "receipt": receipt.id}
    log.info("erasure.done", **told, checked=checked, **receipt.counts)
    return replace(receipt, checked=checked)


async def _erase(tx: Transaction, by: str, clock: Clock) -> tuple[Receipt, bool]:
    mark = await receipts.hold(tx)
    tables = await column(tx, queries.tables)
    emptied = [*_FIRST, *(name for name in tables if name not in {*_FIRST, *STAYS, *_APART})]
    subject = mark.hash(KIND, tx.space)
    if not await rows.with_space(tx, [*emptied, "keys"]) and not await receipts.known(tx, subject):
        raise NotFound(f"There is no space {tx.space!r}.")
    await receipts.move(tx)
    counts = {"keys": await keys.close(tx, clock())}
    for _ in range(_ROUNDS):
        await _empty(tx, mark, emptied, counts)
        left = await rows.with_space(tx, emptied)
        if not left:
            break
    await documents.mark_all_gone(tx, mark.number + 1)
    await receipts.unsign(tx)
    crash.point("erasure.after_space")
    counts = {name: number for name, number in counts.items() if name != "spaces"}
    erased = WrittenReceipt(KIND, {"space": tx.space}, subject, by, moment(micros(clock())))
    receipt = await erased.write(tx, counts)
    await events.emit(tx, KIND, "erased", receipt.id)
    return receipt, not left


async def _empty(tx: Transaction, mark: Mark, tables: list[str], counts: dict[str, int]) -> None:
    """Lock the channels, then the space's row, which whoever creates a channel waits for; then
    delete the channels, new ones too. From there on nobody writes here before the commit."""
    counts["jobs"] = counts.get("jobs", 0) + await rows.empty(tx, "jobs")
    await log_store.hold_channels(tx)
    await log_store.add_space(tx)
    counts["channels"] = counts.get("channels", 0) + await rows.empty(tx, "channels")
    page = await log_erase.page(tx, None, _PAGE)
    while page:
        await receipts.add_tombstones(tx, mark, page)
        page = await log_erase.page(tx, page[-1], _PAGE)
    for table in tables:
        counts[table] = counts.get(table, 0) + await rows.empty(tx, table)
    await rows.empty(tx, "documents_gone")
