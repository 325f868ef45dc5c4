"""How told texts read, are found, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.layers.remembered import lines, silence, store
from erstwhile.layers.remembered.model import TOLD
from erstwhile.memories import kinds
from erstwhile.memories.kinds import Kind, Sources, Texts
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction


async def _shown(tx: Transaction, memories: Sequence[StoredMemory]) -> Texts:
    """Without what is only quoted, and without what someone who is blocked said."""
    texts = await silence.kept(tx, [each.text for each in memories])
    return {each.id: lines.unquoted(text) for each, text in zip(memories, texts, strict=True)}


async def _sources(tx: Transaction, memories: Sequence[StoredMemory]) -> Sources:
    return await store.messages_of(tx, [each.id for each in memories])


def _searched(memory: StoredMemory) -> str:
    """What is only quoted is told to nobody else."""
    return lines.unquoted(memory.text)


KIND = kinds.register(
    Kind(
        TOLD,
        prefix="tld",
        label="Told",
        plural="told",
        ranged=False,
        expires=True,
        shown=_shown,
        sources=_sources,
        searched=_searched,
    )
)
