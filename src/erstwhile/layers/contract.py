"""The contract of a layer. `layers/__init__.py` has the list of layers.

What is done to any memory is written once, in `memories/`. A layer defines its kinds, its tables
and the jobs that make its memories, and overrides the methods it needs: those below, and those of
`Hooks` for changes of single memories. By default a method does nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any, Final

from erstwhile.base.clock import Clock
from erstwhile.base.records import dataclass
from erstwhile.base.settings import Settings
from erstwhile.jobs.model import Step
from erstwhile.layers.part import Part, PartRequest
from erstwhile.log.model import ChannelMessages
from erstwhile.memories.hooks import Hooks
from erstwhile.storage import Database, Transaction

if TYPE_CHECKING:
    from erstwhile.configuration.visibility import Visibility
    from erstwhile.configuration.writer_pool import WriterPool
    from erstwhile.layers.retention.steps import Run
    from erstwhile.tables.model import Subject

# How fast a backfill may call models: the pace, and the time between calls, to leave room for other work.
PACE: Final = "backfill"
GAP: Final = timedelta(milliseconds=500)

# Called once the messages are erased: enqueues what can be made again from those that are left.
Remake = Callable[[Transaction, datetime], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class LayerParts:
    """What layers are built with. `recipe` returns the recipe of a transaction's space."""

    database: Database
    writers: WriterPool
    clock: Clock
    visibility: Visibility
    settings: Settings
    zone: tzinfo
    recipe: Callable[[Transaction], Coroutine[Any, Any, str]]


class Layer(Hooks):
    """A kind of derived memory with its steps."""

    name: str = ""
    recipes: tuple[str, ...] | None = None  # those of the spaces it works for; None: all
    rebuilt: bool = True  # a rebuild makes it again from the log
    reads: tuple[str, ...] = ()  # jobs that read messages; retention waits for them
    timers: tuple[str, ...] = ()  # jobs that wait for more messages; `settle` doesn't

    def __init__(self, parts: LayerParts) -> None:
        self._layer_parts = parts
        self._database = parts.database
        self._writers = parts.writers
        self._clock = parts.clock
        self._visibility = parts.visibility
        self._recipe = parts.recipe

    def serves(self, recipe: str) -> bool:
        """Return whether the layer works for spaces with this recipe."""
        return self.recipes is None or recipe in self.recipes

    async def wanted(self, tx: Transaction) -> bool:
        """Return whether the layer works for the space of a transaction."""
        return self.serves(await self._recipe(tx))

    @property
    def steps(self) -> Mapping[str, Step]:
        """Return the layer's jobs, by kind: `<name>.<verb>`."""
        return {}

    # Messages

    async def start(self) -> None:
        """Enqueue what was missed, in every space. Called when a process has opened the database."""

    async def before_append(self, tx: Transaction, channels: Sequence[str]) -> Any:
        """Read and lock what `appended` needs. The channels are locked already."""

    async def appended(
        self, tx: Transaction, added: Sequence[ChannelMessages], held: Any, now: datetime
    ) -> None:
        """Enqueue the work that new messages make due, in their transaction. `added` has each
        channel once; `held` is what `before_append` returned."""

    async def ask_unread(
        self, tx: Transaction, channel: str, now: datetime, pace: str | None
    ) -> None:
        """Enqueue what was never made of a channel, for example before the space used the layer."""

    async def make_private(self, tx: Transaction, channel: str, now: datetime) -> None:
        """Delete or split memories for everyone that have words of a channel that became private."""

    # Contexts

    async def parts(self, tx: Transaction, request: PartRequest) -> Sequence[Part]:
        """Return the parts of a context."""
        del tx, request
        return ()

    # Erasure: what is erased is listed in `erasing` (`tables/listed.py`)

    async def leave_out(self, tx: Transaction) -> bool:
        """Leave listed messages out of what waits to be made of them. Return whether something was
        made of them already, besides memories that name them."""
        del tx
        return False

    async def refuse(self, tx: Transaction) -> None:
        """Restart jobs that read memories made of listed messages: their results are refused."""

    async def erased(self, tx: Transaction, subject: Subject) -> Remake | None:
        """Delete what else was made of what is listed. The layer's listed memories are deleted, and
        so are the rows of its tables that belong to the person or channel. Return what to enqueue
        once the messages are deleted."""

    # Retention

    async def expire(self, run: Run, kind: str, before: datetime, now: datetime) -> int:
        """Expire the memories of a kind from before a time, page by page. Return how many."""
        from erstwhile.memories import expire

        return await run.all(lambda tx: expire.expire(tx, self, kind, before, now))

    async def count_old(self, tx: Transaction, kind: str, before: datetime) -> int:
        """Count what `expire` would expire."""
        from erstwhile.memories import expire

        return await expire.count_old(tx, kind, before)

    async def messages_expired(self, tx: Transaction, channel: str, first: int, last: int) -> None:
        """Make drafts of these messages final, which have expired: no model can read them again."""

    async def days_expired(self, tx: Transaction, first: date) -> None:
        """Do the same for drafts of the days before `first`, once all their messages have expired."""

    # Rebuilding

    async def emptying(self, tx: Transaction) -> Remake | None:
        """Prepare to be emptied. Return what to enqueue before `rebuild`."""

    async def emptied(self, tx: Transaction) -> None:
        """Delete the records of what was made, after a rebuild has deleted the memories."""

    async def rebuild(self, tx: Transaction) -> None:
        """Enqueue everything again, from the log."""

    async def redraft(self, tx: Transaction) -> int:
        """Enqueue every draft again, because a model is available now. Return how many."""
        del tx
        return 0
