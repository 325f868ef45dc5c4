"""Adds of many callers share a transaction, with everything that holds for one."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.api import message_store
from erstwhile.log.model import Message
from erstwhile.storage.exchange import Exchange
from support import forks

MANY = 64
# Adds to eight channels at once, without an end, and writes what was acknowledged.
SPEAKER = """
import asyncio, os, sys, erstwhile

async def speak(memory, number):
    chat = memory.channel(f"channel-{number % 8}")
    for count in range(1000):
        key = f"{number}-{count}"
        message = await chat.add("user", f"message {key}", person=f"p{number}", key=key)
        os.write(1, f"{chat.channel}/{message.seq}/{key}\\n".encode())

async def main():
    async with erstwhile.open(sys.argv[1], worker=False) as memory:
        await asyncio.gather(*(speak(memory, number) for number in range(32)))

asyncio.run(main())
"""


class Refused(Exception):
    pass


async def test_the_adds_of_many_callers_share_transactions(bare_postgres: str) -> None:
    """Postgres marks each row with the transaction that wrote it."""
    async with erstwhile.open(bare_postgres, worker=False) as memory:
        adds = [memory.channel(f"channel {n}").add("user", f"hello {n}", person=f"p{n}") for n in range(MANY)]
        await asyncio.gather(*adds)
    with psycopg.connect(bare_postgres) as connection:
        for table in ("messages", "document_terms", "events", "jobs"):
            row = connection.execute(f"SELECT count(*), count(DISTINCT xmin::text) FROM {table}").fetchone()  # type: ignore[arg-type]
            assert row is not None
            assert row[0] == (2 * MANY if table == "jobs" else MANY), "a note and the tail are waited for"
            assert row[1] <= 3, table


async def test_an_add_takes_two_round_trips(bare_postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trips = 0
    wait = Exchange._wait

    async def counted(self: Exchange, work: Any) -> Any:
        nonlocal trips
        trips += 1
        return await wait(self, work)

    async with erstwhile.open(bare_postgres, worker=False) as memory:
        chat = memory.channel("chat")
        await chat.add("user", "the first makes channel and space", person="ada", name="Ada")
        monkeypatch.setattr(Exchange, "_wait", counted)
        await chat.add("user", "hello", person="ada", name="Ada", key="one")
        assert trips == 2
        await asyncio.gather(*(chat.add("assistant", f"answer {n}", key=f"many {n}") for n in range(5)))
        assert trips == 4, "and so do several together"
        twenty = [{"role": "user", "text": f"message {n}"} for n in range(20)]
        await memory.channel("batches").add_many(twenty)
        before = trips
        await memory.channel("batches").add_many(twenty)
        assert trips == before + 3, "whoever fills chunks also asks up to where they are cut"


async def test_concurrent_adds_to_a_channel_have_consecutive_numbers_in_their_order(memory: Memory) -> None:
    chat = memory.channel("chat")
    added = await asyncio.gather(*(chat.add("user", f"message {n}", person=f"p{n % 3}") for n in range(MANY)))
    assert [each.seq for each in added] == list(range(1, MANY + 1))
    stored = [message async for message in chat.messages()]
    assert [each.text for each in stored] == [f"message {n}" for n in range(MANY)]
    assert [each.id for each in stored] == [each.id for each in added]


async def test_the_same_key_at_the_same_time_is_stored_once(memory: Memory) -> None:
    chats = [memory.channel(f"channel {n % 2}") for n in range(10)]
    added = await asyncio.gather(*(chat.add("user", "once", key="same") for chat in chats))
    assert len({each.id for each in added}) == 2, "one in each channel"
    assert [await memory.channel(f"channel {n}").size() for n in range(2)] == [1, 1]


async def test_a_refused_add_does_not_touch_those_it_shares_a_transaction_with(memory: Memory) -> None:
    def refuse(_stored: Sequence[Message]) -> None:
        raise Refused

    said = [{"role": "user", "text": "no", "person": "eve"}]
    await memory.channel("chat").add("user", "hello")
    good = [memory.channel("chat").add("user", f"good {n}") for n in range(10)]
    refused = [message_store.add_many(memory.channel(name), said, refuse) for name in ("chat", "empty")]
    results = await asyncio.gather(*good[:5], *refused, *good[5:], return_exceptions=True)
    assert [isinstance(each, Refused) for each in results] == [False] * 5 + [True] * 2 + [False] * 5
    assert await memory.channel("chat").size() == 11
    assert [each.channel for each in await memory.channels.list()] == ["chat"], "no empty channel stays"
    assert await memory.people.list() == []


async def test_answers_to_an_erased_question_are_dropped_and_the_others_stored(memory: Memory) -> None:
    asked = await memory.channel("gone").add("user", "a question")
    await memory.erase(channel="gone")
    results = await asyncio.gather(
        message_store.say(memory.channel("gone"), "assistant", "an answer", question=asked),
        *(memory.channel("chat").add("user", f"other {n}") for n in range(5)),
    )
    assert [each.seq for each in results] == [0, 1, 2, 3, 4, 5]
    assert [each.channel for each in await memory.channels.list()] == ["chat"]


@pytest.mark.parametrize("point", ["log.append.after_messages", "storage.before_commit", "storage.after_commit"])
async def test_killed_in_a_shared_transaction_nothing_acknowledged_is_lost(database_url: str, point: str) -> None:
    times = 4  # the first groups are through, the next dies with all that is in it
    command = [sys.executable, "-c", SPEAKER, database_url]
    ended = await asyncio.to_thread(forks.run, command, env={**os.environ, "ERSTWHILE_CRASH_AT": f"{point}:{times}"})
    assert ended.returncode == -9, ended.stderr
    stored: list[str] = []
    async with erstwhile.open(database_url, worker=False) as memory:
        for number in range(8):
            found = [message async for message in memory.channel(f"channel-{number}").messages()]
            assert [each.seq for each in found] == list(range(1, len(found) + 1))
            stored += [f"channel-{number}/{each.seq}/{each.key}" for each in found]
    acknowledged = ended.stdout.split()
    assert len(acknowledged) >= 32, "whole groups were acknowledged before"
    assert set(acknowledged) <= set(stored)
