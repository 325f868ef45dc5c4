"""A server of a made-up community, as a process that can be killed, and what must be true of its memory afterwards.

python month.py URL MODEL_URL DAY SHARD SHARDS PEOPLE MESSAGES     says one day; a line per acknowledged message
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile import Memory
from erstwhile.base.page import every
from erstwhile.testing import FixedClock, ModelServer
from support import forks

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.guild import START, Event, Guild

BLOCKED = "p07"  # blocked before the first word
SPACE = "guild"
TICK = timedelta(minutes=20)


def opened(url: str, model_url: str, clock: FixedClock) -> Memory:
    model: dict[str, Any] = {"model": "openai-compatible:scripted", "base_url": model_url} if model_url else {}
    return erstwhile.open(
        url,
        clock=clock,
        space=SPACE,
        recipe="community",
        worker=False,
        retry_base_seconds=2,
        jobs={"lease_seconds": 4},
        **model,
    )


def mine(event: Event, shard: int, shards: int) -> bool:
    return int(hashlib.sha256(event.channel.encode()).hexdigest(), 16) % shards == shard


async def say(url: str, model_url: str, guild: Guild, day: int, shard: tuple[int, int]) -> None:
    """One day of one of the servers. Said again after a kill, it changes nothing: every message has its key."""
    clock = FixedClock(START + timedelta(days=day))
    declared: set[str] = set()
    async with opened(url, model_url, clock) as memory:
        for event in guild.day(day):
            if not mine(event, *shard):
                continue
            while clock.now + TICK < event.at:
                clock.now += TICK
                await memory.settle()
            clock.now = max(clock.now, event.at)
            chat = memory.channel(event.channel)
            if event.channel not in declared:  # as a bot does that knows whom the platform lets in
                await memory.channels.set_privacy(chat, "open")
                declared.add(event.channel)
            stored = await chat.add(
                event.role, event.text, person=event.person, name=event.name, at=event.at, key=event.key
            )
            sys.stdout.write(f"{event.key} {stored.seq}\n")
            sys.stdout.flush()
        clock.now = START + timedelta(days=day + 1) - timedelta(seconds=1)
        await memory.settle()


@dataclass
class Month:
    """`kills`: days on which the server dies; `twice`: days with two servers; `dark`: days without a model."""

    url: str
    server: ModelServer
    guild: Guild
    days: int
    kills: frozenset[int] = frozenset()
    twice: frozenset[int] = frozenset()
    dark: frozenset[int] = frozenset()
    acknowledged: dict[str, int] = field(default_factory=dict)
    died: int = 0

    def live(self) -> None:
        forks.ahead(
            "erstwhile.writers.prompted", "pydantic_ai.models.openai", "pydantic_ai.providers.openai_compatible"
        )
        asyncio.run(self._block())
        for day in range(self.days):
            if day in self.dark:
                self.server.down()
            elif day - 1 in self.dark:
                self.server.up()
            self._day(day)
        asyncio.run(self._end())

    def _day(self, day: int) -> None:
        shards = 2 if day in self.twice else 1
        chance = random.Random(day)
        if day in self.kills:
            self._started(day, (0, shards)).until(chance.randint(1, self.guild.messages_a_day // shards), self)
            self.died += 1
        servers = [self._started(day, (shard, shards)) for shard in range(shards)]
        for server in servers:
            server.until(None, self)

    def _started(self, day: int, shard: tuple[int, int]) -> Server:
        sizes = (self.guild.people, self.guild.messages_a_day)
        words = [self.url, self.server.base_url, *(str(each) for each in (day, *shard, *sizes))]
        return Server(
            forks.Popen([sys.executable, str(Path(__file__).resolve()), *words], stdout=subprocess.PIPE, text=True)
        )

    async def _block(self) -> None:
        async with opened(self.url, "", FixedClock(START)) as memory:
            await memory.people.block(BLOCKED)

    async def _end(self) -> None:
        """The next day comes, and everything that waited is done."""
        clock = FixedClock(START + timedelta(days=self.days))
        async with opened(self.url, self.server.base_url, clock) as memory:
            for _ in range(30):
                await memory.settle()
                clock.advance(hours=1)


@dataclass
class Server:
    process: subprocess.Popen[str]

    def until(self, kill_after: int | None, month: Month) -> None:
        """Reads what it acknowledges; kills it, without a word, after so many."""
        assert self.process.stdout is not None
        for count, line in enumerate(self.process.stdout, start=1):
            key, seq = line.split()
            assert month.acknowledged.setdefault(key, int(seq)) == int(seq), f"{key} has two numbers"
            if count == kill_after:
                self.process.kill()
                break
        code = self.process.wait()
        self.process.stdout.close()
        assert kill_after is not None or code == 0, f"a server ended with {code}"


# What must be true afterwards


async def broken(month: Month) -> list[str]:
    """Every promise that is not kept, as a sentence."""
    complaints: list[str] = []
    clock = FixedClock(START + timedelta(days=month.days + 2))
    async with opened(month.url, "", clock) as memory:
        notes = [each for kind in ("note", "topic") for each in await every(memory.notes.list, kind=kind)]
        complaints += await _messages(memory, month)
        complaints += await _in_one_place(memory, month, notes)
        complaints += _topics(notes, month.guild)
        complaints += await _profiles(memory, notes)
        complaints += [f"{each.kind} is {each.state}: {each.reason}" for each in await memory.jobs.list(state="parked")]
        complaints += [f"{each.id} is still a draft" for each in notes if each.draft]
    return complaints


async def _messages(memory: Memory, month: Month) -> list[str]:
    said = [event for day in range(month.days) for event in month.guild.day(day)]
    stored = {
        message.key: (channel, message.seq)
        for channel in sorted({event.channel for event in said})
        async for message in memory.channel(channel).messages()
    }
    kept = {event.key: event for event in said if event.person != BLOCKED}
    lost = [f"lost: {key}" for key in kept if key not in stored]
    wrong = [
        f"{key} was acknowledged as {seq}"
        for key, seq in month.acknowledged.items()
        if key in kept and stored.get(key, ("", seq))[1] != seq
    ]
    return lost + wrong + [f"kept of a blocked person: {key}" for key in stored if key not in kept]


async def _in_one_place(memory: Memory, month: Month, notes: list[Any]) -> list[str]:
    places: Counter[tuple[str, int]] = Counter()
    for each in [*(note for note in notes if note.kind == "note"), *await memory.notes.buffers()]:
        places.update((each.channel, seq) for seq in range(each.first_seq, each.last_seq + 1))
    complaints = []
    for channel in sorted({event.channel for day in range(month.days) for event in month.guild.day(day)}):
        async for message in memory.channel(channel).messages():
            held = places[channel, message.seq]
            if held > 1 or (held == 0 and message.role == "user"):
                complaints.append(f"{channel} {message.seq} is in {held} notes or buffers")
    return complaints


def _topics(notes: list[Any], guild: Guild) -> list[str]:
    topics = [note for note in notes if note.kind == "topic"]
    placed = Counter(part for topic in topics for part in topic.notes)
    complaints = [
        f"{note.id} is in {placed[note.id]} topics" for note in notes if note.kind == "note" and placed[note.id] != 1
    ]
    for day, count in Counter(topic.day for topic in topics).items():
        parts = sum(len(topic.notes) for topic in topics if topic.day == day)
        if not min(3, parts) <= count <= 8:
            complaints.append(f"{day} has {count} topics of {parts} notes")
    return complaints


async def _profiles(memory: Memory, notes: list[Any]) -> list[str]:
    by_id = {note.id: note for note in notes}
    complaints = []
    for person in await memory.people.list():
        profile = await memory.people.profile(person.person, ended=True)
        for fact in (fact for facts in profile.sections.values() for fact in facts):
            note = by_id.get(fact.note or "")
            if BLOCKED in (fact.person, fact.said_by):
                complaints.append(f"a fact of or by a blocked person: {fact.text}")
            if note is None or fact.seq is None or not note.first_seq <= fact.seq <= note.last_seq:
                complaints.append(f"{fact.id} can't be traced: {fact.text}")
                continue
            leaned = [message async for message in memory.channel(fact.channel).messages(fact.seq - 1, 1)]
            if leaned[0].person != (fact.said_by or fact.person):
                complaints.append(f"{fact.id} leans on a message of {leaned[0].person}: {fact.text}")
    return complaints


if __name__ == "__main__":
    url, model_url, *numbers = sys.argv[1:]
    day, shard, shards, people, messages = map(int, numbers)
    asyncio.run(say(url, model_url, Guild(people, messages), day, (shard, shards)))
