"""Remove tellings from remembered texts: when a channel becomes private, on erasure, and on expiry.

The text is made again from the tellings that are left. What was forgotten stays forgotten, and what
a person edited or deleted stays so: only tellings after that are merged again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import EVERYONE
from erstwhile.layers.days import store as days
from erstwhile.layers.remembered import lines, merge, reading, slots, store
from erstwhile.layers.remembered.model import FORGET, PLAIN, REMEMBER, RememberRequest
from erstwhile.layers.remembered.names import PersonNames, name_tellers
from erstwhile.layers.remembered.store import StoredText, TextOwner, TextUpdate, queries
from erstwhile.log import erase as log_erase
from erstwhile.memories import history
from erstwhile.memories import store as memories
from erstwhile.memories.expire import PAGE
from erstwhile.memories.history import DELETED, EDITED, RESTORED, Version
from erstwhile.memories.hooks import Hooks
from erstwhile.storage import Transaction
from erstwhile.tables.model import Subject


@dataclass(frozen=True, slots=True)
class _EditedText:
    """A text and its last edit by a person: `base` is what it left, "" if there was none. `settled`
    tellings are from before it, `later` ones after it."""

    held: StoredText
    base: str
    edit: Version | None
    settled: tuple[RememberRequest, ...]
    later: tuple[RememberRequest, ...]


async def make_private(
    tx: Transaction, person: str, channel: str, now: datetime
) -> list[TextOwner]:
    """Move what was told in a channel to the text of that channel. Return the texts to word again."""
    public = await _read(tx, TextOwner(person, EVERYONE), now)
    private = await _read(tx, TextOwner(person, channel), now)
    every = [*public.settled, *public.later, *private.settled, *private.later]
    who = await name_tellers(tx, person, [each.said_by for each in every])

    def moves(telling: RememberRequest) -> bool:
        return telling.action == REMEMBER and telling.channel == channel

    moved = [each for each in public.settled if moves(each)]
    left, taken = _split(public.base, [each.words for each in moved], who)
    told = (*public.settled, *public.later)
    since = min((each.at or now for each in told if moves(each)), default=now)
    stays = replace(
        public,
        base=left,
        settled=tuple(each for each in public.settled if not moves(each)),
        later=tuple(each for each in public.later if not moves(each)),
    )
    stays, text = _replay(stays, public.held.told.text, who, channel)
    await _wipe(tx, public, (left, text), since)
    await _write(tx, stays, text, now)

    # A request to forget something in the public text holds for the private one too.
    forgets = [each for each in public.later if each.action == FORGET and each not in private.later]
    theirs = [each for each in public.later if moves(each) or each in forgets]
    gets = replace(
        private,
        base="\n".join(filter(None, [private.base, taken])),
        settled=(*private.settled, *moved),
        later=tuple(sorted([*private.later, *theirs], key=lambda each: each.at or now)),
    )
    before = f"{public.held.told.text}\n{private.held.told.text}"
    await _write(tx, *_replay(gets, before, who), now)
    return [public.held.place, private.held.place]


async def _erase_from(
    tx: Transaction,
    place: TextOwner,
    lost: Sequence[RememberRequest],
    person: str | None,
    now: datetime,
) -> None:
    """Make a text again without the lost tellings and without what `person` edited. Its history
    keeps no earlier words."""
    was = await _read(tx, place, now)
    theirs = was.edit is not None and was.edit.by == person
    settled = tuple(each for each in was.settled if each not in lost)
    later = tuple(each for each in was.later if each not in lost)
    who = await name_tellers(tx, place.person, [each.said_by for each in (*settled, *later)])
    words = [each.words for each in was.settled if each in lost]
    left, _ = ("", "") if theirs else _split(was.base, words, who)
    left_over = replace(was, base=left, settled=settled, later=later)
    remade, text = _replay(left_over, was.held.told.text, who)
    for each in await history.versions(tx, was.held.told.id):
        kept = left if each == was.edit and each.action == EDITED else ""
        await history.reword(tx, was.held.told.id, each.version, kept)
    await _write(tx, remade, text, now)
    if person is not None:
        memory = await memories.get(tx, was.held.told.id)
        if memory is not None and memory.edited_by == person:  # their name goes too
            await memories.save(tx, [replace(memory, writer=PLAIN, edited_at=None, edited_by=None)])


async def _read(tx: Transaction, place: TextOwner, now: datetime) -> _EditedText:
    held = await store.hold(tx, place, now)
    edit = _last_edit(await history.versions(tx, held.told.id))
    base = edit.text if edit is not None and edit.action == EDITED else ""
    settled: list[RememberRequest] = []
    later: list[RememberRequest] = []
    for number, each in await store.since(tx, place, 0):
        if edit is None:
            before = False
        elif held.base == base:
            before = number <= held.merged
        else:
            before = (each.at or now) <= edit.at
        (settled if before else later).append(each)
    return _EditedText(held, base, edit, tuple(settled), tuple(later))


def _last_edit(versions: Sequence[Version]) -> Version | None:
    """Return the last edit or deletion by a person; a deletion that was undone does not count."""
    restored = False
    for each in reversed(versions):
        if each.action == RESTORED or (each.action == DELETED and restored):
            restored = each.action == RESTORED
        elif each.action in (EDITED, DELETED):
            return each
    return None


def _split(base: str, words: Sequence[str], who: PersonNames) -> tuple[str, str]:
    """Split an edited text into the lines that stay, and those about the words that move."""
    told = frozenset[str]().union(*(slots.terms(each, who.names) for each in words))
    found = lines.parse(base)
    taken = [line for line in found if slots.terms(line.body, who.names) & told]
    left = lines.render(line for line in found if line not in taken) if taken else base
    return left, lines.render(taken)


def _replay(
    of: _EditedText, before: str, who: PersonNames, channel: str | None = None
) -> tuple[_EditedText, str]:
    """Merge the later tellings into the base, and return the text. Leave out a request from the
    `channel` to forget what is not there: it is about what moves. If a model forgot something that
    can't be found without one, leave out lines that the text `before` did not have any more."""
    text, unclear = of.base, False
    kept: list[RememberRequest] = []
    for telling in of.later:
        merged = merge.apply(text, telling, who)
        text = merged.text
        idle = telling.action == FORGET and not merged.changed
        unclear = unclear or (idle and telling.found)
        if not (idle and channel is not None and telling.channel == channel):
            kept.append(telling)
    if unclear:
        bodies = [line.body for line in lines.parse(before)]
        found = lines.parse(text)
        text = lines.render(line for line in found if reading.is_in(line.body, bodies, who.names))
    return replace(of, later=tuple(kept)), text


async def _write(tx: Transaction, made: _EditedText, text: str, now: datetime) -> None:
    was = made.held
    held = await store.replace_tellings(tx, was, made.base, made.settled, made.later)
    draft = bool(made.later)
    writer = PLAIN if draft else was.told.writer
    await store.put(tx, held, TextUpdate(text, writer, draft, made.base, held.merged), now)


async def _wipe(tx: Transaction, was: _EditedText, texts: tuple[str, str], since: datetime) -> None:
    """Wipe versions that may have what is now private; what stays of an edit, stays there."""
    left, remade = texts
    shown = set(remade.splitlines())
    for each in await history.versions(tx, was.held.told.id):
        if each == was.edit and each.action == EDITED:
            await history.reword(tx, was.held.told.id, each.version, left)
        elif each.at >= since and not shown.issuperset(each.text.splitlines()):
            await history.reword(tx, was.held.told.id, each.version, "")


async def erase(tx: Transaction, subject: Subject, now: datetime) -> list[TextOwner]:
    """Erase the tellings of what is erased. Return the texts of others that are to be worded again."""
    rows = await tx.all(queries.touched, person=subject.person)
    places = [TextOwner(row["person"], row["audience"]) for row in rows]
    for place in places:
        told = await store.since(tx, place, 0)
        lost = [each for _, each in told if await _is_erased(tx, each, subject)]
        await _erase_from(tx, place, lost, subject.person, now)
        await days.delete_portraits(tx, place.person)
    return places


async def _is_erased(tx: Transaction, telling: RememberRequest, subject: Subject) -> bool:
    if subject.person is not None and telling.said_by == subject.person:
        return True
    if telling.channel is None:
        return False
    said = {"seq": telling.seq, "said_by": telling.said_by, "words": telling.words}
    return await log_erase.says_listed(tx, telling.channel, said)


async def expire(tx: Transaction, hooks: Hooks, before: datetime, now: datetime) -> int:
    """Delete one page of old texts, with their tellings."""
    rows = await tx.all(queries.old, before=micros(before), limit=PAGE)
    for row in rows:
        await tx.run(queries.delete_tellings, person=row["person"], audience=row["audience"])
        await days.delete_portraits(tx, row["person"])
    gone = [row["id"] for row in rows]
    await memories.drop(tx, gone, hooks)
    await history.expire(tx, gone, now)
    return len(gone)


async def expire_tellings(tx: Transaction, before: datetime) -> int:
    """Delete one page of old tellings that have no text any more."""
    rows = await tx.all(queries.old_tellings, before=micros(before), limit=PAGE)
    for row in rows:
        await tx.run(queries.delete_tellings, person=row["person"], audience=row["audience"])
    return len(rows)
