"""LangGraph: a store whose items are messages of one channel.

    store = ErstwhileStore(memory)
    graph = builder.compile(store=store)

Each put and delete is a message; the newest for a key wins. A process keeps current items in
memory, and reads new messages before each operation.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)

from erstwhile.adapters.items import awaitable, is_blocking, run_blocking, run_either, storable_text
from erstwhile.api.blocking import SyncMemory
from erstwhile.api.memory import Memory
from erstwhile.base.records import dataclass
from erstwhile.log.model import Message, NewMessage
from erstwhile.search.model import Hit

KIND = "langgraph"
_DEEP = 5  # hits per item: some belong to older puts or other namespaces

Namespace = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _StoredItem:
    item: Item
    message: str
    expires: datetime | None

    def holds(self, now: datetime) -> bool:
        return self.expires is None or now < self.expires


class ErstwhileStore(BaseStore):
    supports_ttl = True

    def __init__(
        self, memory: Memory | SyncMemory, *, space: str | None = None, channel: str = "langgraph"
    ) -> None:
        self._memory = memory
        self._chat = memory.channel(channel, space)
        self._log = awaitable(self._chat)
        self._kept: dict[Namespace, dict[str, _StoredItem]] = {}
        self._seen = 0
        self._reading = asyncio.Lock()
        self._one_at_a_time = threading.Lock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        with self._one_at_a_time:
            return run_blocking(self._chat, lambda: self._done(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        if is_blocking(self._chat):
            return await asyncio.to_thread(self.batch, ops)
        return await run_either(self._chat, lambda: self._done(list(ops)))

    async def _done(self, ops: list[Op]) -> list[Result]:
        """Do reads first, then the last put of each key, like LangGraph's own stores."""
        if any(not isinstance(op, PutOp) for op in ops):
            await self._catch_up()
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            if isinstance(op, GetOp):
                kept = self._kept.get(op.namespace, {}).get(op.key)
                results.append(kept.item if kept and kept.holds(datetime.now(UTC)) else None)
            elif isinstance(op, SearchOp):
                results.append(await self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._namespaces(op))
            else:
                puts[(op.namespace, op.key)] = op
                results.append(None)
        if puts:
            await self._log.add_many([_message(op) for op in puts.values()])
        return results

    async def _catch_up(self) -> None:
        async with self._reading:
            async for message in self._log.messages(self._seen):
                self._take(message)
                self._seen = message.seq

    def _take(self, message: Message) -> None:
        if KIND not in message.meta:
            return
        entry = json.loads(message.meta[KIND])
        namespace, key = tuple(entry["namespace"]), entry["key"]
        here = self._kept.setdefault(namespace, {})
        if entry["value"] is None:
            here.pop(key, None)
            return
        known = here.get(key)
        created = known.item.created_at if known else message.at
        times = {"created_at": created, "updated_at": message.at}
        item = Item(value=entry["value"], key=key, namespace=namespace, **times)
        expires = entry.get("expires")
        ends = datetime.fromisoformat(expires) if expires else None
        here[key] = _StoredItem(item, message.id, ends)

    def _holding(self) -> Iterator[_StoredItem]:
        now = datetime.now(UTC)
        return (kept for here in self._kept.values() for kept in here.values() if kept.holds(now))

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        """Return hits first, best first, then the other items, like LangGraph's vector stores."""
        depth = len(op.namespace_prefix)
        fitting = {
            kept.message: kept.item
            for kept in self._holding()
            if kept.item.namespace[:depth] == op.namespace_prefix
            and all(
                fits(kept.item.value.get(name), want) for name, want in (op.filter or {}).items()
            )
        }
        hits = await self._hits(op) if op.query and fitting else []
        scores = {hit.id: hit.score for hit in hits if hit.id in fitting}
        ordered = [*scores, *(id for id in fitting if id not in scores)]
        page = ordered[op.offset : op.offset + op.limit]
        return [_found(fitting[id], scores.get(id)) for id in page]

    async def _hits(self, op: SearchOp) -> list[Hit]:
        chat, most = self._chat, _DEEP * (op.offset + op.limit)
        found = self._memory.search(
            op.query or "", space=chat.space, channel=chat.channel, kinds=["message"], limit=most
        )
        return found if isinstance(found, list) else await found

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        found = {kept.item.namespace for kept in self._holding()}
        matching = found
        for match in op.match_conditions or ():
            matching = {each for each in matching if under(each, match.match_type, match.path)}
        return sorted({each[: op.max_depth] for each in matching})[op.offset : op.offset + op.limit]


def _message(op: PutOp) -> NewMessage:
    entry: dict[str, Any] = {"namespace": op.namespace, "key": op.key, "value": op.value}
    if op.ttl is not None:
        entry["expires"] = (datetime.now(UTC) + timedelta(minutes=op.ttl)).isoformat()
    text = storable_text(_text(op), f"[{op.key}]")
    return NewMessage("tool", text, meta={KIND: json.dumps(entry)})


def _text(op: PutOp) -> str:
    """Return the text to search by."""
    if op.value is None or op.index is False:
        return ""
    if op.index is None:
        return "\n".join(_words(op.value))
    return "\n".join(
        text for path in op.index for text in get_text_at_path(op.value, tokenize_path(path))
    )


def _words(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _words(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _words(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _found(item: Item, score: float | None) -> SearchItem:
    return SearchItem(**{name: getattr(item, name) for name in Item.__slots__}, score=score)


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda have, want: have == want,
    "$ne": lambda have, want: have != want,
    "$gt": lambda have, want: float(have) > float(want),
    "$gte": lambda have, want: float(have) >= float(want),
    "$lt": lambda have, want: float(have) < float(want),
    "$lte": lambda have, want: float(have) <= float(want),
}


def fits(have: Any, want: Any) -> bool:
    """Match a value against operators that must all hold, a dict of such filters, a list of the
    same length, or a value."""
    if isinstance(want, Mapping) and any(name.startswith("$") for name in want):
        return all(_holds(have, operator, value) for operator, value in want.items())
    if isinstance(want, Mapping):
        return isinstance(have, Mapping) and all(
            fits(have.get(name), value) for name, value in want.items()
        )
    if isinstance(want, list | tuple):
        alike = isinstance(have, list | tuple) and len(have) == len(want)
        return alike and all(fits(one, other) for one, other in zip(have, want, strict=True))
    return bool(have == want)


def _holds(have: Any, operator: str, want: Any) -> bool:
    known = _OPERATORS.get(operator)
    if known is None:
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        return known(have, want)
    except (TypeError, ValueError):  # only numbers compare
        return False


def under(namespace: Sequence[str], match: str, path: Sequence[str]) -> bool:
    """Return whether a namespace begins or ends with the path, where `*` matches any part."""
    if match not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {match}")
    if len(namespace) < len(path):
        return False
    start = 0 if match == "prefix" else len(namespace) - len(path)
    pieces = namespace[start : start + len(path)]
    return all(want in ("*", have) for have, want in zip(pieces, path, strict=True))
