"""Who is told of, and whose word it is, by the names they go by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from erstwhile.layers.remembered import lines, store
from erstwhile.layers.remembered.merge import Teller
from erstwhile.log import people
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class Who:
    """`names` of the person, the one in use first; `called` is how each teller is named in a line, with all their labels."""

    person: str
    names: tuple[str, ...]
    tellers: Mapping[str, Teller]

    def teller(self, said_by: str | None) -> Teller:
        """The person and the app speak plainly."""
        return Teller() if said_by is None or said_by == self.person else self.tellers[said_by]


async def who_tells(tx: Transaction, person: str, said_by: Iterable[str | None]) -> Who:
    wanted = {each for each in said_by if each is not None and each != person}
    others = wanted | (set(await store.tellers(tx, person)) - {person} if wanted else set())
    named = {each: await _names(tx, each) for each in sorted({person, *others})}
    tellers = {each: await _teller(tx, each, named) for each in wanted}
    return Who(person, named[person], tellers)


async def told_apart(tx: Transaction, tellers: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """How to name each whose word something is, with the id where someone else goes, or went, by that name: nobody's word becomes another's
    by a name. `names` of everyone concerned."""
    found = {}
    for person in sorted(set(tellers)):
        name = names.get(person, person)
        label = lines.label(name) or lines.SOMEONE
        others = {lines.label(each).casefold() for other in names if other != person for each in (other, names[other])}
        shared = label.casefold() in others or bool(set(await people.known_as(tx, label)) - {person})
        found[person] = lines.apart(label, person) if shared else name
    return found


async def _names(tx: Transaction, person: str) -> tuple[str, ...]:
    named = [*map(lines.label, await people.all_names(tx, person)), lines.label(person)]
    return tuple(dict.fromkeys(filter(None, named))) or (lines.SOMEONE,)


async def _teller(tx: Transaction, person: str, named: Mapping[str, tuple[str, ...]]) -> Teller:
    """A name that someone else has too is told apart by the id, and lines under the bare name are then nobody's but the person's to take
    back: whoever takes another's name does not get their words."""
    name = named[person][0]
    taken = {each.casefold() for other, names in named.items() if other != person for each in names}
    shared = name.casefold() in taken or len(await people.known_as(tx, name)) > 1
    own = [each for each in named[person] if each.casefold() not in taken]
    apart = [lines.apart(each, person) for each in named[person]]
    return Teller(apart[0] if shared else name, frozenset([*own, *apart]))
