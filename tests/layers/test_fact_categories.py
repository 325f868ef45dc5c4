"""What a fact is about, how much it matters, and which facts of other channels tell of the same thing (D16)."""

from __future__ import annotations

import pytest
from stored_rows import rows

import erstwhile
from erstwhile.layers.facts import links
from erstwhile.memories import classify
from erstwhile.testing import FixedClock, ModelServer

SORTED = {
    "date": [
        "Mina: my birthday is on 3 March",
        "The deadline is Friday the 12th",
        "미나의 생일은 3월 3일이다",
        "小美的生日是三月三日",
    ],
    "place": ["Alice lives in Busan", "He moved to Oslo", "앨리스는 부산에 살고 있다", "爱丽丝住在釜山"],
    "preference": ["Bob loves spicy food", "Wei hates cilantro", "밥은 매운 음식을 좋아한다", "小王喜欢吃辣"],
    "relation": ["Mina's sister is a nurse", "Bob has a dog called Rex", "미나의 언니는 간호사다", "小王的妹妹是护士"],
    "promise": [
        "Jun promised to bring the kiln",
        "Jun: I'll send the photos",
        "준은 가마를 가져오겠다고 약속함",
        "小王答应带照片来",
    ],
    "plan": ["Alice is going to visit Jeju", "They plan a trip", "앨리스는 제주에 갈 예정이다", "爱丽丝打算去济州"],
    "decision": [
        "They decided to sell the van",
        "Agreed on the blue tiles",
        "그들은 차를 팔기로 했다",
        "他们决定卖掉车",
    ],
    "event": [
        "Bob bought a kite at the market",
        "They met at the station",
        "밥은 시장에서 연을 샀다",
        "小王在市场买了风筝",
    ],
    "number": ["The kiln: 130,000 won", "가마 가격 130,000원", "窑价130,000元"],
    "other": ["The kiln is red", "가마는 빨갛다", "窑是红色的"],
}


@pytest.mark.parametrize(("category", "text"), [(name, text) for name, texts in SORTED.items() for text in texts])
def test_a_fact_is_sorted_by_its_words(category: str, text: str) -> None:
    assert classify.category(text) == category
    assert 1 <= classify.importance(text) <= 5


def test_every_category_is_tried() -> None:
    assert set(SORTED) == set(classify.CATEGORIES)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Bob is allergic to peanuts", "Bob likes peanuts"),
        ("밥은 땅콩 알레르기가 있다", "밥은 땅콩을 좋아한다"),
        ("小王对花生过敏", "小王喜欢花生"),
        ("They decided to marry on 3 March", "They decided to have soup"),
        ("Jun promised to come", "Jun came by"),
        ("Bob bought a kite on 3 March", "Bob bought a kite"),
        ("Bob bought a kite", "The kite is red"),
    ],
)
def test_what_binds_or_harms_matters_more(more: str, less: str) -> None:
    assert classify.importance(more) > classify.importance(less)


def test_hostile_text_is_sorted_in_no_time() -> None:
    for text in ("a" * 100_000, "a:" * 50_000, "ed " * 50_000, "在" * 100_000):
        assert classify.importance(text) in range(1, 6)


@pytest.mark.usefixtures("unchecked")
async def test_facts_can_be_asked_for_by_category_and_importance(database_url: str, clock: FixedClock) -> None:
    answer = "- Bob is allergic to peanuts.\n- Alice lives in Busan.\n- The kiln is red."
    with ModelServer(lambda call: answer if "facts" in call.system else "A summary of these ten lines.") as server:
        async with _opened(database_url, clock, server) as memory:
            chat = memory.channel("chat")
            await chat.add_many([{"role": "user", "person": "bob", "text": f"message {n}"} for n in range(10)])
            await memory.settle()
            found = await memory.facts.list(chat)
            assert [(fact.category, fact.importance) for fact in found] == [
                ("preference", 5),
                ("place", 3),
                ("other", 1),
            ]
            assert [fact.text for fact in await memory.facts.list(chat, category="place")] == ["Alice lives in Busan."]
            assert [fact.text for fact in await memory.facts.list(chat, min_importance=4)] == [
                "Bob is allergic to peanuts."
            ]
            with pytest.raises(erstwhile.InvalidInput, match="relation"):
                await memory.facts.list(chat, category="gossip")
            await memory.memories.edit(found[2].id, "Alice promised to come.", by="alice")
            assert (await memory.facts.list(chat))[2].category == "promise", "an edit is sorted anew"


# Links

SAME = [
    ("Mina: I moved to Busan in March", "Mina (3 Mar 2026): I've moved to Busan, near the sea"),
    ("Mina is allergic to buckwheat", "Mina can't eat soba because she's allergic to buckwheat"),
    ("Mina adopted a cat called Miso", "Mina: I adopted a cat, Miso, last week"),
    ("미나는 메밀 알레르기가 있다", "미나: 저는 메밀 알레르기가 있어요"),
    ("小美对花生过敏", "小美: 我对花生过敏"),
]
DIFFERENT = [
    ("Mina: I moved to Busan in March", "Mina: I ate great noodles in Busan with my uncle"),
    ("Mina is allergic to buckwheat", "Mina is afraid of cats"),
    ("Mina adopted a cat called Miso", "Mina likes miso soup with tofu and spring onions"),
    ("Mina bought a red bike in May", "Mina bought a red coat at the market"),
    ("미나는 메밀 알레르기가 있다", "미나는 부산으로 이사했다"),
    ("小美对花生过敏", "小美搬到了釜山"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_facts_that_tell_of_the_same_thing_are_alike(one: str, other: str) -> None:
    assert links.alike(one, [other], {"Mina", "미나", "小美"}) == [0]
    assert links.alike(other, [one], {"Mina", "미나", "小美"}) == [0]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_facts_that_only_touch_are_not(one: str, other: str) -> None:
    assert links.alike(one, [other], {"Mina", "미나", "小美"}) == []
    assert links.alike(other, [one], {"Mina", "미나", "小美"}) == []


def _opened(url: str, clock: FixedClock, server: ModelServer) -> erstwhile.Memory:
    return erstwhile.open(
        url, clock=clock, worker=False, model="openai-compatible:x", base_url=server.base_url, api_key="k"
    )


async def _say(memory: erstwhile.Memory, channel: str, person: str, text: str, space: str = "default") -> None:
    lines = [{"role": "user", "person": person, "name": person.title(), "text": text}]
    lines += [{"role": "user", "person": "bob", "name": "Bob", "text": "ok"}] * 9
    await memory.channel(channel, space=space).add_many(lines)
    await memory.settle()


async def test_facts_of_the_same_person_are_linked_across_channels_both_ways(memory: erstwhile.Memory) -> None:
    await _say(memory, "one", "mina", "I moved to Busan in March.")
    await _say(memory, "two", "mina", "I moved to Busan, near the sea.")
    await _say(memory, "three", "jun", "I moved to Busan in March.")
    await _say(memory, "one", "mina", "I moved to Busan in March, it was cold.", space="other")
    (here,), (there,) = [await memory.facts.list(memory.channel(name)) for name in ("one", "two")]
    assert (here.links, there.links) == ((there.id,), (here.id,))
    assert [fact.links for fact in await memory.facts.list(memory.channel("three"))] == [()], "another person"
    assert [fact.links for fact in await memory.facts.list(memory.channel("one", space="other"))] == [()], (
        "another space"
    )

    await memory.spaces.rebuild()
    await memory.settle()
    assert (await memory.facts.list(memory.channel("one")))[0].links == (there.id,)
    added = await memory.facts.add(memory.channel("three"), "Mina moved to Busan", by="jun", person="mina")
    assert set((await memory.facts.list(memory.channel("three")))[-1].links) == {here.id, there.id}
    await memory.memories.delete(here.id, by="mina")
    assert (await memory.facts.list(memory.channel("two")))[0].links == (added.id,)
    await memory.memories.edit(added.id, "Mina collects stamps", by="jun")
    assert (await memory.facts.list(memory.channel("two")))[0].links == ()


async def test_facts_of_one_channel_are_not_linked_to_each_other(memory: erstwhile.Memory) -> None:
    await _say(memory, "other", "mina", "I live in Leeds.")
    for _ in range(2):
        await _say(memory, "one", "mina", "I moved to Busan in March.")
    assert {fact.links for fact in await memory.facts.list(memory.channel("one"))} == {()}
    assert len(await rows(memory, "facts")) == 3
