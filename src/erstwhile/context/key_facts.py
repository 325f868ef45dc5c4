"""The key facts of a context: those on the question, then the newest; none that is shown anyway."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING

from erstwhile.configuration.visibility import Visibility
from erstwhile.context import render, timed_facts
from erstwhile.layers.facts import store as facts
from erstwhile.layers.part import Item
from erstwhile.search.model import TracedHits
from erstwhile.storage import Transaction

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

_FACTS = 400  # candidates; a budget holds far fewer


async def find(
    tx: Transaction, wanted: ContextRequest, found: TracedHits, visibility: Visibility
) -> dict[str, list[Item]]:
    """Return facts on the question, then the newest; drafts whose message is found too come last."""
    full = wanted.recipe == "full"
    asked_for = {
        hit.id: facts.shown_of(found.stored[hit.id]) for hit in found.hits if hit.kind == "fact"
    }
    on_nothing = full and bool(wanted.query) and not found.hits  # then the newest would be noise
    latest = [] if on_nothing else await facts.latest(tx, wanted.channel, _FACTS)
    ordered = [*asked_for.values(), *(row for row in latest if row["id"] not in asked_for)]
    ordered = [row for row in ordered if row["person"] not in wanted.silent]
    said = {(row["channel"], row["seq"]) for row in found.said.values()} if full else set()
    ordered.sort(key=lambda row: bool(row["draft"]) and (row["channel"], row["seq"]) in said)
    items = [render.fact(row) for row in ordered]
    return {
        "facts": await timed_facts.weave(tx, wanted, found, items, visibility) if full else items
    }


def beside(
    shown: Mapping[str, Sequence[Item]],
    facts: Sequence[Item],
    asked_for: Container[str],
    *,
    tight: bool,
) -> list[Item]:
    """Return the facts that no line on people says already. Where messages that were found don't
    all fit (`tight`), these are worth more than drafts that no one asked for, and than facts that
    a message which is shown says in the same words."""
    if not tight:
        return timed_facts.not_said_by(shown.get("people", ()), facts)
    wanted = [each for each in facts if each.id in asked_for or not each.draft]
    return timed_facts.not_said_by([*shown.get("people", ()), *shown.get("related", ())], wanted)
