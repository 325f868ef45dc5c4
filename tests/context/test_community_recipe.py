"""The recipe `community` (P7, P8): profiles with where each fact was learnt, the notes on what is asked, the recent messages."""

from __future__ import annotations

import uuid
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.context import render
from erstwhile.testing import FixedClock
from erstwhile.text import tokens
from inserted import Rows

SEED = """\
<background_facts>
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
- Dog named Bento  [Pet photos, Feb 8]
</user>
<notes>
- [Feb 21] OS debate — A heated thread about Linux vs Windows...
- [Feb 23] Gaming discussion — Alex, Sam, and Jake debated JRPG recommendations...
</notes>
</background_facts>"""


def says(who: str, text: str) -> dict[str, str]:
    return {"role": "user", "person": who.lower(), "name": who, "text": text}


def at(day: int) -> datetime:
    return datetime(2026, 2, day, 12, tzinfo=UTC)


@pytest.fixture
async def rows(memory: erstwhile.Memory) -> Rows:
    """Alex and Sam talk in #games, Jake in #music; Nora has a channel of her own."""
    await memory.channel("games").add_many([says("Alex", "hey"), says("Sam", "hello"), says("Alex", "so")])
    await memory.channel("music").add_many([says("Jake", "hey"), says("Sam", "hello")])
    await memory.channel("nora-dm").add_many([says("Nora", "just between us")])
    return Rows(memory)


async def context(rows: Rows, query: str = "", person: str | None = "alex", **more: object) -> erstwhile.Context:
    channel = str(more.pop("channel", "games"))
    return await rows.memory.channel(channel).context(query, person=person, recipe="community", **more)  # type: ignore[arg-type]


def block(made: erstwhile.Context) -> str:
    return made.text[made.text.index("<background_facts>") : made.text.index("</background_facts>") + 19]


def users(made: erstwhile.Context) -> list[str]:
    return [each.attrib["name"] for each in ET.fromstring(block(made)).iter("user")]


def part(made: erstwhile.Context, name: str) -> erstwhile.Part:
    return next(each for each in made.parts if each.name == name)


async def test_it_reads_as_it_should(rows: Rows) -> None:
    session = await rows.note("Gaming session", "They played all night.", "games", (1, 1), "2026-02-23")
    discussion = await rows.note(
        "Gaming discussion", "Alex, Sam, and Jake debated JRPG recommendations...", "games", (2, 3), "2026-02-23"
    )
    os = await rows.note("OS debate", "A heated thread about Linux vs Windows...", "music", (1, 2), "2026-02-21")
    recs = await rows.note("Weekly recs", "Shows.", "music", (3, 3), "2026-02-20")
    dev = await rows.note("Dev chat", "Code.", "music", (4, 4), "2026-02-19")
    pets = await rows.note("Pet photos", "Cute.", "music", (5, 5), "2026-02-08")
    await rows.fact("alex", "bio", "Lives in Austin, works at Dell", session, channel="games", seq=1)
    await rows.fact("alex", "interests", "Anime", recs, channel="music", at=at(20))
    await rows.fact("alex", "interests", "RPG games", discussion, channel="games", seq=3)
    await rows.fact("alex", "skills", "Python, JavaScript", dev, channel="music")
    await rows.fact("alex", "opinions", "Prefers Linux over Windows", os, channel="music")
    await rows.fact("alex", "relationships", "Dog named Bento", pets, channel="music")
    made = await context(rows, "What of the JRPG and the Linux recommendations?")
    assert block(made) == SEED
    assert made.text == f"{render.PREFACE}\n\n{SEED}\n\n{part(made, 'recent').text}"
    assert [each.name for each in made.parts] == ["profiles", "notes", "recent"]
    assert made.tokens == tokens.count(made.text)
    assert made.messages[0] == {"role": "system", "content": f"{render.PREFACE}\n\n{SEED}"}


async def test_where_did_you_learn_that(rows: Rows) -> None:
    said = [message.id async for message in rows.memory.channel("games").messages()]
    note = await rows.note("Gaming", "JRPGs.", "games", (1, 3))
    other = await rows.note("Chess", "A match.", "music", (1, 2))
    topic = await rows.note("Week of games", "All about JRPGs.", notes=[note, other])
    leans = await rows.fact("alex", "bio", "Lives in Austin", note, channel="games", seq=1)
    noted = await rows.fact("alex", "bio", "Works at Dell", note, channel="games")
    by_hand = await rows.fact("alex", "bio", "Is tall")
    told = await rows.told("alex", "Alex is allergic to nuts.", said=("games", 2))
    made = await context(rows, "JRPGs")
    sources = {source.id: (source.kind, list(source.messages)) for source in made.sources}
    assert sources[leans] == ("profile", said[:1])
    assert sources[noted] == ("profile", said)
    assert sources[by_hand] == ("profile", [])
    assert sources[told] == ("told", said[1:2])
    assert sources[note] == ("note", said)
    assert sources[topic][0] == "topic"
    assert set(said) < set(sources[topic][1])
    assert len(made.sources) == sum(len(each.items) for each in made.parts)
    for source in made.sources:
        assert (await rows.memory.memories.sources(source.id)).id == source.id
    assert "- Is tall  [told by hand]" in made.text


async def test_what_was_told_comes_first_and_whose_word_it_is_is_said(rows: Rows) -> None:
    await rows.told("sam", "Sam is allergic to nuts.")
    await rows.fact("sam", "interests", "Sings badly", said_by="jake", channel="music", seq=1)
    await rows.fact("sam", "bio", "Is the admin", flag="authority", channel="games", seq=2)
    assert block(await context(rows)) == (
        '<background_facts>\n<user name="Sam">\nTold:\n- Sam is allergic to nuts.\n\n'
        'Bio:\n- "Is the admin" (says Sam)  [Feb 23]\n\n'
        "Interests:\n- Sings badly (says Jake)  [Feb 23]\n</user>\n</background_facts>"
    )


async def test_what_no_longer_holds_is_not_told(rows: Rows) -> None:
    await rows.fact("alex", "bio", "Lives in Austin", valid_to=1)
    made = await context(rows)
    assert [each.name for each in made.parts] == ["recent"]
    assert "background_facts" not in made.text


# Who is shown


async def test_everyone_here_then_mentioned_then_those_in_the_notes_nobody_twice(rows: Rows) -> None:
    people = ["Ann", "Ben", "Cid", "Dan", "Eve", "Fay", "Gil", "Hal"]
    await rows.memory.channel("music").add_many([says(who, "hi") for who in people])
    for who in ("Alex", "Sam", "Jake", *people):
        await rows.fact(who.lower(), "bio", f"{who} is known", channel="music")
    took_part = ["alex", "ann", "eve", "fay", "gil", "hal"]
    await rows.note("Concert", "The concert was loud.", "music", (1, 9), people=took_part)
    made = await context(rows, "Did <@ann>, Ben, <@cid> and Dan like the concert?", "sam")
    assert users(made)[:2] == ["Sam", "Alex"], "whoever asks, then whoever spoke"
    assert set(users(made)[2:5]) < {"Ann", "Ben", "Cid", "Dan"}
    assert users(made)[2:4] == ["Ann", "Cid"], "who is mentioned by id comes before who is named"
    assert users(made)[5:] == ["Eve", "Fay", "Gil"]
    assert len(users(made)) == len(set(users(made)))


async def test_how_many_beside_is_a_setting(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, profiles_beside=0) as memory:
        rows = Rows(memory)
        await memory.channel("games").add_many([says("Alex", "hey"), says("Sam", "hello")])
        await memory.channel("music").add_many([says("Jake", "hey"), says("Sam", "hello")])
        for who in ("alex", "jake"):
            await rows.fact(who, "bio", "Plays the drums", channel="music")
        assert users(await context(rows, "Does Jake play drums?")) == ["Alex"]


async def test_who_asks_first_in_a_new_channel_is_known(rows: Rows) -> None:
    await rows.fact("alex", "bio", "Lives in Austin", channel="games")
    assert users(await context(rows, channel="brand-new")) == ["Alex"]


async def test_the_name_is_the_one_they_go_by_now(rows: Rows) -> None:
    await rows.fact("alex", "bio", "Lives in Austin", channel="games")
    await rows.memory.channel("games").add(
        "user", "new name!", person="alex", name="Alexandra", at="2026-05-01T00:00:00Z"
    )
    assert users(await context(rows)) == ["Alexandra"]


# Who may hear it


async def test_what_was_said_in_private_is_not_told_here(rows: Rows) -> None:
    await rows.memory.channel("alex-dm").add_many([says("Alex", "secretly")])
    note = await rows.note("Secret plans", "Alex plots about JRPGs.", "alex-dm", (1, 1), people=["alex", "nora"])
    await rows.fact("alex", "bio", "Is plotting", note, channel="alex-dm", seq=1)
    await rows.fact("alex", "bio", "Is cheerful", note, channel="games", seq=1)
    await rows.fact("nora", "bio", "Is lonely", channel="nora-dm", seq=1)
    await rows.told("alex", "Alex is in debt.", audience="alex-dm")
    await rows.note("Private topic", "JRPGs in private.", "alex-dm", notes=[note])
    for query in ("JRPGs of Nora and Alex", ""):
        open_here = await context(rows, query)
        shown = open_here.text + str(open_here.messages) + str(open_here.sources)
        assert not any(word in shown for word in ("plot", "Secret", "debt", "lonely", "Private"))
        assert "- Is cheerful  [Feb 23]" in open_here.text, "the title of a private note is private too"
        mine = await context(rows, query, channel="alex-dm")
        assert all(word in mine.text for word in ("Is plotting  [Secret plans, Feb 23]", "in debt"))
        assert "lonely" not in mine.text
    await rows.memory.people.share("nora")
    assert "lonely" in (await context(rows, "JRPGs of Nora")).text


async def test_notes_of_the_whole_space_are_found_and_private_ones_do_not_crowd_them_out(rows: Rows) -> None:
    await rows.note("Open air", "The concert in the park.", "music", (1, 2))
    for n in range(60):
        await rows.note(f"Concert {n}", "Concert concert concert.", "nora-dm", (n + 1, n + 1))
    made = await context(rows, "When is the concert?")
    assert [item.text for item in part(made, "notes").items] == ["- [Feb 23] Open air — The concert in the park."]


async def test_at_most_eight_notes_and_the_latest_without_a_question(rows: Rows) -> None:
    for n in range(1, 13):
        await rows.note(f"Concert {n}", "It was loud.", "music", (n, n), f"2026-02-{n:02}")
    asked = part(await context(rows, "the loud concert"), "notes")
    assert len(asked.items) == 8
    latest = part(await context(rows), "notes")
    assert [item.text.split("]")[0] for item in latest.items] == [f"- [Feb {n}" for n in range(5, 13)]


# Budget and hostile text


async def test_a_small_budget_drops_whole_facts_of_those_furthest_down_first(rows: Rows) -> None:
    for n in range(12):
        for who in ("alex", "sam", "jake"):
            await rows.fact(
                who, "other", f"Fact {n} of {who}: owns {n} old red lanterns", channel="games", at=at(n + 1)
            )
    await rows.fact("alex", "skills", "Repairs accordions", channel="games", at=at(1))
    whole = await context(rows, "accordions of Jake", budget=4000)
    assert part(whole, "profiles").text.count("\n- ") == 37
    for budget in (150, 250, 400, 600, 900):
        made = await context(rows, "accordions of Jake", budget=budget)
        assert made.tokens <= budget
        lines = [line for line in made.text.splitlines() if line.startswith("- ")]
        assert set(lines) <= set(whole.text.splitlines())
        assert "Repairs accordions" in made.text, "what the question is about goes last"
        if "of sam" in made.text:
            assert made.text.count("of alex") == 12
        if 0 < made.text.count("of alex") < 12:
            assert "Fact 11 of alex" in made.text, "the oldest go first"


words = st.sampled_from(
    ["</user>", "</background_facts>", '" onclick="', "<notes>", "&amp;", "]]>", "<!--", "Bio:", "- fact", "lantern", "부산", "🎂",
     "=== Recent Conversation ===", "\ufffe", "\uffff", "\x0b", "\u2028", "\x85", "\U000e0041"]
)  # fmt: skip
hostile = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=60),
    st.lists(words, min_size=1, max_size=10).map(" ".join),
    st.integers(1, 400).map(lambda count: "<" * count),
    st.integers(1, 800).map(lambda count: "lantern & " * count),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.tuples(hostile, hostile),
    texts=st.lists(hostile, min_size=6, max_size=12),
    budget=st.integers(100, 900),
    question=st.one_of(st.just(""), st.just("lantern fact"), hostile),
)
async def test_whatever_was_typed_it_is_well_formed_and_within_the_budget(
    memory: erstwhile.Memory, names: tuple[str, str], texts: list[str], budget: int, question: str
) -> None:
    space = uuid.uuid4().hex
    rows = Rows(memory, space)
    one, other = (name.strip()[:200] or "x" for name in names)
    chat = memory.channel("games", space=space)
    await chat.add("user", texts[0], person="one", name=one)
    await chat.add("user", texts[1], person="other", name=other)
    note = await rows.note(texts[2][:100], texts[3], "games", (1, 2), people=["one", "other"])
    await rows.told("other", texts[4], said=("games", 1))
    for text in dict.fromkeys(texts[5:]):
        await rows.fact(
            "one", "bio", text, note, channel="games", seq=1, said_by="other", flag="x" if len(text) % 2 else ""
        )
    made = await chat.context(question[:500], person="one", recipe="community", budget=budget)
    assert made.tokens == tokens.count(made.text) <= budget
    assert sum(tokens.count(each["content"]) for each in made.messages) <= budget
    tree = ET.fromstring(f"<context>{made.text}</context>")
    background = any(each.name != "recent" for each in made.parts)
    assert [each.tag for each in tree] == (["background_facts"] if background else [])
    assert {each.tag for each in tree.iter()} <= {"context", "background_facts", "user", "notes"}
    assert len(made.sources) == sum(len(each.items) for each in made.parts)
    margin = [line for line in block(made).splitlines() if line.startswith("- ")] if background else []
    ours = {item.text for each in made.parts for item in each.items}
    assert set(margin) <= ours, "a line at the margin is ours"
