"""`make bench-model`, with the scripted model."""

from __future__ import annotations

import json
import re

import pytest
from bench.model import ModelBench, is_right, measure, stretches

from erstwhile import demo
from erstwhile.testing import Call, ModelServer
from erstwhile.testing.answers import sensible, step

FEW = ModelBench(messages=20, questions=2, sample=3)
INVENTED = "Robin bought a zeppelin in Reykjavik for 4711 dollars."


async def report(server: ModelServer, capsys: pytest.CaptureFixture[str]) -> str:
    await measure(FEW, model="openai-compatible:scripted", base_url=server.base_url, embedder="none")
    return capsys.readouterr().out


async def test_it_reports_what_a_model_did(capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer() as server:
        told = await report(server, capsys)
        joint = sum('"facts"' in call.system and '"memories"' in call.system for call in server.calls)
    assert "openai-compatible:scripted on the demo" in told
    assert "20 messages" in told
    assert f"| structure | {joint} | 0 |" in told
    assert "No job failed." in told
    assert re.search(r"Memories by the model: [1-9]\d* \(\d+ fact", told)
    assert "Borne out by their messages: 100%" in told
    assert told.count("- [ ] ") == 3
    assert "of 2: with memory" in told


async def test_inventions_are_failures_and_leave_drafts(capsys: pytest.CaptureFixture[str]) -> None:
    def invents(call: Call) -> str:
        if step(call.system) == "structure":
            noted = {"type": "fact", "text": INVENTED, "message": 1, "quote": "", "importance": 3}
            return json.dumps({"memories": [noted]})
        return f"- {INVENTED}" if step(call.system) == "extract" else sensible(call)

    with ModelServer(invents) as server:
        told = await report(server, capsys)
    assert "No message bears out any of the 1 facts" in told
    assert " fact" not in told.split("Memories by the model")[1].split(")")[0]
    assert INVENTED not in told


def test_few_messages_are_those_around_the_answers() -> None:
    questions = demo.questions()
    chosen = stretches(demo.conversation(), questions, 60)
    keys = {f"{name}/{said['key']}" for name, messages in chosen.items() for said in messages}
    assert all(question.evidence[-1] in keys for question in questions)
    assert 40 <= len(keys) <= 60
    assert stretches(demo.conversation(), questions, 0) == demo.conversation()


def test_an_answer_is_right_by_the_words_of_the_good_one() -> None:
    for question in demo.questions():
        assert is_right(question, question.answer)
        assert not is_right(question, question.question)
        assert not is_right(question, "I do not know.")
        assert not is_right(question, f"[The model failed: {question.answer}]")
