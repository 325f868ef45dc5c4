"""A verb that is declared once shows up everywhere: here, over HTTP, in the OpenAPI document, remotely and blocking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import httpx2
import pytest
from fastapi import FastAPI

import erstwhile
from erstwhile.api import verb
from erstwhile.api.resource import RESOURCES, Resource
from erstwhile.api.types import Cursor, Limit, OneOf, PersonId, Space, Text
from erstwhile.base.page import DEFAULT, Page, cut
from erstwhile.http.app import create_app
from erstwhile.log import people

Serving = Callable[[FastAPI], str]
Colour = Annotated[str, OneOf("Its colour.", "red", choices=("red", "blue"))]


@dataclass(frozen=True)
class Toy:
    owner: str
    name: str
    colour: str


class Toys(Resource):
    """Declared nowhere but here."""

    @verb.post("people/{person}/toys", status=201)
    async def give(self, person: PersonId, name: Text, *, colour: Colour = "red", space: Space = None) -> Toy:
        """Give a toy to a person. It stays theirs."""
        await self._write(space, lambda tx: people.share(tx, person, self._now(), shares=True))
        return Toy(person, name, colour)

    @verb.get("toys")
    async def list(self, *, cursor: Cursor = None, limit: Limit = DEFAULT, space: Space = None) -> Page[Toy]:
        """List toys, one for each person."""
        known = await self._read(space, people.everyone)
        found = [Toy(each.person, "ball", "red") for each in known if each.person > (cursor or "")]
        return cut(sorted(found, key=lambda toy: toy.owner)[: limit + 1], limit, lambda toy: toy.owner)


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    RESOURCES["toys"] = Toys
    yield
    del RESOURCES["toys"]


async def test_a_verb_is_declared_once_and_is_everywhere(database_url: str, serving: Serving) -> None:
    async with erstwhile.open(database_url, worker=False, space="nursery") as memory:
        app = create_app(memory)
        url = serving(app)
        async with erstwhile.connect(url, space="nursery", patience=5) as remote:
            for api in (memory, remote):
                toys: Toys = api.toys  # type: ignore[attr-defined]
                assert await toys.give("alice", "ball", colour="blue") == Toy("alice", "ball", "blue")
                await toys.give("bob", "kite")
                first = await toys.list(limit=1)
                assert first == [Toy("alice", "ball", "red")]
                assert await toys.list(limit=1, cursor=first.next) == [Toy("bob", "ball", "red")]
                with pytest.raises(erstwhile.InvalidInput, match="Unknown colour 'green'\\. Use one of red, blue"):
                    await toys.give("alice", "ball", colour="green")
                with pytest.raises(erstwhile.InvalidInput, match="`limit` must be from 1 to 1000"):
                    await toys.list(limit=0)
                with pytest.raises(erstwhile.InvalidInput, match="cursor"):
                    await toys.list(space="other", cursor=first.next)
            await over_http(url, app)
        blocking(database_url)


async def over_http(url: str, app: FastAPI) -> None:
    async with httpx2.AsyncClient(base_url=url) as http:
        at = "/v1/spaces/nursery"
        made = await http.post(f"{at}/people/carol/toys", json={"name": "drum"})
        assert (made.status_code, made.json()) == (201, {"owner": "carol", "name": "drum", "colour": "red"})
        assert (await http.post(f"{at}/people/carol/toys", json={"name": "drum", "size": 1})).status_code == 422
        page = (await http.get(f"{at}/toys", params={"limit": 2})).json()
        assert [toy["owner"] for toy in page["toys"]] == ["alice", "bob"]
        rest = (await http.get(f"{at}/toys", params={"cursor": page["next"]})).json()
        assert rest == {"toys": [{"owner": "carol", "name": "ball", "colour": "red"}], "next": None, "total": None}
    document = app.openapi()["paths"]
    given = document["/v1/spaces/{space}/people/{person}/toys"]["post"]
    assert (given["summary"], given["operationId"]) == ("Give a toy to a person", "toys_give")
    assert {"201", "401", "403", "422"} <= given["responses"].keys()
    asked = {each["name"]: each["schema"] for each in document["/v1/spaces/{space}/toys"]["get"]["parameters"]}
    assert (asked["limit"]["minimum"], asked["limit"]["maximum"], asked["limit"]["default"]) == (1, 1000, 100)


def blocking(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False, space="nursery") as memory:
        toys = memory.toys  # type: ignore[attr-defined]
        assert toys.give("dora", "top") == Toy("dora", "top", "red")
        assert [toy.owner for toy in toys.list()] == ["alice", "bob", "carol", "dora"]
