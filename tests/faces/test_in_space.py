"""An open memory with another default space, as pages, tools, bots and routes use it."""

from __future__ import annotations

from erstwhile import Memory
from erstwhile.api.resource import in_space
from erstwhile.base.page import every


async def test_verbs_that_name_no_space_act_on_this_one(memory: Memory) -> None:
    await memory.channel("kitchen").add("user", "I like tea", person="ann")
    there = in_space(memory, "other")
    await there.channel("hall").add("user", "I like coffee", person="bob")
    assert [each.channel for each in await every(there.channels.list)] == ["hall"]
    assert [each.person for each in await every(there.people.list)] == ["bob"]
    assert {hit.channel for hit in await there.search("coffee tea")} == {"hall"}
    assert [each.channel for each in await every(memory.channels.list)] == ["kitchen"], "and the other one is as it was"
    assert {hit.channel for hit in await memory.search("coffee tea")} == {"kitchen"}
    assert {hit.channel for hit in await there.search("tea", space=memory.settings.space)} == {"kitchen"}
