"""Standing requests: kept, shown, replaced and taken back, on both databases, through the API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.base.page import every
from erstwhile.context.recipes import RECIPES
from erstwhile.mcp import shapes
from erstwhile.testing import FixedClock

HEADING = "=== How to Answer This Person ==="


@pytest.fixture
async def memory(database_url: str, clock: FixedClock) -> AsyncIterator[Memory]:
    async with erstwhile.open(database_url, clock=clock, worker=False) as opened:
        yield opened


async def say(memory: Memory, *texts: str, channel: str = "chat", person: str = "ann") -> None:
    chat = memory.channel(channel)
    for text in texts:
        await chat.add("user", text, person=person, name=person.capitalize())
        await chat.add("assistant", "All right.")
    await memory.settle()


async def held(memory: Memory, person: str = "ann", **given: str) -> list[str]:
    about = await memory.about(person, fresh=False, **given)
    return [each.text for each in about.standing if each.until is None]


async def test_a_request_is_kept_and_heads_every_recipe(memory: Memory) -> None:
    await say(memory, "Always answer in metric units.", "How far is Busan?")
    assert await held(memory) == ["Always answer in metric units."]
    for recipe in RECIPES:
        context = await memory.channel("chat").context("How far is it?", person="ann", recipe=recipe, budget=400)
        head = context.parts[0]
        assert (head.name, head.heading) == ("standing", HEADING), recipe
        assert "Always answer in metric units." in head.text
        assert context.tokens <= 400
        assert context.sources[0].kind == "standing"
        assert len(context.sources[0].messages) == 1


async def test_the_head_is_the_same_bytes_for_every_question(memory: Memory) -> None:
    await say(memory, "Always answer in metric units.", "Call me Ally.", "I prefer short answers.")
    heads = set()
    for question in ("How far?", "Who am I?", ""):
        context = await memory.channel("chat").context(question, person="ann")
        heads.add(context.text.partition("\n\n===")[0] + context.parts[0].text)
        assert context.parts[0].name == "standing"
    assert len(heads) == 1


async def test_newer_ones_replace_older_ones_of_their_topic(memory: Memory, clock: FixedClock) -> None:
    await say(memory, "Always answer in metric units.", "From now on call me Ally")
    clock.advance(days=1)
    await say(memory, "Please always use imperial units.")
    assert await held(memory) == ["Please always use imperial units.", "From now on call me Ally"]
    about = await memory.about("ann", fresh=False)
    (ended,) = [each for each in about.standing if each.until is not None]
    assert ended.text == "Always answer in metric units."
    assert ended.until == clock()
    assert "until" in ended.line


async def test_one_is_taken_back(memory: Memory, clock: FixedClock) -> None:
    await say(memory, "Always answer in metric units.", "Call me Ally.")
    clock.advance(days=1)
    await say(memory, "Stop calling me Ally.", "You can forget about metric.")
    assert await held(memory) == []
    context = await memory.channel("chat").context("How far?", person="ann")
    assert "standing" not in [part.name for part in context.parts]
    listed = await every(memory.memories.list, kinds=["standing"])
    assert all("Stop" not in each.text for each in listed), "what takes one back is no memory to show"


async def test_others_words_and_assistants_are_not_taken(memory: Memory) -> None:
    chat = memory.channel("chat")
    await chat.add("assistant", "Always answer in metric units.")
    await say(
        memory,
        "He told me to always answer in metric units.",
        "```\nAlways answer in metric units.\n```",
        "> Call me Ally.",
        "What if you always answered in metric units?",
    )
    assert await held(memory) == []


async def test_in_a_group_only_what_is_said_to_the_assistant(memory: Memory, clock: FixedClock) -> None:
    group = memory.channel("group")
    await group.add("user", "hello", person="bob")
    await group.add("user", "Always use metric units.", person="ann")
    await group.add("user", "ok", person="bob")
    await group.add("user", "bot, please always use short answers", person="bob")
    await group.add("user", "From now on call me Ally", person="ann")
    await memory.settle()
    assert await held(memory) == []
    assert await held(memory, "bob") == ["please always use short answers"]
    await group.add("assistant", "Hello Ally!")
    clock.advance(minutes=3)
    await memory.settle()
    assert await held(memory) == ["From now on call me Ally"], "the assistant answered it"


async def test_private_requests_stay_private(memory: Memory) -> None:
    await memory.channels.set_privacy(memory.channel("dm"), "direct", people=["ann"])
    await say(memory, "Call me Honeybee.", channel="dm")
    await say(memory, "Call me Ann.", "Always answer in metric units.", channel="office")
    await memory.channel("office").add("user", "hi", person="bob")
    await memory.settle()
    office = await memory.channel("office").context("hi", person="ann")
    assert "Honeybee" not in office.text
    assert "Call me Ann." in office.text, "a private name does not end the public one"
    dm = await memory.channel("dm").context("hi", person="ann")
    assert "metric" in dm.text
    of_bob = await memory.channel("office").context("hi", person="bob")
    assert "Honeybee" not in of_bob.text
    assert "standing" not in [part.name for part in of_bob.parts]


async def test_edited_deleted_restored_and_rebuilt(memory: Memory) -> None:
    await say(memory, "Call me Ally.", "Always answer in metric units.")
    name, units = sorted(
        await every(memory.memories.list, kinds=["standing"]), key=lambda each: each.text, reverse=True
    )
    await memory.memories.edit(name.id, "Call me Alison.", by="ann")
    await memory.memories.delete(units.id, by="ann")
    await memory.spaces.rebuild()
    await memory.settle()
    assert await held(memory) == ["Call me Alison."]
    await memory.memories.restore(units.id, by="ann")
    assert sorted(await held(memory)) == ["Always answer in metric units.", "Call me Alison."]
    history = await memory.memories.history(name.id)
    assert [each.action for each in history] == ["written", "edited"]


async def test_erased_exported_and_expired(memory: Memory, clock: FixedClock, tmp_path: Path) -> None:
    await say(memory, "Call me Ally.", "Always answer in metric units.")
    await memory.export(to=tmp_path / "space.zip")
    await memory.archive.load(tmp_path / "space.zip", space="copy")
    about = await memory.about("ann", fresh=False, space="copy")
    assert len(about.standing) == 2
    first, *_ = [message async for message in memory.channel("chat").messages()]
    receipt = await memory.erase(message=first.id)
    assert receipt.counts["standing requests"] == 1
    assert await held(memory) == ["Always answer in metric units."]
    await memory.spaces.configure(retention="standing=7")
    clock.advance(days=8)
    assert (await memory.archive.expire()).by_kind["standing"] == 1
    assert await held(memory) == []
    await memory.erase(person="ann")
    assert await every(memory.memories.list, kinds=["standing"]) == []


async def test_without_a_name_the_only_speaker_asks(memory: Memory) -> None:
    chat = memory.channel("anonymous")
    await chat.add("user", "Always answer in metric units.")
    await memory.settle()
    assert "metric" in (await chat.context("How far?")).parts[0].text
    await say(memory, "Call me Ally.")
    assert "Ally" in (await memory.channel("chat").context("Who?")).parts[0].text


async def test_a_small_share_of_the_budget(memory: Memory) -> None:
    await say(memory, *(f"Whenever I mention town {n}, always give me the weather" for n in range(30)))
    context = await memory.channel("chat").context("weather", person="ann", budget=1000)
    assert context.parts[0].name == "standing"
    assert context.parts[0].tokens <= 100
    assert "town 29" in context.parts[0].text, "the newest are kept"


async def test_it_is_told_to_those_who_ask_what_is_known(memory: Memory) -> None:
    await say(memory, "Always answer in metric units.")
    about = await memory.about("ann", fresh=False)
    assert not about.nothing
    told = shapes.format_about(shapes.from_about(about))
    assert "Wants from every answer\n> Always answer in metric units. [chat, " in told
