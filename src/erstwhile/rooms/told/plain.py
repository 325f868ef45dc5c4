"""Taking a telling into a text without a model."""

from __future__ import annotations

from erstwhile.rooms.told import merge
from erstwhile.rooms.told.merge import Merged
from erstwhile.rooms.told.model import FORGET, Telling
from erstwhile.rooms.told.who import Who


def merged(text: str, told: Telling, who: Who) -> Merged:
    teller = who.teller(told.said_by)
    if told.action == FORGET:
        return merge.forget(text, told.words, who.names, teller)
    return merge.remember(text, told.words, who.names, teller, told.flag)
