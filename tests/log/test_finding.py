"""What was said can be found at once, by its words in any language, and only in its own space."""

from __future__ import annotations

import pytest

from cases import case
from erstwhile import InvalidInput, Memory

SYNTAX = [
    '"', '""', '"unclosed', "*", "bread*", "^bread", "NEAR(bread, 2)", "NEAR(", "terms: bread", "scope:bread", "col:",
    "'; DROP TABLE messages; --", "bread AND", "AND", "NOT", "OR OR", "bread NOT salt", "(", ")", "(bread", "{a b}: c", "bread & salt",
    "bread | !salt", "<->", "bread <2> salt", "bread:*", "\\", "%", "_", "a\0b", "\ud800 bread", "-", "--", "/* */", "$1", ":query", "?",
]  # fmt: skip


async def test_a_message_is_found_as_soon_as_it_is_added(memory: Memory) -> None:
    talk = memory.channel("talk")
    for word in ("zebra", "walrus", "ostrich"):
        added = await talk.add("user", f"Yesterday I saw a {word} in the park.", person="mina", name="Mina")
        (hit,) = await memory.search(word)
        assert (hit.id, hit.kind, hit.channel, hit.person, hit.seq) == (added.id, "message", "talk", "mina", added.seq)
        assert hit.text == added.text
        assert hit.sources == (added.id,)


async def test_a_repeated_message_is_found_once(memory: Memory) -> None:
    for _ in range(3):
        await memory.channel("talk").add("user", "a zebra", key="k")
    assert len(await memory.search("zebra")) == 1


async def test_search_syntax_in_a_query_is_just_text(memory: Memory) -> None:
    talk = memory.channel("talk")
    await talk.add("user", "bread and salt")
    await talk.add("user", "entirely unrelated")
    for query in SYNTAX:
        with case(query):
            hits = await memory.search(query)
            assert "entirely unrelated" not in {hit.text for hit in hits}
            if "bread" in query:
                assert [hit.text for hit in hits] == ["bread and salt"]
            assert await talk.size() == 2


CJK = [
    ("어제 병원에서 검사를 받았어요", "검사"),
    ("우리 강아지 이름은 보리예요", "보리"),
    ("我昨天去医院做了检查", "检查"),
    ("我妹妹在北京大学读书", "北京"),
    ("来週京都へ旅行します", "京都"),
    ("新しい猫の名前はタマです", "タマ"),
]


@pytest.mark.parametrize(("text", "query"), CJK)
async def test_two_characters_are_enough_to_find_a_korean_chinese_or_japanese_message(
    memory: Memory, text: str, query: str
) -> None:
    talk = memory.channel("talk")
    await talk.add_many([{"role": "user", "text": other} for other, _ in CJK])
    hits = await memory.search(query)
    assert [hit.text for hit in hits] == [text]


async def test_another_spaces_message_is_never_found(memory: Memory) -> None:
    await memory.channel("talk", "mine").add("user", "my secret is a zebra", person="mina")
    await memory.channel("talk", "yours").add("user", "your secret is a walrus", person="mina")
    assert [hit.text for hit in await memory.search("secret zebra walrus", space="mine")] == ["my secret is a zebra"]
    assert [hit.text for hit in await memory.search("secret zebra walrus", space="yours")] == [
        "your secret is a walrus"
    ]
    assert await memory.search("secret zebra walrus", space="nobody") == []
    for space in ("mine' OR '1'='1", "*", "%", "mine*", "MINE"):
        assert await memory.search("zebra", space=space) == []
    for space in ("mine", "yours"):
        for scope in ({"channel": "talk"}, {"person": "mina"}, {"kinds": ["message"]}):
            assert len(await memory.search("secret", space=space, **scope)) == 1  # type: ignore[arg-type]


async def test_a_search_may_be_narrowed_to_a_channel_or_a_person(memory: Memory) -> None:
    for channel in ("talk", "hall"):
        for person in ("mina", "juno"):
            await memory.channel(channel).add("user", f"zebra of {person} in {channel}", person=person)
    assert len(await memory.search("zebra")) == 4
    assert {hit.channel for hit in await memory.search("zebra", channel="hall")} == {"hall"}
    assert {hit.person for hit in await memory.search("zebra", person="juno")} == {"juno"}
    (one,) = await memory.search("zebra", channel="talk", person="mina")
    assert one.text == "zebra of mina in talk"
    assert await memory.search("zebra", channel="nowhere") == []
    assert len(await memory.search("zebra", limit=3)) == 3


async def test_a_message_that_was_refused_is_not_found(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        await memory.channel("talk").add_many([{"role": "user", "text": "a zebra"}, {"role": "user", "text": ""}])
    assert await memory.search("zebra") == []
