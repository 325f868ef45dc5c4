"""Arguments that people pass by mistake: the error says what to pass instead, embedded and over HTTP alike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

import erstwhile
from erstwhile.http.app import create_app


@pytest.fixture
async def interfaces(memory: erstwhile.Memory, serving: Callable[[FastAPI], str]) -> AsyncIterator[list[Any]]:
    async with erstwhile.connect(serving(create_app(memory)), patience=5) as remote:
        yield [memory, remote]


async def test_the_name_of_a_channel_in_place_of_a_channel(interfaces: list[Any]) -> None:
    for memory in interfaces:
        for wrong in (
            lambda api: api.channels.get("kitchen"),
            lambda api: api.facts.add("kitchen", "Jun likes tea", by="robin"),
            lambda api: api.memories.realign("kitchen"),
        ):
            with pytest.raises(erstwhile.InvalidInput, match=r"memory\.channel\('kitchen'\)"):
                await wrong(memory)
        assert (await memory.channels.list()) == []


async def test_one_thing_in_place_of_a_list(interfaces: list[Any]) -> None:
    for memory in interfaces:
        with pytest.raises(erstwhile.InvalidInput, match=r"`kinds` is a list, such as \['fact'\]"):
            await memory.search("busan", kinds="fact")
        with pytest.raises(erstwhile.InvalidInput, match="`messages` is a list of messages"):
            await memory.channel("c").add_many({"role": "user", "text": "x"})
        with pytest.raises(erstwhile.InvalidInput, match="`messages` is a list of messages"):
            await memory.channel("c").add_many("hello")
        with pytest.raises(erstwhile.InvalidInput, match="`facts` is a list of facts"):
            await memory.people.import_profile("robin", "likes bread", by="me")


async def test_another_type(interfaces: list[Any]) -> None:
    for memory in interfaces:
        chat = memory.channel("c")
        with pytest.raises(erstwhile.InvalidInput, match="`budget` must be a whole number, not str"):
            await chat.context("Where?", budget="500")
        with pytest.raises(erstwhile.InvalidInput, match="`limit` must be a whole number, not float"):
            await memory.search("busan", limit=2.5)
        with pytest.raises(erstwhile.InvalidInput, match="The text of a message must be text, not int"):
            await chat.add("user", 5)
        with pytest.raises(erstwhile.InvalidInput, match="`after` and `limit` are whole numbers"):
            [each async for each in chat.messages(limit="3")]


async def test_nothing_named_to_erase(interfaces: list[Any]) -> None:
    for memory in interfaces:
        with pytest.raises(erstwhile.InvalidInput, match=r"a message or an origin"):
            await memory.erase()


async def test_a_path_names_a_database(tmp_path: Path) -> None:
    async with erstwhile.open(tmp_path / "chat.db", worker=False) as memory:
        await memory.channel("c").add("user", "I moved to Busan")
    assert (tmp_path / "chat.db").is_file()
    assert memory.settings.database == str(tmp_path / "chat.db")
