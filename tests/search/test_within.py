"""`within`: an app that knows who may read what says of which channels a question may be answered, and it is answered of no other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import erstwhile
from erstwhile.base import ids
from erstwhile.testing import FixedClock
from inserted import Rows

CANARY = "xylophone"
QUESTION = f"Who plays the {CANARY} on Fridays?"
RECIPES = ("dual", "brief", "recall", "person", "community", "full")
TALK = [
    f"I play the {CANARY} on Fridays.",
    f"My {CANARY} lesson is on Friday at 5 pm.",
    f"I decided to sell my old {CANARY}.",
    f"I will bring the {CANARY} tomorrow.",
]


@pytest.fixture
async def town(memory: erstwhile.Memory, clock: FixedClock) -> erstwhile.Memory:
    """The council sits in private. Whatever can be made of its words is made."""
    await memory.spaces.configure(recipe="full")
    council, square = memory.channel("council"), memory.channel("square")
    await memory.channels.set_privacy(council, "private")
    await memory.channels.set_privacy(square, "open")
    for number in range(3):
        for text in TALK:
            said = f"{text} That is what I said, the {number}th time."
            await council.add("user", said, person="alice", name="Alice", at=clock())
            clock.advance(minutes=1)
    await memory.remember("alice", f"Alice owns a {CANARY}.", by="alice", channel="council")
    await memory.facts.add(council, f"Alice has a {CANARY} teacher.", by="carol", person="alice")
    await square.add_many([{"role": "user", "text": "Good morning.", "person": who} for who in ("alice", "bob")])
    rows = Rows(memory)
    note = await rows.note(f"The {CANARY}", f"Alice plays the {CANARY}.", "council", (1, 4), people=["alice"])
    await rows.fact("alice", "interests", f"Plays the {CANARY} on Fridays.", note, channel="council", seq=1)
    await rows.day("alice", f"{clock():%Y-%m-%d}", f"Alice spoke of her {CANARY} on Fridays.", "council")
    await memory.settle()
    return memory


async def shown(memory: erstwhile.Memory, within: Sequence[str] | None) -> dict[str, bool]:
    """By each way of asking in the square, whether the council's words come up."""
    square = memory.channel("square")
    found = {
        recipe: CANARY in (await square.context(QUESTION, person="alice", recipe=recipe, within=within)).text
        for recipe in RECIPES
    }
    found["any asker"] = CANARY in (await square.context(QUESTION, within=within, scope="person")).text
    found["about"] = CANARY in str(await memory.about("alice", channel="square", within=within))
    found["about, not fresh"] = CANARY in str(await memory.about("alice", within=within, fresh=False))
    for kind in ids.kinds():
        hits = await memory.search(QUESTION, kinds=[kind], limit=50, within=within)
        found[kind] = any(CANARY in hit.text for hit in hits)
    return found


async def test_a_question_is_answered_of_no_channel_but_those_named(town: erstwhile.Memory) -> None:
    for within in ([], ["square", "nowhere"]):
        told = [way for way, there in (await shown(town, within)).items() if there]
        assert told == [], f"within {within}"
    there = await shown(town, ["council"])
    ways = {"dual", "recall", "full", "person", "community", "any asker", "about", "about, not fresh"}
    kinds = {"message", "chunk", "fact", "note", "profile", "told", "day", "structured"}
    assert {way for way in ways | kinds if not there[way]} == set(), "and of those it is"


async def test_what_everyone_may_hear_is_told_whatever_is_named(memory: erstwhile.Memory) -> None:
    await memory.remember("alice", f"Alice owns a {CANARY}.")
    assert CANARY in (await memory.about("alice", channel="square", within=[])).text


async def test_a_space_in_which_everything_may_be_told_is_limited_all_the_same(memory: erstwhile.Memory) -> None:
    await memory.spaces.configure(privacy="open")
    await memory.channel("council").add("user", f"I play the {CANARY}.", person="alice")
    assert await memory.search(CANARY, within=["council"])
    assert not await memory.search(CANARY, within=["square"])


async def test_what_is_named_is_a_list_of_channels(memory: erstwhile.Memory) -> None:
    with pytest.raises(erstwhile.InvalidInput, match="list of channels"):
        await memory.search("anything", within="council")
