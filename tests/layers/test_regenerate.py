"""Making one range again by hand (D7): exactly that one, all of it or nothing, never over what people wrote, whoever works beside it."""

from __future__ import annotations

import asyncio
import itertools
import json

import pytest
from stored_rows import calls, rows, said

import erstwhile
from erstwhile.testing import Call, Fault, FixedClock, ModelServer, Reply
from erstwhile.testing.answers import sensible, step
from inside import runtime

pytestmark = pytest.mark.usefixtures("unchecked")

SMALL = {"chunk_size": 4, "meta_size": 2}


def modelled(url: str, clock: FixedClock, server: ModelServer, **more: object) -> erstwhile.Memory:
    settings: dict[str, object] = {"worker": False, "model": "openai-compatible:scripted", "api_key": "k"}
    return erstwhile.open(url, clock=clock, **settings | {"base_url": server.base_url} | more)


def counting() -> ModelServer:
    """Never says the same twice."""
    number = itertools.count(1)

    def script(call: Call) -> str:
        said = next(number)
        if step(call.system) == "extract":
            return f"- Bob bought {said} kites in Oslo.\n- Alice owns {said} boats."
        if step(call.system) == "structure":
            return sensible(call)
        return f"Version {said} of what happened: {call.user[-400:]}"

    return ModelServer(script)


async def filled(memory: erstwhile.Memory, count: int) -> erstwhile.Channel:
    chat = memory.channel("chat")
    await chat.add_many(said(count))
    await memory.settle()
    return chat


def without_time(found: list) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if name != "created_at"} for row in found]


async def test_a_chunk_gets_a_new_summary_and_new_facts_and_nothing_else_changes(
    database_url: str, clock: FixedClock
) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server) as memory:
            chat = await filled(memory, 30)
            before, before_facts = await rows(memory, "chunks"), await rows(memory, "facts")
            asked = len(server.calls)
            made = await memory.memories.regenerate(chat, 11, 20)
            assert len(server.calls) - asked == 3
            made_of = server.calls[asked:]
            assert sorted(step(call.system) for call in made_of) == ["extract", "structure", "summarise"]
            assert all("own 11 red" in call.user and "own 21 red" not in call.user for call in made_of)
            after, after_facts = await rows(memory, "chunks"), await rows(memory, "facts")
            assert [a["text"] != b["text"] for a, b in zip(after, before, strict=True)] == [False, True, False]
            assert [row["id"] for row in after] == [row["id"] for row in before]
            others = [row for row in after_facts if row["first_seq"] != 11]
            assert without_time(others) == without_time([row for row in before_facts if row["first_seq"] != 11])
            facts = [row["id"] for row in after_facts if row["first_seq"] == 11]
            assert (set(made.replaced), made.kept) == ({after[1]["id"], *facts}, ())
            documents = {row["id"] for row in await rows(memory, "documents")}
            assert documents >= {row["id"] for row in (*after, *after_facts)}
            assert not documents & ({row["id"] for row in before_facts} - {row["id"] for row in after_facts})
            assert [each.action for each in await memory.memories.history(after[1]["id"])] == ["written", "replaced"]
            assert (await memory.settle()).done == 0


async def test_summary_and_facts_are_asked_for_at_the_same_time(database_url: str, clock: FixedClock) -> None:
    with ModelServer() as server:
        async with modelled(database_url, clock, server) as memory:
            chat = await filled(memory, 10)
            server.then(*[Reply('{"memories": [], "summary": "Bob bought ten kites."}', delay=1.5)] * 3)
            await memory.memories.regenerate(chat, 1, 10)
            times = [call.at for call in server.calls[-3:]]
            assert max(times) - min(times) < 1.4


async def test_facts_alone_leave_the_summary_and_the_metas(database_url: str, clock: FixedClock) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = await filled(memory, 8)
            chunks, facts = await rows(memory, "chunks"), await rows(memory, "facts")
            asked = len(server.calls)
            await memory.memories.regenerate(chat, 1, 4, what="facts")
            assert [step(call.system) for call in server.calls[asked:]] == ["extract"]
            assert await rows(memory, "chunks") == chunks
            after = await rows(memory, "facts")
            assert [row["text"] for row in after[:2]] != [row["text"] for row in facts[:2]]
            assert after[2:] == facts[2:]


async def test_a_regenerated_chunk_makes_the_metas_above_stale_and_realign_remakes_them_lowest_first(
    database_url: str, clock: FixedClock
) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = await filled(memory, 16)
            await memory.memories.regenerate(chat, 5, 8)
            assert [row["stale"] for row in await rows(memory, "chunks")] == [0, 0, 0, 0, 1, 0, 1]
            assert (await memory.settle()).done == 0
            asked = len(server.calls)
            assert await memory.memories.realign(chat) == 2
            low, high = server.calls[asked:]
            new = await rows(memory, "chunks")
            assert new[1]["text"][:13] in low.user
            assert new[4]["text"][:13] in high.user
            assert not any(row["stale"] or row["draft"] for row in new)
            assert await memory.memories.realign(chat) == 0


async def test_a_meta_is_made_from_its_summaries(database_url: str, clock: FixedClock) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = await filled(memory, 16)
            before = await rows(memory, "chunks")
            made = await memory.memories.regenerate(chat, 1, 8, what="meta")
            assert made.replaced == (before[4]["id"],)
            after = await rows(memory, "chunks")
            assert [a["text"] != b["text"] for a, b in zip(after, before, strict=True)] == [False] * 4 + [True] + [
                False
            ] * 2
            assert [row["stale"] for row in after] == [0] * 6 + [1]


async def test_a_range_that_is_none_is_refused_with_those_near_it(memory: erstwhile.Memory) -> None:
    chat = await filled(memory, 40)
    with pytest.raises(erstwhile.NotFound, match=r"no chunk 11–19.*1–10, 11–20, 21–30"):
        await memory.memories.regenerate(chat, 11, 19)
    with pytest.raises(erstwhile.NotFound, match="no meta yet"):
        await memory.memories.regenerate(chat, 1, 40, what="meta")
    with pytest.raises(erstwhile.NotFound, match="no chunk yet"):
        await memory.memories.regenerate(memory.channel("other"), 1, 10)
    for first, last, what in ((0, 10, "chunk"), (10, 1, "chunk"), (1, 10, "everything")):
        with pytest.raises(erstwhile.InvalidInput):
            await memory.memories.regenerate(chat, first, last, what)


@pytest.mark.parametrize("at", [0, 1], ids=["one call fails", "the other fails"])
async def test_when_the_model_fails_nothing_is_changed(database_url: str, clock: FixedClock, at: int) -> None:
    with ModelServer() as server:
        async with modelled(database_url, clock, server) as memory:
            chat = await filled(memory, 10)
            before = [await rows(memory, table) for table in ("chunks", "facts", "extracts", "documents")]
            server.then(*[Reply("Something quite else happened here."), Fault.server_error(503)][:: 1 if at else -1])
            with pytest.raises(erstwhile.ModelError, match="stays as it was"):
                await memory.memories.regenerate(chat, 1, 10)
            assert [await rows(memory, table) for table in ("chunks", "facts", "extracts", "documents")] == before
            await memory.memories.regenerate(chat, 1, 10)


async def test_what_people_wrote_stays_unless_it_is_to_be_overwritten(database_url: str, clock: FixedClock) -> None:
    with ModelServer() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = await filled(memory, 8)
            chunk, _, meta = await rows(memory, "chunks")
            edited, deleted, *_ = await memory.facts.list(chat)
            added = await memory.facts.add(chat, "Added by hand.", by="alice")
            await memory.memories.edit(chunk["id"], "The chunk by hand.", by="alice")
            await memory.memories.edit(meta["id"], "The meta by hand.", by="alice")
            await memory.memories.edit(edited.id, "The fact by hand.", by="alice")
            await memory.memories.delete(deleted.id, by="alice")
            asked = len(calls(server, "summarise"))

            kept = await memory.memories.regenerate(chat, 1, 4)
            assert set(kept.kept) == {chunk["id"], edited.id}
            assert len(calls(server, "summarise")) == asked, "no call is spent on what would not be used"
            assert (await memory.memories.regenerate(chat, 1, 8, "meta")).kept == (meta["id"],)
            found = {fact.id: fact.text for fact in await memory.facts.list(chat)}
            assert found[edited.id] == "The fact by hand."
            assert deleted.id not in found
            assert [row["text"] for row in await rows(memory, "chunks")][::2] == [
                "The chunk by hand.",
                "The meta by hand.",
            ]

            made = await memory.memories.regenerate(chat, 1, 4, overwrite=True)
            assert made.kept == ()
            await memory.memories.regenerate(chat, 1, 8, "meta", overwrite=True)
            found = {fact.id: fact.text for fact in await memory.facts.list(chat)}
            assert found[edited.id] == edited.text
            assert found[deleted.id] == deleted.text
            assert found[added.id] == "Added by hand.", "it belongs to no range"
            assert not any("by hand" in row["text"] for row in await rows(memory, "chunks"))
            assert [each.action for each in await memory.memories.history(chunk["id"])] == [
                "written",
                "edited",
                "replaced",
            ]


async def test_without_a_model_too(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, **SMALL) as memory:
        chat = await filled(memory, 16)
        before = await rows(memory, "chunks")
        await memory.memories.edit(before[0]["id"], "I moved to Jeju on 3 March with my sister Mina.", by="alice")
        assert [row["stale"] for row in await rows(memory, "chunks")] == [0, 0, 0, 0, 1, 0, 1]
        assert await memory.memories.realign(chat) == 2
        assert "Jeju" in (await rows(memory, "chunks"))[4]["text"]
        made = await memory.memories.regenerate(chat, 1, 4, overwrite=True)
        assert before[0]["id"] in made.replaced
        assert await memory.memories.realign(chat) == 2
        assert without_time(await rows(memory, "chunks")) == without_time(before)


async def test_the_search_documents_of_a_range_are_made_anew(memory: erstwhile.Memory) -> None:
    chat = await filled(memory, 20)
    before = await rows(memory, "documents")
    hits = await memory.search("lanterns", limit=100)

    async def lose(tx) -> None:
        from erstwhile.index import documents
        from erstwhile.log.store import queries

        lost = [row["id"] for row in before]
        messages = await tx.all(queries.hold_messages, ids=json.dumps(lost))
        await documents.remove(tx, lost)
        await documents.forget(tx, [row["doc"] for row in messages])

    await runtime(memory).database.write("default", lose)
    assert await memory.search("lanterns") == []
    made = await memory.memories.regenerate(chat, 1, 10, what="embeddings")
    again = await memory.search("lanterns", limit=100)
    assert {hit.id for hit in again} <= set(made.replaced)
    assert sum(hit.kind == "message" for hit in again) == 10
    await memory.memories.regenerate(chat, 11, 20, what="embeddings")
    await memory.memories.regenerate(chat, 11, 20, what="embeddings")
    assert await rows(memory, "documents") == before
    assert {hit.id for hit in await memory.search("lanterns", limit=100)} == {hit.id for hit in hits}


# Beside workers


async def test_a_job_that_runs_for_the_same_range_does_not_undo_it(database_url: str, clock: FixedClock) -> None:
    """A worker is replacing drafts when someone regenerates the range: the worker's answer comes last and is refused."""
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        await filled(memory, 10)
    slow = {"on": True}

    def script(call: Call) -> str | Reply:
        if step(call.system) == "structure":
            return Reply(sensible(call), delay=1.0) if slow["on"] else sensible(call)
        text = "- Bob bought kites, says the {}." if step(call.system) == "extract" else "The {} says what happened."
        return Reply(text.format("worker"), delay=1.0) if slow["on"] else text.format("person")

    with ModelServer(script) as server:
        async with modelled(database_url, clock, server) as memory:
            chat = memory.channel("chat")
            work = asyncio.create_task(memory.settle())
            while len(server.calls) < 2:  # noqa: ASYNC110 - it happens in another thread
                await asyncio.sleep(0.01)
            slow["on"] = False
            await memory.memories.regenerate(chat, 1, 10)
            settled = await work
            assert (settled.waiting, settled.parked) == (0, 0)
            (chunk,) = await rows(memory, "chunks")
            assert chunk["text"] == "The person says what happened."
            assert [fact.text for fact in await memory.facts.list(chat)] == ["Bob bought kites, says the person."]
            assert [each.action for each in await memory.memories.history(chunk["id"])] == ["written", "replaced"]


async def test_a_meta_that_is_being_made_of_the_old_summary_starts_over(database_url: str, clock: FixedClock) -> None:
    with ModelServer() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = memory.channel("chat")
            await chat.add_many(said(4))
            await memory.settle()
            await chat.add_many(said(4, start=5))

            def slowly(call: Call) -> str | Reply:
                return Reply(sensible(call), delay=1.0) if step(call.system) == "condense" else sensible(call)

            server._script = slowly
            work = asyncio.create_task(memory.settle())
            while not calls(server, "condense"):  # noqa: ASYNC110 - it happens in another thread
                await asyncio.sleep(0.01)
            server.then(*[Reply('{"memories": [], "summary": "Ballooning over Busan, all of them."}')] * 3)
            await memory.memories.regenerate(chat, 1, 4)
            settled = await work
            assert (settled.waiting, settled.parked) == (0, 0)
            meta = (await rows(memory, "chunks"))[-1]
            assert (meta["level"], meta["stale"]) == (1, 0)
            assert "Ballooning" in meta["text"]
            assert len(calls(server, "condense")) == 2


async def test_many_at_once_leave_each_thing_once(database_url: str, clock: FixedClock) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = memory.channel("chat")
            await chat.add_many(said(16))
            await asyncio.gather(
                memory.settle(), *(_insist(memory, chat, first, first + 3) for first in (1, 5, 9, 13) for _ in range(2))
            )
            settled = await memory.settle()
            assert (settled.waiting, settled.parked) == (0, 0)
            await memory.memories.realign(chat)
            chunks, facts = await rows(memory, "chunks"), await rows(memory, "facts")
            assert [row["level"] for row in chunks] == [0, 0, 0, 0, 1, 1, 2]
            assert not any(row["stale"] or row["draft"] for row in chunks)
            assert len(facts) == 8
            documents = [row["id"] for row in await rows(memory, "documents") if row["kind"] != "message"]
            expected = [row["id"] for row in (*chunks, *facts)]
            assert sorted(id for id in documents if not id.startswith("brf")) == sorted(expected)


async def _insist(memory: erstwhile.Memory, chat: erstwhile.Channel, first: int, last: int) -> None:
    """Until the range is there."""
    for _ in range(200):
        try:
            await memory.memories.regenerate(chat, first, last)
            return
        except erstwhile.NotFound:
            await asyncio.sleep(0.02)
    raise AssertionError("the range never came")
