"""What was told, days, notes, topics and profile facts are found, and lead down to the messages they came from."""

from __future__ import annotations

from typing import Any

import pytest

import erstwhile
from erstwhile.search import read
from erstwhile.testing import FixedClock
from inserted import Rows
from inside import runtime

pytestmark = pytest.mark.usefixtures("quiet_never_comes")


def says(who: str, text: str, at: str = "2026-02-23T10:00:00Z") -> dict[str, str]:
    return {"role": "user", "person": who.lower(), "name": who, "text": text, "at": at}


TALK = [
    says("Alex", "I live in Austin now, and work at Dell."),
    says("Sam", "Jake swears by old role playing games."),
    {"role": "assistant", "text": "Noted.", "at": "2026-02-23T10:01:00Z"},
    says("Alex", "Remember that I am allergic to peanuts."),
    says("Alex", "The day after, nothing happened.", "2026-02-24T10:00:00Z"),
]


@pytest.fixture
async def rows(memory: erstwhile.Memory) -> Rows:
    await memory.channel("games").add_many(TALK)
    await memory.settle()
    return Rows(memory)


@pytest.fixture
async def said(rows: Rows) -> dict[int, str]:
    return {message.seq: message.id async for message in rows.memory.channel("games").messages()}


async def hit(rows: Rows, query: str, kind: str, **more: Any) -> erstwhile.Hit:
    (found,) = await rows.memory.search(query, kinds=[kind], **more)
    return found


async def test_every_kind_can_be_asked_for(rows: Rows) -> None:
    for kind in ("told", "day", "note", "topic", "profile"):
        assert await rows.memory.search("anything", kinds=[kind]) == []


async def test_what_was_told_leads_to_the_message_in_which_it_was(rows: Rows, said: dict[int, str]) -> None:
    id = await rows.told("alex", "Alex is allergic to peanuts.", said=("games", 4))
    found = await hit(rows, "peanuts allergy", "told")
    assert (found.id, found.text, found.person, found.channel) == (id, "Alex is allergic to peanuts.", "alex", "")
    assert found.sources == (said[4],)
    assert [each.id for each in (await rows.memory.memories.sources(id)).sources] == [said[4]]


async def test_what_the_app_itself_told_comes_from_no_message(rows: Rows) -> None:
    id = await rows.told("alex", "Alex is allergic to peanuts.")
    assert (await hit(rows, "peanuts", "told")).sources == ()
    assert (await rows.memory.memories.sources(id)).sources == ()


async def test_a_day_leads_to_what_the_person_said_on_it(rows: Rows, said: dict[int, str]) -> None:
    id = await rows.day("alex", "2026-02-23", "Alex talked about moving to Austin.")
    assert (await hit(rows, "moving to Austin", "day")).sources == (said[1], said[4])
    assert [each.seq for each in (await rows.memory.memories.sources(id)).sources] == [1, 4]


async def test_a_day_of_everyone_leaves_out_what_was_read_for_a_private_channel(
    rows: Rows, said: dict[int, str]
) -> None:
    await rows.memory.channel("dm").add_many([says("Alex", "Austin is lonely.")])
    mine = await rows.day("alex", "2026-02-23", "Alex is lonely in Austin.", audience="dm")
    ours = await rows.day("alex", "2026-02-23", "Alex moved to Austin.")
    assert [each.channel for each in (await rows.memory.memories.sources(mine)).sources] == ["dm"]
    assert [each.id for each in (await rows.memory.memories.sources(ours)).sources] == [said[1], said[4]]


async def test_a_day_begins_where_the_people_live(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, timezone="Asia/Seoul") as memory:
        await memory.channel("games").add_many(
            [says("Alex", "early", "2026-02-22T16:00:00Z"), says("Alex", "late", "2026-02-23T16:00:00Z")]
        )
        id = await Rows(memory).day("alex", "2026-02-23", "Alex was up early.")
        assert [each.text for each in (await memory.memories.sources(id)).sources] == ["early"]
        (found,) = await memory.search("up early", kinds=["day"])
        assert len(found.sources) == 1


async def test_a_note_leads_to_what_people_said_in_its_conversation(rows: Rows, said: dict[int, str]) -> None:
    id = await rows.note("Gaming discussion", "Alex and Sam debated JRPGs.", "games", (1, 4))
    found = await hit(rows, "who debated JRPGs?", "note")
    assert (found.text, found.channel) == ("Gaming discussion — Alex and Sam debated JRPGs.", "games")
    assert found.sources == (said[1], said[2], said[4]), "the assistant's words are nobody's"
    assert [each.id for each in (await rows.memory.memories.sources(id)).sources] == [said[1], said[2], said[4]]


async def test_a_topic_leads_to_its_notes_and_these_to_messages(rows: Rows, said: dict[int, str]) -> None:
    one = await rows.note("Gaming discussion", "JRPGs.", "games", (1, 2))
    other = await rows.note("Allergies", "Peanuts.", "games", (4, 4))
    id = await rows.note("What the week was about", "Games and food.", notes=[one, other])
    assert set((await hit(rows, "games and food", "topic")).sources) == {one, other}
    tree = await rows.memory.memories.sources(id)
    assert {note.id: [each.id for each in note.sources] for note in tree.sources} == {
        one: [said[1], said[2]],
        other: [said[4]],
    }


async def test_a_profile_fact_says_whose_word_it_is_and_leads_to_its_notes(rows: Rows, said: dict[int, str]) -> None:
    one = await rows.note("Gaming discussion", "JRPGs.", "games", (1, 2))
    other = await rows.note("Gaming again", "More of them.", "games", (4, 4))
    id = await rows.fact(
        "jake", "interests", "Likes role playing games", one, said_by="sam", channel="games", seq=2, notes=[other]
    )
    found = await hit(rows, "role playing", "profile")
    assert (found.text, found.person, found.seq) == ("Likes role playing games (said by Sam)", "jake", 2)
    assert found.sources == (one, other)
    assert [each.kind for each in (await rows.memory.memories.sources(id)).sources] == ["note", "note"]


async def test_what_is_gone_is_left_out_of_the_sources(rows: Rows, said: dict[int, str]) -> None:
    note = await rows.note("Gaming discussion", "JRPGs.", "games", (1, 2))
    topic = await rows.note("Weekly", "Games.", notes=[note])
    fact = await rows.fact("alex", "bio", "Lives in Austin", note, channel="games", seq=1)
    told = await rows.told("alex", "Alex is allergic.", said=("games", 99))
    await rows.run("DELETE FROM memories WHERE space = :space AND id = :id", id=note)
    assert (await rows.memory.memories.sources(topic)).sources == ()
    assert [each.id for each in (await rows.memory.memories.sources(fact)).sources] == [said[1]], (
        "the message it leans on"
    )
    assert (await rows.memory.memories.sources(told)).sources == ()
    assert (await hit(rows, "Austin", "profile")).sources == (said[1],)
    with pytest.raises(erstwhile.NotFound):
        await rows.memory.memories.sources(note)
    await rows.run("DELETE FROM memories WHERE space = :space AND id = :id", id=fact)
    assert await rows.memory.search("Austin", kinds=["profile"]) == [], "a document whose memory is gone is no hit"


async def test_what_is_embedded_is_what_is_shown(rows: Rows) -> None:
    ids = {
        "told": [await rows.told("alex", "Alex is allergic.")],
        "day": [await rows.day("alex", "2026-02-23", "Alex moved.")],
        "note": [await rows.note("Gaming", "JRPGs.", "games", (1, 2))],
        "profile": [await rows.fact("jake", "bio", "Lives in Waco", said_by="sam")],
    }
    found = await runtime(rows.memory).database.read("default", lambda tx: read.texts(tx, ids))
    assert sorted(found.values()) == [
        "Alex is allergic.",
        "Alex moved.",
        "Gaming — JRPGs.",
        "Lives in Waco (said by Sam)",
    ]


async def test_notes_are_found_by_meaning(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as memory:
        rows = Rows(memory)
        await memory.channel("games").add_many(TALK)
        for n, title in enumerate(("Boiler repair", "Train tickets", "Tax return", "Garden party"), start=1):
            await rows.note(title, f"About the {title.lower()}.", "games", (n, n))
        await memory.settle()
        found = await memory.search("heating fixed by a plumber", kinds=["note"])
        assert found[0].text.startswith("Boiler repair")


async def test_why_shows_the_new_kinds(rows: Rows) -> None:
    await rows.told("alex", "Alex is allergic to peanuts.", said=("games", 4))
    await rows.fact("alex", "bio", "Peanuts make Alex ill")
    await rows.note("Peanuts", "An allergy.", "games", (4, 4))
    await rows.day("alex", "2026-02-23", "Alex spoke of peanuts.")
    await rows.memory.search("peanuts")
    (request,) = await rows.memory.requests.list()
    why = await rows.memory.requests.explain(request.id)
    assert {"told", "profile", "note", "day", "message"} <= {each.candidate.kind for each in why.seen}
    assert all(each.text for each in why.seen)
    assert {each.candidate.fate for each in why.seen} == {"kept"}


# They do not disturb what was found before


@pytest.fixture
async def busy(memory: erstwhile.Memory) -> Rows:
    nouns = ["lantern", "ferry", "kayak", "landlord", "piano", "harbour", "boiler", "ticket", "garden", "violin"]
    talk = [
        says(("Mina", "Jun")[n % 2], f"I {('bought', 'lost', 'sold')[n % 3]} the {nouns[n % 10]} number {n} near the {nouns[n * 7 % 10]}.")
        for n in range(60)
    ]  # fmt: skip
    await memory.channel("chat").add_many(talk)
    await memory.settle()
    return Rows(memory)


QUESTIONS = [
    "Who lost the violin?",
    "Where did Mina sell the piano?",
    "What happened to the ferry?",
    "boiler number 36",
    "When did Jun buy the kayak?",
]


async def test_messages_are_found_as_before_when_there_are_notes_and_profiles_too(busy: Rows) -> None:
    search = busy.memory.search
    before = {query: [hit.id for hit in await search(query, kinds=["message"])] for query in QUESTIONS}
    for n in range(3):
        await busy.note(
            f"Evening {n}", "The ferry, the piano, the violin and the boiler.", "chat", (n * 20 + 1, n * 20 + 20)
        )
        await busy.told(f"p{n}", "Likes the ferry and the violin.")
    for n in range(0, 60, 6):
        await busy.fact("mina", "other", f"Has to do with number {n} and the boiler", channel="chat", seq=n + 1)
    for query in QUESTIONS:
        after = [hit.id for hit in await search(query, kinds=["message"])]
        assert after[0] in before[query][:5], query  # of what several messages say alike, any may come first
        assert len({*after[:5]} & {*before[query][:5]}) >= 3, query


async def test_a_wide_note_points_at_none_of_its_messages_and_a_profile_fact_at_its_own(busy: Rows) -> None:
    question = "Was a zeppelin ever seen by anybody?"
    await busy.note("Zeppelins", "A zeppelin was seen.", "chat", (1, 30))
    assert await busy.memory.search(question, kinds=["message"]) == []
    await busy.fact("mina", "other", "Saw a zeppelin", channel="chat", seq=2)
    assert (await busy.memory.search(question, kinds=["message"]))[0].seq == 2
