"""What a layer may do when something is done to one of its memories. Each does nothing unless the layer says otherwise."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction
from erstwhile.storage.queries import Query, make

if TYPE_CHECKING:
    from erstwhile.memories.kinds import Kind


class Hooks:
    kinds: tuple[Kind, ...] = ()
    tables: tuple[
        str, ...
    ] = ()  # side tables with columns `space` and `id`: their rows go, and are exported, with the memory

    counted: tuple[str, ...] = ()  # further tables: the receipt of an erasure says how many of their rows went

    async def beside(self, tx: Transaction, memory: StoredMemory) -> dict[str, Any]:
        """What the layer has beside a memory that is about to be regenerated, as JSON knows it, so that it can be undone."""
        del tx, memory
        return {}

    async def put_back(self, tx: Transaction, memory: StoredMemory, beside: Mapping[str, Any]) -> None:
        """A regeneration was undone: the memory is back, and so is what was beside it."""

    async def removed(self, tx: Transaction, ids: Sequence[str]) -> None:
        """Their rows are gone for good: what the layer has beside them goes too."""
        for table in self.tables:
            await tx.run(_removal(table), ids=json.dumps(list(ids)))

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        """Wait for whoever is just writing memories of the same place, until the commit."""

    def described(self, memory: StoredMemory) -> StoredMemory:
        """What follows from its words, such as a category, after they were edited."""
        return memory

    def reworded(self, memory: StoredMemory, text: str) -> StoredMemory:
        """The memory in other words, with what follows from them."""
        return self.described(replace(memory, text=text))

    async def together(self, tx: Transaction, memory: StoredMemory) -> Sequence[StoredMemory]:
        """The memories that say the same and are edited or deleted with it, itself among them."""
        del tx
        return [memory]

    async def deleted_together(self, tx: Transaction, memory: StoredMemory) -> Sequence[StoredMemory]:
        """The memories that are deleted with it, itself among them, in the order in which they go."""
        return await self.together(tx, memory)

    def aliases(self, space: str, memory: StoredMemory, texts: set[str]) -> set[str]:
        """Other ids under which it could come back, where ids follow from the words; `texts` is all it ever said."""
        del space, memory, texts
        return set()

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        """List (`erase.list_ids`) further memories that go with what is listed in `erasing`, besides those of `ranged` kinds."""

    async def erasing(self, tx: Transaction, gone: Sequence[str]) -> Collection[str]:
        """Memories of one kind go now, with what is listed. Ask for what can be made again, and return those whose rows stay, without
        words, so that nothing is made in their place."""
        del tx, gone
        return ()

    async def memories_expired(self, tx: Transaction, expired: Sequence[str]) -> None:
        """Memories of one kind have expired: their rows have no words any longer."""

    async def edited(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """It says something else now."""

    async def deleted(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """A person deleted it: `deleted_by`."""

    async def check_restorable(self, tx: Transaction, memory: StoredMemory) -> None:
        """Raise `Changed` where something else has taken its place since it was deleted."""

    async def restored(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """It is back as it was."""


@cache
def _removal(table: str) -> Query:
    """Names of tables come from the layers, never from outside."""
    listed = "SELECT value FROM json_each(:ids)", "SELECT jsonb_array_elements_text(:ids::jsonb)"
    sqlite, postgres = (f"DELETE FROM {table} WHERE space = :space AND id IN ({each})" for each in listed)
    return make(f"remove_from_{table}", sqlite, postgres)
