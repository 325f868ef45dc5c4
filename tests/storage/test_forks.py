"""A process that forks with an open memory: the child is told what to do, and does its parent no harm."""

from __future__ import annotations

import asyncio
import os
import signal
import time
import traceback
from collections.abc import Callable

import pytest

import erstwhile
from erstwhile.base.errors import StorageError


def in_a_child(work: Callable[[], None]) -> int:
    """Run in a forked process and return its exit code; one that hangs is killed."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - whatever it is, the child must end here
            traceback.print_exc()
            os._exit(1)
    until = time.monotonic() + 120
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL


def test_a_blocking_memory_in_a_child_says_what_to_do(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False) as memory:
        memory.channel("chat").add("user", "before")

        def work() -> None:
            with pytest.raises(StorageError, match="Open one in each process, after the fork"):
                memory.channel("chat").add("user", "from the child")
            memory.__exit__(None, None, None)
            with erstwhile.open_sync(database_url, worker=False) as own:
                own.channel("chat").add("user", "from the child, with a memory of its own")

        assert in_a_child(work) == 0
        memory.channel("chat").add("user", "after")
        texts = [message.text for message in memory.channel("chat").messages()]
        assert texts == ["before", "from the child, with a memory of its own", "after"]


def test_an_async_memory_in_a_child_says_what_to_do(database_url: str) -> None:
    opened = erstwhile.open(database_url, worker=False)

    async def refused() -> None:
        with pytest.raises(StorageError, match="Open one in each process, after the fork"):
            await opened.channel("chat").add("user", "from the child")
        with pytest.raises(StorageError, match="Open one in each process, after the fork"):
            await opened.search("before")
        await opened.__aexit__(None, None, None)

    async def parent() -> None:
        async with opened as memory:
            await memory.channel("chat").add("user", "before")
            code = await asyncio.to_thread(in_a_child, lambda: asyncio.new_event_loop().run_until_complete(refused()))
            assert code == 0
            await memory.channel("chat").add("user", "after")
            assert [message.text async for message in memory.channel("chat").messages()] == ["before", "after"]

    asyncio.run(parent())
