"""Who may hear each channel, and what would go at the next run: looked at without changing anything."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.testing import FixedClock
from inside import pages


async def test_each_channel_says_who_hears_it(memory: erstwhile.Memory) -> None:
    await memory.channel("hall").add("user", "hello", person="alice", name="Alice")
    await memory.channel("hall").add("user", "hello", person="bob", name="Bob")
    await memory.channel("alone").add("user", "dear diary", person="alice", name="Alice")
    await memory.channel("nobody").add("system", "started")
    await memory.channels.set_privacy(memory.channel("den"), "private", people=["alice", "carol"])
    found = await memory.channels.visibility()
    assert [(each.channel, each.privacy, each.everyone, each.count) for each in found] == [
        ("alone", None, False, 1),
        ("den", "private", False, 2),
        ("hall", None, True, 2),
        ("nobody", None, False, 0),
    ]
    assert found[1].people == {"alice": "Alice", "carol": "carol"}
    assert [each.channel for each in await memory.channels.visibility(declared=True)] == ["den"]
    turned = await pages(memory.channels.visibility, limit=2)
    assert [[each.channel for each in page] for page in turned] == [["alone", "den"], ["hall", "nobody"]]
    assert await memory.channels.visibility(space="another") == []
    await memory.spaces.configure(privacy="open")
    assert all(each.everyone for each in await memory.channels.visibility())
    with pytest.raises(erstwhile.InvalidInput):
        await memory.channels.visibility(limit=0)


async def test_of_many_people_the_first_are_named_and_all_counted(memory: erstwhile.Memory) -> None:
    await memory.channels.set_privacy(memory.channel("crowd"), "private", people=[f"p{n:02}" for n in range(30)])
    (crowd,) = await memory.channels.visibility()
    assert (crowd.count, len(crowd.people), min(crowd.people)) == (30, 20, "p00")


async def test_what_would_expire_is_counted_and_stays(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = memory.channel("c")
    await chat.add_many([{"role": "user", "text": f"I have {n} cats", "person": "alice"} for n in range(40)])
    await memory.remember("alice", "likes trains", by="alice")
    await memory.settle()
    assert await memory.archive.expiring() == erstwhile.ExpiryReport()
    clock.advance(days=40)
    await memory.settle()
    assert await memory.archive.expiring() == erstwhile.ExpiryReport()
    await memory.spaces.configure(retention="message=30,told=30,note=30,day=30,topic=30,profile=30")
    wanted = await memory.archive.expiring()
    assert wanted.message == 20
    assert wanted.told == 1
    assert len([each async for each in chat.messages()]) == 40
    assert await memory.archive.expire() == wanted
    assert await memory.archive.expiring() == erstwhile.ExpiryReport()
