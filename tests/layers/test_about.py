"""`about`: what is known of a person, with the profile, for whoever may see it."""

from __future__ import annotations

from typing import Any

import pytest
from days_kit import opened, say, say_together, tell

import erstwhile
from erstwhile.base.clock import moment
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock, ModelServer
from inside import runtime

_NOTE = """
INSERT INTO memories (space, id, kind, channel, first_seq, last_seq, position, category, importance, title, text, writer, draft, stale,
    at, from_at, to_at, data, created_at)
VALUES (:space, 'nte_1', 'note', 'general', 1, 2, 0, '2026-03-01', 0, 'Hiking plans', 'They planned a hike.', 'test', 0, 0, 0, 0, 0, '', 0)
"""
SECTIONS = ["bio", "interests", "skills", "opinions", "relationships", "other"]


def _fact(id: str, section: str, text: str, note: str | None, channel: str, **more: Any) -> StoredMemory:
    at = moment(0)
    until = moment(more.pop("valid_to")) if "valid_to" in more else None
    place = {"person": "alice", "category": section, "channel": channel, "seq": 1, "valid_to": until}
    data = {"note": note, "notes": [note] if note else []}
    made = {"writer": "test", "at": at, "created_at": at}
    return StoredMemory(id=id, kind="profile", text=text, data=data, **place, **made, **more)


async def with_a_profile(memory: erstwhile.Memory) -> None:
    facts = [
        {"id": "prf_1", "section": "interests", "text": "Alice likes hiking.", "note": "nte_1", "channel": "general"},
        {"id": "prf_2", "section": "bio", "text": "Alice is 30.", "note": None, "channel": ""},
        {"id": "prf_3", "section": "bio", "text": "Alice is 29.", "note": None, "channel": "", "valid_to": 5},
        {"id": "prf_4", "section": "opinions", "text": "Alice dislikes Bob.", "note": None, "channel": "alice's own"},
        {
            "id": "prf_5",
            "section": "skills",
            "text": "Alice sings.",
            "note": None,
            "channel": "general",
            "said_by": "bob",
        },
    ]

    async def unit(tx: Transaction) -> None:
        await tx.run(make("note", _NOTE, _NOTE))
        for fact in facts:
            await memories.save(tx, [_fact(**fact)])

    await runtime(memory).database.write("default", unit)


@pytest.fixture
async def known(memory: erstwhile.Memory) -> erstwhile.Memory:
    await say_together(memory, "general", alice="I climbed a hill this morning", bob="impressive")
    await say(memory, "alice", "I dislike Bob", channel="alice's own")
    await tell(memory, "alice", "Alice is an engineer.")
    await tell(memory, "alice", "Alice is looking for another job.", "alice's own")
    await with_a_profile(memory)
    return memory


async def test_about_tells_everything_to_whoever_runs_the_memory(known: erstwhile.Memory) -> None:
    about = await known.about("alice")
    assert (about.person, about.name) == ("alice", "Alice")
    assert about.told == "Alice is an engineer.\nAlice is looking for another job."
    assert "climbed a hill" in about.today
    assert "dislike Bob" in about.today
    assert list(about.profile) == SECTIONS
    (hiking,) = about.profile["interests"]
    assert (hiking.id, hiking.text, hiking.source, hiking.said_by) == (
        "prf_1",
        "Alice likes hiking.",
        "Hiking plans, Mar 1",
        None,
    )
    assert [(fact.text, fact.source) for fact in about.profile["bio"]] == [("Alice is 30.", "")], "what holds"
    assert [fact.said_by for fact in about.profile["skills"]] == ["bob"]
    assert [fact.text for fact in about.profile["opinions"]] == ["Alice dislikes Bob."]


async def test_in_a_channel_only_what_may_be_heard_there_is_told(known: erstwhile.Memory) -> None:
    about = await known.about("alice", channel="general", asker="bob")
    assert about.told == "Alice is an engineer."
    assert "dislike" not in about.text + about.today
    assert about.profile["opinions"] == ()
    assert [fact.text for fact in about.profile["interests"]] == ["Alice likes hiking."]
    own = await known.about("alice", channel="alice's own", asker="alice")
    assert "another job" in own.told
    assert "dislike Bob" in own.today
    assert len(own.profile["opinions"]) == 1


async def test_someone_who_asks_by_themselves_hears_what_they_were_there_for(known: erstwhile.Memory) -> None:
    assert "dislike" not in (await known.about("alice", asker="bob")).text
    assert "climbed a hill" in (await known.about("alice", asker="bob")).text
    assert "dislike" in (await known.about("alice", asker="alice")).text


async def test_a_name_does_for_an_id(known: erstwhile.Memory) -> None:
    assert (await known.about("Alice")).person == "alice"
    await known.channel("general").add("user", "hi", person="bob2", name="Bob")
    assert (await known.about("bob")).person == "bob", "an id comes first"
    with pytest.raises(erstwhile.InvalidInput, match="bob, bob2"):
        await known.about("BOB")


async def test_nobody_is_made_up(known: erstwhile.Memory) -> None:
    with pytest.raises(erstwhile.NotFound, match="Unknown person 'zoe'"):
        await known.about("zoe")
    await tell(known, "zoe", "Zoe is bob's sister.")
    assert (await known.about("zoe")).text == "Zoe is bob's sister."
    with pytest.raises(erstwhile.InvalidInput):
        await known.about("")


async def test_blocked_people_and_spaces_that_are_not_remembered_have_nothing(
    known: erstwhile.Memory, database_url: str, clock: FixedClock
) -> None:
    await known.people.block("alice")
    about = await known.about("alice")
    assert (about.told, about.today, about.history, about.text) == ("", "", "", "")
    assert list(about.profile) == SECTIONS
    assert not any(about.profile.values())
    await known.people.unblock("alice")
    assert (await known.about("alice")).told
    async with opened(database_url, clock, spaces=["another"]) as elsewhere:
        assert (await elsewhere.about("alice")).text == ""


async def test_spaces_are_apart(known: erstwhile.Memory) -> None:
    await known.channel("general", space="other").add("user", "I sell cars", person="alice", name="Alice")
    about = await known.about("alice", space="other")
    assert "sell cars" in about.text
    assert "engineer" not in about.text
    assert "cars" not in (await known.about("alice")).text


async def test_each_task_can_have_its_own_model(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    """F11: the day is the demanding step; the week and the portrait are not."""
    async with opened(
        database_url,
        clock,
        model_server,
        model_strong="openai-compatible:strong",
        models={"portray": "openai-compatible:own"},
    ) as memory:
        await say(memory, "alice", "I climbed a hill")
        await tell(memory, "alice", "Alice is an engineer.")
        await memory.about("alice")
    assert [call.model for call in model_server.calls] == ["strong", "own"]


def test_the_blocking_door_has_it_too(tmp_path: object) -> None:
    with erstwhile.open_sync(f"{tmp_path}/x.db", worker=False) as memory:
        memory.channel("c").add("user", "I climbed a hill", person="alice", name="Alice")
        assert isinstance(found := memory.about("alice"), erstwhile.About)
        assert "climbed a hill" in found.text
