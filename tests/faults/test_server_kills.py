"""kill -9 of the real server under load, again and again, while clients send what was not acknowledged again until it is."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from crashing import SIZES, Contents, broken_promises, contents, opened, said

from erstwhile.base.clock import utc_now
from soak.size import NUMBER, SOAK
from support.serving import Served
from support.traffic import Broken, Connection

ROUNDS = {"sqlite": 250 if SOAK else 6, "postgres": 15 if SOAK else 3}
CLIENTS = 8
LONGEST = 0.8  # seconds a server may live once it is ready
PAUSE = 0.05 if SOAK else 0.0  # seconds at most between two messages: what is left over is worked off in the end


class Client:
    """Says one thing after the other, each until it hears that it is stored. Two clients share a channel."""

    def __init__(self, number: int, port: int, *, keyed: bool = True) -> None:
        self.channel, self._start = f"room-{number // 2}", number % 2
        self._connection, self._keyed = Connection(port), keyed
        self.acknowledged: list[str] = []
        self.again = 0

    async def talk(self, enough: asyncio.Event) -> None:
        number, chance = 1 + self._start, random.Random(self.channel)
        while not enough.is_set():
            await self.say(number)
            await asyncio.sleep(chance.uniform(0, PAUSE))
            number += 2
        self.close()

    def close(self) -> None:
        self._connection.close()

    async def say(self, number: int) -> None:
        new = said(self.channel, number)
        assert isinstance(new.at, datetime)
        body = {"role": new.role, "text": new.text, "person": new.person, "name": new.name, "at": new.at.isoformat()}
        body |= {"meta": dict(new.meta)} | ({"key": new.key} if self._keyed else {})
        while True:
            try:
                status, answer = await self._connection.send(
                    "POST", f"/v1/spaces/default/channels/{self.channel}/messages", body
                )
            except Broken:
                self.again += 1
                await asyncio.sleep(0.01)
                continue
            assert status == 201, answer
            self.acknowledged.append(f"{new.key} {json.loads(answer)['seq']}")
            return


async def killed(url: str, rounds: int) -> list[Client]:
    """Kills the server so many times; the last one is asked to stop, once every client has heard of everything it said."""
    chance, enough = random.Random(1000 * (NUMBER - 1) + rounds), asyncio.Event()
    server = Served(url, jobs={"poll_seconds": 0.05}, **SIZES)
    clients = [Client(number, server.port) for number in range(CLIENTS)]
    talking = [asyncio.create_task(client.talk(enough)) for client in clients]
    try:
        for number in range(rounds + 1):
            await asyncio.to_thread(server.start)
            await asyncio.to_thread(server.ready)
            await asyncio.sleep(chance.uniform(0.05, LONGEST))
            if number < rounds:
                await asyncio.to_thread(server.kill)
        async with asyncio.timeout(300):  # a busy machine lets few requests through between two kills
            while sum(len(client.acknowledged) for client in clients) <= rounds * CLIENTS:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        enough.set()
        await asyncio.gather(*talking)
    finally:
        for task in talking:
            task.cancel()
        await asyncio.to_thread(server.stop)
    return clients


def doubles(found: Contents) -> list[str]:
    """What was said once and is there more often, told by its number, which every message carries."""
    times = Counter((row[0], row[8]) for row in found.messages)
    return [f"stored {count} times: {each}" for each, count in times.items() if count > 1]


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice(database_url: str) -> None:
    rounds = ROUNDS["postgres" if database_url.startswith("postgres") else "sqlite"]
    clients = await killed(database_url, rounds)
    acknowledged = [line for client in clients for line in client.acknowledged]
    assert len(acknowledged) > rounds * CLIENTS, "the clients hardly got a word in"
    assert all(client.again for client in clients), "no client met a kill"
    found = await contents(database_url)
    assert broken_promises(found, acknowledged) + doubles(found) == []
    assert len(found.messages) == len(acknowledged)
    async with opened(database_url, lambda: utc_now() + timedelta(days=1)) as memory:
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0), await memory.jobs.list(limit=1000)
    later = await contents(database_url)
    later.jobs = [*found.jobs, *later.jobs]  # done jobs are deleted after a day
    assert broken_promises(later, acknowledged) + doubles(later) == []


async def test_the_checks_can_see_a_double_and_a_loss(tmp_path: Path) -> None:
    """The control: without keys, what is sent again because its answer went missing is there twice, and the checks say so."""
    url = str(tmp_path / "doubled.db")
    with Served(url, **SIZES) as server:
        client = Client(0, server.port, keyed=False)
        for number in (1, 3, 3):
            await client.say(number)
        client.close()
    found = await contents(url)
    assert len(doubles(found)) == 1
    claimed = [*(f"{None} {seq}" for seq in (1, 2, 3)), "room-0/5 4"]
    assert [each for each in broken_promises(found, claimed) if each.startswith("lost")] == ["lost: room-0/5 4"]
