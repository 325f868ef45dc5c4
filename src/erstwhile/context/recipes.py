"""Recipes: the parts of a context, their order, and the share of the budget of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.base.settings import Recipe
from erstwhile.layers.part import Part


@dataclass(frozen=True, slots=True)
class Ingredient:
    """A `steady` part depends on the memory alone, not on the question, and never exceeds its
    share: these are the head. What is left goes to the others, the largest share first. A part with
    the newest of something begins at a multiple of `step` messages, so that it changes only at its
    end, which prompt caches need. An `unbroken` part has no gaps: it ends at the first line that
    doesn't fit."""

    name: str
    heading: str
    share: float
    steady: bool = False
    step: int = 0
    unbroken: bool = False
    off: str = ""  # the part that gives up this share if this one is not empty


# If nothing found is more likely to bear on the question, none of it is shown: docs/decisions/0017-floor.md.
FLOOR = 0.01

# At the head of every recipe: what the asker wants from every answer.
STANDING = Ingredient("standing", "=== How to Answer This Person ===", 0.08, steady=True)
BRIEF = Ingredient("brief", "=== The Conversation So Far ===", 0.12, steady=True)
METAS = Ingredient("metas", "=== Full Conversation Summary ===", 0.15, steady=True, step=500)
CHUNKS = Ingredient("chunks", "=== Chunk Summaries ===", 0.15, steady=True, step=50)
FACTS = Ingredient("facts", "=== Key Facts to Remember ===", 0.25)
RELATED = Ingredient("related", "=== Earlier Messages on This ===", 0.45)
# Their content is mostly in the facts and messages too, so their shares are small.
PEOPLE = Ingredient("people", "=== Who They Are ===", 0.06, off="facts")
NOTES = Ingredient("notes", "=== Notes of Conversations ===", 0.05, off="related")
RECENT = Ingredient("recent", "=== Recent Conversation ===", 0.2, step=10, unbroken=True)


def _shared(ingredient: Ingredient, share: float) -> Ingredient:
    return replace(ingredient, share=share)


RECIPES: dict[Recipe, tuple[Ingredient, ...]] = {
    "dual": (METAS, CHUNKS, FACTS, RECENT),
    "brief": (),  # without shares: see context/brief.py
    "recall": (CHUNKS, RELATED, RECENT),
    "person": (),  # without shares: see context/person.py
    "community": (),  # see context/community.py
    # Related messages get nearly half: they are more exact than summaries.
    "full": (
        BRIEF,
        _shared(METAS, 0.1),
        _shared(CHUNKS, 0.08),
        PEOPLE,
        _shared(FACTS, 0.15),
        NOTES,
        RELATED,
        _shared(RECENT, 0.1),
    ),
}

_STEADY = (each.name for parts in RECIPES.values() for each in parts if each.steady)
STEADY = frozenset((*_STEADY, "brief", STANDING.name))


def with_parts(name: str, parts: Sequence[Part]) -> tuple[Ingredient, ...]:
    """Return a recipe with the further parts of layers, before what is related and recent."""
    known = recipe(name)
    names = [each.name for each in known]
    off = "related" if "related" in names else ""
    headed = (each for each in parts if each.heading)
    new = [Ingredient(each.name, each.heading, each.share, off=off) for each in headed]
    ends = (number for number, each in enumerate(names) if each in ("related", "recent"))
    at = next(ends, len(names))
    return (*known[:at], *new, *known[at:])


def facts_first(ingredients: Sequence[Ingredient]) -> tuple[Ingredient, ...]:
    """Give the facts the larger share of facts and related messages: the question asks for them."""
    shares = {each.name: each.share for each in ingredients}
    swapped = {"facts": shares.get("related"), "related": shares.get("facts")}
    return tuple(replace(each, share=swapped.get(each.name) or each.share) for each in ingredients)


def recipe(name: str) -> tuple[Ingredient, ...]:
    for known, parts in RECIPES.items():
        if known == name:
            return parts
    raise InvalidInput(f"There is no recipe {name!r}. Recipes are {', '.join(RECIPES)}.")
