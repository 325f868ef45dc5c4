"""Models that make things up: what is left of their answers, and what people are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from stored_rows import rows

import erstwhile
from erstwhile.testing import Call, Fault, FixedClock, ModelServer, Reply
from erstwhile.testing.answers import sensible, step

SAID = ["I moved to Busan in May", "I like olives", "I have to call the plumber", "My cat Mochi is 3 years old"]


def opened(url: str, server: ModelServer, clock: FixedClock) -> erstwhile.Memory:
    where = {"model": "openai-compatible:small", "base_url": server.base_url, "api_key": "k"}
    return erstwhile.open(url, clock=clock, worker=False, chunk_size=4, retry_base_seconds=0.01, **where)


async def tell(memory: erstwhile.Memory, texts: list[str]) -> erstwhile.Settled:
    lines = [{"role": "user", "text": text, "person": "mina", "name": "Mina"} for text in texts]
    await memory.channel("chat").add_many(lines)
    return await memory.settle()


def babble(call: Call) -> str:
    """What a model of 135 million parameters was seen to answer."""
    match step(call.system):
        case "extract":
            return "- specific places, dates, food, names and numbers\n- Mina: I moved to Busan in May"
        case "structure":
            return '{"memories": [{"type": "fact", "text": "Robin has a house in Seoul.", "message": 1}]}'
    return "=== EXISTING_SUMMARY ===\n" + "The conversation is about the conversation and the people. " * 30


async def test_a_model_that_only_babbles_leaves_nothing_but_drafts(database_url: str, clock: FixedClock) -> None:
    with ModelServer(babble) as server:
        async with opened(database_url, server, clock) as memory:
            settled = await tell(memory, SAID)
            assert settled.waiting + settled.parked >= 3
            chat = memory.channel("chat")
            facts = await memory.facts.list(chat)
            assert facts
            assert all(each.draft for each in facts)
            assert all(row["draft"] for row in await rows(memory, "chunks"))
            assert all(each.draft for each in await memory.facts.structured())
            reasons = {each.reason for each in await memory.jobs.list() if each.reason}
            assert any("No message bears out any" in each for each in reasons), reasons
            spent = (await memory.requests.report()).spent
            assert all(each.failed == each.calls for each in spent), spent
            found = [each for each in await memory.doctor() if each.level == "problem"]
            assert any("noted no memory of a short conversation that holds" in each.what for each in found), found


async def test_a_model_that_is_away_or_refuses_is_not_called_small(database_url: str, clock: FixedClock) -> None:
    with ModelServer(lambda _: Fault.bad_request(401)) as server:
        async with opened(database_url, server, clock) as memory:
            await memory.channel("chat").add("user", SAID[0], person="mina")
            found = [each for each in await memory.doctor() if each.level == "problem"]
            assert any("key" in each.what for each in found), found
            assert not any("too small" in each.advice for each in found), found


async def test_what_no_message_bears_out_is_left_out_and_counted(database_url: str, clock: FixedClock) -> None:
    def script(call: Call) -> str:
        if step(call.system) == "extract":
            return "- Mina lives in Busan since May\n- Mina is a doctor and has a house in Seoul"
        return sensible(call)

    with ModelServer(script) as server:
        async with opened(database_url, server, clock) as memory:
            settled = await tell(memory, SAID)
            assert (settled.waiting, settled.parked) == (0, 0)
            facts = await memory.facts.list(memory.channel("chat"))
            assert [each.text for each in facts] == ["Mina lives in Busan since May"]
            spent = {each.task: each for each in (await memory.requests.report()).spent}
            assert (spent["extract"].unborne, spent["extract"].failed) == (1, 0)
            assert any("memories of a short conversation that hold" in each.what for each in await memory.doctor())


async def test_what_is_in_another_script_is_kept_for_review(database_url: str, clock: FixedClock) -> None:
    def script(call: Call) -> str:
        return "- Mina has a cat called Mochi" if step(call.system) == "extract" else sensible(call)

    with ModelServer(script) as server:
        async with opened(database_url, server, clock) as memory:
            await tell(memory, ["우리 고양이 이름은 Mochi야", "정말 귀여워", "내일 병원에 가", "고마워"])
            (fact,) = await memory.facts.list(memory.channel("chat"))
            (flagged,) = [each for each in await memory.memories.flagged() if each.id == fact.id]
            assert flagged.reasons == ("unverified",)
            await memory.memories.edit(fact.id, "Mina has a cat, Mochi", by="mina")
            assert fact.id not in [each.id for each in await memory.memories.flagged()]


@pytest.mark.parametrize("provider", ["openai-compatible", "openai"])
async def test_doctor_waits_longer_for_a_model_that_has_a_longer_time_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setattr("erstwhile.configuration.model_check.PATIENCE", 0.1)
    with ModelServer(lambda call: Reply(sensible(call), delay=0.5)) as server:
        slow = {"model": f"{provider}:slow", "base_url": server.base_url, "worker": False}
        for seconds, told in ((0.3, "slow is slow"), (30, "memories of a short conversation that hold")):
            async with erstwhile.open(str(tmp_path / "slow.db"), model_timeout_seconds=seconds, **slow) as memory:
                found = [each.what for each in await memory.doctor()]
                assert any(told in each for each in found), found
