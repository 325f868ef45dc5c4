"""What a layer is. `layers/__init__.py` has the list of them; everything else goes through that list, or through the table of memories.

What is done to a memory is written once, in `memories/`. A layer only says what its own kinds are, which jobs make them, and what it does
when what it is made from changes. Each method does nothing unless the layer has something to do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from erstwhile.base.clock import Clock
from erstwhile.base.settings import Settings
from erstwhile.configuration.visibility import Visibility
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.jobs.model import Step
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.retention.model import Keeping
from erstwhile.layers.retention.run import Run
from erstwhile.log.model import Message
from erstwhile.memories.hooks import Hooks
from erstwhile.storage import Database, Transaction

# What is to be done once the messages are gone: ask for what can be made again of those that are left.
Remake = Callable[[Transaction, datetime], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What layers are built from. `recipe` returns the recipe of a transaction's space."""

    database: Database
    writers: WriterPool
    clock: Clock
    visibility: Visibility
    settings: Settings
    zone: ZoneInfo
    recipe: Callable[[Transaction], Awaitable[str]]


class Layer(Hooks):
    name: str = ""
    recipes: tuple[str, ...] | None = None  # it only works for spaces with one of these; None: for all
    reads: tuple[str, ...] = ()  # jobs that read the messages of a range, which stay until they are done

    def __init__(self, parts: Parts) -> None:
        self._database = parts.database
        self._writers = parts.writers
        self._clock = parts.clock
        self._visibility = parts.visibility
        self._recipe = parts.recipe

    def serves(self, recipe: str) -> bool:
        """Return whether it works for spaces with this recipe."""
        return self.recipes is None or recipe in self.recipes

    async def wanted(self, tx: Transaction) -> bool:
        """Return whether it works for the space of a transaction."""
        return self.serves(await self._recipe(tx))

    @property
    def steps(self) -> Mapping[str, Step]:
        """Its jobs, by kind: `<name>.<verb>`."""
        return {}

    async def appended(self, tx: Transaction, channel: str, messages: Sequence[Message], now: datetime) -> None:
        """Messages were added, in this transaction: ask for the work that is due."""

    async def touched(self, tx: Transaction) -> bool:
        """Whether the layer has read a message that is listed in the table `erasing`, also where it has no memory of it."""
        del tx
        return False

    async def erased(self, tx: Transaction, subject: Subject) -> Remake | None:
        """What is listed in the table `erasing` goes; memories of the layer that were made of it are gone already. Take away what else the
        layer made of it, and return what to do once it is gone."""

    async def expired(self, tx: Transaction, channel: str, first: int, last: int) -> None:
        """Messages of this part of a channel have expired: nothing waits to be made of them any longer."""

    async def ask_unread(self, tx: Transaction, channel: str, now: datetime, pace: str | None) -> None:
        """Ask for what was never made of a channel, such as while the space did not use the layer."""

    async def settle(self, tx: Transaction, first: date) -> None:
        """Messages of days before `first` have expired: drafts of such days stay as they are."""

    async def expire(self, run: Run, keeping: Keeping, now: datetime) -> dict[str, int]:
        """Take away memories that have been kept long enough, page by page; how many of each kind."""
        del run, keeping, now
        return {}

    async def count_old(self, tx: Transaction, keeping: Keeping, now: datetime) -> dict[str, int]:
        """How many `expire` would take away."""
        del tx, keeping, now
        return {}

    async def emptying(self, tx: Transaction) -> Remake | None:
        """A rebuild is about to take its memories and jobs away: return what to ask for before `rebuild`."""

    async def emptied(self, tx: Transaction) -> None:
        """A rebuild has taken its memories away: take away what says that they were made."""

    async def rebuild(self, tx: Transaction) -> None:
        """Ask for everything again, from the log."""

    async def redraft(self, tx: Transaction) -> int:
        """Ask for every draft again, for when a model has become available."""
        del tx
        return 0
