"""Look up the current texts of candidates. Records store ids only, so that they keep no deleted
text.
"""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base.errors import NotFound
from erstwhile.log import store as log
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.requests.model import Seen
from erstwhile.search import sources
from erstwhile.search.trace import Candidate
from erstwhile.storage import Transaction


async def look_up(tx: Transaction, candidates: Sequence[Candidate]) -> tuple[Seen, ...]:
    by_kind: dict[str, list[str]] = {}
    for each in candidates:
        by_kind.setdefault(each.kind, []).append(each.id)
    found: dict[str, str] = {}
    for _, message in (await log.by_ids(tx, by_kind.pop("message", []))).values():
        found[message.id] = f"{message.speaker}: {message.text}"
    stored = await memories.by_ids(tx, [id for others in by_kind.values() for id in others])
    found |= await kinds.shown(tx, list(stored.values()))
    for id in (id for others in by_kind.values() for id in others if id not in found):
        try:
            found[id] = (await sources.sources(tx, id)).text
        except NotFound:
            continue
    return tuple(Seen(rank, each, found.get(each.id)) for rank, each in enumerate(candidates, start=1))
