"""Load an export: its rows as they were, in one transaction, into an empty space."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from erstwhile.archive import reader, restore, tables
from erstwhile.archive.model import EXPORT, ArchiveTable, Json, Progress
from erstwhile.archive.restore import FillTarget
from erstwhile.base import clock, ids
from erstwhile.base.clock import moment
from erstwhile.base.errors import InvalidInput
from erstwhile.configuration import prompts
from erstwhile.configuration import space as choices
from erstwhile.events import store as events
from erstwhile.exports.rows import FORMAT, ImportCounts
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import NewJob
from erstwhile.layers.rebuild import REMAKE
from erstwhile.log import check
from erstwhile.log import store as log
from erstwhile.log.model import NewMessage
from erstwhile.receipts import store as receipts
from erstwhile.search import flagged
from erstwhile.storage import Transaction
from erstwhile.storage import migrate as migrations
from erstwhile.tables.model import Table
from erstwhile.text import labels

_LONGEST_KEY: Final = 1024  # bytes of a text in an index of Postgres
_JSON: Final = ("meta", "kept", "detail", "counts", "payload", "data")
_HEX: Final = re.compile(r"[0-9a-f]{64}")
# Never taken from a file: with this address the memory would send messages there.
NOT_TAKEN: Final = ("api_key", "base_url")


class Admission:
    """`largest` message in bytes; `kinds` of jobs that are taken, and `tables`; `left` settings are
    not."""

    def __init__(self, largest: int, kinds: frozenset[str], tables: Iterable[Table]) -> None:
        self._largest = largest
        self.tables = frozenset(table.name for table in tables if table.exported)
        self.left: list[str] = []
        self._people: dict[str, str] = {}  # by what ids of one look have in common
        self._of: Mapping[str, Callable[[Json], Json | None]] = {
            "messages": self._message,
            "people": self._person,
            "names": _name,
            "space_settings": self._setting,
            "prompts": _prompt,
            "erasure_marks": _mark,
            "tombstones": _tombstone,
            "jobs": lambda row: row if row["kind"] in kinds else None,
        }

    def row(self, table: ArchiveTable, row: Json) -> Json | None:
        """Return the row to store, or None to leave it out. Raise what is wrong."""
        for name, value in row.items():
            if value is None:
                continue
            if name == "at" or name.endswith("_at") or name in ("valid_from", "valid_to"):
                _moment(name, value)
            elif name in _JSON and value:
                _object(name, value)
            elif name in table.order and _is_long(value):
                raise InvalidInput(f"its {name} is too long")
            elif name in ("person", "said_by") and value:
                if check.identifier("person", value) != value:
                    raise InvalidInput(f"its {name} is not normalised (NFC)")
            elif name == "id" and table.name not in ("requests", "erasures"):
                ids.kind_of(value)
        checked = self._of.get(table.name)
        return row if checked is None else checked(row)

    def _message(self, row: Json) -> Json:
        told: dict[str, Any] = {
            name: row.get(name) for name in ("role", "text", "person", "name", "key", "model")
        }
        check.message(NewMessage(**told, meta=json.loads(row["meta"])), largest=self._largest)
        check.identifier("channel", row["channel"])
        if ids.kind_of(row["id"]) != "message":
            raise InvalidInput("its id is not a message's")
        return row

    def _person(self, row: Json) -> Json:
        """Work out again what tells people apart: a file could say that two are different."""
        person = row["person"]
        check.not_a_twin(person, self._people.setdefault(check.folded(person), person))
        return _with(row, folded=check.folded(person), label=labels.key(person))

    def _setting(self, row: Json) -> Json | None:
        if row["name"] in NOT_TAKEN or row["secret"] != 0:
            self.left.append(row["name"])
            return None
        choices.known(row["name"])
        return {**row, "value": choices.checked(row["name"], row["value"])}


def _is_long(value: object) -> bool:
    return isinstance(value, str) and len(value.encode()) > _LONGEST_KEY


def _with(row: Json, **made: str) -> Json:
    """Return a row with columns that are made here, as far as the file has them."""
    return {**row, **{name: value for name, value in made.items() if name in row}}


def _name(row: Json) -> Json:
    return _with(row, label=labels.key(row["name"]))


def _prompt(row: Json) -> Json:
    prompts.known(row["name"])
    return {**row, "instructions": prompts.checked(row["instructions"])}


def _mark(row: Json) -> Json:
    if row["number"] < 0 or not _HEX.fullmatch(row["secret"]):
        raise InvalidInput("it is not a mark of an erasure")
    return row


def _tombstone(row: Json) -> Json:
    if not _HEX.fullmatch(row["hash"]):
        raise InvalidInput("it is not a tombstone")
    return row


def _moment(name: str, value: Any) -> None:
    try:
        clock.moment(value)
    except (OverflowError, TypeError):
        raise InvalidInput(f"its {name} is not a time") from None


def _object(name: str, value: str) -> None:
    try:
        told = json.loads(value)
    except (ValueError, RecursionError):
        raise InvalidInput(f"its {name} is not JSON") from None
    if not isinstance(told, dict | list):
        raise InvalidInput(f"its {name} is not a JSON object")


# Tables that may have rows in an empty space. These stay, and those of the export are added.
_MAY_BE_THERE: Final = frozenset(
    {"spaces", "space_settings", "prompts", "requests", "feedback", "usage"}
)
_GIVEN_HERE: Final = {
    "jobs": ("id", "state", "attempts", "token", "beat", "created_at"),
    "documents": ("doc",),
    "messages": ("doc",),
}
_BATCH: Final = 500


def check_export(found: reader.ArchiveReader) -> None:
    known = migrations.known("sqlite")[-1].version
    if found.format != EXPORT:
        how = "`erstwhile backup FILE --restore` restores backups."
        raise InvalidInput(f"{found.path.name} is not an export. {how}")
    if found.version > FORMAT or found.schema > known:
        why = f"{found.path.name} was written by a newer erstwhile."
        raise InvalidInput(f"{why} Upgrade, then import it again.")


async def empty(tx: Transaction, exported: Collection[str]) -> bool:
    """Whether nothing was ever stored or erased here: erased messages must not come back."""
    if await receipts.number(tx):
        return False
    layout = await tables.layout(tx)
    known = (layout.keys() & exported) - _MAY_BE_THERE - {"erasure_marks", "jobs"}
    return not any([await tables.count(tx, layout[name]) for name in sorted(known)])


async def load(
    tx: Transaction, path: Path, admission: Admission, now: datetime, progress: Progress
) -> ImportCounts | None:
    """Load the rows into this space. Return None if it is not empty."""
    if not await empty(tx, admission.tables):
        return None
    layout = await tables.layout(tx)
    stored: dict[str, int] = {}
    await receipts.drop_blank(tx)
    with reader.open_archive(path) as found:
        check_export(found)
        for name in sorted(found.tables):
            table = layout.get(name) if name in admission.tables else None
            packed = found.tables[name]
            # Rows of these tables get further columns here.
            all_columns = (*packed.columns, *_GIVEN_HERE.get(name, ()))
            filled = replace(packed, columns=all_columns)
            fitting = restore.check_columns(path.name, table, filled)
            taken = found.rows(fitting, partial(admission.row, fitting))
            admitted = ((tx.space, row) for _, row in taken if row is not None)
            if name == "jobs":
                stored[name] = await _jobs(tx, admitted, now)
            elif name == "documents":
                stored[name] = await _documents(tx, admitted)
            elif name == "messages":
                target = FillTarget(fitting, (*packed.columns, "doc"))
                stored[name] = await _messages(tx, target, admitted, progress)
            else:
                filling = FillTarget(fitting, packed.columns, keep=name in _MAY_BE_THERE)
                stored[name] = await restore.fill(tx, filling, admitted, progress)
        stale = found.schema != await migrations.applied(tx)
        for name in ("messages.jsonl", "memories.jsonl"):
            for _ in found.lines(name):  # files that are not needed must be intact too
                pass
        memories, was = found.files["memories.jsonl"].rows, found.what.get("space")
    wrong = await log.beyond_its_channel(tx)
    if wrong is not None:
        which = f"message {wrong['seq']} of {wrong['channel']!r}"
        raise InvalidInput(f"{path.name} can't be loaded: {which} is beyond its channel.")
    await documents.ask_for_vectors(tx)
    await flagged.flag_all(tx)  # they were not flagged when the file was written
    if stale:  # another schema: rebuild search
        await jobs.enqueue(tx, NewJob(REMAKE, key="", payload={}), now)
    await events.emit(tx, "space", "imported", tx.space)
    counted = stored.get("messages", 0), memories, 0, stored.get("channels", 0)
    return ImportCounts(True, *counted, tuple(admission.left), was if isinstance(was, str) else "")


async def _messages(
    tx: Transaction, target: FillTarget, found: restore.Rows, progress: Progress
) -> int:
    """Store the messages in their order, each with a number of this database."""
    done, rows = 0, iter(found)
    while batch := list(islice(rows, _BATCH)):
        numbers = await documents.reserve(tx, len(batch))
        both = zip(batch, numbers, strict=True)
        numbered = [(space, {**row, "doc": doc}) for (space, row), doc in both]
        done += await restore.fill(tx, target, numbered, lambda *_: None)
        progress(target.table.name, done)
    return done


async def _documents(tx: Transaction, found: restore.Rows) -> int:
    """Store the documents in their order; their terms are found and their vectors made again."""
    done, rows = 0, iter(found)
    while batch := [{**row, "terms": None} for _, row in islice(rows, _BATCH)]:
        await documents.add_rows(tx, batch)
        done += len(batch)
    return done


async def _jobs(tx: Transaction, found: restore.Rows, now: datetime) -> int:
    """Request the jobs again."""
    asked = 0
    for _, row in found:
        payload = json.loads(row["payload"])
        if not isinstance(payload, dict):
            continue
        limit = None if row.get("limit_at") is None else moment(row["limit_at"])
        where = row.get("lane"), row.get("pace"), moment(row["due_at"]), limit
        await jobs.enqueue(tx, NewJob(row["kind"], row["key"], payload, *where), now)
        asked += 1
    return asked
