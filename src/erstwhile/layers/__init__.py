"""The layers: each derives memories of its own kinds from the log, or from the layer below it.

This is the one list of them. To add a layer, write it (`layers/contract.py` says what it may do) and put it
into the list here, or call `register` before a memory is opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from erstwhile.layers.brief.steps import Briefs
    from erstwhile.layers.contract import Layer, LayerParts
    from erstwhile.layers.days.steps import Days
    from erstwhile.layers.facts.steps import FactLayer
    from erstwhile.layers.notes.steps import NoteLayer
    from erstwhile.layers.profiles.steps import Profiles
    from erstwhile.layers.remembered.steps import RememberedTexts
    from erstwhile.layers.structured.steps import StructuredMemories
    from erstwhile.layers.summaries.steps import Chunks

_registered: list[type[Layer]] = []


@dataclass(frozen=True, slots=True)
class Layers:
    """What is made from another layer stands before it: it is told first that its sources change."""

    chunks: Chunks
    facts: FactLayer
    structured: StructuredMemories
    briefs: Briefs
    remembered: RememberedTexts
    days: Days
    profiles: Profiles
    notes: NoteLayer
    added: tuple[Layer, ...] = ()

    def __iter__(self) -> Iterator[Layer]:
        yield from (getattr(self, name) for name in self.__slots__ if name != "added")
        yield from self.added


def register(layer: type[Layer]) -> None:
    """Add a layer, and its kinds, to every memory that is opened from now on."""
    from erstwhile.memories import kinds

    for kind in layer.kinds:
        kinds.register(kind)
    _registered.append(layer)


def build(parts: LayerParts) -> Layers:
    from erstwhile.layers.brief.steps import Briefs  # here, since the layers import this package
    from erstwhile.layers.days.steps import Days
    from erstwhile.layers.facts.steps import FactLayer
    from erstwhile.layers.notes.steps import NoteLayer
    from erstwhile.layers.profiles.steps import Profiles
    from erstwhile.layers.remembered.steps import RememberedTexts
    from erstwhile.layers.structured.steps import StructuredMemories
    from erstwhile.layers.summaries.steps import Chunks

    facts, structured, profiles = FactLayer(parts), StructuredMemories(parts), Profiles(parts)
    return Layers(
        chunks=Chunks(parts, followers=[facts, structured]),
        facts=facts,
        structured=structured,
        briefs=Briefs(parts),
        remembered=RememberedTexts(parts),
        days=Days(parts),
        profiles=profiles,
        notes=NoteLayer(parts, followers=[profiles]),
        added=tuple(make(parts) for make in _registered),
    )
