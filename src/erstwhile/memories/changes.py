"""Edit, delete and restore memories. These changes outlive redrafts, regenerations and rebuilds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from erstwhile.base import ids, trust
from erstwhile.base.clock import Clock, micros
from erstwhile.base.errors import ConflictError, InvalidInput, NotFound
from erstwhile.log import store as log
from erstwhile.memories import history, kinds, store
from erstwhile.memories.history import DELETED, EDITED, RESTORED, RETENTION, Version, VersionEntry
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction

_MESSAGE = "message"
_MESSAGES = "messages"  # how many messages a deleted memory had when it was deleted
DELETED_WITH = "deleted_with"  # the memory it was deleted together with


class MemoryChanges:
    def __init__(self, owners: Mapping[str, Hooks], clock: Clock) -> None:
        """`owners`: the layer of each kind."""
        self._owners = owners
        self._clock = clock

    async def edit(self, tx: Transaction, id: str, text: str, by: str) -> Version:
        now, owner = self._clock(), self._owner(id)
        memory = await _held(tx, owner, id)
        for each in await owner.together(tx, memory):
            reworded = owner.reworded(each, text)
            lowest = min(each.trust or 0, trust.USER)  # an edit makes nothing more trusted
            new = replace(
                reworded, draft=False, stale=False, trust=lowest, edited_by=by, edited_at=now
            )
            await store.put(tx, [new], now, (by, EDITED))
            await owner.edited(tx, new, now)
        return (await history.versions(tx, id))[-1]

    async def delete(self, tx: Transaction, id: str, by: str) -> Version:
        now, owner = self._clock(), self._owner(id)
        memory = await _held(tx, owner, id)
        for each in await owner.deleted_together(tx, memory):
            data = {**each.data, _MESSAGES: await _messages(tx, each)}
            if each.id != id:
                data[DELETED_WITH] = id
            gone = replace(each, data=data, deleted_at=now, deleted_by=by)
            await store.delete(tx, [gone], by, now)
            also = await self._aliases(tx, owner, each)
            also -= await history.deleted(tx, sorted(also))
            entries = [VersionEntry(other, each.text, by, DELETED) for other in sorted(also)]
            await history.record(tx, entries, now)
            await owner.deleted(tx, gone, now)
        return (await history.versions(tx, id))[-1]

    async def restore(self, tx: Transaction, id: str, by: str) -> Version:
        """Restore a memory with the same id, text, sources and links."""
        if ids.kind_of(id) == _MESSAGE:
            raise InvalidInput("A message never changes, so there is nothing to restore.")
        now, owner = self._clock(), self._owner(id)
        memory = await _deleted(tx, id)
        if DELETED_WITH in memory.data:
            raise InvalidInput(
                f"{id} was deleted together with {memory.data[DELETED_WITH]}. Restore that."
            )
        assert memory.deleted_at is not None
        at_once = await store.deleted_at(tx, memory.kind, micros(memory.deleted_at))
        with_it = [each for each in at_once if each.data.get(DELETED_WITH) == id]
        for each in [memory, *with_it]:
            await self._restore(tx, owner, each, by, now)
        return (await history.versions(tx, id))[-1]

    async def _restore(
        self, tx: Transaction, owner: Hooks, memory: StoredMemory, by: str, now: datetime
    ) -> None:
        await owner.hold(tx, memory)
        if await _messages(tx, memory) < memory.data.get(_MESSAGES, 0):
            raise NotFound(
                f"{memory.id} can't be restored: some of its messages are no longer stored."
            )
        await owner.check_restorable(tx, memory)
        for other in await self._aliases(tx, owner, memory):
            last = (await history.versions(tx, other))[-1:]
            if last and last[0].action == DELETED and last[0].at == memory.deleted_at:
                await history.record(tx, [VersionEntry(other, last[0].text, by, RESTORED)], now)
        ours = (_MESSAGES, DELETED_WITH)
        data = {name: value for name, value in memory.data.items() if name not in ours}
        back = replace(memory, data=data, deleted_at=None, deleted_by=None)
        await store.put(tx, [back], now, (by, RESTORED))
        await owner.restored(tx, back, now)

    async def _aliases(self, tx: Transaction, owner: Hooks, memory: StoredMemory) -> set[str]:
        said = {each.text for each in await history.versions(tx, memory.id)}
        return owner.aliases(tx.space, memory, said | {memory.text}) - {memory.id}

    def _owner(self, id: str) -> Hooks:
        kind = ids.kind_of(id)
        if kind == _MESSAGE:
            raise InvalidInput(
                "A message never changes. Edit or delete the memories that were made of it."
            )
        if kind not in self._owners:
            raise InvalidInput(f"A {kind} can't be changed by hand. {', '.join(self._owners)} can.")
        return self._owners[kind]


async def _held(tx: Transaction, owner: Hooks, id: str) -> StoredMemory:
    """Lock a memory until the commit, then read it again: a job may just have replaced it."""
    await owner.hold(tx, await _there(tx, id))
    await store.hold(tx, id)
    return await _there(tx, id)


async def _there(tx: Transaction, id: str) -> StoredMemory:
    memory = await store.get(tx, id)
    if memory is None or not memory.text:
        label = kinds.get(ids.kind_of(id)).label.lower()
        where = f"{label} {id} in space {tx.space!r}"
        raise NotFound(f"There is no {where}. It may have been replaced, or deleted.")
    return memory


async def _deleted(tx: Transaction, id: str) -> StoredMemory:
    """Return a deleted memory, or raise an error that says why it can't be restored."""
    versions = await history.versions(tx, id)
    if not versions:
        raise NotFound(f"Unknown {ids.kind_of(id)} {id} in space {tx.space!r}.")
    last = versions[-1]
    if last.action != DELETED:
        if any(each.action == DELETED for each in versions) and last.action != RESTORED:
            raise ConflictError(f"{id} can't be restored: {last.by} has {last.action} it since.")
        what = f"{last.by} has {last.action} it last"
        raise InvalidInput(f"{id} is not deleted: {what}. `history` shows its versions.")
    if last.by == RETENTION:
        raise NotFound(f"{id} can't be restored: it has expired (ERSTWHILE_RETENTION).")
    memory = await store.get(tx, id, deleted=True)
    if memory is None or not memory.text:
        raise NotFound(f"{id} can't be restored: its text was erased.")
    return memory


async def _messages(tx: Transaction, memory: StoredMemory) -> int:
    (found,) = await log.ids_in(tx, [memory.range])
    return len(found)
