"""Facts (D4): kept as the model wrote them, whatever the formatting, or nothing when there is nothing."""

from __future__ import annotations

import pytest
from stored_rows import rows, said, texts

import erstwhile
from erstwhile.testing import Call, FixedClock, ModelServer
from erstwhile.testing.answers import sensible, step
from erstwhile.writers import answers

pytestmark = pytest.mark.usefixtures("unchecked")

FORMATS = {
    "dashes": ("- Alice moved to Busan on 3 March.\n- Bob is allergic to buckwheat.", 2),
    "stars": ("* Alice moved to Busan.\n* Bob is **badly** allergic.", 2),
    "numbered": ("1. Alice moved to Busan.\n2) Bob is allergic to buckwheat.", 2),
    "dots": ("• Alice moved to Busan.\n• Bob is allergic.", 2),
    "with a heading": ("Here are the facts:\n\n- Alice moved to Busan.\n- Bob is allergic.", 2),
    "continued lines": ("- Alice moved to Busan,\n  near the sea.\n- Bob is allergic.", 2),
    "nested": ("- Alice\n  - moved to Busan\n  - has a cat", 3),
    "code fence": ("```\n- Alice moved to Busan.\n- Bob is allergic.\n```", 2),
    "prose": ("Alice moved to Busan. Bob is allergic to buckwheat.", 1),
    "paragraphs": ("Alice moved to Busan.\n\nBob is allergic to buckwheat.", 2),
    "json list": ('["Alice moved to Busan", "Bob is allergic to buckwheat"]', 2),
    "json object": ('{"facts": [{"who": "Alice", "what": "moved to Busan"}]}', 1),
    "table": ("| who | what |\n|---|---|\n| Alice | moved to Busan |", 1),
    "html": ("<ul><li>Alice moved to Busan</li></ul>", 1),
    "quotes and percent": ("- Alice's 'favourite' is \"50% off\"; -- DROP TABLE facts; :space %(x)s {y}", 1),
    "korean": ("- 앨리스는 3월 3일에 부산으로 이사했다.\n- 밥은 메밀 알레르기가 있다.", 2),
    "chinese": ("- 爱丽丝三月三日搬到了釜山。\n- 鲍勃对荞麦过敏。", 2),
    "emoji and rtl": ("- 🎂 Alice’s birthday: ٣ مارس", 1),
    "controls": ("- Alice moved\x1b[1m to Busan.\x07", 1),
    "carriage returns": ("- Alice moved to Busan.\r\n- Bob is allergic.\r\n", 2),
    "the same twice": ("- Alice moved to Busan.\n- Alice moved to Busan.", 1),
    "very long": ("- Alice " + "really " * 2000 + "likes tea.", 1),
    "sentinel among facts": ("- Alice moved to Busan.\nNo facts to record", 1),
}


def answering(facts: str):
    def script(call: Call) -> str:
        return facts if step(call.system) == "extract" else sensible(call)

    return ModelServer(script)


def opened(url: str, clock: FixedClock, server: ModelServer) -> erstwhile.Memory:
    return erstwhile.open(
        url, clock=clock, worker=False, model="openai-compatible:x", base_url=server.base_url, api_key="k"
    )


@pytest.mark.parametrize("name", FORMATS)
async def test_odd_formatting_never_breaks_storage(name: str, database_url: str, clock: FixedClock) -> None:
    """D4"""
    answer, count = FORMATS[name]
    with answering(answer) as server:
        async with opened(database_url, clock, server) as memory:
            await memory.channel("chat").add_many(said(10))
            settled = await memory.settle()
            assert (settled.done, settled.waiting, settled.parked) == (3, 0, 0)
            assert len(await texts(memory)) == count
            assert [row["found"] for row in await rows(memory, "extracts")] == [count]
            found = await memory.search("Alice Busan 앨리스 부산 爱丽丝", kinds=["fact"])
            assert len(found) >= 1
            context = await memory.channel("chat").context("Alice Busan 앨리스", recipe="dual")
            assert "=== Key Facts to Remember ===" in context.text or name == "very long"


async def test_a_nul_in_an_answer_does_not_break_storage(database_url: str, clock: FixedClock) -> None:
    """D4: no database stores NUL as text, and no reader wants it."""
    with answering("- Alice moved\x00 to Busan.") as server:
        async with opened(database_url, clock, server) as memory:
            await memory.channel("chat").add_many(said(10))
            settled = await memory.settle()
            assert (settled.done, settled.waiting, settled.parked) == (3, 0, 0)
            assert await texts(memory) == ["Alice moved to Busan."]


async def test_facts_are_kept_in_the_words_of_the_model(database_url: str, clock: FixedClock) -> None:
    """D4"""
    with answering("- Alice  moved to *Busan* (3 March 2026), she says.\n- 밥은 메밀 못 먹음!!") as server:
        async with opened(database_url, clock, server) as memory:
            await memory.channel("chat").add_many(said(10))
            await memory.settle()
            assert await texts(memory) == ["Alice  moved to *Busan* (3 March 2026), she says.", "밥은 메밀 못 먹음!!"]


@pytest.mark.parametrize(
    "answer",
    [*answers.nothing(), "- No facts to record.", "**기록할 사실 없음**", "no FACTS to record!", "- ok", "None."],
)
async def test_nothing_to_record_stores_nothing_but_that_it_was_read(
    answer: str, database_url: str, clock: FixedClock
) -> None:
    """D4: in any of the prompt's languages, and for answers under ten characters."""
    with answering(answer) as server:
        async with opened(database_url, clock, server) as memory:
            await memory.channel("chat").add_many(said(10))
            settled = await memory.settle()
            assert (settled.done, settled.waiting, settled.parked) == (3, 0, 0)
            assert await texts(memory) == []
            (extract,) = await rows(memory, "extracts")
            assert (extract["found"], extract["draft"]) == (0, 0)
        seen = len(server.calls)
        async with opened(database_url, clock, server) as memory:
            assert (await memory.settle()).done == 0
        assert len(server.calls) == seen, "a reading that found nothing is not made again"


async def test_a_fact_leans_on_the_message_it_came_from(database_url: str, clock: FixedClock) -> None:
    """The seq of a fact, and its sources: that message first, then the others it was read with."""
    with answering("- Carol's cat is called Tofu.\n- Dave works at the harbour.") as server:
        async with opened(database_url, clock, server) as memory:
            chat = memory.channel("chat")
            stored = await chat.add_many(
                [
                    *said(3),
                    {"role": "user", "person": "carol", "name": "Carol", "text": "my cat Tofu is asleep"},
                    *said(3, start=4),
                    {"role": "user", "person": "dave", "name": "Dave", "text": "back from the harbour, long shift"},
                    *said(2, start=7),
                ]
            )
            await memory.settle()
            found = await rows(memory, "facts")
            assert [(row["seq"], row["person"]) for row in found] == [(4, "carol"), (8, "dave")]
            source = await memory.memories.sources(found[0]["id"])
            assert (source.kind, source.seq) == ("fact", 4)
            assert source.sources[0].id == stored[3].id
            assert [each.seq for each in source.sources[1:]] == [1, 2, 3, 5, 6, 7, 8, 9, 10]
            (hit,) = await memory.search("Tofu", kinds=["fact"])
            assert hit.sources == (stored[3].id,)
            assert (hit.person, hit.seq) == ("carol", 4)


async def test_a_fact_that_shares_no_word_with_any_message_still_has_a_source(
    database_url: str, clock: FixedClock
) -> None:
    with answering("- Etwas ganz anderes geschah.") as server:
        async with opened(database_url, clock, server) as memory:
            await memory.channel("chat").add_many(said(10))
            await memory.settle()
            (fact,) = await rows(memory, "facts")
            assert fact["seq"] == 10
            assert len((await memory.memories.sources(fact["id"])).sources) == 10


async def test_the_extractive_writer_finds_facts_in_three_languages(memory: erstwhile.Memory) -> None:
    lines = [
        ("mina", "I moved to Busan on March 3rd."),
        ("mina", "저는 메밀 알레르기가 있어요."),
        ("wei", "我对花生过敏。"),
        *(("bob", "ok"),) * 7,
    ]
    await memory.channel("chat").add_many([{"role": "user", "person": who, "text": text} for who, text in lines])
    await memory.settle()
    found = "\n".join(await texts(memory))
    assert "Busan" in found
    assert "메밀" in found
    assert "花生" in found
    assert all(row["draft"] for row in await rows(memory, "facts"))
