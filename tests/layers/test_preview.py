"""A prompt tried on a range before anyone saves it: what it would write is shown, and nothing is changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stored_rows import said

import erstwhile
from erstwhile.storage.queries import make
from erstwhile.testing import Fault, ModelServer
from inside import runtime

pytestmark = pytest.mark.usefixtures("quiet_never_comes", "unchecked")

# Everything that is derived, and what a save would leave.
TABLES = (
    *("chunks", "memories", "readings", "structured_threads", "briefs"),
    *("documents", "versions", "jobs", "prompts", "events", "requests"),
)


async def everything(memory: erstwhile.Memory) -> str:
    found = {}
    for table in TABLES:
        query = make(table, *[f"SELECT * FROM {table} WHERE space = :space"] * 2)
        rows = await runtime(memory).database.read("default", lambda tx: tx.all(query))  # noqa: B023
        found[table] = sorted(str(dict(row)) for row in rows)
    return json.dumps(found)


async def talked(memory: erstwhile.Memory, count: int = 10) -> Any:
    chat = memory.channel("c")
    await chat.add_many(said(count))
    await memory.settle()
    return chat


async def test_a_prompt_is_tried_on_a_chunk_and_nothing_changes(
    prompted: erstwhile.Memory, model_server: ModelServer
) -> None:
    chat = await talked(prompted)
    before = await everything(prompted)
    model_server.then("A pirate's summary.")
    shown = await prompted.prompts.preview(chat, 1, 10, prompt="summarise", instructions="Tell {people} like a pirate.")
    assert (shown.text, shown.stored) == (
        "A pirate's summary.",
        (await prompted.channels.summaries(chat, level=0))[0].text,
    )
    assert (shown.prompt, shown.first, shown.last, shown.writer) == ("summarise", 1, 10, "openai-compatible:scripted")
    assert shown.input_tokens > 0 < shown.output_tokens
    assert "like a pirate" in model_server.calls[-1].system
    assert "material" in model_server.calls[-1].system  # the house's rules go with it, as they would when it is saved
    assert await everything(prompted) == before


@pytest.mark.parametrize(
    ("prompt", "answer", "text"),
    [
        ("extract", "- Mina moved to Busan.\n- Mina has a cat.", "- Mina moved to Busan.\n- Mina has a cat."),
        ("extract", "No facts to record", ""),
        ("fold", "They spoke of trains.", "They spoke of trains."),
        (
            "structure",
            json.dumps({"memories": [{"type": "fact", "text": "Mina has a cat.", "message": 1}]}),
            "- fact: Mina has a cat.",
        ),
    ],
)
async def test_every_prompt_can_be_tried(
    prompted: erstwhile.Memory, model_server: ModelServer, prompt: str, answer: str, text: str
) -> None:
    chat = await talked(prompted)
    before = await everything(prompted)
    model_server.then(answer)
    shown = await prompted.prompts.preview(chat, 1, 10, prompt=prompt, instructions="Do it otherwise.")
    assert shown.text == text
    if prompt == "extract":
        assert shown.stored.splitlines() == [f"- {fact.text}" for fact in await prompted.facts.list(chat)]
    assert await everything(prompted) == before


async def test_a_meta_is_tried_from_the_summaries_below_it(
    prompted: erstwhile.Memory, model_server: ModelServer
) -> None:
    chat = await talked(prompted, 100)
    model_server.then("All of it, in short.")
    shown = await prompted.prompts.preview(chat, 1, 100, prompt="condense", instructions="Shorter.")
    assert shown.text == "All of it, in short."
    assert shown.stored == (await prompted.channels.summaries(chat, level=1))[0].text
    with pytest.raises(erstwhile.NotFound, match="has no meta 1–10"):
        await prompted.prompts.preview(chat, 1, 10, prompt="condense")


async def test_without_instructions_it_is_the_prompt_in_force(
    prompted: erstwhile.Memory, model_server: ModelServer
) -> None:
    chat = await talked(prompted)
    await prompted.prompts.set("summarise", "The space's own way.")
    await prompted.prompts.preview(chat, 1, 10, prompt="summarise")
    assert "The space's own way." in model_server.calls[-1].system


async def test_what_it_took_is_on_record_under_a_name_of_its_own(
    prompted: erstwhile.Memory, model_server: ModelServer
) -> None:
    chat = await talked(prompted)

    async def spent() -> dict[str, int]:
        await runtime(prompted).recorder.flush()
        return {each.task: each.calls for each in (await prompted.requests.report()).spent}

    before = await spent()
    await prompted.prompts.preview(chat, 1, 10, prompt="extract", instructions="Otherwise.")
    assert await spent() == before | {"preview": 1}


@pytest.mark.parametrize(
    ("fault", "match"),
    [
        (Fault.bad_key(), "does not accept the key"),
        (Fault.refusal(), "declined to answer"),
        (Fault.server_error(), "can't answer now"),
        ("", "with nothing"),
        ("x" * 30_000, "30,000 characters"),
    ],
)
async def test_a_model_that_fails_or_babbles_says_so(
    prompted: erstwhile.Memory, model_server: ModelServer, fault: Fault | str, match: str
) -> None:
    chat = await talked(prompted)
    before = await everything(prompted)
    model_server.then(fault)
    with pytest.raises(erstwhile.ModelError, match=match):
        await prompted.prompts.preview(chat, 1, 10, prompt="summarise", instructions="Otherwise.")
    assert await everything(prompted) == before


async def test_without_a_model_no_prompt_has_an_effect(memory: erstwhile.Memory) -> None:
    chat = await talked(memory)
    with pytest.raises(erstwhile.SettingsError, match="extractive writer reads no prompts"):
        await memory.prompts.preview(chat, 1, 10, prompt="summarise", instructions="Otherwise.")


async def test_what_cant_be_saved_cant_be_tried(prompted: erstwhile.Memory) -> None:
    chat = await talked(prompted)
    with pytest.raises(erstwhile.InvalidInput, match="unknown placeholder"):
        await prompted.prompts.preview(chat, 1, 10, prompt="summarise", instructions="For {nobody}")
    with pytest.raises(erstwhile.InvalidInput, match="Unknown prompt 'sing'"):
        await prompted.prompts.preview(chat, 1, 10, prompt="sing")
    with pytest.raises(erstwhile.NotFound, match="Near it"):
        await prompted.prompts.preview(chat, 2, 11, prompt="summarise")
    with pytest.raises(erstwhile.InvalidInput, match="not a range"):
        await prompted.prompts.preview(chat, 0, 10, prompt="summarise")


# Whether a model answers


@pytest.mark.parametrize("role", ["light", "strong", "chat"])
async def test_a_model_that_answers_is_well(prompted: erstwhile.Memory, model_server: ModelServer, role: str) -> None:
    model_server.then("yes")
    tried = await prompted.spaces.try_model(role)
    assert (tried.ok, tried.role, tried.model, tried.detail) == (True, role, "openai-compatible:scripted", "yes")
    assert tried.input_tokens > 0 < tried.output_tokens
    assert len(model_server.calls) == 1


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault.bad_key(), "does not accept the key"),
        (Fault.unknown_model(), "was not found"),
        (Fault.rate_limited(), "can't answer now"),
        ("", "answered with nothing"),
    ],
)
async def test_what_is_wrong_with_a_model_is_told(
    prompted: erstwhile.Memory, model_server: ModelServer, fault: Fault | str, told: str
) -> None:
    for role in ("light", "chat"):
        model_server.then(fault)
        tried = await prompted.spaces.try_model(role)
        assert not tried.ok
        assert told in tried.detail
        assert "test-key" not in tried.detail


async def test_a_silent_model_and_none_at_all(
    database_url: str, model_server: ModelServer, memory: erstwhile.Memory
) -> None:
    tried = await memory.spaces.try_model()
    assert (tried.ok, tried.model) == (False, "extractive")
    assert "OPENAI_API_KEY" in tried.detail
    assert "ERSTWHILE_EMBEDDER" in (await memory.spaces.try_model("embedder")).detail
    with pytest.raises(erstwhile.InvalidInput, match="light, strong, chat, embedder"):
        await memory.spaces.try_model("loud")
    settings: dict[str, Any] = {"model": "openai-compatible:m", "base_url": model_server.base_url}
    async with erstwhile.open(database_url, worker=False, model_timeout_seconds=0.3, **settings) as other:
        model_server.then(Fault.hang())
        tried = await other.spaces.try_model()
        assert not tried.ok
        assert "did not answer within 0.3 seconds" in tried.detail
        model_server.down()
        assert "could not be reached" in (await other.spaces.try_model()).detail


async def test_the_model_that_is_tried_is_the_spaces_own(memory: erstwhile.Memory, model_server: ModelServer) -> None:
    await memory.spaces.configure(space="s", model="openai-compatible:own", base_url=model_server.base_url)
    assert (await memory.spaces.try_model(space="s")).model == "openai-compatible:own"
    assert (await memory.spaces.try_model()).model == "extractive"


async def test_a_secret_in_the_messages_reaches_neither_the_model_nor_the_preview(
    prompted: erstwhile.Memory, model_server: ModelServer
) -> None:
    chat = prompted.channel("c")
    key = "sk-proj-" + "Ab3dE6gH9jK2mN5pQ8sT1vW4" * 2
    await chat.add_many([*said(9), {"role": "user", "person": "mina", "text": f"my key is {key}"}])
    await prompted.settle()
    model_server.then(f"She said {key}.")
    shown = await prompted.prompts.preview(chat, 1, 10, prompt="summarise", instructions="Tell all.")
    assert key not in str(model_server.calls[-1].body)
    assert key not in shown.text
