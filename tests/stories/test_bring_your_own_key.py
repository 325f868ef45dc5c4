"""Two tenants of one house, each with a model and a key of its own (D14): the keys go where they belong, and nowhere else."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

import erstwhile
from cases import case
from erstwhile.configuration import writer_pool
from erstwhile.configuration.encryption import new_secret
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock, ModelServer
from inside import runtime
from support import forks

NORTH, SOUTH = "sk-canary-north-0123456789abcd", "sk-canary-south-9876543210wxyz"
HOUSE = "sk-canary-house-5555555555hhhh"
SECRET = new_secret()
_settings = make("settings", *["SELECT * FROM space_settings WHERE space = :space ORDER BY name"] * 2)


@pytest.fixture
def two_servers() -> Iterator[tuple[ModelServer, ModelServer]]:
    with ModelServer(api_key=NORTH) as north, ModelServer(api_key=SOUTH) as south:
        yield north, south


def opened(url: str, clock: FixedClock, **more: object) -> erstwhile.Memory:
    return erstwhile.open(url, clock=clock, worker=False, **{"secret_key": SECRET, **more})


def talk(count: int = 10, start: int = 1) -> list[dict[str, str]]:
    return [
        {"role": "user", "person": "mina", "text": f"I bought {n} lanterns in Busan."}
        for n in range(start, start + count)
    ]


async def stored(memory: erstwhile.Memory, space: str) -> dict[str, str]:
    return {
        row["name"]: row["value"] for row in await runtime(memory).database.read(space, lambda tx: tx.all(_settings))
    }


async def value(memory: erstwhile.Memory, name: str, space: str) -> tuple[str, str]:
    return next(
        (each.value, each.whose) for each in await memory.spaces.configuration(space=space) if each.name == name
    )


async def test_each_space_calls_its_own_model_with_its_own_key(
    database_url: str,
    clock: FixedClock,
    two_servers: tuple[ModelServer, ModelServer],
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    caplog.set_level(logging.DEBUG)
    north, south = two_servers
    shown = []
    async with opened(database_url, clock) as memory:
        for space, server, key in (("north", north, NORTH), ("south", south, SOUTH)):
            await memory.spaces.configure(
                space=space, model=f"openai-compatible:{space}-model", base_url=server.base_url, api_key=key
            )
        for space in ("north", "south", "nobody"):
            await memory.channel("chat", space=space).add_many(talk())
        assert (await memory.settle()).parked == 0
        for space, ending in (("north", "…abcd"), ("south", "…wxyz")):
            assert await value(memory, "api_key", space) == (f"set, ends in {ending}", "space")
            assert await value(memory, "model", space) == (f"openai-compatible:{space}-model", "space")
        assert await value(memory, "api_key", "nobody") == ("", "default")
        shown += [repr(await memory.spaces.configuration(space="north")), repr(await stored(memory, "north"))]
        shown += [repr(await memory.doctor(space=space)) for space in ("north", "south")]
        shown += [repr(vars(memory)), repr(vars(runtime(memory).writers)), repr(await memory.jobs.list())]
        chunks = {space: await memory.search("lanterns", space=space, kinds=["chunk"]) for space in ("north", "nobody")}
        assert chunks["north"][0].text.startswith("Summary of lines")
        assert not chunks["nobody"][0].text.startswith("Summary of lines")
    for server, key, name in ((north, NORTH, "north-model"), (south, SOUTH, "south-model")):
        assert {(call.api_key, call.model, call.status) for call in server.calls} == {(key, name, 200)}
        assert len(server.calls) == 3  # the chunk's two, and the doctor's
    shown += [caplog.text] + [file.read_bytes().decode("latin-1") for file in tmp_path.rglob("test.db*")]
    for key in (NORTH, SOUTH, SECRET):
        assert [text for text in shown if key in text] == []


async def test_a_change_takes_effect_on_the_next_job_in_other_processes_too(
    database_url: str, clock: FixedClock, two_servers: tuple[ModelServer, ModelServer]
) -> None:
    north, south = two_servers
    async with opened(database_url, clock) as memory, opened(database_url, clock) as another:
        await memory.spaces.configure(space="a", model="openai-compatible:x", base_url=north.base_url, api_key=NORTH)
        await memory.channel("chat", space="a").add_many(talk())
        await memory.settle()
        await another.spaces.configure(space="a", base_url=south.base_url, api_key=SOUTH)
        await memory.channel("chat", space="a").add_many(talk(start=11))
        assert (await memory.settle()).parked == 0
        assert (len(north.calls), len(south.calls)) == (2, 2)
        await another.spaces.configure(space="a", model="extractive")
        await memory.channel("chat", space="a").add_many(talk(start=21))
        assert (await memory.settle()).parked == 0
        assert (len(north.calls), len(south.calls)) == (2, 2)


async def test_a_model_that_a_space_gets_later_replaces_its_drafts(
    database_url: str, clock: FixedClock, two_servers: tuple[ModelServer, ModelServer]
) -> None:
    north, _ = two_servers
    async with opened(database_url, clock) as memory:
        for space in ("a", "b"):
            await memory.channel("chat", space=space).add_many(talk())
        await memory.settle()
        await memory.spaces.configure(space="a", model="openai-compatible:x", base_url=north.base_url, api_key=NORTH)
        await memory.settle()
        (mine,) = await memory.search("lanterns", space="a", kinds=["chunk"])
        (other,) = await memory.search("lanterns", space="b", kinds=["chunk"])
    assert mine.text.startswith("Summary of lines")
    assert not other.text.startswith("Summary of lines")


async def test_the_house_s_key_never_goes_to_an_address_that_a_space_named(
    database_url: str, clock: FixedClock, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", HOUSE)
    house = {"model": "openai:gpt-5-nano", "api_key": HOUSE, "base_url": "http://127.0.0.1:1/v1"}
    async with opened(database_url, clock, **house) as memory:
        for space, model in (
            ("a", None),
            ("b", "openai:gpt-4o"),
            ("c", "openai-compatible:x"),
            ("d", "anthropic:claude-haiku-4-5"),
        ):
            await memory.spaces.configure(space=space, model=model, base_url=model_server.base_url)
            await memory.channel("chat", space=space).add_many(talk())
        await memory.settle()
    assert len(model_server.calls) >= 8
    assert {call.api_key for call in model_server.calls} == {"none"}
    assert not [call for call in model_server.calls if HOUSE in json.dumps(call.headers)]


async def test_a_space_s_key_goes_to_the_house_s_address_only_with_the_house_s_provider(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    house = {"model": "openai-compatible:house", "api_key": HOUSE, "base_url": model_server.base_url}
    async with opened(database_url, clock, **house) as memory:
        await memory.spaces.configure(space="a", api_key=NORTH)
        await memory.channel("chat", space="a").add_many(talk())
        await memory.settle()
        assert {(call.api_key, call.model) for call in model_server.calls} == {(NORTH, "house")}
        await memory.spaces.configure(space="b", model="openai:gpt-5-nano", api_key=SOUTH)
        assert await value(memory, "base_url", "b") == ("", "default")
        settings = await runtime(memory).writers.settings_for("b")
        assert (settings.base_url, settings.api_key.get_secret_value()) == ("", SOUTH)
        await memory.spaces.configure(space="c", model="openai:gpt-5-nano")
        assert (await runtime(memory).writers.settings_for("c")).api_key.get_secret_value() == ""


async def test_none_leaves_a_setting_and_an_empty_one_takes_it_back(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock, model="openai-compatible:house", base_url="http://u:pw@h/v1") as memory:
        await memory.spaces.configure(model="openai:gpt-5-nano", api_key=NORTH, recipe="dual")
        await memory.spaces.configure(model="openai:gpt-5-mini")
        assert await value(memory, "model", "default") == ("openai:gpt-5-mini", "space")
        assert await value(memory, "api_key", "default") == ("set, ends in …abcd", "space")
        await memory.spaces.configure(model="", api_key="", recipe="")
        assert await stored(memory, "default") == {}
        assert await value(memory, "model", "default") == ("openai-compatible:house", "default")
        assert await value(memory, "base_url", "default") == ("http://h/v1", "default")


async def test_a_space_s_recipe_is_the_one_of_its_contexts(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        chat = memory.channel("chat", space="a")
        await chat.add_many(
            [{"role": "user", "person": "mina", "text": f"Lantern number {n} hangs."} for n in range(60)]
        )
        await memory.settle()
        assert "related" in [part.name for part in (await chat.context("lantern number 3")).parts]
        await memory.spaces.configure(space="a", recipe="dual")
        assert "related" not in [part.name for part in (await chat.context("lantern number 3")).parts]
        full = await chat.context("lantern number 3", recipe="full")
        assert "related" in [part.name for part in full.parts]


async def test_a_space_s_floor_is_that_of_contexts_that_name_none(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        chat = memory.channel("chat", space="a")
        await chat.add("user", "Mr. Ahn repairs boilers. Closed on Wednesdays.", person="mina")
        await memory.settle()
        asked = "Who repairs boilers on Sundays?"
        assert (await chat.context(asked)).withheld == 0
        await memory.spaces.configure(space="a", floor="1.0")
        assert ("floor", "1", "space") in [
            (e.name, e.value, e.whose) for e in await memory.spaces.configuration(space="a")
        ]
        for recipe in (None, "full"):
            assert not (await chat.context(asked, recipe=recipe)).relevant  # type: ignore[arg-type]
        assert (await chat.context(asked, floor=0.0)).relevant
        await memory.spaces.configure(space="a", floor="")
        assert (await chat.context(asked)).relevant


UNWORKABLE = [
    ({"floor": "1.5"}, "from 0"),
    ({"floor": "nan"}, "from 0"),
    ({"floor": "high"}, "from 0"),
    ({"model": "gpt-5-nano"}, "provider:name"),
    ({"model_strong": "openai:"}, "provider:name"),
    ({"chat_model": "open ai:x"}, "provider:name"),
    ({"model": 5}, "must be text"),
    ({"recipe": "soup"}, "Use one of dual"),
    ({"base_url": "file:///etc/passwd"}, "http:// or https://"),
    ({"base_url": "localhost:11434"}, "http:// or https://"),
    ({"base_url": "http://"}, "http:// or https://"),
    ({"base_url": "http://host:port/v1"}, "http:// or https://"),
    ({"base_url": "https://me:canary@host/v1"}, "a user, password"),
    ({"base_url": "https://host/v1?key=canary"}, "a user, password, query"),
    ({"api_key": "canary with spaces"}, "no key has"),
    ({"api_key": "canary\nX-Header: 1"}, "no key has"),
    ({"api_key": "canary-é"}, "no key has"),
    ({"api_key": "canary-1", "model": "openai:x", "model_strong": "anthropic:y"}, "anthropic and openai"),
    ({"api_key": "canary-1", "model": "openai:x", "chat_model": "google:y"}, "google and openai"),
]


async def test_what_can_t_work_is_refused_whole_and_not_repeated(database_url: str, clock: FixedClock) -> None:
    for given, match in UNWORKABLE:
        with case(given):
            async with opened(database_url, clock) as memory:
                with pytest.raises(erstwhile.InvalidInput, match=match) as refused:
                    await memory.spaces.configure(**given)
                assert "canary" not in str(refused.value)
                assert await stored(memory, "default") == {}


async def test_each_space_talks_with_its_own_chat_model(
    database_url: str, clock: FixedClock, two_servers: tuple[ModelServer, ModelServer]
) -> None:
    north, south = two_servers
    async with opened(database_url, clock) as memory:
        await memory.spaces.configure(
            space="north", model="openai-compatible:n", base_url=north.base_url, api_key=NORTH
        )
        await memory.spaces.configure(
            space="south", chat_model="openai-compatible:s", base_url=south.base_url, api_key=SOUTH
        )
        for space in ("north", "south"):
            pieces = [
                piece async for piece in memory.channel("chat", space=space).ask("Where is Busan?", person="mina")
            ]
            assert "Where is Busan?" in "".join(pieces)
        with pytest.raises(erstwhile.SettingsError, match="no chat model"):
            await anext(memory.channel("chat", space="nobody").ask("Where is Busan?"))
    assert [(call.api_key, call.model) for call in north.calls] == [(NORTH, "n")]
    assert [(call.api_key, call.model) for call in south.calls] == [(SOUTH, "s")]


async def test_a_key_needs_a_real_secret(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock, secret_key="") as memory:
        with pytest.raises(erstwhile.SettingsError, match="erstwhile config secret"):
            await memory.spaces.configure(api_key=NORTH)
        await memory.spaces.configure(model="openai:gpt-5-nano")  # what is no secret needs none
    async with opened(database_url, clock, secret_key="a passphrase of more than 32 characters") as memory:
        with pytest.raises(erstwhile.SettingsError, match="erstwhile config secret") as refused:
            await memory.spaces.configure(api_key=NORTH)
        assert "passphrase" not in str(refused.value)


async def test_secrets_are_rotated_by_putting_the_new_one_in_front(database_url: str, clock: FixedClock) -> None:
    new = new_secret()
    async with opened(database_url, clock) as memory:
        await memory.spaces.configure(model="openai:gpt-5-nano", api_key=NORTH)
    async with opened(database_url, clock, secret_key=f"{new}, {SECRET}") as memory:
        assert await value(memory, "api_key", "default") == ("set, ends in …abcd", "space")
        await memory.spaces.configure(api_key=SOUTH)
        sealed = (await stored(memory, "default"))["api_key"]
        assert Fernet(new).decrypt(sealed.encode()).decode() == SOUTH
    async with opened(database_url, clock, secret_key=new) as memory:
        assert await value(memory, "api_key", "default") == ("set, ends in …wxyz", "space")


@pytest.mark.parametrize("secret", ["", "another"])
async def test_a_key_that_can_t_be_read_is_said_and_drafts_stand_in(
    database_url: str, clock: FixedClock, model_server: ModelServer, secret: str
) -> None:
    """D15"""
    async with opened(database_url, clock) as memory:
        await memory.spaces.configure(model="openai-compatible:x", base_url=model_server.base_url, api_key=NORTH)
    async with opened(database_url, clock, secret_key=new_secret() if secret else "") as memory:
        await memory.channel("chat").add_many(talk())
        settled = await memory.settle()
        assert settled.parked == 3
        assert len(await memory.search("lanterns", kinds=["chunk"])) == 1
        said = "can't be read with this ERSTWHILE_SECRET_KEY" if secret else "ERSTWHILE_SECRET_KEY is not set"
        findings = await memory.doctor()
        assert next(each.level for each in findings if said in each.what) == "problem"
        assert said in (await value(memory, "api_key", "default"))[0]
        assert said in (await memory.jobs.list(state="parked"))[0].reason
    assert model_server.calls == ()
    async with opened(database_url, clock) as memory:
        await memory.jobs.retry()
        assert (await memory.settle()).parked == 0
        assert {call.api_key for call in model_server.calls} == {NORTH}


async def test_the_doctor_looks_at_the_space_s_own_model(database_url: str, clock: FixedClock) -> None:
    """D15"""
    async with opened(database_url, clock) as memory:
        await memory.spaces.configure(space="keyless", model="openai:gpt-5-nano")
        await memory.spaces.configure(space="modelless", api_key=NORTH)
        await memory.spaces.configure(space="fine", model="openai:gpt-5-nano", api_key=NORTH)
        await memory.spaces.configure(space="nowhere", model="openai-compatible:x")
        await memory.spaces.configure(space="unheard", model="nosuch:thing")
        said = {
            space: next((each.level, each.what) for each in (await memory.doctor(space=space))[1:2])
            for space in ("keyless", "modelless", "fine", "nowhere", "unheard", "other")
        }
    assert said == {
        "keyless": ("problem", "openai:gpt-5-nano has no key."),
        "modelless": ("problem", "There is a key, but no model to use it with."),
        "fine": ("ok", "Memories are written by openai:gpt-5-nano."),
        "nowhere": ("problem", "openai-compatible:x has no address."),
        "unheard": (
            "problem",
            "There is no provider 'nosuch': use openai, anthropic, google or openai-compatible with base_url.",
        ),
        "other": ("note", "No model is configured: memories are extractive drafts."),
    }


async def test_the_doctor_misses_the_provider_of_a_model(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock, model="gpt-5") as memory:
        (finding,) = [each for each in await memory.doctor() if "gpt-5" in each.what]
    assert finding.level == "problem"
    assert finding.what == "The model 'gpt-5' needs its provider in front, for example openai:gpt-5."


async def test_a_refused_key_is_named_without_being_shown(
    database_url: str, clock: FixedClock, two_servers: tuple[ModelServer, ModelServer]
) -> None:
    north, _ = two_servers
    async with opened(database_url, clock) as memory:
        await memory.spaces.configure(model="openai-compatible:x", base_url=north.base_url, api_key=SOUTH)
        await memory.channel("chat").add_many(talk())
        assert (await memory.settle()).parked == 3
        findings = repr(await memory.doctor())
        assert "does not accept the key" in findings
        assert SOUTH not in findings + repr(await memory.jobs.list())
        await memory.spaces.configure(api_key=NORTH)
        await memory.jobs.retry()
        assert (await memory.settle()).parked == 0


async def test_many_spaces_share_writers_and_all_are_closed(
    database_url: str, clock: FixedClock, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_pool, "_MOST", 5)
    async with opened(database_url, clock) as memory:
        desk = runtime(memory).writers
        for n in range(12):
            key = NORTH if n < 5 else f"sk-canary-number-{n}-of-twelve"
            await memory.spaces.configure(
                space=f"s{n}", model="openai-compatible:x", base_url=model_server.base_url, api_key=key
            )
        found = [(await desk.for_space(f"s{n}")).best for n in range(5)]
        assert len({id(writer) for writer in found}) == 1
        await asyncio.gather(*(memory.channel("chat", space=f"s{n}").add_many(talk()) for n in range(12)))
        assert (await memory.settle()).parked == 0
        assert len(desk._writers) == 5
    assert len(desk._writers) == 0
    assert len({call.api_key for call in model_server.calls}) == 8


def test_a_key_given_on_the_command_line_is_not_in_any_output(database_url: str, tmp_path: Path) -> None:
    environment = {**os.environ, "ERSTWHILE_DATABASE": database_url, "NO_COLOR": "1", "ERSTWHILE_SECRET_KEY": SECRET}

    def run(*words: str, text: str = "", code: int = 0) -> str:
        command = [sys.executable, "-m", "erstwhile", *words]
        done = forks.run(command, input=text, env=environment, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    said = [run("spaces", "set", "api_key", "-", text=f"{NORTH}\n")]
    said += [run("spaces", "set", "model", "openai:gpt-5-nano"), run("spaces", "show"), run("spaces", "show", "--json")]
    said += [run("config", "show"), run("config", "show", "--json"), run("doctor", "--json")]
    said += [run("spaces", "set", "api_key", SOUTH, code=2)]
    assert "ends in …abcd" in said[0]
    assert "ends in …abcd" in said[2]
    assert not [text for text in said if "canary" in text or SECRET in text]
    assert not [file for file in tmp_path.rglob("test.db*") if NORTH.encode() in file.read_bytes()]


@pytest.mark.parametrize(
    "house", [{"model": "openai:gpt-5-nano"}, {"model": "extractive", "chat_model": "openai:gpt-5"}]
)
async def test_the_house_s_key_goes_to_no_provider_that_it_is_not_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, house: dict[str, str]
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "of-google")
    async with erstwhile.open(str(tmp_path / "test.db"), worker=False, api_key="of-openai", **house) as memory:
        await memory.spaces.configure(space="mine", chat_model="google:gemini-flash")
        desk = runtime(memory).writers
        assert (await desk.chat_for("mine")).address().key == "of-google"
        assert (await desk.chat_for("other")).address().key == "of-openai"
