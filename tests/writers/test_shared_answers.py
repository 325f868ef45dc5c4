"""Two halves of one answer: who asks, who takes, and what happens to a half that is missing or made of other messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from erstwhile.base.errors import ModelUnavailable
from erstwhile.layers.summaries.material import BOTH
from erstwhile.testing import Fault, ModelServer
from erstwhile.writers.port import JointReading, TranscriptLine, WriterRequest
from erstwhile.writers.prompt import load
from erstwhile.writers.prompted import PromptedWriter
from erstwhile.writers.providers import ModelChoice

EXTRACT = load("erstwhile.layers.facts", "extract")
STRUCTURE = load("erstwhile.layers.structured", "structure")
AT = datetime(2026, 3, 3, 14, 5, tzinfo=UTC)
LINES = [TranscriptLine("Mina", "I live in Busan", AT), TranscriptLine("Jun", "I like olives", AT)]


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest.fixture
async def writer(server: ModelServer) -> AsyncIterator[PromptedWriter]:
    model = "openai-compatible:x"
    made = PromptedWriter(ModelChoice(model, model, base_url=server.base_url, api_key="k", timeout=60))
    yield made
    await made.close()


def facts(lines: list[TranscriptLine] = LINES, *, waiting: bool = True) -> WriterRequest:
    return WriterRequest(EXTRACT, lines, joint=JointReading(BOTH, "space:chat:1", waiting))


def memories(lines: list[TranscriptLine] = LINES, *, waiting: bool = True) -> WriterRequest:
    return WriterRequest(STRUCTURE, lines, joint=JointReading(BOTH, "space:chat:1", waiting))


async def test_the_other_takes_its_half_without_a_call(server: ModelServer, writer: PromptedWriter) -> None:
    told, noted = await asyncio.gather(writer.extract_facts(facts()), writer.structure(memories()))
    assert len(server.calls) == 1
    assert "Mina said: I live in Busan" in told.text
    assert [each.value for each in noted.noted] == ["Busan", "olives"]
    assert told.usage.input_tokens > 0
    assert noted.usage.input_tokens == 0, "the call is counted once"


async def test_one_whose_other_half_was_taken_asks_alone(server: ModelServer, writer: PromptedWriter) -> None:
    await writer.extract_facts(facts())
    await writer.structure(memories(waiting=False))
    again = await writer.extract_facts(facts(waiting=False))
    assert len(server.calls) == 2
    assert again.writer.endswith(f"#extract/{EXTRACT.version}")


async def test_a_half_of_messages_that_changed_is_not_taken(server: ModelServer, writer: PromptedWriter) -> None:
    """An erased message must not come back through the other half."""
    await writer.extract_facts(facts())
    noted = await writer.structure(memories(LINES[1:], waiting=False))
    assert len(server.calls) == 2
    assert [each.value for each in noted.noted] == ["olives"]


async def test_a_half_that_the_model_left_out_is_asked_for_alone(server: ModelServer, writer: PromptedWriter) -> None:
    server.then('{"memories": []}')
    told = await writer.extract_facts(facts())
    noted = await writer.structure(memories())
    assert told.writer.endswith(f"#extract/{EXTRACT.version}")
    assert noted.text == ""
    assert len(server.calls) == 2


async def test_an_outage_is_told_to_both_and_counted_once(server: ModelServer, writer: PromptedWriter) -> None:
    server.then(Fault.server_error(503), Fault.server_error(503), Fault.server_error(503))
    failures = await asyncio.gather(writer.extract_facts(facts()), writer.structure(memories()), return_exceptions=True)
    assert all(isinstance(each, ModelUnavailable) for each in failures)
    assert [bool(getattr(each, "model", "")) for each in failures] == [True, False]


async def test_two_models_are_asked_apart(server: ModelServer) -> None:
    model = "openai-compatible:x"
    choice = ModelChoice(model, model, base_url=server.base_url, api_key="k", per_task={"extract": f"{model}2"})
    writer = PromptedWriter(choice)
    await asyncio.gather(writer.extract_facts(facts()), writer.structure(memories()))
    await writer.close()
    assert len(server.calls) == 2
