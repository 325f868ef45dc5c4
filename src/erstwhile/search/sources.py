"""From any memory down to the messages it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from erstwhile.base import ids, trust
from erstwhile.base.errors import NotFound
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.search.model import Source
from erstwhile.storage import Transaction


async def sources(tx: Transaction, id: str, *, deep: bool = True) -> Source:
    """Down to the messages; if not `deep`, only what it was made of directly."""
    found = await _found(tx, id, deep=deep)
    return _titled(found, await log.given_titles(tx, _channels(found)))


def _channels(source: Source) -> set[str]:
    return {source.channel}.union(*map(_channels, source.sources)) - {""}


def _titled(source: Source, titles: Mapping[str, str]) -> Source:
    below = tuple(_titled(each, titles) for each in source.sources)
    return replace(source, title=titles.get(source.channel, ""), sources=below)


async def _found(tx: Transaction, id: str, *, deep: bool) -> Source:
    kind = ids.kind_of(id)
    if kind == "message":
        found = (await log.by_ids(tx, [id])).get(id)
        if found:
            return _message(*found)
    elif (stored := await memories.get(tx, id)) is not None:
        return await _memory(tx, stored, deep=deep)
    raise _missing(tx, id)


def _missing(tx: Transaction, id: str) -> NotFound:
    kind = ids.kind_of(id)
    return NotFound(
        f"There is no {kind} {id} in space {tx.space!r}. It may have been replaced, or belong to another space."
    )


def _message(channel: str, message: Message) -> Source:
    return Source(
        id=message.id,
        kind="message",
        text=message.text,
        channel=channel,
        at=message.at,
        writer=message.model,
        seq=message.seq,
        speaker=message.speaker,
        sources=(),
        trust=message.trust,
    )


async def _memory(tx: Transaction, memory: StoredMemory, *, deep: bool) -> Source:
    """The message it rests on comes first, then the others it was made of; or the memories it was made of."""
    shown = await kinds.shown(tx, [memory])
    if memory.id not in shown:
        raise _missing(tx, memory.id)
    below = (await kinds.sources(tx, [memory]))[memory.id]
    said = [id for id in below if ids.kind_of(id) == "message"]
    parts = await _parts(tx, [id for id in below if id not in said], deep=deep)
    kind = kinds.get(memory.kind)
    if parts or not (kind.ranged or said):
        found = tuple(parts[id] for id in below if id in parts)
        return replace(_bare(memory, shown[memory.id]), sources=found)
    channel, first, last = memory.range
    if last < first:
        messages_by_id = await log.by_ids(tx, said)
        found = tuple(_message(*messages_by_id[id]) for id in said if id in messages_by_id)
        return replace(_bare(memory, shown[memory.id]), sources=found)
    if kind.direct is not None and not deep:
        first = max(first, last - kind.direct + 1)
    messages = await log.between(tx, channel, first, last)
    messages.sort(key=lambda message: (message.seq != memory.seq, message.seq))
    wanted = below if memory.seq is None else [message.id for message in messages]
    return replace(
        _bare(memory, shown[memory.id]),
        sources=tuple(_message(channel, message) for message in messages if message.id in wanted),
        expired=last - first + 1 - len(messages),
    )


async def _parts(tx: Transaction, ids: Sequence[str], *, deep: bool) -> dict[str, Source]:
    """The memories that a memory was made of."""
    stored = await memories.by_ids(tx, ids)
    return {
        id: await _memory(tx, each, deep=True) if deep else await _alone(tx, each)
        for id, each in stored.items()
    }


async def _alone(tx: Transaction, memory: StoredMemory) -> Source:
    return _bare(memory, (await kinds.shown(tx, [memory])).get(memory.id, ""))


def _bare(memory: StoredMemory, text: str) -> Source:
    return Source(
        id=memory.id,
        kind=memory.kind,
        text=text,
        channel=memory.channel,
        at=memory.at,
        writer=memory.writer or None,
        seq=memory.seq,
        speaker=None,
        sources=(),
        trust=trust.TIERS[memory.trust or 0],
    )
