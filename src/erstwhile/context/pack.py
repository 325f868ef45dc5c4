"""Choose the lines that fit. Plain functions over candidates in order of preference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from erstwhile.context.model import ContextPart
from erstwhile.context.recipes import Ingredient
from erstwhile.layers.part import Item
from erstwhile.text import tokens
from erstwhile.text.lines import flat

_JOINT = 2  # tokens that joining two parts may add
_LEAST = 8  # tokens; no line is shorter


def pack(
    ingredients: Sequence[Ingredient], candidates: Mapping[str, Sequence[Item]], budget: int, costs: Costs | None = None
) -> list[ContextPart]:
    """Give each part its share, and the rest to the tail, so that the head stays stable. Whoever packs twice passes
    `costs` on."""
    limits = _limits(ingredients, candidates, budget)
    costs = Costs() if costs is None else costs
    chosen = {each.name: _fill(each, candidates.get(each.name, ()), limits[each.name], costs) for each in ingredients}
    for each in sorted(ingredients, key=lambda each: -each.share):
        if not each.steady:
            others = sum(part.tokens for name, part in chosen.items() if part is not None and name != each.name)
            chosen[each.name] = _fill(each, candidates.get(each.name, ()), budget - others, costs)
    return [part for each in ingredients if (part := chosen[each.name]) is not None]


def _limits(ingredients: Sequence[Ingredient], candidates: Mapping[str, Sequence[Item]], budget: int) -> dict[str, int]:
    whole = max(1.0, sum(each.share for each in ingredients if not each.off))
    limits = {each.name: int(budget * each.share / whole) for each in ingredients}
    for each in ingredients:
        if each.off:
            limits[each.name] *= bool(candidates.get(each.name))
            limits[each.off] -= limits[each.name]
    return limits


class Costs(dict[str, int]):
    """The tokens of lines, each counted once."""

    def __missing__(self, text: str) -> int:
        cost = self[text] = tokens.count(text)
        return cost


def _fill(ingredient: Ingredient, candidates: Sequence[Item], limit: int, costs: Costs) -> ContextPart | None:
    left = limit - costs[ingredient.heading] - _JOINT
    # One long line leaves space for others, if there are any.
    most = max(_LEAST, left if len(candidates) == 1 else left // 2)
    taken: list[Item] = []
    for item in candidates:
        if left < _LEAST:
            break
        fitting = item if costs[item.text] <= most else cut(item, min(most, left))
        cost = costs[fitting.text] + 1  # with its line break
        if cost <= left and fitting.text:
            taken.append(fitting)
            left -= cost
    if not taken:
        return None
    taken = _anchored(sorted(taken, key=lambda item: (item.at, item.first, item.last)), ingredient.step)
    spent = sum(costs[item.text] + 1 for item in taken) + costs[ingredient.heading] + _JOINT
    return ContextPart(ingredient.name, ingredient.heading, tuple(taken), spent)


def _anchored(taken: list[Item], step: int) -> list[Item]:
    """Start at a multiple of `step`, unless that leaves out more than half of the lines."""
    for index, item in enumerate(taken[: len(taken) // 2 + 1]):
        if step and (item.first - 1) % step == 0:
            return taken[index:]
    return taken


def cut(item: Item, limit: int) -> Item:
    """Cut a line that is too long: its beginning is better than nothing."""
    if limit <= 20:
        return replace(item, text="")
    if item.said is None:
        return replace(item, text=tokens.cut(item.text, limit - 1))
    label = item.text.removesuffix(flat(item.said.text))
    said = tokens.cut(flat(item.said.text), limit - 2 - tokens.count(label))
    return replace(item, text=label + said, said=replace(item.said, text=said))
