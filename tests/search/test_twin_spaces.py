"""Two spaces that say the same, under the same keys: whatever one does, the answers of the other stay as they were, digit by digit."""

from __future__ import annotations

import random
from typing import Any

import erstwhile

WORDS = [
    "lantern",
    "ferry",
    "kayak",
    "landlord",
    "buckwheat",
    "piano",
    "harbour",
    "등불",
    "sold",
    "lost",
    "Mina",
    "Jun",
]
PEOPLE = ["mina", "jun"]
ASKED = 50


async def say(memory: erstwhile.Memory, space: str, seed: int, count: int = 24) -> None:
    dice = random.Random(seed)
    said = [
        {
            "role": "user",
            "person": dice.choice(PEOPLE),
            "text": " ".join(dice.choices(WORDS, k=6)),
            "key": f"{seed}-{n}",
        }
        for n in range(count)
    ]
    await memory.channel("hall", space).add_many(said)
    await memory.facts.add(memory.channel("hall", space), f"Mina sold kayak {seed}.", by="jun", person="mina")


async def answers(memory: erstwhile.Memory, space: str) -> list[Any]:
    dice, chat = random.Random(7), memory.channel("hall", space)
    found: list[Any] = [
        await chat.size(),
        [message.id async for message in chat.messages()],
        [fact.id for fact in await memory.facts.list(chat)],
        await memory.people.list(space=space),
        sorted(job.id for job in await memory.jobs.list(space=space, limit=500)),
    ]
    for _ in range(ASKED):
        hits = await memory.search(
            " ".join(dice.choices([*WORDS, "secret", "lantrn"], k=dice.randint(1, 4))),
            space=space,
            person=dice.choice([None, None, *PEOPLE]),
            limit=dice.choice([3, 30]),
        )
        found.append([(hit.id, hit.text, hit.score) for hit in hits])
    return found


async def test_what_a_twin_does_changes_no_answer(memory: erstwhile.Memory) -> None:
    for space in ("castor", "pollux"):
        await say(memory, space, 1)
    await memory.settle()
    before = {space: await answers(memory, space) for space in ("castor", "pollux")}
    assert not set(before["castor"][1]) & set(before["pollux"][1])
    for ours, theirs in zip(before["castor"][5:], before["pollux"][5:], strict=True):
        assert [score for *_, score in ours] == [score for *_, score in theirs]
    assert sum(map(len, before["castor"][5:])) > ASKED

    await say(memory, "pollux", 2)
    await memory.channel("hall", "pollux").add("user", "A secret lantern.", person="jun", name="Jun Secret")
    await memory.people.block("mina", space="pollux")
    await memory.settle()
    assert await answers(memory, "castor") == before["castor"]
    changed = await answers(memory, "pollux")
    assert changed[0] == before["pollux"][0] + 25
    assert changed[5:] != before["pollux"][5:]
