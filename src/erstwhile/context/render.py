"""The lines of a context: format them, cut long ones, and pack as many as the budget holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any, Protocol

from erstwhile.base.records import dataclass
from erstwhile.context.model import PREFACE, ContextPart, joined, lines
from erstwhile.context.recipes import Ingredient
from erstwhile.layers.part import Item
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.storage import Row
from erstwhile.text import analyse, tokens
from erstwhile.text.excerpt import LONGEST, Allowance, beginning, cut_to_sentences
from erstwhile.text.lines import flat, one_line

_JOINT = 2  # tokens that joining two parts may add
_LEAST = 8  # tokens; no line is shorter
# Of a message.
_COLUMNS = ("id", "seq", "role", "person", "name", "text", "at", "key", "model", "meta")
_said = itemgetter(*_COLUMNS)
_LEAST_MESSAGE = tokens.count("[00:00]") + 1  # of a message: its time and a line break
# Tokens that a line takes less without its day.
DAY_COST = tokens.count("[2026-01-01 00:00]") - tokens.count("[00:00]")
_TINY = 20  # tokens; so little of a message says nothing
_ORDINARY = 160  # tokens of a line that is never cut to its sentences, unless the budget is small
_PLACES = 12  # long messages that a budget holds at least
_LEAST_PLACES = 5  # the same, of a small budget
_SHORT = 60  # tokens of a line that is not cut to its sentences by any budget


def whole(parts: Sequence[ContextPart]) -> str:
    return f"{PREFACE}\n\n{joined(parts)}" if parts else ""


@lru_cache(maxsize=4096)
def _line(said: tuple[Any, ...], channel: str, here: str, called: str) -> Item:
    """Format a message, given as its columns. The same ones are looked at in turn after turn."""
    row = dict(zip(_COLUMNS, said, strict=True))
    return message(log.from_row(row), channel, here, row["at"] if channel else 0, called)


def message(
    each: Message, channel: str = "", here: str = "", at: int = 0, called: str = ""
) -> Item:
    """Format a message. `channel`: where it was said, shown as it is `called` unless that is `here`; `at`: by which it
    is sorted."""
    elsewhere = f"(in {one_line(called or channel)}) " if channel != here else ""
    when = each.at.isoformat(" ", "minutes")[:16]
    text = f"{elsewhere}[{when}] {each.speaker}: {flat(each.text)}"
    day = when.partition(" ")[0]
    return Item(each.id, "message", text, each.seq, each.seq, each, channel, at, day=day)


def _as_it_is(item: Item) -> Item:
    return item


class MessageLines:
    """Messages as lines, from rows. Each is formatted when it is first looked at: a budget holds few of them. `cut`
    shortens those that are too long."""

    def __init__(
        self,
        rows: Sequence[Row],
        here: str = "",
        made: dict[str, Item] | None = None,
        titles: Mapping[str, str] | None = None,
        cut: Callable[[Item], Item] = _as_it_is,
    ) -> None:
        self.rows, self._here, self._titles, self._cut = rows, here, titles or {}, cut
        self._made: dict[str, Item] = {} if made is None else made

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Item]:
        for row in self.rows:
            item = self._made.get(row["id"])
            if item is None:
                channel = row.get("channel", "")
                line = _line(_said(row), channel, self._here, self._titles.get(channel, ""))
                item = self._made[row["id"]] = self._cut(line)
            yield item

    def where(self, wanted: Callable[[str], bool]) -> MessageLines:
        """Return those whose id is wanted."""
        rows = [row for row in self.rows if wanted(row["id"])]
        return MessageLines(rows, self._here, self._made, self._titles, self._cut)


def fact(row: Row) -> Item:
    seq = row["seq"]
    first, last = (seq, seq) if seq is not None else (row["first_seq"], row["last_seq"])
    text, draft = f"- {one_line(row['text'])}", bool(row["draft"])
    return Item(row["id"], "fact", text, first, last, channel=row["channel"], draft=draft)


# Packing. Plain functions over candidates in order of preference.

_IN_TIME = attrgetter("at", "first", "last")


class Lines(Protocol):
    """Lines in order of preference, which may be formatted only when they are looked at."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Item]: ...


def pack(
    ingredients: Sequence[Ingredient],
    candidates: Mapping[str, Lines],
    budget: int,
    costs: Costs | None = None,
) -> list[ContextPart]:
    """Give each part its share, and the rest to the tail, so that the head stays stable. Whoever packs twice passes
    `costs` on."""
    limits = _limits(ingredients, candidates, budget)
    costs = Costs() if costs is None else costs
    rest = sorted((each for each in ingredients if not each.steady), key=lambda each: -each.share)
    chosen = {
        each.name: _fill(each, candidates.get(each.name, ()), limits[each.name], costs)
        for each in ingredients
        if each not in rest[:1]  # its share does not count, as it is the first to get the rest
    }
    for each in rest:
        chosen[each.name] = None
        others = sum(part.tokens for part in chosen.values() if part is not None)
        chosen[each.name] = _fill(each, candidates.get(each.name, ()), budget - others, costs)
    return [part for each in ingredients if (part := chosen[each.name]) is not None]


def _limits(
    ingredients: Sequence[Ingredient], candidates: Mapping[str, Lines], budget: int
) -> dict[str, int]:
    whole = max(1.0, sum(each.share for each in ingredients if not each.off))
    limits = {each.name: int(budget * each.share / whole) for each in ingredients}
    for each in ingredients:
        if each.off:
            limits[each.name] *= bool(candidates.get(each.name))
            limits[each.off] -= limits[each.name]
    return limits


class Costs(dict[str, int]):
    """The tokens of lines, each counted once; and the parts that were `filled`, by name and limit, with what from."""

    def __init__(self) -> None:
        super().__init__()
        self.filled: dict[tuple[str, int], tuple[Lines, ContextPart | None]] = {}

    def __missing__(self, text: str) -> int:
        cost = self[text] = tokens.count(text)
        return cost


def _fill(
    ingredient: Ingredient, candidates: Lines, limit: int, costs: Costs
) -> ContextPart | None:
    known = costs.filled.get((ingredient.name, limit))
    if known is None or known[0] is not candidates:
        known = costs.filled[ingredient.name, limit] = (
            candidates,
            _fill_anew(ingredient, candidates, limit, costs),
        )
    return known[1]


def _fill_anew(
    ingredient: Ingredient, candidates: Lines, limit: int, costs: Costs
) -> ContextPart | None:
    left = limit - costs[ingredient.heading] - _JOINT
    # One long line leaves space for others, if there are any.
    most = max(_LEAST, left if len(candidates) == 1 else left // 2)
    least = _LEAST_MESSAGE if isinstance(candidates, MessageLines) else _LEAST
    taken: list[Item] = []
    days: set[str] = set()  # those that a line names already
    for item in candidates:
        if left < least:
            break
        cost = costs[item.text]
        if cost > (left if ingredient.unbroken else most):
            item = cut(item, min(most, left))
            cost = costs[item.text]
        cost += 1 - DAY_COST * (item.day in days)  # with its line break
        if cost <= left and item.text:
            taken.append(item)
            if item.day:
                days.add(item.day)
            left -= cost
        elif ingredient.unbroken and (taken or left < _SHORT):
            break  # a newest line that is too long and can't be cut doesn't hide all others
    if not taken:
        return None
    taken = _anchored(sorted(taken, key=_IN_TIME), ingredient.step)
    spent = sum(costs[text] + 1 for text in lines(taken)) + costs[ingredient.heading] + _JOINT
    return ContextPart(ingredient.name, ingredient.heading, tuple(taken), spent)


def _anchored(taken: list[Item], step: int) -> list[Item]:
    """Start at a multiple of `step`, unless that leaves out more than half of the lines."""
    for index, item in enumerate(taken[: len(taken) // 2 + 1]):
        if step and (item.first - 1) % step == 0:
            return taken[index:]
    return taken


def cut(item: Item, limit: int) -> Item:
    """Cut a line that is too long to its first sentences. If none fits, its text is ""."""
    # The first sentence of a summary is only a part of it; that of a fact is the fact.
    if limit <= _TINY and (item.said is not None or item.first != item.last):
        return replace(item, text="")
    if item.said is None:
        return replace(item, text=beginning(item.text, limit))
    label, note = around(item)
    said = beginning(flat(item.said.text), limit - 2 - tokens.count(label) - tokens.count(note))
    if not said or not label:
        return replace(item, text="")
    return replace(item, text=label + said + note, said=replace(item.said, text=said))


def around(item: Item) -> tuple[str, str]:
    """Return what stands before and behind the words in the line of a message: who said them when,
    and what of it no longer holds. Both are "" if the words are escaped."""
    said = f": {flat(item.said.text)}" if item.said is not None else ""
    before, found, behind = item.text.partition(said) if said else ("", "", "")
    return (f"{before}: ", behind) if found else ("", "")


@dataclass(frozen=True, slots=True)
class Excerpts:
    """Cuts messages longer than `limit` tokens to the sentences that bear on the question, which has these `terms`. One
    for each context: what may be read of very long messages is for all of them together."""

    terms: frozenset[str]
    limit: int
    allowance: Allowance = field(default_factory=Allowance, compare=False)

    @classmethod
    def of(cls, question: str, budget: int) -> Excerpts:
        limit = min(max(_ORDINARY, budget // _PLACES), budget // _LEAST_PLACES)
        return cls(frozenset(analyse.question_terms(question)), max(_SHORT, limit))

    def cut(self, item: Item) -> Item:
        if item.said is None:
            return item
        if len(item.text) <= LONGEST and tokens.count(item.text) <= self.limit:
            return item
        label = item.text.removesuffix(flat(item.said.text))
        limit = self.limit - tokens.count(label) - 1
        said = cut_to_sentences(item.said.text, self.terms, limit, self.allowance)
        if not said:  # it is there whole or not at all
            return item if len(item.text) <= LONGEST else replace(item, text="")
        return replace(item, text=label + said, said=replace(item.said, text=said))
