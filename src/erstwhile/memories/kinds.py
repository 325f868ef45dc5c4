"""The kinds of memories there are. A layer registers its own where it defines them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from erstwhile.base import ids
from erstwhile.log import store as log
from erstwhile.memories import store
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction

Texts = dict[str, str]
Sources = dict[str, tuple[str, ...]]


async def own_words(_tx: Transaction, memories: Sequence[StoredMemory]) -> Texts:
    """Return the text of each, with its title if it has one."""
    return {each.id: " — ".join(filter(None, (each.title, each.text))) for each in memories}


async def direct_sources(tx: Transaction, memories: Sequence[StoredMemory]) -> Sources:
    """Return the memories each was made from; else its own message, or all messages of its range."""
    found = await store.sources_of(tx, [each.id for each in memories])
    ranged = [each for each in memories if each.id not in found]
    places = [_messages(each) for each in ranged]
    for each, messages in zip(ranged, await log.ids_in(tx, places), strict=True):
        found[each.id] = messages
    return found


def _messages(memory: StoredMemory) -> tuple[str, int, int]:
    if memory.seq is not None:
        return memory.channel, memory.seq, memory.seq
    channel, first, last = memory.range
    direct = get(memory.kind).direct
    return channel, first if direct is None else max(first, last - direct + 1), last


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of memory. `label` and `plural` are its names for people; receipts count by `plural`.

    - `ranged`: made of the messages `first_seq` to `last_seq`, and erased with any of them. -
    `expires`: retention can delete it after a number of days. - `timed`: search ranks what is still
    valid higher, and shows what contradicts the rest. - `shown`: the texts that a search shows; a
    memory that is missing there is shown to nobody. - `sources`: what each was made from; by
    default its own message, or the last `direct` messages of its range, or all of it. - `searched`:
    the text that is indexed; "" if it can be listed but not found, None if neither."""

    name: str
    prefix: str
    label: str
    plural: str
    ranged: bool = True
    expires: bool = False
    timed: bool = False
    direct: int | None = None
    shown: Callable[[Transaction, Sequence[StoredMemory]], Awaitable[Texts]] = own_words
    sources: Callable[[Transaction, Sequence[StoredMemory]], Awaitable[Sources]] = direct_sources
    searched: Callable[[StoredMemory], str | None] | None = None


_KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    ids.register(kind.prefix, kind.name)
    _KINDS[kind.name] = kind
    if kind.searched is not None:
        store.set_searched(kind.name, kind.searched)
    return kind


def get(name: str) -> Kind:
    return _KINDS[name]


def names() -> tuple[str, ...]:
    return tuple(_KINDS)


async def shown(tx: Transaction, memories: Sequence[StoredMemory]) -> Texts:
    """Return how a search shows memories of any kinds."""
    found: Texts = {}
    for kind, each in _by_kind(memories).items():
        found |= await get(kind).shown(tx, each)
    return found


async def sources(tx: Transaction, memories: Sequence[StoredMemory]) -> Sources:
    """Return what memories of any kinds were made from."""
    found: Sources = {}
    for kind, each in _by_kind(memories).items():
        found |= await get(kind).sources(tx, each)
    return found


def _by_kind(memories: Sequence[StoredMemory]) -> dict[str, list[StoredMemory]]:
    found: dict[str, list[StoredMemory]] = {}
    for each in memories:
        found.setdefault(each.kind, []).append(each)
    return found
