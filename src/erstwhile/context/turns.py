"""The recipe `recall`: a few whole turns around the messages found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from erstwhile.base.clock import micros
from erstwhile.configuration.visibility import Visibility
from erstwhile.context import render
from erstwhile.context.render import Excerpts
from erstwhile.context.timed_facts import PastValues
from erstwhile.layers.brief.turns import group
from erstwhile.layers.part import Item
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.search.model import Hit
from erstwhile.storage import Transaction
from erstwhile.text import analyse

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

TURNS = 6
_REACH = 4  # a turn rarely has more messages
_ORDINARY = 60  # tokens


def _excerpts(question: str, budget: int) -> Excerpts:
    """Each message is kept within a twelfth of the budget, but an ordinary one is never cut."""
    terms = frozenset(analyse.question_terms(question))
    return Excerpts(terms, max(_ORDINARY, budget // (2 * TURNS)))


async def found(
    tx: Transaction,
    request: ContextRequest,
    hits: Sequence[Hit],
    shown: tuple[Visibility, PastValues],
) -> render.MessageLines:
    """Return the turns of the best messages, at most six, the found message first."""
    visibility, past = shown
    items: dict[str, Item] = {}
    excerpts, here = _excerpts(request.query, request.budget), request.channel
    visible = await visibility.visible(tx, here, {hit.channel for hit in hits}, request.person)
    turns = 0
    for hit in hits:
        if hit.kind != "message" or hit.seq is None or hit.id in items:
            continue
        if turns == TURNS:
            break
        turns += 1
        near = await log.between(tx, hit.channel, max(1, hit.seq - _REACH), hit.seq + _REACH)
        seen = [each for each in near if visible.shows(hit.channel, each.seq)]
        around = await people.tell_apart(tx, seen)
        grouped = [each.messages for each in group(around)]
        whole = [each for each in grouped if any(message.id == hit.id for message in each)]
        # Messages of tools and the system belong to no turn.
        turn = whole[0] if whole else [each for each in around if each.id == hit.id]
        shown_messages = [message for message in turn if message.person not in request.silent]
        for message in sorted(shown_messages, key=lambda message: message.id != hit.id):
            line = render.message(message, hit.channel, here, micros(message.at))
            items.setdefault(message.id, past.in_message(excerpts.cut(line)))
    return render.MessageLines([{"id": id} for id in items], here, items)
