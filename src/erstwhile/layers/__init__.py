"""The layers: each derives memories of its own kinds from the log, or from the layer below it.

This is the one list of them. To add a layer, write it (`layers/contract.py` says what it may do) and put it
into the list here, or call `register` before a memory is opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from erstwhile.base.later import later
from erstwhile.memories.homes import declare

if TYPE_CHECKING:
    from erstwhile.layers.brief.steps import Briefs
    from erstwhile.layers.contract import Layer, LayerParts
    from erstwhile.layers.days.steps import Days
    from erstwhile.layers.facts.steps import FactLayer
    from erstwhile.layers.notes.steps import NoteLayer
    from erstwhile.layers.profiles.steps import Profiles
    from erstwhile.layers.remembered.steps import RememberedTexts
    from erstwhile.layers.standing.steps import StandingRequests
    from erstwhile.layers.structured.steps import StructuredMemories
    from erstwhile.layers.summaries.reader import ChunkReader
    from erstwhile.layers.summaries.steps import Chunks

# What is made from another layer stands before it: it is told first that its sources change.
HOMES = {
    "chunks": "summaries.steps.Chunks",
    "facts": "facts.steps.FactLayer",
    "structured": "structured.steps.StructuredMemories",
    "briefs": "brief.steps.Briefs",
    "remembered": "remembered.steps.RememberedTexts",
    "days": "days.steps.Days",
    "profiles": "profiles.steps.Profiles",
    "notes": "notes.steps.NoteLayer",
    "standing": "standing.steps.StandingRequests",
}
NAMES = tuple(HOMES)
# Those that define `appended`, and those that define `start`: others need not be imported for them.
HEAR_MESSAGES = ("chunks", "briefs", "notes", "standing")
START = ("notes",)
READERS = ("facts", "structured")  # those that read the messages of each chunk
_FOLLOWED = {"chunks": READERS, "notes": ("profiles",)}  # those that are told what the layer made
# The other step that one call of a model does with its own.
_TOGETHER = {"facts": ("structure", "structured.structure")}

_registered: list[type[Layer]] = []

declare("erstwhile.layers.summaries.store", chunk="chk", meta="met")
declare("erstwhile.layers.facts.model", fact="fct")
declare("erstwhile.layers.structured.store", structured="str")
declare("erstwhile.layers.brief.model", brief="brf")
declare("erstwhile.layers.remembered.steps", told="tld")
declare("erstwhile.layers.days.steps", day="day")
declare("erstwhile.layers.profiles.model", profile="prf")
declare("erstwhile.layers.notes.model", note="nte", topic="top")
declare("erstwhile.layers.standing.model", standing="std")


class Layers:
    """The layers of a memory. Each is imported and built when it is first used."""

    chunks: Chunks
    facts: FactLayer
    structured: StructuredMemories
    briefs: Briefs
    remembered: RememberedTexts
    days: Days
    profiles: Profiles
    notes: NoteLayer
    standing: StandingRequests

    def __init__(self, parts: LayerParts) -> None:
        self._parts = parts
        self.added = tuple(make(parts) for make in _registered)

    def __iter__(self) -> Iterator[Layer]:
        yield from self._named(NAMES)

    @property
    def hearing(self) -> list[Layer]:
        """The layers that are told of messages."""
        return self._named(HEAR_MESSAGES)

    async def start(self) -> None:
        """Enqueue what was missed, after a process has opened the database."""
        for layer in self._named(START):
            await layer.start()

    async def hurry(self) -> None:
        """Make due what only waits for more messages of an import."""
        from erstwhile.jobs import store as jobs
        from erstwhile.layers.notes.timers import FLUSH
        from erstwhile.layers.summaries.tail import READ_TAIL
        from erstwhile.storage import EVERYWHERE

        now = self._parts.clock()
        await self._parts.database.write(
            EVERYWHERE, lambda tx: jobs.hurry(tx, (READ_TAIL, FLUSH), now)
        )

    @cached_property
    def readers(self) -> dict[str, ChunkReader[Any]]:
        """The layers that read the messages of each chunk, by name."""
        return {name: getattr(self, name) for name in READERS}

    def _named(self, names: tuple[str, ...]) -> list[Layer]:
        return [*(getattr(self, name) for name in names), *self.added]

    def __getattr__(self, name: str) -> Any:
        if name not in HOMES:
            raise AttributeError(f"There is no layer {name!r}.")
        followed = _FOLLOWED.get(name)
        more = {}
        if followed:
            more["followers"] = [later(partial(getattr, self, each)) for each in followed]
        made = class_of(name)(self._parts, **more)
        if name in _TOGETHER:
            from erstwhile.layers.summaries.material import OtherReading

            made.other = OtherReading(*_TOGETHER[name])
        setattr(self, name, made)
        return made


def class_of(name: str) -> type[Any]:
    """Return the class of a layer."""
    module, _, kind = HOMES[name].rpartition(".")
    found: type[Any] = getattr(import_module(f"erstwhile.layers.{module}"), kind)
    return found


def register(layer: type[Layer]) -> None:
    """Add a layer, and its kinds, to every memory that is opened from now on."""
    from erstwhile.memories import kinds

    for kind in layer.kinds:
        kinds.register(kind)
    _registered.append(layer)
