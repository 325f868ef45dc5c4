"""While the index of a large space is filled, everything else goes on."""

from __future__ import annotations

import asyncio

import erstwhile
from inside import runtime


async def test_those_who_wait_for_a_space_keep_nothing_from_others(memory: erstwhile.Memory) -> None:
    """Filling takes as long as it takes; here, until the test lets it go on. More ask than there are readers or connections."""
    chat, other = memory.channel("harbour"), memory.channel("garden", space="elsewhere")
    await chat.add("user", "The ferry to Oslo leaves at nine.")
    await other.add("user", "The roses need water.")
    index = runtime(memory).recall.indexes.of(memory.settings.space)
    index.thread_fills.acquire()
    await index.task_fills.acquire()
    try:
        asking = [asyncio.create_task(memory.search("ferry")) for _ in range(30)]
        await asyncio.sleep(0.05)
        async with asyncio.timeout(120):
            assert (await chat.add("user", "It is full.")).seq == 2
            assert await chat.size() == 2
            assert len(await memory.search("roses", space="elsewhere")) == 1
        assert not any(each.done() for each in asking)
    finally:
        index.task_fills.release()
        index.thread_fills.release()
    found = await asyncio.gather(*asking)
    assert {hits[0].text for hits in found} == {"The ferry to Oslo leaves at nine."}
