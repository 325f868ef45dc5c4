"""The layers: each derives memories of its own kinds from the log, or from the layer below it.

This is the one list of them. To add a layer, write it (`layers/contract.py` says what it may do) and put it
into the list here, or call `register` before a memory is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from erstwhile.base.later import later
from erstwhile.base.records import dataclass
from erstwhile.base.settings import TASKS
from erstwhile.memories.registry import KindEntry, declare

if TYPE_CHECKING:
    from erstwhile.layers.brief.steps import Briefs
    from erstwhile.layers.contract import Layer, LayerParts
    from erstwhile.layers.days.steps import Days
    from erstwhile.layers.facts.steps import FactLayer
    from erstwhile.layers.notes.steps import NoteLayer
    from erstwhile.layers.remembered.steps import RememberedTexts
    from erstwhile.layers.summaries.reader import ChunkReader
    from erstwhile.layers.summaries.steps import Chunks

_HERE: Final = __name__


@dataclass(frozen=True, slots=True)
class LayerEntry:
    """A layer, and what is known of it before it is imported.

    - `home`: its class.
    - `kinds`: its kinds of memories.
    - `tasks`: its prompts, each of which can have a model of its own.
    - `listens`, `starts`: whether it defines `appended` and `start`.
    - `followers`: the layers that are told what it made.
    - `together`: the task and the job of another layer that one call of a model can do too."""

    name: str
    home: str
    kinds: tuple[KindEntry, ...]
    tasks: tuple[str, ...] = ()
    listens: bool = False
    starts: bool = False
    followers: tuple[str, ...] = ()
    together: tuple[str, str] | None = None

    @property
    def layer(self) -> type[Any]:
        """Import and return the class."""
        module, _, name = self.home.rpartition(".")
        found: type[Any] = getattr(import_module(f"{_HERE}.{module}"), name)
        return found


# What is made from another layer stands before it: it is told first that its sources change.
ENTRIES: Final = (
    LayerEntry(
        "chunks",
        "summaries.steps.Chunks",
        (
            KindEntry("chunk", "chk", f"{_HERE}.summaries.store", "summary"),
            KindEntry("meta", "met", f"{_HERE}.summaries.store", "summary"),
        ),
        ("summarise", "condense"),
        listens=True,
        followers=("facts", "structured"),
    ),
    LayerEntry(
        "facts",
        "facts.steps.FactLayer",
        (KindEntry("fact", "fct", f"{_HERE}.facts.model"),),
        ("extract",),
        together=("structure", "structured.structure"),
    ),
    LayerEntry(
        "briefs",
        "brief.steps.Briefs",
        (KindEntry("brief", "brf", f"{_HERE}.brief.model", "summary"),),
        ("fold",),
        listens=True,
    ),
    LayerEntry(
        "structured",
        "structured.steps.StructuredMemories",
        (KindEntry("structured", "str", f"{_HERE}.structured.store"),),
        ("structure",),
    ),
    LayerEntry(
        "remembered",
        "remembered.steps.RememberedTexts",
        (KindEntry("told", "tld", f"{_HERE}.remembered.steps", "person", expires=True),),
        ("remember", "forget", "gather", "route"),
    ),
    LayerEntry(
        "days",
        "days.steps.Days",
        (KindEntry("day", "day", f"{_HERE}.days.steps", "person", expires=True),),
        ("day", "week", "portray"),
    ),
    LayerEntry(
        "profiles",
        "profiles.steps.Profiles",
        (KindEntry("profile", "prf", f"{_HERE}.profiles.model", "person", expires=True),),
        ("consolidate",),
    ),
    LayerEntry(
        "notes",
        "notes.steps.NoteLayer",
        (
            KindEntry("note", "nte", f"{_HERE}.notes.model", "conversation", expires=True),
            KindEntry("topic", "top", f"{_HERE}.notes.model", "conversation", expires=True),
        ),
        ("note", "cluster"),
        listens=True,
        starts=True,
        followers=("profiles",),
    ),
    LayerEntry(
        "standing",
        "standing.steps.StandingRequests",
        (KindEntry("standing", "std", f"{_HERE}.standing.model", expires=True),),
        listens=True,
    ),
)
_NAMED: Final = {entry.name: entry for entry in ENTRIES}
READERS: Final = _NAMED["chunks"].followers  # those that read the messages of each chunk

_registered: list[type[Layer]] = []

for _entry in ENTRIES:
    TASKS.extend(_entry.tasks)
    for _kind in _entry.kinds:
        declare(_kind)


class Layers:
    """The layers of a memory. Each is imported and built when it is first used."""

    chunks: Chunks
    facts: FactLayer
    briefs: Briefs
    remembered: RememberedTexts
    days: Days
    notes: NoteLayer

    def __init__(self, parts: LayerParts) -> None:
        self._parts = parts
        self.added = tuple(make(parts) for make in _registered)

    def __iter__(self) -> Iterator[Layer]:
        yield from self._of(ENTRIES)

    @property
    def listening(self) -> list[Layer]:
        """The layers that are told of messages."""
        return self._of([entry for entry in ENTRIES if entry.listens])

    async def start(self) -> None:
        """Enqueue what was missed, after a process has opened the database."""
        for layer in self._of([entry for entry in ENTRIES if entry.starts]):
            await layer.start()

    async def hurry(self) -> None:
        """Make due what only waits for more messages of an import."""
        from erstwhile.jobs import store as jobs
        from erstwhile.storage import EVERYWHERE

        now = self._parts.clock()
        timers = [timer for layer in self.listening for timer in layer.timers]
        await self._parts.database.write(EVERYWHERE, lambda tx: jobs.hurry(tx, timers, now))

    @cached_property
    def readers(self) -> dict[str, ChunkReader]:
        """The layers that read the messages of each chunk, by name."""
        return {name: getattr(self, name) for name in READERS}

    def _of(self, entries: Iterable[LayerEntry]) -> list[Layer]:
        return [*(getattr(self, entry.name) for entry in entries), *self.added]

    def __getattr__(self, name: str) -> Any:
        if name not in _NAMED:
            raise AttributeError(f"There is no layer {name!r}.")
        entry, more = _NAMED[name], {}
        if entry.followers:
            more["followers"] = [later(partial(getattr, self, each)) for each in entry.followers]
        made = entry.layer(self._parts, **more)
        if entry.together is not None:
            from erstwhile.layers.summaries.material import OtherReading

            made.other = OtherReading(*entry.together)
        setattr(self, name, made)
        return made


def register(layer: type[Layer]) -> None:
    """Add a layer, and its kinds, to every memory that is opened from now on."""
    from erstwhile.memories import kinds

    for kind in layer.kinds:
        kinds.register(kind)
    _registered.append(layer)
