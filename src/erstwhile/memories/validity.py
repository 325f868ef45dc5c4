"""How long memories hold: what repeats them, what is so at a time, and what ended it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.memories.model import StoredMemory, from_row
from erstwhile.memories.store import queries
from erstwhile.storage import Row, Transaction, value


@dataclass(frozen=True, slots=True)
class ValidityFilter:
    """Selects memories of a kind. None means any. `at`: only those valid at that time; `open`: only
    those that nothing has ended."""

    kind: str
    person: str | None = None
    category: str | None = None
    at: datetime | None = None
    open: bool = False
    limit: int = 100


async def find(tx: Transaction, wanted: ValidityFilter) -> list[StoredMemory]:
    """List memories without repetitions, newest first."""
    given = {"kind": wanted.kind, "person": wanted.person, "type": wanted.category}
    if wanted.at is None:
        rows = await tx.all(queries.ever, **given, open=int(wanted.open), limit=wanted.limit)
    else:
        rows = await tx.all(queries.valid, **given, at=micros(wanted.at), limit=wanted.limit)
    return [from_row(row) for row in rows]


async def repeated(tx: Transaction, memory: StoredMemory) -> list[StoredMemory]:
    """Return the memory and its repetitions while it is valid: to people they are one."""
    rows = await tx.all(queries.repeated, head=memory.restates or memory.id)
    return [from_row(row) for row in rows]


async def messages_of(tx: Transaction, ids: Sequence[str]) -> list[Row]:
    """Return the messages of memories and of their repetitions, in the order they were said."""
    return await tx.all(queries.messages_of_repeated, ids=json.dumps(list(ids))) if ids else []


async def ended_in(tx: Transaction, kind: str, channels: Iterable[str]) -> list[StoredMemory]:
    """Return what no longer holds of what the messages of these channels say."""
    given = {"kind": kind, "channels": json.dumps(sorted(channels))}
    return [from_row(row) for row in await tx.all(queries.ended_in, **given)]


async def ended_of(tx: Transaction, kind: str, people: Iterable[str]) -> list[StoredMemory]:
    """Return what no longer holds of what these people said, or of what was said about them."""
    given = {"kind": kind, "people": json.dumps(sorted(people))}
    return [from_row(row) for row in await tx.all(queries.ended_of, **given)]


async def replaced(tx: Transaction, kind: str, person: str | None) -> list[StoredMemory]:
    """Return the memories that others replaced, in the order they ended."""
    rows = await tx.all(queries.replaced_by_others, kind=kind, person=person)
    return [from_row(row) for row in rows]


async def contradicted_at(tx: Transaction, id: str, kinds: Sequence[str]) -> int | None:
    """Return when something else was said, if the memory is of these kinds and no longer holds."""
    given = {"id": id, "kinds": json.dumps(list(kinds))}
    at: int | None = await value(tx, queries.contradiction, **given)
    return at
