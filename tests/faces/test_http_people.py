"""People, their profiles and notes over HTTP."""

from __future__ import annotations

import httpx2
from seeded import CHAT, HERE, SPACE, fill

import erstwhile
from erstwhile.testing import FixedClock

ALICE = f"{HERE}/people/alice"


async def test_who_spoke_and_what_is_known_of_them(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    await fill(memory)
    people = (await http.get(f"{HERE}/people")).json()["people"]
    assert sorted((each["person"], each["blocked"]) for each in people) == [("alice", False), ("bob", False)]
    about = (await http.get(ALICE, params={"asker": "bob"})).json()
    assert (about["person"], about["profile"].keys()) == (
        "alice",
        {"bio", "interests", "skills", "opinions", "relationships", "other"},
    )
    nobody = await http.get(f"{HERE}/people/nobody")
    assert (nobody.status_code, "nobody" in nobody.json()["detail"]) == (404, True)


async def test_remembering_and_forgetting(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    told = await http.post(f"{ALICE}/remember", json={"fact": "likes pizza", "by": "alice"})
    assert (told.status_code, "pizza" in told.json()["text"]) == (200, True)
    assert "pizza" in (await memory.about("alice", space=SPACE)).told
    assert [each["text"] for each in (await http.get(f"{ALICE}/remembered")).json()["remembered"]] == [
        told.json()["text"]
    ]
    gone = (await http.post(f"{ALICE}/forget", json={"fact": "likes pizza", "by": "alice"})).json()
    assert (gone["found"], "pizza" in gone["text"]) == (True, False)
    assert (await http.post(f"{ALICE}/forget", json={"fact": "likes pizza"})).json()["found"] is False
    empty = await http.post(f"{ALICE}/remember", json={"fact": "  "})
    assert (empty.status_code, empty.json()["detail"]) == (422, "There is nothing to remember. Say it in a sentence.")
    done = await http.post(f"{CHAT}/command", json={"text": "remember that I play chess", "person": "alice"})
    assert (done.json()["intent"], done.json()["person"]) == ("remember", "alice")
    assert "chess" in (await http.get(ALICE)).json()["told"]


async def test_a_profile_by_hand(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    path = f"{ALICE}/profile"
    added = await http.post(path, json={"section": "skills", "text": "Plays the cello.", "by": "alice"})
    assert (added.status_code, added.json()["section"], added.json()["writer"]) == (201, "skills", "hand:alice")
    facts = ["Speaks Korean.", {"text": "Born in Daegu.", "section": "bio", "at": "2020-01-01T00:00:00Z"}]
    assert (await http.post(f"{path}/import", json={"facts": facts})).json() == {"imported": 2}
    assert (await http.post(f"{path}/import", json={"facts": facts})).json() == {"imported": 0}
    sections = (await http.get(path, params={"ended": "true"})).json()["sections"]
    assert [fact["text"] for fact in sections["bio"]] == ["Born in Daegu."]
    exported = (await http.get(f"{path}/export")).json()
    assert exported == await memory.people.export_profile("alice", space=SPACE)
    assert (await http.delete(path, params={"by": "alice"})).json() == {"deleted": 3}
    assert not any((await http.get(path)).json()["sections"].values())
    assert (await http.post(path, json={"section": "secrets", "text": "x"})).status_code == 422
    assert (await http.post(f"{path}/import", json={"facts": [{"at": "now"}]})).status_code == 422


async def test_who_may_hear_what(http: httpx2.AsyncClient, memory: erstwhile.Memory) -> None:
    await fill(memory)
    assert (await http.put(f"{CHAT}/privacy", json={"privacy": "private", "people": ["alice"]})).status_code == 204
    assert (await http.get(f"{HERE}/channels")).json()["channels"][0]["privacy"] == "private"
    assert (await http.put(f"{ALICE}/shares", json={"shares": True})).status_code == 204
    shares = {each["person"]: each["shares"] for each in (await http.get(f"{HERE}/people")).json()["people"]}
    assert shares == {"alice": True, "bob": False}
    assert (await http.put(f"{CHAT}/privacy", json={"privacy": "secret"})).status_code == 422


async def test_notes_come_when_a_conversation_is_over(
    http: httpx2.AsyncClient, memory: erstwhile.Memory, clock: FixedClock
) -> None:
    await fill(memory)
    assert [each["channel"] for each in (await http.get(f"{HERE}/buffers")).json()["buffers"]] == ["chat"]
    clock.advance(hours=5)
    await http.post("/v1/settle")
    night = (await http.post(f"{HERE}/nightly")).json()
    notes = (await http.get(f"{HERE}/notes", params={"kind": "note"})).json()["notes"]
    assert (night["notes"], [each["channel"] for each in notes]) == (1, ["chat"])
    day = {"day": notes[0]["day"], "person": "alice"}
    assert (await http.get(f"{CHAT}/notes", params=day | {"kind": "note"})).json()["notes"] == notes
    assert (await http.get(f"{HERE}/notes", params={"day": "yesterday"})).status_code == 422
