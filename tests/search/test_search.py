"""Search by words, over messages and what was made of them, on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import erstwhile
from cases import case
from databases import Filled
from erstwhile.testing import FixedClock

KINDS = ["message", "chunk", "meta", "fact"]


def says(who: str, text: str) -> dict[str, str]:
    return {"role": "user", "person": who.lower(), "name": who, "text": text}


@pytest.fixture
async def full(database_url: str, clock: FixedClock, filled: Filled) -> AsyncIterator[erstwhile.Memory]:
    """Two channels, two people, a hundred messages in one of them: every kind of memory is there."""

    async def fill() -> None:
        async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
            await talk(memory)

    await filled("search", fill)
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        yield memory


async def talk(memory: erstwhile.Memory) -> None:
    people = ("Alice", "Bob")
    await memory.channel("market").add_many(
        [says(people[n % 2], f"I own {n} red lanterns from a market in Busan.") for n in range(100)]
    )
    await memory.channel("harbour").add_many(
        [says("Carol", f"I repaired boat {n}, near the lanterns.") for n in range(10)]
    )
    await memory.settle()


async def test_every_kind_is_found_and_can_be_asked_for_alone(full: erstwhile.Memory) -> None:
    for kind in KINDS:
        hits = await full.search("lanterns", kinds=[kind])
        assert hits
        assert {hit.kind for hit in hits} == {kind}
    both = await full.search("lanterns", kinds=["chunk", "fact"], limit=50)
    assert {hit.kind for hit in both} == {"chunk", "fact"}


async def test_person_and_channel_narrow_the_search(full: erstwhile.Memory) -> None:
    hits = await full.search("lanterns", person="alice", limit=500)
    assert {hit.person for hit in hits} == {"alice"}
    assert {hit.kind for hit in hits} == {"message", "fact"}
    hits = await full.search("lanterns", channel="harbour", limit=500)
    assert {hit.channel for hit in hits} == {"harbour"}
    assert await full.search("boat", channel="market") == []
    assert await full.search("boat", person="alice") == []
    assert await full.search("lanterns", channel="no such channel") == []


async def test_the_limit_is_kept_and_the_best_come_first(full: erstwhile.Memory) -> None:
    for limit in (1, 3, 10):
        hits = await full.search("lanterns", limit=limit)
        assert len(hits) == limit
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(await full.search("lanterns", kinds=["message"], limit=1000)) == 110
    (first, *_) = await full.search("boat 7", kinds=["message"])
    assert "boat 7" in first.text


async def test_a_longer_list_begins_with_the_shorter_one(full: erstwhile.Memory) -> None:
    short, long = await full.search("red lanterns boat", limit=5), await full.search("red lanterns boat", limit=30)
    assert long[:5] == short


async def test_hits_carry_their_sources(full: erstwhile.Memory) -> None:
    messages = {m.id: m async for m in full.channel("market").messages()}
    for hit in await full.search("red lanterns", channel="market", kinds=["message"], limit=3):
        assert hit.sources == (hit.id,)
        assert messages[hit.id].seq == hit.seq
        assert messages[hit.id].text == hit.text
    for hit in await full.search("red lanterns", channel="market", kinds=["fact"], limit=5):
        assert [messages[id].seq for id in hit.sources] == [hit.seq]
        assert messages[hit.sources[0]].person == hit.person
    for hit in await full.search("red lanterns", channel="market", kinds=["chunk"], limit=3):
        seqs = [messages[id].seq for id in hit.sources]
        assert seqs == list(range(seqs[0], seqs[0] + 10))
    (meta,) = await full.search("red lanterns", channel="market", kinds=["meta"])
    assert len(meta.sources) == 10
    assert {id[:4] for id in meta.sources} == {"chk_"}


async def test_spaces_never_see_each_other(full: erstwhile.Memory) -> None:
    other = full.channel("market", space="other")
    await other.add_many([says("Eve", f"secret lanterns {n}") for n in range(10)])
    await full.settle()
    mine = await full.search("secret lanterns", limit=500)
    assert not any("secret" in hit.text for hit in mine)
    theirs = await full.search("lanterns Busan boat", space="other", limit=500)
    assert theirs
    assert all("secret" in hit.text for hit in theirs)
    assert await full.search("lanterns", space="nobody here") == []
    with pytest.raises(erstwhile.NotFound):
        await full.memories.sources(theirs[0].id)
    assert (await full.memories.sources(theirs[0].id, space="other")).id == theirs[0].id


async def test_what_was_just_said_is_found_at_once(memory: erstwhile.Memory) -> None:
    """Recall works without the model, and without settling (trust 1.2)."""
    chat = memory.channel("chat")
    message = await chat.add("user", "the ferry to Ulleungdo leaves at 9:40", person="jun")
    (hit,) = await memory.search("when does the ferry leave?")
    assert (hit.id, hit.kind, hit.seq, hit.person) == (message.id, "message", 1, "jun")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("우리 토요일에 해운대 카페에서 만나자", "해운대 카페"),
        ("나는 메밀 알레르기가 있어", "메밀 알레르기 있는 사람?"),
        ("我对花生过敏，千万别放", "谁对花生过敏？"),
        ("京都には四月十日に行きます", "京都"),
        ("Ich ziehe im Oktober nach München um", "münchen umziehen"),
        ("Nous avons réservé le café à Orléans", "reserve cafe orleans"),
        ("she was running late", "runs"),
        ("Mina moved in August", "who moves in august"),
        ("ＦＵＬＬ　ＷＩＤＴＨ text", "full width"),
    ],
)
async def test_words_are_found_in_other_forms_and_other_scripts(
    memory: erstwhile.Memory, said: str, asked: str
) -> None:
    chat = memory.channel("chat")
    await chat.add_many([says("X", said), *(says("Y", f"nothing of the kind {n}") for n in range(5))])
    assert (await memory.search(asked))[0].text == said


HOSTILE = [
        '"', "'", "* OR *", "NEAR(a b)", "scope : x", "terms:lanterns", "a AND NOT b", "-lanterns", "(", ")", "{", "^a",
        "'; DROP TABLE messages; --", "%", "\\", ":*", "!", "&|", "<->", "lanterns:*", "\u2028", "🎂", "a\nb", "kmessage",
    ]  # fmt: skip


async def test_a_query_is_only_ever_text(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add("user", "red lanterns")
    for query in HOSTILE:
        with case(query):
            await memory.search(query)
            assert len(await memory.search(f"{query} lanterns")) == 1


@pytest.mark.parametrize("query", ["", "   ", "?!…", "\n"])
async def test_a_query_without_words_finds_nothing(full: erstwhile.Memory, query: str) -> None:
    assert await full.search(query) == []


async def test_a_very_long_query_is_answered(full: erstwhile.Memory) -> None:
    assert await full.search("lanterns " + " ".join(f"word{n}" for n in range(5000)))


async def test_wrong_kinds_and_limits_are_refused(memory: erstwhile.Memory) -> None:
    with pytest.raises(erstwhile.InvalidInput, match="message, chunk, meta, fact"):
        await memory.search("x", kinds=["dream"])
    with pytest.raises(erstwhile.InvalidInput, match="from 1 to 1000"):
        await memory.search("x", limit=0)
    with pytest.raises(erstwhile.InvalidInput, match="Kinds are message"):
        await memory.search("x", kinds=[])
    with pytest.raises(erstwhile.InvalidInput):
        await memory.search("x", space="")


async def test_sources_of_what_is_not_there_say_so(memory: erstwhile.Memory) -> None:
    for id in ("msg_0", "fct_0", "chk_0", "met_0"):
        with pytest.raises(erstwhile.NotFound, match="another space"):
            await memory.memories.sources(id)
    with pytest.raises(erstwhile.InvalidInput, match="msg_"):
        await memory.memories.sources("nonsense")


async def test_a_rare_word_weighs_more_than_common_ones(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many([says("A", f"we talked about dinner and the weather and dinner {n}") for n in range(30)])
    await chat.add("user", "the password for the weather station is sesame")
    hits = await memory.search("dinner weather password")
    assert "sesame" in hits[0].text


async def test_a_message_can_be_found_by_who_said_it_and_when(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add("user", "off to the dentist", person="jun", name="Jun", at="2026-06-10T09:00:00Z")
    await chat.add("user", "off to the dentist", person="wei", name="Wei", at="2026-07-10T09:00:00Z")
    assert (await memory.search("Jun dentist"))[0].person == "jun"
    assert (await memory.search("dentist in July"))[0].person == "wei"
