"""Taking a telling into a text without a model."""

from __future__ import annotations

from erstwhile.layers.remembered import merge
from erstwhile.layers.remembered.merge import MergeResult
from erstwhile.layers.remembered.model import FORGET, Telling
from erstwhile.layers.remembered.who import Who


def merged(text: str, told: Telling, who: Who) -> MergeResult:
    teller = who.teller(told.said_by)
    if told.action == FORGET:
        return merge.forget(text, told.words, who.names, teller)
    return merge.remember(text, told.words, who.names, teller, told.flag)
