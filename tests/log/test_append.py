"""Adding: gap-free, in order, once per key, whoever adds."""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import erstwhile
from cases import case
from erstwhile import Memory, NewMessage
from erstwhile.api.channel import Channel
from erstwhile.storage.queries import make
from inside import runtime
from soak.size import SOAK
from support import forks


async def told(channel: Channel, after: int = 0, limit: int | None = None) -> list[erstwhile.Message]:
    return [message async for message in channel.messages(after, limit)]


async def test_messages_are_numbered_from_one_in_the_order_they_came(memory: Memory) -> None:
    talk = memory.channel("talk")
    assert await talk.size() == 0
    assert await told(talk) == []
    first = await talk.add("user", "one")
    batch = await talk.add_many([NewMessage("assistant", "two"), {"role": "user", "text": "three"}])
    last = await talk.add("tool", "four")
    assert [message.seq for message in (first, *batch, last)] == [1, 2, 3, 4]
    assert await told(talk) == [first, *batch, last]
    assert await talk.size() == 4


async def test_an_empty_batch_changes_nothing(memory: Memory) -> None:
    assert await memory.channel("talk").add_many([]) == []
    assert await memory.channel("talk").size() == 0


async def test_each_channel_and_each_space_counts_for_itself(memory: Memory) -> None:
    places = [("talk", None), ("talk", "other"), ("hall", None), ("hall", "other")]
    for _ in range(3):
        for channel, space in places:
            await memory.channel(channel, space).add("user", f"in {channel} of {space}")
    for channel, space in places:
        messages = await told(memory.channel(channel, space))
        assert [message.seq for message in messages] == [1, 2, 3]
        assert {message.text for message in messages} == {f"in {channel} of {space}"}


async def test_concurrent_adders_get_every_number_exactly_once(memory: Memory) -> None:
    talk = memory.channel("talk")
    added = await asyncio.gather(*(talk.add("user", f"message {number}") for number in range(100)))
    assert sorted(message.seq for message in added) == list(range(1, 101))
    stored = await told(talk)
    assert [message.seq for message in stored] == list(range(1, 101))
    assert {message.id: message for message in stored} == {message.id: message for message in added}


async def test_a_batch_stays_together_among_concurrent_batches(memory: Memory) -> None:
    talk = memory.channel("talk")
    batches = await asyncio.gather(
        *(talk.add_many([NewMessage("user", f"{batch}/{n}") for n in range(7)]) for batch in range(20))
    )
    for batch in batches:
        assert [message.seq for message in batch] == list(range(batch[0].seq, batch[0].seq + 7))
    assert await talk.size() == 140


# Keys


async def test_the_same_key_again_gives_back_the_message_stored_then(memory: Memory) -> None:
    talk = memory.channel("talk")
    first = await talk.add("user", "as it was said", key="k1", meta={"n": 1})
    again = await talk.add("assistant", "something else entirely", key="k1")
    assert again == first
    assert await told(talk) == [first]


async def test_keys_may_repeat_inside_a_batch_and_across_batches_in_any_mixture(memory: Memory) -> None:
    talk = memory.channel("talk")
    one = await talk.add_many([{"role": "user", "text": f"{key}1", "key": key} for key in ("a", "b", "a", "c")])
    assert [message.text for message in one] == ["a1", "b1", "a1", "c1"]
    assert [message.seq for message in one] == [1, 2, 1, 3]
    two = await talk.add_many(
        [
            {"role": "user", "text": "new", "key": "d"},
            {"role": "user", "text": "b2", "key": "b"},
            {"role": "user", "text": "no key"},
            {"role": "user", "text": "d2", "key": "d"},
            {"role": "user", "text": "no key"},
        ]
    )
    assert [message.seq for message in two] == [4, 2, 5, 4, 6]
    assert [message.text for message in await told(talk)] == ["a1", "b1", "c1", "new", "no key", "no key"]


async def test_a_batch_of_nothing_but_repeats_leaves_no_trace(memory: Memory) -> None:
    talk = memory.channel("talk")
    batch = [{"role": "user", "text": f"text {n}", "key": f"k{n}"} for n in range(10)]
    first = await talk.add_many(batch)
    jobs = {job.id for job in await memory.jobs.list()}
    assert await talk.add_many(batch) == first
    assert await talk.size() == 10
    assert {job.id for job in await memory.jobs.list()} == jobs


async def test_every_message_sent_three_times_concurrently_and_shuffled_is_stored_once(memory: Memory) -> None:
    talk, number = memory.channel("talk"), 10_000 if SOAK else 60
    sends = [n for n in range(number) for _ in range(3)]
    random.Random(3).shuffle(sends)
    answers = await asyncio.gather(*(talk.add("user", f"I moved to house {n} in Busan.", key=f"k{n}") for n in sends))
    for n, answer in zip(sends, answers, strict=True):
        assert answer.text == f"I moved to house {n} in Busan."
    assert len({answer.id for answer in answers}) == number
    stored = await told(talk)
    assert sorted(message.key or "" for message in stored) == sorted(f"k{n}" for n in range(number))
    await memory.channel("talk", "once").add_many([NewMessage("user", each.text, key=each.key) for each in stored])
    await memory.settle()
    thrice, once = [await derived(memory, space) for space in ("default", "once")]
    assert len(once) > number / 10
    assert thrice == once, "as from messages that were sent once"


_DERIVED = "SELECT kind, first_seq, last_seq, text FROM memories WHERE space = :space"
_MEMORIES = make("test", _DERIVED, _DERIVED)


async def derived(memory: Memory, space: str) -> list[tuple[object, ...]]:
    """The memories of a space, without their ids."""
    found = await runtime(memory).database.read(space, lambda tx: tx.all(_MEMORIES))
    return sorted((each["kind"], each["first_seq"], each["last_seq"], each["text"]) for each in found)


async def test_the_same_key_means_different_messages_in_different_channels_and_spaces(memory: Memory) -> None:
    places = [("talk", "one"), ("talk", "two"), ("hall", "one")]
    added = [await memory.channel(*place).add("user", f"in {place}", key="same") for place in places]
    assert len({message.id for message in added}) == 3
    for place, message in zip(places, added, strict=True):
        assert await told(memory.channel(*place)) == [message]


ODD_KEYS = ["'; DROP TABLE messages; --", 'a"b', "k\\u0041", "%s%%", "🤫", "null", "1", "[1]", "\uffff"]


async def test_a_key_is_only_ever_text(memory: Memory) -> None:
    for key in ODD_KEYS:
        with case(key):
            talk = memory.channel(f"talk {ODD_KEYS.index(key)}")
            first = await talk.add("user", "once", key=key)
            assert (await talk.add("user", "twice", key=key)).id == first.id
            assert (await talk.add("user", "another", key=key + "'")).id != first.id
            assert first.key == key


# Threads and processes


def test_threads_share_one_memory(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False) as memory:

        def add_fifty(name: str) -> list[int]:
            talk = memory.channel("talk")
            return [talk.add("user", f"{name} {n}", key=f"{name}-{n % 40}").seq for n in range(50)]

        with ThreadPoolExecutor(6) as threads:
            numbers = [seq for found in threads.map(add_fifty, "abcdef") for seq in found]
        assert sorted(set(numbers)) == list(range(1, 241))
        assert [message.seq for message in memory.channel("talk").messages()] == list(range(1, 241))


def test_threads_with_a_memory_each_share_one_database(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False):
        pass

    def add_thirty(name: str) -> list[int]:
        with erstwhile.open_sync(database_url, worker=False) as memory:
            return [memory.channel("talk").add("user", f"{name} {n}", key=str(n)).seq for n in range(30)]

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(add_thirty, "abcd"))
    assert answers[0] == answers[1] == answers[2] == answers[3], "whoever came first, all hear of the same message"
    assert sorted(answers[0]) == list(range(1, 31))


ADD_AT_ONCE = """
import asyncio, sys, erstwhile
async def main(url, name):
    async with erstwhile.open(url, worker=False) as memory:
        print("ready", flush=True)
        sys.stdin.readline()
        talk = memory.channel("talk")
        async def add(part):
            for n in range(5):
                message = await talk.add("user", f"{name}/{part}/{n}", key=f"{name}/{part}/{n}")
                print(message.seq, message.key, flush=True)
        await asyncio.gather(*(add(part) for part in range(5)))
asyncio.run(main(*sys.argv[1:]))
"""


def test_four_processes_add_to_one_channel_at_once(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False):
        pass
    processes = [
        forks.Popen(
            [sys.executable, "-c", ADD_AT_ONCE, database_url, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in "abcd"
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:  # all at once
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=180) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0, 0], [error for _, error in answers]
    heard = {int(seq): key for out, _ in answers for seq, key in (line.split() for line in out.splitlines())}
    assert sorted(heard) == list(range(1, 101))
    with erstwhile.open_sync(database_url, worker=False) as memory:
        stored = list(memory.channel("talk").messages())
        assert [message.seq for message in stored] == list(range(1, 101))
        assert {message.seq: message.key for message in stored} == heard
        assert memory.settle().parked == 0
        assert len([job for job in memory.jobs.list(limit=500) if job.kind == "chunks.summarise"]) == 10


# Reading


async def test_reading_goes_page_by_page_from_anywhere(memory: Memory) -> None:
    talk = memory.channel("talk")
    await talk.add_many([NewMessage("user", f"m{n}") for n in range(1, 1101)])  # more than two pages of 500

    async def numbers(after: int = 0, limit: int | None = None) -> list[int]:
        return [message.seq for message in await told(talk, after, limit)]

    assert await numbers() == list(range(1, 1101))
    assert await numbers(after=1099) == [1100]
    assert await numbers(after=1100) == []
    assert await numbers(after=5000) == []
    assert await numbers(limit=3) == [1, 2, 3]
    assert await numbers(after=498, limit=4) == [499, 500, 501, 502]
    assert await numbers(limit=0) == []
    assert await numbers(after=0, limit=500) == list(range(1, 501))
    assert await numbers(after=0, limit=501) == list(range(1, 502))
    assert await numbers(limit=100_000) == list(range(1, 1101))


async def test_what_is_added_while_reading_is_read_too(memory: Memory) -> None:
    talk = memory.channel("talk")
    await talk.add_many([NewMessage("user", f"m{n}") for n in range(500)])
    seen = 0
    async for message in talk.messages():
        seen += 1
        if message.seq == 500:
            await talk.add("user", "one more")
    assert seen == 501


# Never changed


def test_no_query_changes_a_message_but_erasure_and_only_retention_and_erasure_remove_one() -> None:
    package = Path(erstwhile.__file__).parent
    files = sorted(package.rglob("queries*.sql"))
    assert len(files) > 5
    for file in files:
        sql = re.sub(r"--.*", "", file.read_text(encoding="utf-8"))
        changes = re.findall(r"\b(?:UPDATE|REPLACE\s+INTO|TRUNCATE)\s+messages\b[^;]*?(?=\n\n|$)", sql, re.IGNORECASE)
        reworded = ["UPDATE messages SET text = :text, checksum = :checksum WHERE space = :space AND id = :id"]
        allowed = reworded if file.name == "queries.sql" and file.parent.name == "log" else []
        renumbered = [each for each in changes if re.match(r"UPDATE messages SET doc = ", each)]  # see test_queries.py
        assert len(renumbered) == (file.parent.name == "log" and file.name != "queries.sql"), file
        assert [each for each in changes if each not in renumbered] == allowed, file
        removes = re.search(r"\bDELETE\s+FROM\s+messages\b", sql, re.IGNORECASE)
        assert not removes or file.parent.name == "log", file
        assert not re.search(r"INSERT INTO messages\b[^;]*ON CONFLICT[^;]*DO UPDATE", sql, re.IGNORECASE), file


async def test_working_and_rebuilding_leave_every_message_as_it_was(memory: Memory) -> None:
    talk = memory.channel("talk")
    await talk.add_many([NewMessage("user", f"I moved to house {n}.", person="mina", key=str(n)) for n in range(25)])
    before = await told(talk)
    await memory.settle()
    await memory.spaces.rebuild()
    await memory.settle()
    assert await told(talk) == before
