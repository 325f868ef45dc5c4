"""An id in a path may be anything, slashes too; over the app itself and over the wire."""

from __future__ import annotations

from urllib.parse import quote

import httpx2
import pytest

SAID = {"role": "user", "text": "hello"}


@pytest.mark.parametrize("channel", ["plain", "guild/general", "..", "a%2Fb", "한국어 / ü?#", "' OR 1=1--"])
async def test_an_id_may_be_anything(http: httpx2.AsyncClient, channel: str) -> None:
    path = f"/v1/spaces/my%2Fapp/channels/{quote(channel, safe='').replace('.', '%2E')}/messages"
    assert (await http.post(path, json=SAID)).status_code == 201
    assert [each["text"] for each in (await http.get(path)).json()["messages"]] == ["hello"]


async def test_a_real_server_keeps_them_apart_too(server: str) -> None:
    async with httpx2.AsyncClient(base_url=f"{server}/v1/spaces/s/channels/") as client:
        await client.post("a%2Fb/messages", json=SAID)
        assert len((await client.get("a%2Fb/messages")).json()["messages"]) == 1
        assert (await client.get("a/b/messages")).status_code == 404
        assert (await client.get("%ff/messages")).status_code == 422


async def test_what_is_documented_names_the_ids(http: httpx2.AsyncClient) -> None:
    paths = (await http.get("/openapi.json")).json()["paths"]
    assert "/v1/spaces/{space}/channels/{channel}/messages" in paths
    assert (await http.get("/docs")).status_code == 200
