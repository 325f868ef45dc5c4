"""Trying a question out, and finding a past one again."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.testing import ModelServer
from inside import pages


async def said(memory: erstwhile.Memory, channel: str = "chat") -> erstwhile.Channel:
    chat = memory.channel(channel)
    lines = [{"role": "user", "person": "mina", "text": f"I bought lantern {n} in Busan"} for n in range(30)]
    await chat.add_many(lines)
    await memory.settle()
    return chat


async def test_a_trial_is_on_record_and_in_no_figure(memory: erstwhile.Memory) -> None:
    chat = await said(memory)
    real = await chat.context("Where is lantern 7?", budget=150)
    before = await memory.requests.report()
    tried = await chat.context("Where is lantern 7?", budget=150, trial=True)
    await chat.context("zzz", trial=True)
    await memory.search("qqq", trial=True)
    await memory.requests.feedback(tried.request, "lantern 8")
    after = await memory.requests.report()
    assert (after.requests, after.by_op, after.hit_rates) == (before.requests, before.by_op, before.hit_rates)
    assert (after.retrieval, after.feedback, after.missed) == (before.retrieval, 0, before.missed)
    assert [each.counts for each in after.daily] == [each.counts for each in before.daily]
    assert tried == real
    why = await memory.requests.explain(tried.request)
    assert (why.request.trial, why.request.recipe, why.request.feedback) == (True, "full", "lantern 8")
    assert [each.candidate.fate for each in why.seen] == [
        each.candidate.fate for each in (await memory.requests.explain(real.request)).seen
    ]


async def test_past_requests_are_found_by_what_they_were(memory: erstwhile.Memory) -> None:
    chat, other = await said(memory), await said(memory, "other")
    small = await chat.context("Where is LANTERN 7?", budget=150, person="mina")
    await other.context("What about the boiler? 100%_", recipe="dual")
    await memory.search("lantern", limit=3)
    await memory.channel("nowhere").context("anything", trial=True)
    await memory.requests.feedback(small.request, "it forgot")

    async def questions(**which: str) -> list[str]:
        return [each.query for each in await memory.requests.list(**which)]  # type: ignore[arg-type]

    everything = ["anything", "lantern", "What about the boiler? 100%_", "Where is LANTERN 7?"]
    assert await questions() == everything
    assert await questions(words="lantern") == ["lantern", "Where is LANTERN 7?"]
    assert await questions(words="100%_") == ["What about the boiler? 100%_"]
    assert await questions(words="%") == ["What about the boiler? 100%_"]
    assert await questions(op="search") == ["lantern"]
    assert await questions(channel="other") == ["What about the boiler? 100%_"]
    assert await questions(person="mina") == ["Where is LANTERN 7?"]
    assert await questions(only="feedback") == await questions(only="truncated") == ["Where is LANTERN 7?"]
    assert await questions(only="empty") == await questions(only="trial") == ["anything"]
    assert await questions(only="real") == everything[1:]
    assert await questions(only="failed") == []


async def test_pages_of_requests_meet_without_a_gap(memory: erstwhile.Memory) -> None:
    chat = await said(memory)
    for number in range(7):
        await chat.context(f"lantern {number}")  # within one moment of the clock, some of them
    seen = [each.id for page in await pages(memory.requests.list, limit=3) for each in page]
    assert seen == [each.id for each in await memory.requests.list(limit=20)]
    assert len(set(seen)) == 7
    with pytest.raises(erstwhile.InvalidInput, match="cursor"):
        await memory.requests.list(cursor="req_nothing")
    with pytest.raises(erstwhile.InvalidInput, match="feedback"):
        await memory.requests.list(only="everything")


async def test_a_request_knows_its_reply(prompted: erstwhile.Memory, model_server: ModelServer) -> None:
    chat = await said(prompted)
    async for _ in chat.ask("Which lantern did I buy first?", person="mina"):
        pass
    (asked,) = await prompted.requests.list(op="ask")
    reply = (await prompted.requests.explain(asked.id)).request.reply
    assert reply is not None
    assert [each.id async for each in chat.messages(31)] == [reply]
