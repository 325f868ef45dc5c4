"""Store what a regeneration replaces, and undo it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import ConflictError, InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.memories import history
from erstwhile.memories import store as memories
from erstwhile.memories.history import DELETED, REPLACED, RESTORED, VersionEntry
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.model import from_row, to_row
from erstwhile.memories.store import SourceRange
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class RegenerateResult:
    """What a regeneration did, by ids. `replaced`: made again; `kept`: edited by people, and left;
    `gone`: there before, and not any more. `undo` identifies it for `Undo`; "" if there is nothing
    to undo."""

    what: str
    first: int
    last: int
    replaced: tuple[str, ...]
    kept: tuple[str, ...]
    gone: tuple[str, ...] = ()
    undo: str = ""


@dataclass
class RegenerationRecord:
    """One regeneration. It reads the old memories in the transaction that replaces them."""

    channel: str
    overwrite: bool = False
    undo: str = field(default_factory=lambda: ids.new("req"))
    gone: tuple[str, ...] = ()
    _before: dict[str, dict[str, Any]] = field(default_factory=dict)

    def begin(self) -> None:
        """Start over: a transaction may be tried more than once."""
        self._before, self.gone = {}, ()

    async def memory(self, tx: Transaction, owner: Hooks, id: str) -> None:
        """Remember one memory, also if a person deleted it."""
        memory = await memories.get(tx, id, deleted=True)
        if memory is not None:
            self._before[id] = {"row": to_row(memory), "beside": await owner.beside(tx, memory)}

    async def memories(self, tx: Transaction, owner: Hooks, place: SourceRange) -> None:
        """Remember the memories of a range."""
        for memory in await memories.in_place(tx, place):
            await self.memory(tx, owner, memory.id)

    async def keep(self, tx: Transaction, made: Sequence[str], left: Sequence[str]) -> None:
        """Store the old memories after they were replaced by `made`; `left` were not replaced."""
        all = {*made, *self._before} - {*left}
        mark = _mark(self.undo, self.channel, len(all))
        for id in all:
            await history.keep(tx, id, {**self._before.get(id, {}), "undo": mark})
        self.gone = tuple(id for id in self._before if id not in {*made, *left})


class Undo:
    def __init__(self, owners: Mapping[str, Hooks], clock: Clock) -> None:
        self._owners = owners
        self._clock = clock

    async def undo(self, tx: Transaction, channel: str, made: RegenerateResult, by: str) -> int:
        """Undo a regeneration completely. Refuse if anything was changed since. The caller's `made`
        is checked: it must be this regeneration, all of it, in this channel."""
        now = self._clock()
        named = dict.fromkeys([*made.replaced, *made.gone])
        kept = {id: await history.kept(tx, id) for id in named}
        if not made.undo or not kept:
            raise InvalidInput("There is nothing to undo: nothing was replaced.")
        mark = _mark(made.undo, channel, len(kept))
        if any(each.get("undo") != mark for each in kept.values()):
            raise ConflictError(
                "It can't be undone: a memory has been changed since. `history` shows its versions."
            )
        for kind, owner in self._owners.items():
            of_kind = {id: each for id, each in kept.items() if ids.kind_of(id) == kind}
            await _undo(tx, owner, of_kind)
        back = {id: each["row"] for id, each in kept.items() if "row" in each}
        was_deleted = {id: row.get("deleted_at") is not None for id, row in back.items()}
        actions = {id: DELETED if gone else RESTORED for id, gone in was_deleted.items()}
        changes = [VersionEntry(id, row["text"], by, actions[id]) for id, row in back.items()]
        for id in sorted(kept.keys() - back.keys()):
            text = (await history.versions(tx, id))[-1].text
            changes.append(VersionEntry(id, text, by, REPLACED))
        await history.record(tx, changes, now)
        return len(back)


async def _undo(tx: Transaction, owner: Hooks, kept: Mapping[str, Mapping[str, Any]]) -> None:
    back = {id: from_row(each["row"]) for id, each in kept.items() if "row" in each}
    there = await memories.by_ids(tx, list(kept))
    for memory in (*there.values(), *back.values()):
        await owner.hold(tx, memory)
    await memories.drop(tx, owner, list(there))
    await memories.save(tx, list(back.values()))
    await memories.index(tx, [each for each in back.values() if each.deleted_at is None])
    for id, memory in back.items():
        await owner.put_back(tx, memory, kept[id]["beside"])


def _mark(undo: str, channel: str, many: int) -> list[Any]:
    return [undo, channel, many]
