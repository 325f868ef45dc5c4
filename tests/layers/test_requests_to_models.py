"""What every request to a model has in common: it ends with the task and the language, and its schema has limits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from profiled import night, note, stated, take

import erstwhile
from erstwhile.testing import Call, FixedClock, ModelServer

KOREAN = [
    "저는 부산에 살고 있어요",
    "주말마다 바다에서 수영을 해요",
    "저는 간호사로 일하고 있어요",
    "요즘은 피아노를 배우고 있어요",
    "고양이 두 마리를 키워요",
]
GERMAN = [
    "Ich wohne in Hamburg und das ist schön",
    "Ich gehe am Wochenende mit dem Hund an die Elbe",
    "Ich arbeite als Lehrerin in einer Schule",
    "Ich lerne jetzt auch noch Klavier und Gitarre",
    "Ich mag den Winter und die Berge",
]
STEPS = {
    "summaries": "<conversation>",
    "brief": "=== NEW_TURNS ===",
    "notes": '"people"',
    "topics": '"topics"',
    "days": '"days"',
    "week": '"week"',
    "portrait": '"portrait"',
    "profiles": '"drop"',
    "remember": '{"told": "',
    "forget": '"found": true or false',
    "gather": '"sentences"',
}


async def use_everything(memory: erstwhile.Memory, clock: FixedClock, said: list[str], profile: list[str]) -> None:
    """Let every layer ask the model about what Mina says."""
    hall = memory.channel("hall")
    await memory.channels.set_privacy(hall, "open")
    for n in range(10):
        for person in ("mina", "juno"):
            await hall.add("user", said[n % 5], person=person, name=person.title())
            await hall.add("assistant", said[(n + 1) % 5])
        clock.advance(minutes=30)
        await memory.settle()
        await memory.about("mina")
        clock.advance(**({"minutes": 30} if n < 6 else {"days": 1}))
    await memory.notes.nightly()
    for n, text in enumerate(profile):
        await take(
            memory,
            note(f"n{n}", "hall", first_seq=100 * n + 100, people=("mina",)),
            [stated(text, about="mina", said_by="mina")],
        )
    await night(memory, "mina")
    await memory.settle()
    await memory.remember("mina", said[0], by="mina")
    await memory.remember("mina", said[2], by="mina")
    await memory.forget("mina", said[2], by="mina")
    await memory.about("mina")
    await hall.command("remember this about Mina", person="juno")


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


def opened(url: str, clock: FixedClock, server: ModelServer) -> erstwhile.Memory:
    where = {"model": "openai-compatible:local", "base_url": server.base_url, "api_key": "k"}
    brief = {"turns": 1, "threshold": 60, "cap": 50}
    return erstwhile.open(url, clock=clock, worker=False, model_timeout_seconds=60, brief=brief, **where)


def of_step(server: ModelServer, mark: str) -> list[Call]:
    return [call for call in server.calls if mark in call.system or mark in call.user]


@pytest.mark.parametrize(
    ("language", "said", "profile"),
    [("Korean", KOREAN, ["미나는 바다를 좋아해요.", "미나는 여름마다 동해 바다를 아주 좋아해요."]),
     ("German", GERMAN, ["Mina mag die hohen Berge.", "Mina mag die hohen Berge in Tirol sehr."])],
)  # fmt: skip
async def test_every_request_ends_with_the_task_and_the_language(
    database_url: str, clock: FixedClock, server: ModelServer, language: str, said: list[str], profile: list[str]
) -> None:
    async with opened(database_url, clock, server) as memory:
        await use_everything(memory, clock, said, profile)
    for step, mark in STEPS.items():
        found = of_step(server, mark)
        assert found, step
        last = {call.user.splitlines()[-1] for call in found if "could not be used" not in call.user}
        assert all(each.endswith(f"in {language}:") for each in last), (step, last)


async def test_people_who_write_in_several_languages_get_their_days_each_in_their_own(
    database_url: str, clock: FixedClock, server: ModelServer
) -> None:
    async with opened(database_url, clock, server) as memory:
        hall = memory.channel("hall")
        await memory.channels.set_privacy(hall, "open")
        for mine, yours in zip(KOREAN, GERMAN, strict=True):
            await hall.add("user", mine, person="mina", name="Mina")
            await hall.add("user", yours, person="juno", name="Juno")
        await hall.add("user", "ok", person="sam", name="Sam")
        await memory.about("mina")
    (call,) = of_step(server, '"days"')
    assert '<person id="mina" name="Mina" writes="Korean"/>' in call.user
    assert '<person id="juno" name="Juno" writes="German"/>' in call.user
    assert call.user.endswith("each in the language that the person writes:")


def limits(schema: Any, path: str = "") -> Iterator[str]:
    """Yield what has no limit in a schema."""
    kind = schema.get("type")
    if kind == "string" and not {"enum", "maxLength"} & schema.keys():
        yield f"{path}: a text of any length"
    if schema.get("maxLength", 0) >= 2000:
        yield f"{path}: more than llama.cpp takes"
    if kind == "array" and "maxItems" not in schema:
        yield f"{path}: a list of any length"
    if kind == "integer" and not {"minimum", "maximum"} <= schema.keys():
        yield f"{path}: any number"
    for name, inner in schema.get("properties", {}).items():
        yield from limits(inner, f"{path}.{name}")
    for inner in [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])]:
        yield from limits(inner, path)


async def test_every_schema_has_limits(database_url: str, clock: FixedClock, server: ModelServer) -> None:
    async with opened(database_url, clock, server) as memory:
        await use_everything(
            memory, clock, GERMAN, ["Mina mag die hohen Berge.", "Mina mag die hohen Berge in Tirol sehr."]
        )
    schemas = [(call, call.schema) for call in server.calls if call.schema is not None]
    assert len(schemas) > 10
    for call, schema in schemas:
        assert list(limits(schema)) == [], call.system[:80]
    (first, *_) = of_step(server, '"days"')
    assert schema_of(first, "days", "person")["enum"] == ["mina", "juno"]
    (first, *_) = of_step(server, '"people"')
    assert schema_of(first, "people", "person")["anyOf"][0]["enum"] == ["juno", "mina"]


def schema_of(call: Call, listed: str, name: str) -> dict[str, Any]:
    assert call.schema is not None
    found: dict[str, Any] = call.schema["properties"][listed]["items"]["properties"][name]
    return found
