"""Which channels a bot listens to, and how far it has read each."""

from __future__ import annotations

from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass, from_row
from erstwhile.log.store import queries
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class ListenedChannel:
    """How a bot listens to a channel. `on` is None if nobody chose, as for a thread that follows
    its channel. `since`: from this time, "" for the beginning. `heard`: the key of the last message
    that was read. `audited`: up to which key the channel was compared with its platform again, ""
    for completely, last at `audited_at`. `by`: who chose; `at`: when it last changed."""

    channel: str
    title: str
    on: bool | None
    since: str
    heard: str
    by: str
    at: datetime
    audited: str = ""
    audited_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ListeningChoice:
    on: bool
    since: str
    by: str


async def choose(tx: Transaction, channel: str, choice: ListeningChoice, now: datetime) -> None:
    """Set whether to listen. From the beginning, skipped messages are read too."""
    chosen = {"chosen": int(choice.on), "since": choice.since, "by": choice.by}
    await tx.run(queries.listen, channel=channel, **chosen, now=micros(now))


async def set_read(tx: Transaction, channel: str, key: str, now: datetime) -> None:
    await tx.run(queries.set_heard, channel=channel, heard=key, now=micros(now))


async def set_audited(tx: Transaction, channel: str, key: str, now: datetime) -> None:
    """Record how far a channel was compared; an empty key means completely."""
    done = {"audited": key, "audited_at": None if key else micros(now)}
    await tx.run(queries.set_audited, channel=channel, **done, now=micros(now))


async def all_of(tx: Transaction) -> list[ListenedChannel]:
    return [
        from_row(ListenedChannel, {**row, "on": row["chosen"]})
        for row in await tx.all(queries.listening)
    ]
