"""Looking through the people of a space, a page at a time."""

from __future__ import annotations

from datetime import timedelta

import pytest

import erstwhile
from erstwhile.testing import FixedClock
from inside import pages


async def test_whoever_spoke_last_comes_first_with_all_the_names_they_went_by(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    chat = memory.channel("square")
    await chat.add("user", "hello", person="a1", name="Ann")
    clock.advance(hours=1)
    await chat.add("user", "hi", person="b1", name="Bob")
    clock.advance(hours=1)
    await chat.add("user", "I go by Anna now", person="a1", name="Anna")
    await memory.people.block("m1")
    await memory.people.share("b1")

    found = await memory.people.list()
    assert (found.total, [each.person for each in found]) == (3, ["a1", "b1", "m1"])
    ann, bob, mallory = found
    assert (ann.name, [each.name for each in ann.names]) == ("Anna", ["Anna", "Ann"])
    assert (ann.messages, ann.last_at, ann.names[1].last_at) == (2, clock(), clock() - timedelta(hours=2))
    assert (bob.shares, bob.blocked) == (True, False)
    assert (mallory.name, mallory.messages, mallory.last_at, mallory.blocked) == ("m1", 0, None, True)


async def test_a_page_is_a_page_of_those_who_were_looked_for(memory: erstwhile.Memory, clock: FixedClock) -> None:
    for number in range(5):
        await memory.channel("square").add("user", "hello", person=f"p{number}", name=f"Émile {number}")
        clock.advance(minutes=1)
    first = await memory.people.list(limit=2)
    second = await memory.people.list(cursor=first.next, limit=2)
    assert (second.total, [each.person for each in second]) == (5, ["p2", "p1"])
    third = await memory.people.list(cursor=second.next, limit=2)
    assert ([each.person for each in third], third.next) == (["p0"], None)
    assert [each.person for each in (await memory.people.list(matching="mile 3"))] == ["p3"]
    assert [each.person for each in (await memory.people.list(matching="P4"))] == ["p4"]
    assert [each.person for each in (await memory.people.list(people=["p0", "p9"]))] == ["p0"]
    assert (await memory.people.list(people=[])).total == 0
    assert (await memory.people.list(matching="100%")).total == 0
    assert (await memory.people.list(matching="' OR 1=1 --")).total == 0
    for wrong in ({"limit": 0}, {"limit": 1001}, {"cursor": first.next, "matching": "mile"}):
        with pytest.raises(erstwhile.InvalidInput):
            await memory.people.list(**wrong)


async def test_channels_are_looked_up_by_their_ids(memory: erstwhile.Memory) -> None:
    for name in ("garden", "kitchen", "studio"):
        imported = {"title": name.capitalize(), "source": "import:talk.zip"}
        await memory.channel(name).add("user", "hello", meta=imported)
    found = await memory.channels.list(channels=["studio", "kitchen", "nowhere"])
    assert [(each.channel, each.title) for each in found] == [("kitchen", "Kitchen"), ("studio", "Studio")]
    assert list(await memory.channels.list(channels=[])) == []


async def test_what_someone_said_is_read_over_all_channels_from_the_last_back(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    for number in range(6):
        await memory.channel(f"c{number % 2}").add("user", f"word {number}", person="ann")
        await memory.channel("c0").add("user", "noise", person="bob")
        clock.advance(minutes=number % 3)  # some at the same time
    found = await pages(memory.people.messages, "ann", limit=4)
    assert [len(page) for page in found] == [4, 2]
    assert sorted(hit.text for page in found for hit in page) == [f"word {number}" for number in range(6)]
    assert found[0][0].text == "word 5"
    assert await memory.people.messages("nobody") == []
    with pytest.raises(erstwhile.InvalidInput, match="cursor"):
        await memory.people.messages("ann", cursor="msg_nothing")


async def test_what_is_there_is_shown_without_waiting_for_a_model(memory: erstwhile.Memory) -> None:
    await memory.channel("square").add("user", "I painted the fence today", person="ann", name="Ann")
    await memory.remember("ann", "goes by Annie", by="ann")
    assert (await memory.about("ann", fresh=False)).today == ""
    assert "fence" in (await memory.about("ann")).today
    assert await memory.about("ann", fresh=False) == await memory.about("ann")


async def test_an_asker_hears_only_what_they_may(memory: erstwhile.Memory) -> None:
    """Ann tells her assistant where she lives, in private: she hears of it, Bob does not."""
    await memory.spaces.configure(recipe="full")
    said = [{"role": "user", "text": "I live in Busan.", "person": "ann", "name": "Ann"}]
    said += [{"role": "user", "text": f"Good morning {n}.", "person": "ann", "name": "Ann"} for n in range(20)]
    await memory.channel("anns").add_many(said)
    await memory.settle()
    (home,) = [each for each in await memory.facts.structured(person="ann") if each.slot == "home"]
    assert home in await memory.facts.structured(person="ann", asker="ann")
    assert await memory.facts.structured(person="ann", asker="bob") == []
    await memory.people.share("ann")
    assert home in await memory.facts.structured(person="ann", asker="bob")
