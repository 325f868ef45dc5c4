"""From ranked documents to hits: their texts, and the messages they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from erstwhile.base.clock import moment
from erstwhile.layers.structured import store as structured
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.search import of_people
from erstwhile.search.model import KINDS, OF_PEOPLE, Hit
from erstwhile.search.valid import structured_text, valid_first
from erstwhile.storage import Row, Transaction

Said = dict[str, tuple[str, Message]]


async def hits(
    tx: Transaction, ranked: Sequence[tuple[Row, float]], said: Said | None = None, *, once: bool | None = False
) -> list[Hit]:
    """Of documents with their scores, in the order given; one that is gone is left out. The messages among them are put into `said`.
    What only says again what another says is left out where that one is there too; with `once`, always; with None, never."""
    by_id = {hit.id: hit for hit in await _read(tx, ranked, {} if said is None else said, once=once)}
    return await valid_first(tx, [by_id[row["id"]] for row, _ in ranked if row["id"] in by_id])


async def texts(tx: Transaction, ids: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The text of each id, by kind: what a vector is made of."""
    found = {id: message.text for id, (_, message) in (await log.by_ids(tx, list(ids.get("message", ())))).items()}
    found |= {id: each.text for id, each in (await memories.by_ids(tx, _memories(ids))).items()}
    found |= {each.id: each.text for each in await structured.by_ids(tx, list(ids.get("structured", ())))}
    found |= {each.id: each.text for each in (await of_people.by_ids(tx, ids, whole=True)).values()}
    return found


async def _read(tx: Transaction, ranked: Sequence[tuple[Row, float]], said: Said, *, once: bool | None) -> list[Hit]:
    by_kind: dict[str, dict[str, tuple[Row, float]]] = {kind: {} for kind in KINDS}
    for row, score in ranked:
        by_kind[row["kind"]][row["id"]] = (row, score)
    found = []
    said.update(await log.by_ids(tx, list(by_kind["message"])))
    for id, (channel, message) in said.items():
        found.append(_hit(by_kind["message"][id], message.text, channel, message.seq, (id,)))
    stored = list((await memories.by_ids(tx, _memories(by_kind))).values())
    shown, direct = await kinds.shown(tx, stored), await kinds.sources(tx, stored)
    for memory in stored:
        if memory.id in shown:
            ranked_hit, below = by_kind[memory.kind][memory.id], direct[memory.id]
            found.append(_hit(ranked_hit, shown[memory.id], memory.channel, memory.seq, below))
    for each in await structured.by_ids(tx, list(by_kind["structured"])):
        if once is None or (each.restates not in by_kind["structured"] and not (each.restates and once)):
            ranked_row = by_kind["structured"][each.id]
            found.append(_hit(ranked_row, structured_text(each), each.channel, each.seq, each.sources))
    there = await of_people.by_ids(tx, {kind: list(by_kind[kind]) for kind in OF_PEOPLE})
    people = [each for each in there.values() if each.text or each.kind != "told"]  # all by someone who is blocked
    made_from = await of_people.sources(tx, people) if people else {}
    for known in people:
        ranked_row = by_kind[known.kind][known.id]
        found.append(_hit(ranked_row, known.text, known.channel, known.seq, made_from[known.id]))
    return found


def _memories(ids: Mapping[str, Iterable[str]]) -> list[str]:
    return [id for kind, each in ids.items() if kind != "message" for id in each]


def _hit(ranked: tuple[Row, float], text: str, channel: str, seq: int | None, sources: Sequence[str]) -> Hit:
    row, score = ranked
    return Hit(
        id=row["id"],
        kind=row["kind"],
        text=text,
        channel=channel,
        person=row["person"],
        seq=seq,
        at=moment(row["at"]),
        score=round(score, 6),
        sources=tuple(sources),
    )
