"""Which channels a bot listens to, and how far it has read each."""

from __future__ import annotations

from datetime import datetime

from erstwhile.base.clock import micros, moment
from erstwhile.base.records import dataclass
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
    await tx.run(
        queries.listen,
        channel=channel,
        chosen=int(choice.on),
        since=choice.since,
        by=choice.by,
        now=micros(now),
    )


async def heard(tx: Transaction, channel: str, key: str, now: datetime) -> None:
    await tx.run(queries.set_heard, channel=channel, heard=key, now=micros(now))


async def audited(tx: Transaction, channel: str, key: str, now: datetime) -> None:
    """Record how far a channel was compared; an empty key means completely."""
    await tx.run(
        queries.set_audited,
        channel=channel,
        audited=key,
        audited_at=None if key else micros(now),
        now=micros(now),
    )


async def all_of(tx: Transaction) -> list[ListenedChannel]:
    return [
        ListenedChannel(
            channel=row["channel"],
            title=row["title"],
            on=None if row["chosen"] is None else bool(row["chosen"]),
            since=row["since"],
            heard=row["heard"],
            by=row["by"],
            at=moment(row["at"]),
            audited=row["audited"],
            audited_at=None if row["audited_at"] is None else moment(row["audited_at"]),
        )
        for row in await tx.all(queries.listening)
    ]
