"""A search finds as many as are wanted, as long as there is anything near."""

from __future__ import annotations

import erstwhile

TALK = ("我们家养了一只猫。", "它今年三岁了。", "昨天带去打针。", "花了两百块。", "医生说一切都好。")


async def test_what_stands_in_the_same_session_comes_after_what_matches(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many([{"role": "user", "text": text, "person": "ana"} for text in TALK])
    hits = await memory.search("那只猫怎么样？", kinds=["message"], limit=5)
    assert hits[0].text == TALK[0]
    assert {hit.text for hit in hits} == set(TALK)
    assert len(await memory.search("那只猫怎么样？", kinds=["message"], limit=3)) == 3


async def test_words_that_are_only_looked_for_find_nothing_else(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many([{"role": "user", "text": text, "person": "ana"} for text in TALK])
    assert [hit.text for hit in await memory.search("一只猫", kinds=["message"])] == [TALK[0]]


async def test_where_nothing_matches_nothing_is_found(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many([{"role": "user", "text": text, "person": "ana"} for text in TALK])
    assert await memory.search("サッカーはどこですか？", kinds=["message"]) == []


async def test_a_single_character_is_found_inside_another_word(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add("user", "黑猫在屋顶上睡觉", person="ana")
    assert len(await memory.search("猫", kinds=["message"])) == 1
    await memory.channel("chat").add("user", "집에서 김치를 담갔어", person="ana")
    assert len(await memory.search("집", kinds=["message"])) == 1
