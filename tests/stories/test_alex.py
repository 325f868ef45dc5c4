"""A week in a small community, after which the bot knows who Alex is, and where it learnt it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import erstwhile
from erstwhile.testing import Call, FixedClock, ModelServer
from erstwhile.testing.answers import sensible

# Day of February, channel, what is said, the title, and what the note states of Alex: section, fact, number of the message.
WEEK = (
    (
        18,
        "pets",
        ["Look at my dog! He is called Bento.", "so fluffy"],
        "Pet photos",
        [("relationships", "Dog named Bento", 1)],
    ),
    (19, "dev", ["I know Python and JavaScript.", "we need a bot"], "Dev chat", [("skills", "Python, JavaScript", 1)]),
    (20, "anime", ["I love anime.", "any recs?"], "Weekly recs", [("interests", "Anime", 1)]),
    (
        21,
        "tech",
        ["I prefer Linux over Windows.", "here we go"],
        "OS debate",
        [("opinions", "Prefers Linux over Windows", 1)],
    ),
    (
        23,
        "games",
        ["I love RPG games.", "JRPGs or western ones?"],
        "Gaming discussion",
        [("interests", "RPG games", 1)],
    ),
    (
        23,
        "lounge",
        ["I live in Austin, I work at Dell.", "nice, GG everyone"],
        "Gaming session",
        [("bio", "Lives in Austin, works at Dell", 1)],
    ),
)

EXPECTED = """<background_facts>
<user name="Alex">
Bio:
- Lives in Austin, works at Dell  [Gaming session, Feb 23]

Interests:
- RPG games  [Gaming discussion, Feb 23]
- Anime  [Weekly recs, Feb 20]

Skills:
- Python, JavaScript  [Dev chat, Feb 19]

Opinions:
- Prefers Linux over Windows  [OS debate, Feb 21]

Relationships:
- Dog named Bento  [Pet photos, Feb 18]
</user>"""


def scripted(call: Call) -> str:
    """The notes as the week has them; everything else as any sensible model would answer."""
    if '"title"' not in call.system or '"people"' not in call.system:
        return sensible(call)
    _, _, said, title, stated = next(each for each in WEEK if each[2][0] in call.user)
    people = [
        {"person": "alex", "section": section, "fact": fact, "slot": None, "value": None, "message": number}
        for section, fact, number in stated
    ]
    return json.dumps({"title": title, "summary": f"Alex and Sam talked: {said[0]}", "people": people})


async def live(memory: erstwhile.Memory, clock: FixedClock) -> None:
    for day, channel, said, *_ in WEEK:
        clock.now = datetime(2026, 2, day, 18, 0 if channel != "lounge" else 30, tzinfo=UTC)
        chat = memory.channel(channel)
        await memory.channels.set_privacy(chat, "open")
        for person, text in zip(("alex", "sam"), said, strict=True):
            await chat.add("user", text, person=person, name=person.title())
            clock.advance(minutes=1)
        await chat.add("assistant", "Noted.", model="bot")
        clock.advance(minutes=26)
        await memory.settle()
    clock.advance(days=1)
    await memory.settle()


async def test_alex_is_known_with_sources(database_url: str, clock: FixedClock) -> None:
    with ModelServer(scripted) as server:
        settings = {"model": "openai-compatible:x", "base_url": server.base_url, "worker": False, "recipe": "community"}
        async with erstwhile.open(database_url, clock=clock, **settings) as memory:
            await live(memory, clock)
            context = await memory.channel("games").context("What games does Alex like?", person="sam")
            assert EXPECTED in context.text
            assert re.search(r"<notes>\n(- \[Feb \d+\] .+ — .+\n)+</notes>\n</background_facts>", context.text)

            profile = await memory.people.profile("alex")
            for fact in (fact for facts in profile.sections.values() for fact in facts):
                learnt = await memory.memories.sources(fact.id)
                assert [each.kind for each in learnt.sources] == ["note"]
                said = [message.text for message in learnt.sources[0].sources]
                assert any(text in said for _, _, (text, _), _, _ in WEEK)
            assert "Noted." not in str(await memory.notes.list()), "the bot's own words never enter"

            portrait = await memory.about("alex")
            assert [fact.source for fact in portrait.profile["skills"]] == ["Dev chat, Feb 19"]


async def test_without_a_model_alex_is_known_too(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, recipe="community") as memory:
        await live(memory, clock)
        text = (await memory.channel("games").context("Tell me about Alex", person="sam")).text
        for word in ("Austin", "Dell", "anime", "RPG", "Linux", "Bento"):
            assert word in text
        user = re.search(r'<user name="Alex">(.*?)</user>', text, re.DOTALL)
        assert user is not None
        facts = re.findall(r"^- .+  \[.+, Feb \d+\]$", user[1], re.MULTILINE)
        assert len(facts) >= 4, "each fact with its note and day"
