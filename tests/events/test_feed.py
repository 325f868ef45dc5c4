"""The feed of changes: what changes is told once, in order, to whoever watches, whoever changed it and in whatever order they commit."""

from __future__ import annotations

import asyncio
import random
import re
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

import erstwhile
from erstwhile.events import reading, store
from erstwhile.events.feed import Watch
from erstwhile.events.model import Event
from erstwhile.events.reading import CursorKey, FeedPosition
from erstwhile.storage import EVERYWHERE
from erstwhile.storage.queries import make
from erstwhile.testing import Fault, FixedClock, ModelServer
from inside import runtime
from soak.size import SOAK
from support import forks

SMALL = {"chunk_size": 4, "meta_size": 2, "recipe": "dual"}


@pytest.fixture
async def small(database_url: str, clock: FixedClock) -> object:
    async with erstwhile.open(database_url, clock=clock, worker=False, **SMALL) as opened:  # type: ignore[arg-type]
        yield opened


def said(count: int, start: int = 1) -> list[dict[str, Any]]:
    return [
        {"role": "user", "person": "alice", "text": f"I bought {n} red lanterns at the market in Busan."}
        for n in range(start, start + count)
    ]


async def watching(memory: erstwhile.Memory, after: str | None = None) -> Watch:
    watch = memory.events.watch(after=after)
    await watch.start()
    return watch


async def so_far(memory: erstwhile.Memory, watch: Watch) -> list[Event]:
    """Everything up to a change made now, for the purpose."""
    name = f"end-{random.random()}"
    await memory.people.block(name)
    found = []
    async for event in watch:
        if event.id == name:
            break
        found.append(event)
    return found


def told(events: Sequence[Event]) -> list[tuple[str, str, str]]:
    return [(event.kind, event.action, event.id) for event in events if not event.id.startswith("end-")]


async def test_what_was_said_is_told_once_for_all_that_came_together(memory: erstwhile.Memory) -> None:
    watch, chat = await watching(memory), memory.channel("chat")
    await memory.channel("chat", space="other").add("user", "not for you")
    stored = await chat.add_many([{**each, "key": f"k{n}"} for n, each in enumerate(said(3))])
    await chat.add_many([{**each, "key": f"k{n}"} for n, each in enumerate(said(3))])  # there already
    alone = await chat.add("assistant", "Lovely.")
    one, other = await so_far(memory, watch)
    assert (one.kind, one.action, one.id, one.channel) == ("message", "added", stored[-1].id, "chat")
    assert (one.person, one.seq, one.until) == ("alice", 1, 3)
    assert (other.id, other.person, other.seq, other.until) == (alone.id, None, 4, 4)


async def test_memories_made_edited_deleted_and_made_again(small: erstwhile.Memory) -> None:
    watch, chat = await watching(small), small.channel("chat")
    await chat.add_many(said(8))
    await small.settle()
    found = await so_far(small, watch)
    shown = {hit.id for hit in await small.memories.list(limit=1000)}
    assert {event.id for event in found if event.action == "added" and event.kind != "message"} == shown
    chunk, meta = (await small.channels.summaries(chat, level=0))[0], (await small.channels.summaries(chat, level=1))[0]
    fact = (await small.facts.list(chat))[0]
    await small.memories.edit(chunk.id, "They bought lanterns.", by="bob")
    await small.memories.edit(chunk.id, "They bought red lanterns.", by="bob")
    await small.memories.delete(fact.id, by="bob")
    assert told(await so_far(small, watch)) == [
        ("chunk", "changed", chunk.id),
        ("meta", "stale", meta.id),
        ("chunk", "changed", chunk.id),
        ("fact", "removed", fact.id),
    ]
    await small.memories.realign(chat)
    await small.memories.regenerate(chat, chunk.first, chunk.last, overwrite=True)
    found = await so_far(small, watch)
    assert ("meta", "changed", meta.id) in told(found)
    assert ("chunk", "changed", chunk.id) in told(found)
    event = next(event for event in found if event.id == chunk.id)
    assert (event.channel, event.seq, event.until) == ("chat", chunk.first, chunk.last)


async def test_a_rebuild_is_one_event_and_then_what_is_made(small: erstwhile.Memory) -> None:
    chat = small.channel("chat")
    await chat.add_many(said(40))
    await small.settle()
    await small.memories.edit((await small.facts.list(chat))[0].id, "Kept by hand.", by="bob")
    watch = await watching(small)
    await small.spaces.rebuild()
    assert told(await so_far(small, watch)) == [("space", "rebuilt", "default")]
    await small.settle()
    found = await so_far(small, watch)
    assert {event.kind for event in found} >= {"chunk", "meta", "fact"}
    assert {event.action for event in found} == {"added"}
    assert not [event for event in found if event.kind == "message"]


async def test_people_channels_settings_and_what_expires(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, recent_messages=1) as memory:
        watch, chat = await watching(memory), memory.channel("chat")
        await memory.people.block("bob")
        await memory.people.unblock("bob")
        await memory.people.share("bob")
        await memory.people.share("bob", False)
        await memory.channels.set_privacy(chat, "private")
        await memory.spaces.configure(recipe="brief", retention="message=30")
        await memory.prompts.set("summarise", "Sum it up.", person="bob")
        await memory.prompts.reset("summarise", person="bob")
        await memory.prompts.reset("summarise", person="bob")
        assert told(await so_far(memory, watch)) == [
            ("person", "blocked", "bob"),
            ("person", "unblocked", "bob"),
            ("person", "shares", "bob"),
            ("person", "keeps", "bob"),
            ("channel", "declared", "chat"),
            ("settings", "changed", "recipe"),
            ("settings", "changed", "retention"),
            ("settings", "changed", "summarise"),
            ("settings", "changed", "summarise"),
        ]
        stored = await chat.add_many(said(6))
        clock.advance(days=60)
        await memory.archive.expire()
        found = [event for event in await so_far(memory, watch) if event.action == "expired"]
        assert [(event.kind, event.id, event.seq, event.until) for event in found] == [("message", stored[-2].id, 1, 5)]


async def test_jobs_parked_and_retried(prompted: erstwhile.Memory, model_server: ModelServer) -> None:
    watch = await watching(prompted)
    model_server.then(*[Fault.bad_key()] * 20)
    await prompted.channel("chat").add_many(said(10))
    await prompted.settle()
    parked = [each.id for each in await prompted.jobs.list(state="parked")]
    assert parked
    assert {event.id for event in await so_far(prompted, watch) if event.action == "parked"} == set(parked)
    await prompted.jobs.retry(parked[0])
    await prompted.jobs.park(parked[0], "not now", space="default")
    await prompted.jobs.retry()
    found = told(await so_far(prompted, watch))
    assert found[:2] == [("job", "retried", parked[0]), ("job", "parked", parked[0])]
    assert sorted(found[2:]) == sorted(("job", "retried", id) for id in parked)


async def test_another_process_is_heard(memory: erstwhile.Memory, database_url: str) -> None:
    watch = await watching(memory)
    script = (
        "import sys, erstwhile\n"
        "with erstwhile.open_sync(sys.argv[1], worker=False) as memory:\n"
        "    memory.channel('chat').add('user', 'from elsewhere')\n"
    )
    done = asyncio.create_task(asyncio.to_thread(forks.run, [sys.executable, "-c", script, database_url], check=True))
    event = await anext(watch)
    assert (event.kind, event.channel, event.seq) == ("message", "chat", 1)
    await done


async def test_closing_ends_whoever_watches(database_url: str) -> None:
    heard: asyncio.Queue[Event] = asyncio.Queue()

    async def hear(watch: Watch) -> None:
        async for event in watch:
            heard.put_nowait(event)

    async with erstwhile.open(database_url, worker=False) as memory:
        watches = [await watching(memory) for _ in range(3)]
        tasks = [asyncio.create_task(hear(watch)) for watch in watches[:2]]
        await memory.channel("chat").add("user", "hello")
        assert {(await heard.get()).kind, (await heard.get()).kind} == {"message"}
    await asyncio.gather(*tasks)
    with pytest.raises(StopAsyncIteration):
        await anext(watches[2])


async def test_the_blocking_door_iterates_too(database_url: str) -> None:
    def run() -> list[Event]:
        with erstwhile.open_sync(database_url, worker=False) as memory:
            first = memory.channel("chat").add("user", "hello")
            events = memory.events.watch(after="0")
            found = [next(events)]
            assert found[0].id == first.id
        return [*found, *events]

    assert len(await asyncio.to_thread(run)) == 1


EACH = 1_700 if SOAK else 40  # messages of each writer; a reconnection is due after thirteen


async def busy(memory: erstwhile.Memory, count: int, wait: Callable[[], Awaitable[None]]) -> list[str]:
    """Several write at once; says what they stored, in order of channel and seq."""

    async def one(number: int) -> list[str]:
        chat = memory.channel(f"chat-{number}")
        stored = []
        for n in range(count):
            stored.append((await chat.add("user", f"message {n}")).id)
            await wait()
        return stored

    return [id for stored in await asyncio.gather(*(one(number) for number in range(4))) for id in stored]


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_reconnecting_anywhere_misses_and_repeats_nothing(memory: erstwhile.Memory, database_url: str) -> None:
    """Two doors write, four writers each, while a reader breaks off at random and goes on from the last cursor it saw."""
    chance = random.Random(5)
    after, seen = (await anext(await _first(memory))).cursor, list[str]()
    async with erstwhile.open(database_url, worker=False) as second:

        async def wait() -> None:
            await asyncio.sleep(chance.choice((0, 0, 0.002)))

        writing = [asyncio.create_task(busy(memory, EACH, wait)), asyncio.create_task(busy(second, EACH, wait))]
        while len(seen) < 8 * EACH:
            watch = second.events.watch(after=after)
            for _ in range(chance.randint(1, 25)):
                event = await anext(watch)
                after = event.cursor
                seen.append(event.id)
                if len(seen) == 8 * EACH:
                    break
        stored = [id for ids in await asyncio.gather(*writing) for id in ids]
    assert len(seen) == len(set(seen))
    assert sorted(seen) == sorted(stored)
    again = await watching(memory, after)
    assert told(await so_far(memory, again)) == []


async def _first(memory: erstwhile.Memory) -> Watch:
    watch = await watching(memory)
    await memory.people.block("nobody")
    return watch


async def test_what_commits_late_is_neither_missed_nor_out_of_order(
    memory: erstwhile.Memory, database_url: str
) -> None:
    if not database_url.startswith("postgres"):
        pytest.skip("On SQLite writers take turns.")
    import psycopg

    insert = "INSERT INTO events (space, kind, action, id) VALUES ('default', 'test', 'added', %s)"
    watch = await watching(memory)
    async with (
        await psycopg.AsyncConnection.connect(database_url) as older,
        await psycopg.AsyncConnection.connect(database_url) as newer,
    ):
        for connection in (older, newer):
            await connection.execute("SELECT set_config('erstwhile.space', 'default', false)")
            await connection.commit()
        await older.execute(insert, ["older, first"])
        await newer.execute(insert, ["newer"])
        await newer.commit()
        # The newer one is on disk, but nobody sees it while the older one may still write before it.
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(watch), 0.6)
        await older.execute(insert, ["older, second"])
        await older.commit()
    found = [await anext(watch) for _ in range(3)]
    assert [event.id for event in found] == ["older, first", "older, second", "newer"]
    for number, event in enumerate(found):
        again = await watching(memory, event.cursor)
        assert [(await anext(again)).id for _ in found[number + 1 :]] == [each.id for each in found[number + 1 :]]
        assert told(await so_far(memory, again)) == []


async def test_a_cursor_that_is_no_longer_kept_starts_over(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = memory.channel("chat")
    first = await _first(memory)
    old = (await anext(first)).cursor
    await chat.add("user", "long ago")
    sql = "UPDATE events SET at = at - 900000000000 WHERE space = :space"
    aged = make("aged", sql, sql)
    await runtime(memory).database.write("default", lambda tx: tx.run(aged))
    kept = await chat.add("user", "just now")
    await runtime(memory).feed.prune(clock())
    for after in (old, "nonsense", "1.2.3", "9" * 17, "", "-4", "١٢"):
        watch = await watching(memory, after)
        reset, event = await anext(watch), await anext(watch)
        assert (reset.kind, reset.action, reset.id) == ("space", "reset", "default")
        assert (event.id, event.seq) == (kept.id, 2)
    assert [event.id for event in await so_far(memory, await watching(memory, reset.cursor))] == [kept.id]
    elsewhere = memory.events.watch(space="other", after=event.cursor)
    assert (await anext(elsewhere)).action == "reset"


async def test_pruning_goes_in_batches_and_leaves_what_is_young(memory: erstwhile.Memory) -> None:
    nowhere = {"channel": None, "person": None, "seq": None, "until": None}
    rows = [{"kind": "test", "action": "added", "id": str(n), **nowhere} for n in range(1500)]
    await runtime(memory).database.write("default", lambda tx: tx.run_many(store.queries.emit, rows))
    sql = "SELECT count(*) AS n FROM events WHERE space = :space"
    count = make("count", sql, sql)

    async def left() -> int:
        row = await runtime(memory).database.read("default", lambda tx: tx.first(count))
        return int(row["n"]) if row else 0

    await runtime(memory).database.write(EVERYWHERE, lambda tx: store.prune(tx, timedelta(days=1)))
    assert await left() == 1500
    more = await runtime(memory).database.write(EVERYWHERE, lambda tx: store.prune(tx, timedelta(seconds=-5)))
    assert (more, await left()) == (True, 500)


def test_removed_and_added_again_is_changed() -> None:
    def event(cursor: str, action: str, id: str = "a") -> Event:
        return Event(cursor, None, "fact", action, id)  # type: ignore[arg-type]

    found = reading.merged(
        [
            event("1", "removed"),
            event("2", "removed", "b"),
            event("3", "added"),
            event("4", "removed"),
            event("5", "added", "c"),
            event("6", "added"),
            event("7", "removed"),
        ]
    )
    assert [(each.cursor, each.action, each.id) for each in found] == [
        ("2", "removed", "b"),
        ("3", "changed", "a"),
        ("5", "added", "c"),
        ("6", "changed", "a"),
        ("7", "removed", "a"),
    ]


async def test_cursors_tell_nothing_about_the_traffic_of_other_spaces(memory: erstwhile.Memory) -> None:
    mine = memory.channel("chat", space="mine")
    watch = memory.events.watch(space="mine")
    await watch.start()
    cursors = []
    for others in (0, 1, 50):
        for number in range(others):
            await memory.channel("chat", space="other").add("user", f"message {number}")
        await mine.add("user", "hello")
        cursors.append((await anext(watch)).cursor)
    assert all(re.fullmatch("[0-9a-f]{32}", cursor) for cursor in cursors)
    numbers = [int(cursor[start : start + 8], 16) for cursor in cursors for start in range(0, 32, 8)]
    assert len(set(numbers)) == len(numbers), "no part of them counts anything"


def test_a_cursor_is_read_back_only_with_the_key_of_its_space() -> None:
    key, places = CursorKey("secret", "mine"), [FeedPosition(n * 7, n) for n in (0, 1, 2, 10**12, 2**63 // 8)]
    assert [key.read(key.write(place)) for place in places] == places
    for other in (CursorKey("secret", "yours"), CursorKey("another", "mine")):
        assert all(other.read(key.write(place)) != place for place in places)
    assert len({key.write(FeedPosition(n)) for n in range(1000)}) == 1000
