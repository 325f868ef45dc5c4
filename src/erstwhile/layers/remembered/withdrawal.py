"""What was told in a channel that has become private: it goes from the text for everyone to that of the channel, and both are told anew.

What was forgotten stays forgotten, and what a hand wrote or deleted stays so: only what was told after it is told again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.configuration.visibility import EVERYONE
from erstwhile.layers.remembered import lines, plain, reading, slots, store
from erstwhile.layers.remembered.model import FORGET, PLAIN, REMEMBER, Telling
from erstwhile.layers.remembered.store import Held, Place, Text
from erstwhile.layers.remembered.who import Who, who_tells
from erstwhile.memories import history
from erstwhile.memories.history import DELETED, EDITED, RESTORED, Version
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class _Standing:
    """A text as a hand left it (`base`, in the version `hand`; "" where none did), what was told before that, and since."""

    held: Held
    base: str
    hand: Version | None
    settled: tuple[Telling, ...]
    later: tuple[Telling, ...]


@dataclass(frozen=True, slots=True)
class _Replayed:
    """`base` with the `later` tellings: the `text`. `unclear`: something was forgotten by a model that can't be found without one."""

    base: str
    settled: Sequence[Telling]
    later: Sequence[Telling]
    text: str
    unclear: bool


async def withdraw(tx: Transaction, person: str, channel: str, now: datetime) -> list[Place]:
    """The texts that are to be worded again."""
    public = await _standing(tx, Place(person, EVERYONE), now)
    private = await _standing(tx, Place(person, channel), now)
    every = [*public.settled, *public.later, *private.settled, *private.later]
    who = await who_tells(tx, person, [each.said_by for each in every])

    def moves(telling: Telling) -> bool:
        return telling.action == REMEMBER and telling.channel == channel

    moved = [each for each in public.settled if moves(each)]
    left, taken = _split(public.base, [each.words for each in moved], who)
    stays = [each for each in public.settled if not moves(each)]
    made = _replay(left, stays, [each for each in public.later if not moves(each)], who, channel)
    text = _still_told(made, public.held.told.text, who)
    since = min((each.at or now for each in (*public.settled, *public.later) if moves(each)), default=now)
    await _wipe(tx, public, (left, text), since)
    await _write(tx, public.held, made, text, now)

    # Whatever was to be forgotten in the one text was to be forgotten in what is now the other.
    theirs = [each for each in public.later if moves(each) or (each.action == FORGET and each not in private.later)]
    base = "\n".join(filter(None, [private.base, taken]))
    told = sorted([*private.later, *theirs], key=lambda each: each.at or now)
    made = _replay(base, [*private.settled, *moved], told, who)
    before = f"{public.held.told.text}\n{private.held.told.text}"
    await _write(tx, private.held, made, _still_told(made, before, who), now)
    return [public.held.place, private.held.place]


async def erase(tx: Transaction, place: Place, lost: Sequence[Telling], person: str | None, now: datetime) -> None:
    """Tells a text anew without the tellings that are lost, and without what `person` wrote by hand; its history keeps no words of then."""
    was = await _standing(tx, place, now)
    theirs = was.hand is not None and was.hand.by == person
    who = await who_tells(tx, place.person, [each.said_by for each in (*was.settled, *was.later) if each not in lost])
    words = [each.words for each in was.settled if each in lost]
    left, _ = ("", "") if theirs else _split(was.base, words, who)
    stays = [each for each in was.settled if each not in lost]
    made = _replay(left, stays, [each for each in was.later if each not in lost], who)
    text = _still_told(made, was.held.told.text, who)
    for each in await history.versions(tx, was.held.told.id):
        own = was.hand is not None and each.version == was.hand.version and each.action == EDITED
        await history.reword(tx, was.held.told.id, each.version, left if own else "")
    await _write(tx, was.held, made, text, now)
    if person is not None:
        await store.unsign(tx, was.held.told.id, person)


async def _standing(tx: Transaction, place: Place, now: datetime) -> _Standing:
    held = await store.hold(tx, place, now)
    versions = await history.versions(tx, held.told.id)
    hand = _last_hand(versions)
    base = hand.text if hand is not None and hand.action == EDITED else ""

    def settled(number: int, telling: Telling) -> bool:
        if hand is None:
            return False
        return number <= held.merged if held.base == base else (telling.at or now) <= hand.at

    tellings = await store.since(tx, place, 0)
    return _Standing(
        held,
        base,
        hand,
        tuple(each for number, each in tellings if settled(number, each)),
        tuple(each for number, each in tellings if not settled(number, each)),
    )


def _last_hand(versions: Sequence[Version]) -> Version | None:
    """Who wrote or deleted it last; a deletion that was taken back is none."""
    restored = False
    for each in reversed(versions):
        if each.action == RESTORED or (each.action == DELETED and restored):
            restored = each.action == RESTORED
        elif each.action in (EDITED, DELETED):
            return each
    return None


def _split(base: str, words: Sequence[str], who: Who) -> tuple[str, str]:
    """What a hand wrote, without the lines that speak of what was told in the channel; and those."""
    told = frozenset[str]().union(*(slots.terms(each, who.names) for each in words))
    found = lines.parse(base)
    taken = [line for line in found if slots.terms(line.body, who.names) & told]
    return lines.render(line for line in found if line not in taken) if taken else base, lines.render(taken)


def _replay(
    base: str, settled: Sequence[Telling], later: Sequence[Telling], who: Who, channel: str | None = None
) -> _Replayed:
    """A request from the `channel` to forget what is not there is left out: it speaks of what was told there."""
    text, unclear = base, False
    kept: list[Telling] = []
    for telling in later:
        merged = plain.merged(text, telling, who)
        text = merged.text
        idle = telling.action == FORGET and not merged.changed
        unclear = unclear or (idle and telling.found)
        if not (idle and channel is not None and telling.channel == channel):
            kept.append(telling)
    return _Replayed(base, settled, kept, text, unclear)


def _still_told(made: _Replayed, before: str, who: Who) -> str:
    """Where something was forgotten that can't be found again, nothing comes back that was no longer told `before`."""
    if not made.unclear:
        return made.text
    bodies = [line.body for line in lines.parse(before)]
    return lines.render(line for line in lines.parse(made.text) if reading.still(line.body, bodies, who.names))


async def _write(tx: Transaction, was: Held, made: _Replayed, text: str, now: datetime) -> None:
    held = await store.tell_anew(tx, was, made.base, made.settled, made.later)
    draft = bool(made.later)
    await store.put(tx, held, Text(text, PLAIN if draft else was.told.writer, draft, made.base, held.merged), now)


async def _wipe(tx: Transaction, was: _Standing, texts: tuple[str, str], since: datetime) -> None:
    """The versions that may hold what is no longer for everyone; of what a hand wrote, the rest stays."""
    left, remade = texts
    shown = set(remade.splitlines())
    for each in await history.versions(tx, was.held.told.id):
        if was.hand is not None and each.version == was.hand.version and each.action == EDITED:
            await history.reword(tx, was.held.told.id, each.version, left)
        elif each.at >= since and not shown.issuperset(each.text.splitlines()):
            await history.reword(tx, was.held.told.id, each.version, "")
