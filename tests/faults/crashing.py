"""A conversation that can be cut off anywhere and taken up again, the process that holds it, and what must be true afterwards.

Everything said is determined by its channel and number, so that two runs which end with the same numbers must end with the same memories.
As a program:

    python crashing.py dying URL  lives the whole life of a database, for dying at a named point
    python crashing.py nursery    forks a speaker for each line on stdin and kills it after a while
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

import erstwhile
from erstwhile import Memory, NewMessage
from erstwhile.api.channel import Channel
from erstwhile.api.memory import migrate
from erstwhile.base.settings import load
from erstwhile.storage import Database
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock
from erstwhile.wiring import open_database
from inside import SEARCHED
from support import forks

SIZES: dict[str, Any] = {
    "chunk_size": 4,
    "meta_size": 2,
    "brief": {"threshold": 60, "cap": 50, "turns": 1},
    "notes": {"limit_minutes": 12},
}
CHANNELS = ("hall", "kitchen", "garden")
REBUILDS = 2 if os.environ.get("ERSTWHILE_SOAK") else 1

PLACES = ("Berlin", "Seoul", "Lisbon", "Oslo", "Kyoto")
PEOPLE = (("mina", "Mina"), ("juno", "Juno"), ("ada", "Ada"))
SAYINGS = (
    "I moved to {place} in {year}.",
    "My sister's name is {name}, she lives in {place}.",
    "Let's meet on March {day}, {year} at the station in {place}.",
    "저는 {year}년에 {place}에서 일했어요.",
    "haha yes",
    "I am allergic to peanuts since {year}.",
    "我{year}年搬到了{place}。",
)


TOLD = ("I collect stamps.", "I live in Oslo.", "I own a boat.")


def said(channel: str, number: int) -> NewMessage:
    person, name = PEOPLE[number % len(PEOPLE)]
    text = SAYINGS[number % len(SAYINGS)].format(
        place=PLACES[number % len(PLACES)],
        name=PEOPLE[(number + 1) % 3][1],
        year=1990 + number % 40,
        day=number % 28 + 1,
    )
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number)
    role = "assistant" if number % len(SAYINGS) in (2, 4) else "user"
    return NewMessage(role, text, person=person, name=name, at=at, key=f"{channel}/{number}", meta={"number": number})


def opened(url: str, clock: FixedClock | None = None, **settings: Any) -> Memory:
    return erstwhile.open(url, clock=clock or FixedClock(), **{"worker": False, **SIZES, **settings})


async def speak(channel: Channel, until: int, acknowledge: Callable[[str], None]) -> None:
    """Goes on where the channel stops, says the last few things again to be sure, now one by one, now several at once."""
    number = max(0, await channel.size() - 3)
    while number < until:
        together = min(3 if number % 5 == 0 else 1, until - number)
        batch = [said(channel.channel, n) for n in range(number + 1, number + together + 1)]
        for message in await channel.add_many(batch):
            acknowledge(f"{message.key} {message.seq}")
        number += together


async def everything(url: str, until: int, acknowledge: Callable[[str], None] = lambda _: None) -> None:
    """Made, talked to, worked on, emptied and rebuilt, in `make soak` twice."""
    await migrate(url)
    async with opened(url) as memory:
        await tell(memory)
        await asyncio.gather(*(speak(memory.channel(name), until, acknowledge) for name in CHANNELS[:2]))
        for _ in range(REBUILDS):
            await memory.settle()
            await memory.spaces.rebuild()
        await memory.settle()


async def tell(memory: Memory) -> None:
    """The same again changes nothing, so whoever was killed before it was acknowledged can say it once more."""
    for fact in TOLD:
        await memory.remember("mina", fact)


async def until(true: Callable[[], Awaitable[object]], seconds: float = 120) -> None:
    """Looks again and again: what is waited for happens in another process or thread, so nothing here can announce it."""
    async with asyncio.timeout(seconds):
        while not await true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


# Dying at a named point


def die_at(point: str, url: str, *spares: str) -> Any:
    """Live the whole life of a database in a process of its own, after making the spare ones."""
    command = [sys.executable, __file__, "dying", url, *spares]
    return forks.run(command, env={**os.environ, "ERSTWHILE_CRASH_AT": point})


def dying(url: str, *spares: str) -> None:
    for spare in spares:
        asyncio.run(migrate(spare))
    asyncio.run(everything(url, 13, lambda line: os.write(1, f"{line}\n".encode()) and None))


# Dying at any moment


class Nursery:
    """A process that has everything imported and forks speakers: a round costs milliseconds, not a start of Python."""

    def __enter__(self) -> Self:
        self._process = forks.Popen(
            [sys.executable, __file__, "nursery"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=180)

    def round(self, url: str, seconds: float) -> list[str]:
        """What a speaker had acknowledged when it was killed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([url, seconds]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert answer["signal"] == signal.SIGKILL, answer
        return list(answer["acknowledged"])


def nursery() -> None:
    import erstwhile.storage.postgres  # noqa: F401

    with tempfile.TemporaryDirectory() as folder:  # a first life, so that whatever is imported on first use has been
        asyncio.run(undisturbed(f"{folder}/first.db", {"hall": 20}))
    for line in sys.stdin:
        url, seconds = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _be_killed(url, writing)
        os.close(writing)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        with os.fdopen(reading) as pipe:
            acknowledged = [line.rstrip("\n") for line in pipe if line.endswith("\n")]
        died = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        print(json.dumps({"signal": died, "acknowledged": acknowledged}), flush=True)


def _be_killed(url: str, pipe: int) -> None:
    """Speaks in every channel at once while a worker works in the background; never returns."""

    async def live() -> None:
        async with opened(url, worker=True, jobs={"poll_seconds": 0.02}) as memory:
            await asyncio.gather(
                *(
                    speak(memory.channel(name), 1_000_000, lambda line: os.write(pipe, f"{line}\n".encode()) and None)
                    for name in CHANNELS
                )
            )

    try:
        asyncio.run(live())
    finally:
        os._exit(3)  # the round sees that it wasn't the kill


# What is there


@dataclass
class Contents:
    """What a database holds, without what differs from run to run: random ids, and the time something was made."""

    messages: list[tuple[Any, ...]] = field(default_factory=list)
    chunks: list[tuple[Any, ...]] = field(default_factory=list)
    facts: list[tuple[Any, ...]] = field(default_factory=list)
    extracts: list[tuple[Any, ...]] = field(default_factory=list)
    structured: list[tuple[Any, ...]] = field(default_factory=list)
    structurings: list[tuple[Any, ...]] = field(default_factory=list)
    briefs: list[tuple[Any, ...]] = field(default_factory=list)
    told: list[tuple[Any, ...]] = field(default_factory=list)
    notes: list[tuple[Any, ...]] = field(default_factory=list)
    topics: list[tuple[Any, ...]] = field(default_factory=list)
    note_people: list[tuple[Any, ...]] = field(default_factory=list)
    buffers: list[tuple[Any, ...]] = field(default_factory=list)
    documents: list[tuple[Any, ...]] = field(default_factory=list)
    # What two notes state alike is a fact of whichever was written first, so these differ from run to run.
    profiles: list[tuple[Any, ...]] = field(default_factory=list, compare=False)
    profile_documents: list[tuple[Any, ...]] = field(default_factory=list, compare=False)
    names: list[tuple[Any, ...]] = field(default_factory=list)
    channels: list[tuple[Any, ...]] = field(default_factory=list)
    cursors: list[tuple[Any, ...]] = field(default_factory=list)
    jobs: list[tuple[Any, ...]] = field(default_factory=list)


def timeless(found: Contents) -> Contents:
    """Without the briefs and topics: what they hold depends on when turns were folded and notes put together, not only on what was said."""
    documents = [row for row in found.documents if row[0] not in ("brief", "topic")]
    notes = [row for row in found.notes if row[1] == "note"]
    people = [row for row in found.note_people if row[0].startswith("nte_")]
    return replace(found, briefs=[], documents=documents, notes=notes, note_people=people, topics=[])


SELECTS = {
    "messages": "channel, seq, key, role, person, name, text, at, meta FROM messages",
    "chunks": "c.channel, c.level, c.first_seq, c.last_seq, c.number, c.id, c.parent, m.text, m.writer, m.draft, m.stale, m.from_at,"
    " m.to_at FROM chunks c LEFT JOIN memories m ON m.space = c.space AND m.id = c.id AND m.deleted_at IS NULL",
    "facts": "channel, first_seq, last_seq, position, id, seq, person, text, writer, draft, at FROM memories"
    " WHERE kind = 'fact' AND deleted_at IS NULL",
    "extracts": "channel, first_seq, last_seq, found, writer, draft FROM readings WHERE kind = 'fact'",
    "structured": "m.channel, m.first_seq, m.last_seq, m.position, m.id, m.seq, m.category, m.text, m.person, m.said_by, m.data, t.thread,"
    " m.at, m.valid_from, m.valid_to, m.superseded_by, m.restates, m.writer, m.draft FROM memories m"
    " LEFT JOIN structured_threads t ON t.space = m.space AND t.id = m.id WHERE m.kind = 'structured' AND m.deleted_at IS NULL",
    "structurings": "channel, first_seq, last_seq, found, writer, draft FROM readings WHERE kind = 'structured'",
    "briefs": "channel, id, text, cursor, draft_text, draft_cursor FROM briefs",
    "told": "person, channel, id, text, writer, draft FROM memories WHERE kind = 'told' AND deleted_at IS NULL",
    "notes": "channel, kind, first_seq, last_seq, id, category, title, text, from_at, to_at, writer, draft FROM memories"
    " WHERE kind IN ('note', 'topic') AND deleted_at IS NULL",
    "topics": "id, source FROM memory_sources WHERE id LIKE 'top%'",
    "note_people": "id, person FROM note_people",
    "buffers": "channel, first_seq, last_seq, messages, started_at, updated_at FROM buffers",
    "documents": f"d.kind, d.channel, d.person, d.at, coalesce(m.key, d.id) AS what FROM {SEARCHED} d"
    " LEFT JOIN messages m ON m.space = d.space AND m.id = d.id WHERE d.kind <> 'profile'",
    "profiles": "id FROM memories WHERE kind = 'profile' AND valid_to IS NULL AND deleted_at IS NULL",
    "profile_documents": "id FROM documents WHERE kind = 'profile'",
    "names": "person, name, first_at, last_at FROM names",
    "channels": "channel, last_seq FROM channels",
    "cursors": "channel, seq, number FROM chunk_cursors",
    "jobs": "kind, key, state FROM jobs",
}


async def contents(url: str) -> Contents:
    """Also asks the database whether it is sound."""
    database = open_database(load(database=url))
    await database.open()
    try:
        assert await database.check() == []
        return await _read(database)
    finally:
        await database.close()


async def _read(database: Database) -> Contents:
    async def unit(tx: Any) -> Contents:
        found = {}
        for name, select in SELECTS.items():
            sql = f"SELECT {select}"
            found[name] = sorted((tuple(row.values()) for row in await tx.all(make(name, sql, sql))), key=repr)
        return Contents(**found)

    return await database.read("default", unit)


def broken_promises(found: Contents, acknowledged: list[str]) -> list[str]:
    """What must hold at every moment, whoever died when."""
    broken = []
    stored = Counter(f"{key} {seq}" for _, seq, key, *_ in found.messages)
    broken += [f"lost: {line}" for line in set(acknowledged) - stored.keys()]
    broken += [f"stored {count} times: {line}" for line, count in stored.items() if count > 1]
    sizes = dict(found.channels)
    for channel, size in sizes.items():
        numbers = sorted(seq for name, seq, *_ in found.messages if name == channel)
        if numbers != list(range(1, size + 1)):
            broken.append(f"{channel} has gaps: {numbers}")
    broken += _work_left_out(found, sizes) + _noted_wrong(found)
    documents = Counter(document[-1] for document in found.documents)
    parts = Counter(topic for topic, _ in found.topics)
    wanted = Counter(
        [key for _, _, key, *_ in found.messages]
        + [row[5] for row in found.chunks]
        + [row[4] for row in found.facts]
        + [row[4] for row in found.structured]
        + [row[1] for row in found.briefs if row[2] or row[4]]
        + [row[2] for row in found.told]
        + [
            row[4] for row in found.notes if row[1] == "note" or parts[row[4]] > 1
        ]  # a topic of one note is found through it
    )
    broken += [f"can't be found, or twice: {what}" for what in (documents - wanted) + (wanted - documents)]
    broken += [f"can't be found, or twice: {what}" for what in set(found.profiles) ^ set(found.profile_documents)]
    return broken


def _work_left_out(found: Contents, sizes: dict[str, int]) -> list[str]:
    """Every full chunk has all its jobs, and what a done job made is there."""
    broken = []
    jobs = {(kind, key): state for kind, key, state in found.jobs}
    summed_up = {(row[0], row[2], row[3]) for row in found.chunks if row[1] == 0}
    read = {row[:3] for row in found.extracts}
    noted = {row[:3] for row in found.structurings}
    kinds = (("chunks.summarise", summed_up), ("facts.extract", read), ("structured.structure", noted))
    step = SIZES["chunk_size"]
    for channel, size in sizes.items():
        for first in range(1, size - step + 2, step):
            place = (channel, first, first + step - 1)
            for kind, made in kinds:
                state = jobs.get((kind, f"{channel}:0:{first}-{first + step - 1}"))
                if state is None:
                    broken.append(f"no {kind} for {place}")
                elif (state == "done") != (place in made):
                    broken.append(
                        f"{kind} for {place} is {state}, its output {'is' if place in made else 'is not'} there"
                    )
    return broken


def _noted_wrong(found: Contents) -> list[str]:
    """Every message of a person is in one note or buffer, unless the channel is just being cut anew."""
    recut = {key for kind, key, state in found.jobs if kind == "notes.rebuild" and state != "done"}
    held = [(row[0], row[2], row[3]) for row in found.notes if row[1] == "note"] + [row[:3] for row in found.buffers]
    return [
        f"in {times} notes and buffers: {key}"
        for channel, seq, key, role, *_ in found.messages
        if role == "user" and channel not in recut
        if (times := sum(name == channel and first <= seq <= last for name, first, last in held)) != 1
    ]


async def finished(url: str) -> Contents:
    """After everything left over has been worked off, a day later so that retries are due too; nothing may be left of it."""
    tomorrow = FixedClock()
    tomorrow.advance(days=1)
    async with opened(url, tomorrow) as memory:
        settled = await memory.settle()
        parked = await memory.jobs.list(state="parked", limit=1000)
        if parked and all(
            "worker died" in str(each.reason) for each in parked
        ):  # as it did: nothing is wrong with the job
            await memory.jobs.retry()
            settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0), await memory.jobs.list(limit=1000)
    found = await contents(url)
    assert {state for *_, state in found.jobs} <= {"done"}
    found.jobs = []
    return found


async def undisturbed(url: str, sizes: dict[str, int], *, telling: bool = False) -> Contents:
    """The same conversation without anything going wrong."""
    async with opened(url) as memory:
        if telling:
            await tell(memory)
        for channel, size in sizes.items():
            for start in range(1, size + 1, 500):
                until = min(size, start + 499)
                await memory.channel(channel).add_many([said(channel, n) for n in range(start, until + 1)])
    return await finished(url)


if __name__ == "__main__":
    {"nursery": nursery, "dying": dying}[sys.argv[1]](*sys.argv[2:])
