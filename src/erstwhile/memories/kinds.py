"""The kinds of memories there are. A layer registers its own where it defines them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Literal

from erstwhile.base import ids, trust
from erstwhile.base.records import dataclass
from erstwhile.log import store as log
from erstwhile.memories import registry, store
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction

Texts = dict[str, str]
Sources = dict[str, tuple[str, ...]]

LISTED = 100  # the most messages that a line of a context lists as its source
_MESSAGE = f"{ids.PREFIXES['message']}_"


async def own_words(_tx: Transaction, memories: Sequence[StoredMemory]) -> Texts:
    """Return the text of each, with its title if it has one."""
    return {each.id: each.titled for each in memories}


async def direct_sources(tx: Transaction, memories: Sequence[StoredMemory]) -> Sources:
    """Return the memories each was made from; else its message, or all messages of its range."""
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
    direct = registry.get(memory.kind).direct
    return channel, first if direct is None else max(first, last - direct + 1), last


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of memory. `label` and `plural` are its names for people; receipts count by `plural`.
    `prefix`, `group` and `expires` are those of its `KindEntry`, if it has one.

    - `ranged`: made of the messages `first_seq` to `last_seq`, and erased with any of them.
    - `timed`: search ranks what is still valid higher, and shows what contradicts the rest.
    - `dated`: also found by the month of `from_at`.
    - `shown`: the texts that a search shows; a memory that is missing there is shown to nobody.
    - `sources`: what each was made from; by default its own message, or the last `direct` messages
      of its range, or all of it.
    - `searched`: the text that is indexed; "" if it can be listed but not found, None if neither.
    - `embedded`: the text of its vector, by default the same.
    - `unsourced`: the trust tier of one that no stored message says, and the highest it can have.
    - `one`, `many`: its words beside a number, where people read; by default `label` and `plural`.
    - `colour`: the kind in whose colour it is shown, itself where it has one of its own.
    - `page`: the page that shows it; `by_hand`: whether people may edit it there."""

    name: str
    label: str
    plural: str
    prefix: str = ""
    group: registry.Group = ""
    expires: bool = False
    ranged: bool = True
    timed: bool = False
    dated: bool = False
    direct: int | None = None
    unsourced: int = trust.UNKNOWN
    shown: Callable[[Transaction, Sequence[StoredMemory]], Awaitable[Texts]] = own_words
    sources: Callable[[Transaction, Sequence[StoredMemory]], Awaitable[Sources]] = direct_sources
    searched: Callable[[StoredMemory], str | None] | None = None
    embedded: Callable[[Transaction, Sequence[StoredMemory]], Awaitable[Texts]] | None = None
    one: str = ""
    many: str = ""
    colour: str = "message"
    page: Literal["channel", "person", "notes"] = "channel"
    by_hand: bool = True


get = registry.get


def register(kind: Kind) -> Kind:
    entry = registry.entry(kind.name)
    if entry is None:
        entry = registry.KindEntry(kind.name, kind.prefix, __name__, kind.group, kind.expires)
        registry.declare(entry)
    made = replace(kind, prefix=entry.prefix, group=entry.group, expires=entry.expires)
    registry.KINDS[kind.name] = made
    return made


def names() -> tuple[str, ...]:
    return tuple(registry.load_all())


def timed() -> tuple[str, ...]:
    """The kinds whose memories hold for a time."""
    return tuple(name for name, kind in registry.load_all().items() if kind.timed)


async def shown(tx: Transaction, memories: Sequence[StoredMemory]) -> Texts:
    """Return how a search shows memories of any kinds."""
    found: Texts = {}
    for kind, each in _by_kind(memories).items():
        found |= await get(kind).shown(tx, each)
    return found


async def embedded(tx: Transaction, memories: Sequence[StoredMemory]) -> Texts:
    """The words that vectors are made of."""
    found = {each.id: words for each in memories if (words := store.searched(each))}
    for kind, each in _by_kind(memories).items():
        if (own := get(kind).embedded) is not None:
            found |= await own(tx, each)
    return found


async def sources(tx: Transaction, memories: Sequence[StoredMemory]) -> Sources:
    """Return what memories of any kinds were made from."""
    found: Sources = {}
    for kind, each in _by_kind(memories).items():
        found |= await get(kind).sources(tx, each)
    return found


async def messages(tx: Transaction, memories: Sequence[StoredMemory]) -> Sources:
    """The messages that each comes from, also through memories; of a long range `LISTED`."""
    direct = await sources(tx, [_newest(each) for each in memories])
    through = {id for each in direct.values() for id in each if not id.startswith(_MESSAGE)}
    if not through:
        return {id: tuple(dict.fromkeys(found)) for id, found in direct.items()}
    parts = list((await store.by_ids(tx, sorted(through))).values())
    below = await messages(tx, parts) if parts else {}
    whole = {}
    for id, parts_of in direct.items():
        said = (message for each in parts_of for message in below.get(each, (each,)))
        whole[id] = tuple(dict.fromkeys(said))
    return whole


def newest(first: int, last: int) -> tuple[int, int]:
    """Return the part of a range of messages that a context lists."""
    return max(first, last - LISTED + 1), last


def _newest(memory: StoredMemory) -> StoredMemory:
    first, last = memory.first_seq, memory.last_seq
    if first is None or last is None or last - first < LISTED:
        return memory
    return replace(memory, first_seq=newest(first, last)[0])


def _by_kind(memories: Sequence[StoredMemory]) -> dict[str, list[StoredMemory]]:
    found: dict[str, list[StoredMemory]] = {}
    for each in memories:
        found.setdefault(each.kind, []).append(each)
    return found
