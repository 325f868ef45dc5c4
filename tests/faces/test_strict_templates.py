"""A server whose chat template takes one system message, then user and assistant by turns, gets no other prompt from us."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2
import pytest
from chatting import House, Serve, house, texts

from erstwhile.context.render import PREFACE
from erstwhile.testing import Call, Fault, ModelServer
from erstwhile.testing.faults import Fault as Refusal

HEADERS = {"X-Erstwhile-Channel": "kitchen", "X-Erstwhile-Person": "mina"}


def _strict(call: Call) -> str | Refusal:
    """Like the templates of Mistral and Gemma."""
    roles = [role for role, _ in texts(call)]
    talk = roles[1:] if roles[0] == "system" else roles
    return "Fine." if talk == (["user", "assistant"] * len(talk))[: len(talk)] else Fault.bad_request()


@pytest.fixture
async def kitchen(database_url: str, serving: Serve) -> AsyncIterator[House]:
    async with ModelServer(answer=_strict) as model, house(database_url, serving, model) as opened:
        chat = opened.memory.channel("kitchen")
        await chat.add("assistant", "Good morning! Did you feed Miso?")
        for hour in range(14):
            await chat.add("user", f"I fed the cat Miso at {hour} o'clock in Busan", person="mina")
            await chat.add("assistant", "Good.")
        await chat.add("user", "And the fish in Busan got nothing", person="mina")
        await opened.memory.settle()
        yield opened


async def _ask(kitchen: House, *messages: tuple[str, Any], path: str = "chat/completions") -> dict[str, Any]:
    said = [{"role": role, "content": text} for role, text in messages]
    body = {"model": "m", "input" if path == "responses" else "messages": said, "max_tokens": 9}
    async with httpx2.AsyncClient(timeout=120) as plain:
        answer = await plain.post(f"{kitchen.url}/v1/{path}", json=body, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-erstwhile-memory"].startswith("ok")
    return kitchen.asked.body


@pytest.mark.parametrize("lead", [(), (("system", "Be brief."),)], ids=["no system message", "one"])
async def test_new_messages_alone_are_put_behind_the_turns_of_the_log(
    kitchen: House, lead: Sequence[tuple[str, str]]
) -> None:
    question = "When did I feed the cat in Busan?"
    await _ask(kitchen, *lead, ("user", question))
    system, *turns, asked = texts(kitchen.asked)
    assert system[0] == "system"
    assert system[1].startswith(f"Be brief.\n\n{PREFACE}" if lead else PREFACE)
    assert turns
    # B7: background summary, recent turns, what was found, the question.
    before, _, found = asked[1].removesuffix(f"\n\n{question}").partition(PREFACE)
    assert asked[1].endswith(f"\n\n{question}")
    assert "And the fish in Busan got nothing" in before
    assert "Earlier Messages" in found


async def test_a_client_that_sends_the_history_keeps_its_messages(kitchen: House) -> None:
    history = [("user", "I fed Miso"), ("assistant", "Good.")]
    heads = []
    for question in ("When did I feed the cat?", "Where is Busan?"):
        await _ask(kitchen, ("system", "Be brief."), *history, ("user", question))
        system, *turns, asked = texts(kitchen.asked)
        heads.append(system)
        assert turns == history
        assert asked[1].endswith(f"\n\n{question}")
    assert heads[0] == heads[1], "byte for byte, so that prompt caches hit"


async def test_a_question_with_a_picture_keeps_it(kitchen: House) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts = [{"type": "text", "text": "Is this the cat in Busan?"}, picture]
    rules = [{"type": "text", "text": "Be brief."}]
    await _ask(kitchen, ("system", rules), ("user", parts))
    system, *_, asked = texts(kitchen.asked)
    assert system[1][0] == rules[0]
    assert system[1][1]["text"].startswith(PREFACE)
    assert asked[1][1:] == parts
    assert "Earlier Messages" in asked[1][0]["text"]


@pytest.mark.parametrize(("path", "list"), [("responses", "input"), ("messages", "messages")])
async def test_so_do_the_other_protocols(kitchen: House, path: str, list: str) -> None:
    kitchen.model.then("Fine.")
    sent = (await _ask(kitchen, ("user", "When did I feed the cat in Busan?"), path=path))[list]
    roles = [each["role"] for each in sent]
    assert roles == (["user", "assistant"] * len(roles))[: len(roles)]
    assert "the fish in Busan got nothing" in str(sent[-1]["content"])


async def test_ask_does_so_too(kitchen: House) -> None:
    asked = kitchen.memory.channel("kitchen").ask("When did I feed the cat in Busan?", person="mina")
    assert "".join([piece async for piece in asked]) == "Fine."


async def test_a_greeting_is_not_lost(kitchen: House) -> None:
    chat = kitchen.memory.channel("hall")
    await chat.add("assistant", "Did you take your medicine?")
    async with httpx2.AsyncClient(timeout=120) as plain:
        body = {"model": "m", "messages": [{"role": "user", "content": "Yes."}]}
        headers = {**HEADERS, "X-Erstwhile-Channel": "hall"}
        answer = await plain.post(f"{kitchen.url}/v1/chat/completions", json=body, headers=headers)
    assert answer.status_code == 200
    *_, asked = texts(kitchen.asked)
    assert "assistant: Did you take your medicine?" in asked[1]
    assert asked[1].endswith("Yes.")
