"""Random worlds of people, channels and declarations against an oracle that knows the rule of visibility and no SQL:
no context, search, portrait or list shows a word that was said where not everyone who reads it was."""

from __future__ import annotations

import os
import random
import re
from dataclasses import dataclass, field

import pytest

import erstwhile
from erstwhile.testing import FixedClock

PEOPLE = ("alice", "bob", "carol", "dave")
CHANNELS = ("one", "two", "three", "four", "five")
WORLDS = 6 if os.environ.get("ERSTWHILE_SOAK") else 2
CANARY = re.compile(r"Zork\d+")


@dataclass
class Oracle:
    """What was said where, in order, by call; what was declared; who shares."""

    said: list[tuple[str, str, str]] = field(default_factory=list)  # channel, person, canary
    declared: dict[str, str] = field(default_factory=dict)
    sharing: set[str] = field(default_factory=set)

    def speakers(self, channel: str) -> list[str]:
        return list(dict.fromkeys(person for where, person, _ in self.said if where == channel))

    def is_open(self, channel: str) -> bool:
        declared = self.declared.get(channel)
        return declared == "open" or (declared is None and len(self.speakers(channel)) > 1)

    def may_see(self, here: str, asker: str) -> set[str]:
        """The canaries that may be told in `here` ("" is a conversation with the asker alone)."""
        readers = {*self.speakers(here), asker}
        closed = not self.is_open(here)
        found = set()
        for channel in CHANNELS:
            spoken = [(person, canary) for where, person, canary in self.said if where == channel]
            there: set[str] = set()
            for number, (person, canary) in enumerate(spoken):
                there.add(person)
                if self.declared.get(channel) is None:
                    public = len(there) > 1
                    group = {each for each, _ in spoken[: number + 1]} if not public else there
                else:
                    public, group = self.declared[channel] == "open", set(self.speakers(channel))
                if channel == here or public or group <= self.sharing or (closed and readers <= group):
                    found.add(canary)
        return found


async def live(memory: erstwhile.Memory, clock: FixedClock, chance: random.Random) -> Oracle:
    world = Oracle()
    for number in range(36):
        channel, person = chance.choice(CHANNELS), chance.choice(PEOPLE)
        if chance.random() < 0.08:
            privacy = chance.choice(("open", "private", "direct"))
            await memory.channels.set_privacy(memory.channel(channel), privacy)
            world.declared[channel] = privacy
        if chance.random() < 0.05:
            await memory.people.share(person)
            world.sharing.add(person)
        if chance.random() < 0.5 and world.speakers(channel):  # alone for a while, as many channels are
            person = world.speakers(channel)[0]
        canary = f"Zork{chance.randrange(10**6, 10**7)}"
        told = chance.choice((f"I live in {canary}.", f"My favourite colour is {canary}.", f"I work at {canary}."))
        await memory.channel(channel).add("user", told, person=person, name=person.title())
        world.said.append((channel, person, canary))
        if chance.random() < 0.1:
            await memory.channel(channel).command(f"remember that I like {canary}", person=person)
        clock.advance(minutes=chance.choice((1, 5, 200)))
        if number % 12 == 11:
            await memory.settle()
    clock.advance(hours=26)
    await memory.settle()
    await memory.notes.nightly()
    await memory.settle()
    return world


async def shown(memory: erstwhile.Memory, here: str, asker: str) -> dict[str, str]:
    """Everything that is told to the asker in a channel, by where it is told."""
    found = {}
    chat = memory.channel(here) if here else None
    if chat is not None:
        for recipe in ("full", "dual", "recall", "brief", "community", "person"):
            context = await chat.context("Where do they live and work?", person=asker, recipe=recipe, scope="person")
            found[recipe] = context.text
    hits = await memory.search("live work favourite colour", asker=asker, channel=here or None, limit=100)
    found["search"] = "\n".join(hit.text for hit in hits)
    everywhere = await memory.search("live work favourite colour", asker=asker, limit=100)
    if not here:
        found["search everywhere"] = "\n".join(hit.text for hit in everywhere)
        found["facts"] = "\n".join(
            each.text for each in await memory.facts.structured(asker=asker, valid="all", limit=100)
        )
    for person in PEOPLE:
        about = await memory.about(person, channel=here or None, asker=asker)
        facts = [f"{fact.text} {fact.source}" for facts in about.profile.values() for fact in facts]
        found[f"about {person}"] = "\n".join([about.told, about.today, about.history, *facts])
    return found


@pytest.mark.parametrize("seed", range(WORLDS))
async def test_nothing_is_told_where_not_everyone_was(database_url: str, clock: FixedClock, seed: int) -> None:
    chance = random.Random(seed)
    async with erstwhile.open(database_url, clock=clock, worker=False, chunk_size=5) as memory:
        world = await live(memory, clock, chance)
        seen_elsewhere = 0
        for here in ("", *CHANNELS):
            for asker in chance.sample(PEOPLE, 2):
                may = world.may_see(here, asker)
                own = {canary for where, _, canary in world.said if where == here}
                for where, text in (await shown(memory, here, asker)).items():
                    told = set(CANARY.findall(text))
                    assert told <= may, f"{where} in {here!r} for {asker}: {sorted(told - may)}"
                    seen_elsewhere += len(told - own)
        assert seen_elsewhere > 20, "what may be told is told: otherwise this test could not fail"


@pytest.mark.parametrize(
    "twin",
    [
        "ALICE",
        "ａlice",
        "alice\u200b",
        " alice",
        "al\u200dice",
        "alice\ufe0f",
        "alice\u3164",
        "\uffa0alice",
        "alice\u2800",
    ],
)
async def test_a_twin_of_an_id_opens_nothing(memory: erstwhile.Memory, twin: str) -> None:
    await memory.channel("diary").add("user", "The safe combination is 4711.", person="alice")
    with pytest.raises(erstwhile.InvalidInput, match="differs only in case"):
        await memory.channel("diary").add("user", "hello", person=twin)
    with pytest.raises(erstwhile.InvalidInput, match="differs only in case"):
        await memory.remember(twin, "likes tea")
    with pytest.raises(erstwhile.InvalidInput, match="differs only in case"):
        await memory.channels.set_privacy(memory.channel("diary"), "private", people=[twin])
    batch = [{"role": "user", "text": "hi", "person": each} for each in ("zoe", "ZOE")]
    with pytest.raises(erstwhile.InvalidInput, match="differs only in case"):
        await memory.channel("lobby").add_many(batch)
    (audience,) = [each for each in await memory.channels.visibility() if each.channel == "diary"]
    assert not audience.everyone


async def test_the_same_letters_are_the_same_person(memory: erstwhile.Memory) -> None:
    composed, decomposed = "josé", "jose\u0301"
    first = await memory.channel("diary").add("user", "The safe combination is 4711.", person=decomposed)
    assert first.person == composed
    await memory.channel("diary").add("user", "And the key is under the mat.", person=composed)
    (audience,) = await memory.channels.visibility()
    assert (audience.everyone, audience.count) == (False, 1)
    assert await memory.search("safe combination", asker=decomposed)


async def test_a_private_channel_opens_from_then_on(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await memory.channel("diary").add("user", "The safe combination is 4711.", person="alice", name="Alice")
    await memory.channel("diary").add("assistant", "Noted.")
    await memory.channel("diary").add("user", "The party is on Sunday.", person="bob", name="Bob")
    await memory.channel("diary").add("user", "The party is at the lake.", person="alice", name="Alice")
    await memory.channel("square").add_many(
        [{"role": "user", "text": "hi", "person": each} for each in ("alice", "bob", "carol")]
    )
    (diary, _) = await memory.channels.visibility()
    assert (diary.everyone, diary.since) == (True, 3)
    clock.advance(days=1)
    await memory.settle()
    question = "What is the safe combination, and where is the party?"
    for asker in ("alice", "bob"):
        text = (await memory.channel("square").context(question, person=asker, scope="person")).text
        assert "4711" not in text
        assert "lake" in text
    assert "4711" in (await memory.channel("new").context(question, person="alice", scope="person")).text
    assert "4711" not in (await memory.channel("new").context(question, person="bob", scope="person")).text
    assert "4711" not in str(await memory.search("safe combination", asker="bob"))
    await memory.channels.set_privacy(memory.channel("diary"), "open")
    text = (await memory.channel("square").context(question, person="bob", scope="person")).text
    assert "4711" in text, "opening it is an explicit act"
