"""The contract of a layer. `layers/__init__.py` has the list of layers.

What is done to any memory is written once, in `memories/`. A layer defines its kinds, the jobs that
make them, and what it does when its sources change. A method that a layer does not define does
nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import date, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from erstwhile.base.clock import Clock
from erstwhile.base.records import dataclass
from erstwhile.base.settings import Settings
from erstwhile.jobs.model import Step
from erstwhile.layers.part import Part, PartRequest
from erstwhile.layers.retention.model import Keeping
from erstwhile.layers.retention.run import Run
from erstwhile.log.model import ChannelMessages
from erstwhile.memories import expire
from erstwhile.memories.hooks import Hooks
from erstwhile.storage import Database, Transaction
from erstwhile.tables.model import Subject

if TYPE_CHECKING:
    from erstwhile.configuration.visibility import Visibility
    from erstwhile.configuration.writer_pool import WriterPool

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

    async def start(self) -> None:
        """A process has opened the database: enqueue what was missed, in every space."""

    async def before_append(self, tx: Transaction, channels: Sequence[str]) -> Any:
        """Read and lock what `appended` needs to know of the channels, which are locked already."""

    async def appended(
        self, tx: Transaction, added: Sequence[ChannelMessages], held: Any, now: datetime
    ) -> None:
        """Enqueue the work that new messages make due, in their transaction. Each channel comes once. `held` is what
        `before_append` returned."""

    async def touched(self, tx: Transaction) -> bool:
        """Return whether the layer has read a message of `erasing`, also without a memory."""
        del tx
        return False

    async def erased(self, tx: Transaction, subject: Subject) -> Remake | None:
        """Delete what else the layer made from what is listed in `erasing`. Its memories of it are
        deleted already. Return what to enqueue once the messages are erased."""

    async def refuse(self, tx: Transaction) -> None:
        """Something was made of messages that are listed in the table `erasing`: what jobs are making of that is refused."""

    async def shrink(self, tx: Transaction) -> None:
        """Messages that are listed in the table `erasing` go: leave them out of what waits to be made of them."""

    async def tidy(self, tx: Transaction) -> int:
        """Take away a page of what stayed for others after it had expired, where nothing rests on it any longer; how many."""
        return await expire.tidy(tx, self)

    async def expired(self, tx: Transaction, channel: str, first: int, last: int) -> None:
        """Give up work on messages that have expired."""

    async def ask_unread(
        self, tx: Transaction, channel: str, now: datetime, pace: str | None
    ) -> None:
        """Enqueue what was never made of a channel, for example before the space used the layer."""

    async def parts(self, tx: Transaction, asked: PartRequest) -> Sequence[Part]:
        """Return what the layer gives to a context."""
        del tx, asked
        return ()

    async def make_private(self, tx: Transaction, channel: str, now: datetime) -> None:
        """The channel has become private: what it says is no longer part of what everyone may read."""

    async def settle(self, tx: Transaction, first: date) -> None:
        """Keep drafts of days before `first`, whose messages have expired."""

    async def expire(self, run: Run, keeping: Keeping, now: datetime) -> dict[str, int]:
        """Take away memories that have been kept long enough, page by page; how many of each kind."""
        old = self._old(keeping, now)
        return {
            kind: await self.expire_kind(run, kind, before, now) for kind, before in old.items()
        }

    async def expire_kind(self, run: Run, kind: str, before: datetime, now: datetime) -> int:
        """Take away the memories of a kind from before a time; how many."""
        return await run.all(lambda tx: expire.expire(tx, self, kind, before, now))

    async def count_old(self, tx: Transaction, keeping: Keeping, now: datetime) -> dict[str, int]:
        """How many `expire` would take away."""
        old = self._old(keeping, now).items()
        return {kind: await self.count_kind(tx, kind, before) for kind, before in old}

    async def count_kind(self, tx: Transaction, kind: str, before: datetime) -> int:
        """How many `expire_kind` would take away."""
        return await expire.count_old(tx, kind, before)

    def _old(self, keeping: Keeping, now: datetime) -> dict[str, datetime]:
        """Return the kinds that are kept for a limited time, each with the time before which it expires."""
        names = [kind.name for kind in self.kinds if kind.expires]
        return {name: before for name in names if (before := keeping.before(name, now)) is not None}

    async def emptying(self, tx: Transaction) -> Remake | None:
        """Prepare for a rebuild, before the memories and jobs are deleted. Return what to enqueue
        before `rebuild`."""

    async def emptied(self, tx: Transaction) -> None:
        """Delete the records of what was made, after a rebuild deleted the memories."""

    async def rebuild(self, tx: Transaction) -> None:
        """Enqueue everything again, from the log."""

    async def redraft(self, tx: Transaction) -> int:
        """Enqueue every draft again, after a model became available. Return how many."""
        del tx
        return 0
