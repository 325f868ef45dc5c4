"""What a layer does when one of its memories changes.

A hook that a layer does not define does nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction

if TYPE_CHECKING:
    from erstwhile.memories.kinds import Kind
    from erstwhile.tables.model import Table

Beside = Mapping[str, Any]  # what a layer stores beside a memory, as JSON


class Hooks:
    kinds: tuple[Kind, ...] = ()
    tables: tuple[Table, ...] = ()  # of the layer's own

    async def beside(self, tx: Transaction, memory: StoredMemory) -> dict[str, Any]:
        """Return, as JSON, what the layer stores beside a memory, to undo a regeneration."""
        del tx, memory
        return {}

    async def put_back(self, tx: Transaction, memory: StoredMemory, beside: Beside) -> None:
        """Store again what was beside a memory, after a regeneration was undone."""

    async def removed(self, tx: Transaction, ids: Sequence[str]) -> None:
        """Delete what is beside memories whose rows were deleted."""
        if self.tables:
            from erstwhile.tables import rows

            await rows.remove(tx, self.tables, ids)

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        """Lock what other writers of the same memories lock too, until the commit."""

    def described(self, memory: StoredMemory) -> StoredMemory:
        """Return the memory with what follows from its text, such as a category."""
        return memory

    def reworded(self, memory: StoredMemory, text: str) -> StoredMemory:
        """Return the memory with another text and what follows from it."""
        return self.described(replace(memory, text=text))

    async def together(self, tx: Transaction, memory: StoredMemory) -> Sequence[StoredMemory]:
        """Return the memory and those that say the same: they are edited or deleted together."""
        del tx
        return [memory]

    async def deleted_together(
        self, tx: Transaction, memory: StoredMemory
    ) -> Sequence[StoredMemory]:
        """Return the memories that are deleted with it, itself among them, in their order."""
        return await self.together(tx, memory)

    def aliases(self, space: str, memory: StoredMemory, texts: set[str]) -> set[str]:
        """Return other ids the memory may get, if ids depend on the text. `texts`: all it ever had."""
        del space, memory, texts
        return set()

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        """List more to erase than memories of `ranged` kinds. Called until no layer lists more."""

    async def erasing(self, tx: Transaction, gone: Sequence[str]) -> Collection[str]:
        """Enqueue what can be made again of memories of one kind, which are deleted next. Return
        those whose rows must stay, without text, so that nothing is made in their place."""
        del tx, gone
        return ()

    async def memories_expired(self, tx: Transaction, expired: Sequence[str]) -> None:
        """Follow the expiry of memories of one kind: their rows have no text any longer."""

    async def edited(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """Follow an edit."""

    async def deleted(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """Follow a deletion by a person, `deleted_by`."""

    async def check_restorable(self, tx: Transaction, memory: StoredMemory) -> None:
        """Raise `ConflictError` if something else has replaced it since it was deleted."""

    async def restored(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """Follow a restoration."""
