"""The names that lines of a remembered text use: of the person, and of everyone who told something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.layers.remembered import lines, store
from erstwhile.layers.remembered.model import TOLD, Teller
from erstwhile.log import people
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction, column
from erstwhile.text import labels

_PROFILE: Final = "profile"


@dataclass(frozen=True, slots=True)
class PersonNames:
    """`names` of the person, the current one first; `tellers` by their id."""

    person: str
    names: tuple[str, ...]
    tellers: Mapping[str, Teller]

    def teller(self, said_by: str | None) -> Teller:
        """Return who told it. The lines of the person and of the app carry no name."""
        return Teller() if said_by is None or said_by == self.person else self.tellers[said_by]


async def name_tellers(tx: Transaction, person: str, said_by: Iterable[str | None]) -> PersonNames:
    wanted = {each for each in said_by if each is not None and each != person}
    others = wanted
    if wanted:
        told = await column(tx, store.queries.tellers, person=person)
        others = wanted | (set(told) - {person})
    named = {each: await _names(tx, each) for each in sorted({person, *others})}
    tellers = {each: await _teller(tx, each, named) for each in wanted}
    return PersonNames(person, named[person], tellers)


async def _names(tx: Transaction, person: str) -> tuple[str, ...]:
    named = [*map(labels.label, await people.all_names(tx, person)), labels.label(person)]
    return tuple(dict.fromkeys(filter(None, named))) or (lines.SOMEONE,)


async def _teller(tx: Transaction, person: str, named: Mapping[str, tuple[str, ...]]) -> Teller:
    """Return how to name a teller, and the labels whose lines they may change. A name that several
    people have gets the id. A line under the bare name can then only be changed by the person it is
    about: whoever takes another's name does not get their lines."""
    own = named[person]
    taken = {each.casefold() for other, names in named.items() if other != person for each in names}
    shared = own[0].casefold() in taken or len(await people.known_as(tx, own[0])) > 1
    with_id = [labels.with_id(each, person) for each in own]
    free = [each for each in own if each.casefold() not in taken]
    return Teller(with_id[0] if shared else own[0], frozenset([*free, *with_id]))


# Who may be named where


async def known_here(
    tx: Transaction, visibility: Visibility, ids: Iterable[str], here: str, asker: str | None
) -> list[str]:
    """Return those of these people whom the `asker` can know of `here`: who spoke where it is
    visible, or about whom something visible is remembered. Of others, not even that they exist."""
    return [
        person
        for person in ids
        if person == asker or await _shows_up(tx, visibility, person, here, asker)
    ]


async def _shows_up(
    tx: Transaction, visibility: Visibility, person: str, here: str, asker: str | None
) -> bool:
    spoken = await people.channels_of(tx, person)
    about = await memories.about(tx, [TOLD, _PROFILE], [person])
    channels = {*spoken, *(each.channel for each in about)}
    visible = await visibility.visible(tx, here, channels, asker)
    if here in spoken or not visible.isdisjoint(spoken):
        return True
    if any(visible.shows(each.channel, each.seq) for each in about):
        return True
    for channel in visible.later.keys() & set(spoken):
        if await people.spoke_since(tx, person, channel, visible.later[channel]):
            return True
    return False


# Blocked people


async def without_blocked(tx: Transaction, texts: Sequence[str]) -> list[str]:
    """Return remembered texts without the lines that blocked people told."""
    authored = await _blocked_labels(tx) if texts else {}
    if not authored:
        return list(texts)
    parsed = [lines.parse(text) for text in texts]
    authors = {line.author for told in parsed for line in told}.intersection(authored)
    blocked = set()
    for author in authors:
        name, since = authored[author]
        # Where two people have a name, it belongs to whoever had it first.
        if not since or not await people.had_before(tx, name, since):
            blocked.add(author)
    if not blocked:
        return list(texts)
    return [lines.render(line for line in told if line.author not in blocked) for told in parsed]


async def _blocked_labels(tx: Transaction) -> dict[str, tuple[str, int]]:
    """Return the labels a line of a blocked person may carry. Each comes with the name it is made
    of and since when it is theirs; an id is theirs since 0."""
    found: dict[str, tuple[str, int]] = {}
    for row in await people.blocked_names(tx):
        id, name = row["person"], row["name"] or row["person"]
        bare, label = labels.label(id), labels.label(name)
        for each in (bare, labels.with_id(bare, id), labels.with_id(label, id)):
            found[each] = (id, 0)
        this = (name, row["first_at"] or 0)
        found[label] = min(found.get(label, this), this, key=lambda each: each[1])
    found.pop("", None)
    return found
