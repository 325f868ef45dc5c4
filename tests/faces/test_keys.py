"""Who may call the server: keys, what each opens, and what happens to the wrong ones."""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import httpx2
import pytest
from fastapi import FastAPI
from test_cli import Shell, shell  # noqa: F401 - a fixture

import erstwhile
from erstwhile.base.errors import StorageError
from erstwhile.http import authentication, permissions
from erstwhile.keys import model
from erstwhile.testing import FixedClock
from inside import runtime

MINE = "/v1/spaces/mine/channels/c/messages"
SAID = {"role": "user", "text": "hello"}


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


class Seconds:
    """Stands for time.monotonic in the gate."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    seconds = Seconds()
    monkeypatch.setattr(authentication, "time", seconds)
    return seconds


# Requests with and without a key


async def test_a_key_is_shown_once_and_only_its_digest_is_kept(memory: erstwhile.Memory) -> None:
    made = await memory.keys.create(space="mine", name="bot", expires="30d")
    id, secret = made.key.removeprefix("er_").split("_", 1)
    assert (id, len(id), len(secret)) == (made.id, 12, 43)
    assert made.expires_at == made.created_at + timedelta(days=30)
    (listed,) = await memory.keys.list(space="mine")
    assert (listed.id, listed.space, listed.name, listed.read_only) == (made.id, "mine", "bot", False)
    assert not hasattr(listed, "key")
    found = await runtime(memory).keys.find(made.id)
    assert found is not None
    assert secret not in repr(found)
    assert found[1] == model.digest(secret)


async def test_each_space_has_its_own_and_admin_sees_all(memory: erstwhile.Memory) -> None:
    mine, other = await memory.keys.create(space="mine"), await memory.keys.create(space="other")
    admin = await memory.keys.create(admin=True, read_only=True)
    assert admin.space is None
    assert [key.id for key in await memory.keys.list(space="mine")] == [mine.id]
    assert {key.id for key in await memory.keys.list(admin=True)} == {mine.id, other.id, admin.id}
    with pytest.raises(erstwhile.NotFound, match="no key"):
        await memory.keys.revoke(other.id, space="mine")
    with pytest.raises(erstwhile.NotFound):
        await memory.keys.revoke(admin.id, space="mine")
    await memory.keys.revoke(other.id, admin=True)
    (revoked,) = await memory.keys.list(space="other")
    await memory.keys.revoke(other.id, space="other")
    assert [revoked] == await memory.keys.list(space="other")
    with pytest.raises(erstwhile.InvalidInput, match="not both"):
        await memory.keys.create(space="mine", admin=True)


def test_when_a_key_ends_can_be_written_in_three_ways(clock: FixedClock) -> None:
    now = clock()
    assert model.parse_expiry(None, now) is None
    assert model.parse_expiry("12h", now) == now + timedelta(hours=12)
    assert model.parse_expiry("2999-01-01T00:00:00+00:00", now) == datetime(2999, 1, 1, tzinfo=UTC)
    assert model.parse_expiry(now + timedelta(days=1), now) == now + timedelta(days=1)
    for wrong in ("soon", "30", "0d", "2001-01-01T00:00:00Z", "2999-01-01T00:00:00", now - timedelta(days=1)):
        with pytest.raises(erstwhile.InvalidInput):
            model.parse_expiry(wrong, now)


# The gate


async def test_without_any_key_the_machine_itself_is_admin(http: httpx2.AsyncClient, app: FastAPI) -> None:
    assert (await http.post(MINE, json=SAID)).status_code == 201
    # Clients that insist on a key send anything.
    assert (await http.get(MINE, headers=bearer("sk-none"))).status_code == 200
    assert (await http.get(MINE, headers=bearer(model.format_key(*model.generate())))).status_code == 401
    for header in ("X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via"):
        assert (await http.get(MINE, headers={header: "127.0.0.1"})).status_code == 401
    from_afar = httpx2.ASGITransport(app=app, client=("192.0.2.7", 1234))
    async with httpx2.AsyncClient(transport=from_afar, base_url="http://127.0.0.1") as far:
        refused = await far.get(MINE)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer realm="erstwhile"')
        assert "only callers on the server's own machine" in refused.json()["detail"]
        assert (await far.get("/healthz")).status_code == 200


async def test_the_first_key_closes_the_door_for_all_others(
    http: httpx2.AsyncClient, database_url: str, seconds: Seconds
) -> None:
    assert (await http.get(MINE)).status_code == 200
    async with erstwhile.open(database_url, worker=False) as elsewhere:
        made = await elsewhere.keys.create(space="mine")
        seconds.now += 1
        assert (await http.get(MINE)).status_code == 401
        assert (await http.get(MINE, headers=bearer(made.key))).status_code == 200
        assert (await http.get(MINE, headers={"x-api-key": made.key})).status_code == 200
        await elsewhere.keys.revoke(made.id, space="mine")
    seconds.now += 1
    revoked = await http.get(MINE, headers=bearer(made.key))
    assert (revoked.status_code, "revoked" in revoked.json()["detail"]) == (401, True)
    assert (await http.get(MINE)).status_code == 401  # no key is left, but there was one


async def test_a_key_opens_its_space_and_nothing_else(memory: erstwhile.Memory, http: httpx2.AsyncClient) -> None:
    mine = bearer((await memory.keys.create(space="mine")).key)
    reader = bearer((await memory.keys.create(space="mine", read_only=True)).key)
    admin = bearer((await memory.keys.create(admin=True)).key)
    watcher = bearer((await memory.keys.create(admin=True, read_only=True)).key)
    other = MINE.replace("mine", "other")

    async def status(method: str, path: str, headers: dict[str, str]) -> int:
        body = {"json": SAID if path.endswith("messages") else {}} if method == "POST" else {}
        return (await http.request(method, path, headers=headers, **body)).status_code

    assert [await status("POST", MINE, who) for who in (mine, reader, admin, watcher)] == [201, 403, 201, 403]
    assert [await status("GET", MINE, who) for who in (mine, reader, admin, watcher)] == [200] * 4
    assert [await status("GET", other, who) for who in (mine, reader, admin, watcher)] == [403, 403, 200, 200]
    assert [await status("POST", other, who) for who in (mine, reader, admin, watcher)] == [403, 403, 201, 403]
    assert [await status("GET", "/v1/keys", who) for who in (mine, reader, admin, watcher)] == [403, 403, 200, 403]
    # What the client says besides its key widens nothing.
    claimed = await http.get(other, headers={**mine, "X-Erstwhile-Space": "other"}, params={"space": "other"})
    assert claimed.status_code == 403


async def test_a_key_ends_when_it_was_said_to(
    memory: erstwhile.Memory, http: httpx2.AsyncClient, clock: FixedClock
) -> None:
    mine = bearer((await memory.keys.create(space="mine", expires="1h")).key)
    assert (await http.get(MINE, headers=mine)).status_code == 200
    clock.advance(hours=1)
    ended = await http.get(MINE, headers=mine)
    assert (ended.status_code, "expired at" in ended.json()["detail"]) == (401, True)
    assert 'error="invalid_token"' in ended.headers["www-authenticate"]


@pytest.mark.parametrize("change", [lambda key: key[:-1] + "!", lambda key: key[:-1], lambda key: key + "x", str.upper])
async def test_a_key_that_is_not_quite_right_is_wrong(
    memory: erstwhile.Memory, http: httpx2.AsyncClient, change
) -> None:  # type: ignore[no-untyped-def]
    made = await memory.keys.create(space="mine")
    assert (await http.get(MINE, headers=bearer(change(made.key)))).status_code == 401
    assert (await http.get(MINE, headers={"Authorization": made.key})).status_code == 401
    assert (await http.get(MINE, headers={"Authorization": f"Basic {made.key}"})).status_code == 401


async def test_a_key_in_the_address_is_refused_and_not_logged(
    memory: erstwhile.Memory, http: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = await memory.keys.create(space="mine")
    for asked in ({"key": made.key}, {"q": f"Bearer {made.key}"}):
        refused = await http.get(MINE, params=asked, headers=bearer(made.key))
        assert (refused.status_code, "revoke" in refused.json()["detail"]) == (401, True)
    await http.get(f"/v1/{made.key}", headers=bearer(made.key))
    await http.get(MINE, headers=bearer(made.key[:-1] + "!"))
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("erstwhile"))
    assert made.key[16:-1] not in ours
    assert "event=request " in ours


async def test_wrong_keys_are_throttled_and_right_ones_are_not(
    memory: erstwhile.Memory, http: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    right = bearer((await memory.keys.create(space="mine")).key)
    wrong = [(await http.get(MINE, headers=bearer(model.format_key(*model.generate())))) for _ in range(12)]
    assert [each.status_code for each in wrong] == [401] * 10 + [429] * 2
    assert 1 <= int(wrong[-1].headers["retry-after"]) <= 60
    assert (await http.get(MINE, headers=right)).status_code == 200
    logged = [record.getMessage() for record in caplog.records]
    assert sum("auth.wrong_key" in each for each in logged) == 10
    assert len([each for each in logged if "auth.throttled" in each]) == 1, "one line for whoever reads the log"
    assert "seconds=" in next(each for each in logged if "auth.throttled" in each)


def test_the_throttle_remembers_so_many_and_no_more() -> None:
    from erstwhile.http import authentication

    one = authentication.Throttle()
    for number in range(authentication._MOST_ADDRESSES + 10):
        one.wrong(f"2001:db8:{number:x}::1")
    assert len(one._seen) == authentication._MOST_ADDRESSES
    assert [one.wrong(f"2001:db8:ffff::{n:x}") > 0 for n in range(12)] == [False] * 10 + [True] * 2


async def test_a_key_known_a_moment_ago_is_trusted_while_the_database_is_away(
    memory: erstwhile.Memory, app: FastAPI, seconds: Seconds, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, new = [(await memory.keys.create(space="mine")).key for _ in range(2)]

    def asks(key: str) -> object:
        called = SimpleNamespace(headers={"authorization": f"Bearer {key}"}, client=SimpleNamespace(host="127.0.0.1"))
        return app.state.gate.admit(called)

    assert (await asks(known)).space == "mine"  # type: ignore[misc]
    await app.state.gate.close()

    class Away:
        async def read(self, space: str, unit: object) -> object:
            raise StorageError("away")

    monkeypatch.setattr(runtime(memory).keys, "_database", Away())
    seconds.now += 59
    assert (await asks(known)).space == "mine"  # type: ignore[misc]
    for key, later in ((new, 0), (known, 2)):
        seconds.now += later
        with pytest.raises(Exception, match="away") as refused:
            await asks(key)  # type: ignore[misc]
        assert refused.value.status == 503  # type: ignore[attr-defined]


async def test_a_key_known_a_moment_ago_does_not_wait_for_a_silent_database(
    memory: erstwhile.Memory, http: httpx2.AsyncClient, seconds: Seconds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pool gives up only after seconds. By then a chat that could do without its memory has been left."""
    mine = bearer((await memory.keys.create(space="mine")).key)
    assert (await http.get("/v1/models", headers=mine)).status_code == 200
    silent = asyncio.Event()

    async def nothing(*_: object) -> object:
        await silent.wait()
        raise StorageError("away")

    monkeypatch.setattr("erstwhile.http.authentication._PATIENCE", 0.01)
    monkeypatch.setattr("erstwhile.http.routes.server._PATIENCE", 0.01)
    monkeypatch.setattr(runtime(memory).keys, "_database", SimpleNamespace(read=nothing))
    monkeypatch.setattr(runtime(memory).database, "version", nothing)
    seconds.now += 59
    async with asyncio.timeout(120):
        assert (await http.get("/v1/nowhere", headers=mine)).status_code == 404
        assert (await http.get("/readyz")).status_code == 503
    silent.set()


async def test_the_last_use_is_written_down_but_not_for_every_request(
    memory: erstwhile.Memory, http: httpx2.AsyncClient, app: FastAPI, clock: FixedClock, seconds: Seconds
) -> None:
    mine = bearer((await memory.keys.create(space="mine")).key)
    assert (await memory.keys.list(space="mine"))[0].used_at is None
    first = clock()
    for _ in range(3):
        await http.get(MINE, headers=mine)
        await app.state.gate.close()
        clock.advance(seconds=20)
    assert (await memory.keys.list(space="mine"))[0].used_at == first
    seconds.now += 60
    await http.get(MINE, headers=mine)
    await app.state.gate.close()
    assert (await memory.keys.list(space="mine"))[0].used_at == first + timedelta(minutes=1)


async def test_many_at_once_ask_the_database_once(
    memory: erstwhile.Memory, http: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, asked = bearer((await memory.keys.create(space="mine")).key), []
    find = runtime(memory).keys.find

    async def counted(id: str) -> object:
        asked.append(id)
        return await find(id)

    monkeypatch.setattr(runtime(memory).keys, "find", counted)
    answers = await asyncio.gather(*(http.get("/v1/spaces/mine/keys", headers=mine) for _ in range(20)))
    assert ({each.status_code for each in answers}, len(asked)) == ({200}, 1)


# Keys over HTTP


async def test_an_admin_makes_lists_and_revokes_any_key(memory: erstwhile.Memory, http: httpx2.AsyncClient) -> None:
    http.headers.update(bearer((await memory.keys.create(admin=True)).key))
    made = (await http.post("/v1/keys", json={"space": "mine", "name": "bot"})).json()
    also = (await http.post("/v1/keys", json={})).json()
    assert (made["space"], made["name"], also["space"]) == ("mine", "bot", None)
    listed = (await http.get("/v1/keys")).json()["keys"]
    assert {made["id"], also["id"]} <= {key["id"] for key in listed}
    assert "key" not in listed[0]
    assert "digest" not in listed[0]
    assert (await http.delete(f"/v1/keys/{made['id']}")).status_code == 204
    assert (await http.delete("/v1/keys/nothing")).status_code == 404
    assert (await http.post("/v1/keys", json={"expires": "never"})).status_code == 422


async def test_a_writing_key_makes_keys_of_its_space_that_open_no_more(
    memory: erstwhile.Memory, http: httpx2.AsyncClient
) -> None:
    own = await memory.keys.create(space="mine", expires="10d")
    other, reader = await memory.keys.create(space="other"), await memory.keys.create(space="mine", read_only=True)
    http.headers.update(bearer(own.key))
    made = await http.post("/v1/spaces/mine/keys", json={"name": "helper"})
    assert (made.status_code, made.json()["space"]) == (201, "mine")
    assert datetime.fromisoformat(made.json()["expires_at"]) == own.expires_at
    shorter = await http.post("/v1/spaces/mine/keys", json={"expires": "1d", "read_only": True})
    assert (shorter.status_code, shorter.json()["read_only"]) == (201, True)
    assert (await http.post("/v1/spaces/mine/keys", json={"expires": "11d"})).status_code == 403
    assert (await http.post("/v1/spaces/mine/keys", json={"admin": True})).status_code == 422
    assert (await http.post("/v1/spaces/mine/keys", json={"space": "other"})).status_code == 422
    assert (await http.post("/v1/spaces/other/keys", json={})).status_code == 403
    assert (await http.post("/v1/keys", json={})).status_code == 403
    assert (await http.delete(f"/v1/spaces/mine/keys/{other.id}")).status_code == 404
    assert (await http.delete(f"/v1/spaces/mine/keys/{reader.id}")).status_code == 204
    assert (await http.get("/v1/spaces/mine/keys", headers=bearer(reader.key))).status_code == 401
    assert len((await http.get("/v1/spaces/mine/keys")).json()["keys"]) == 4


# Limits


async def test_a_space_has_its_tokens_of_the_day(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, limits={"tokens_per_day": 100}) as memory:
        await permissions.take(memory, "s", 60)
        with pytest.raises(Exception, match="100 tokens a day") as refused:
            await permissions.take(memory, "s", 41)
        assert refused.value.status == 429  # type: ignore[attr-defined]
        assert refused.value.headers["Retry-After"] == str(15 * 3600)  # type: ignore[attr-defined]
        async with erstwhile.open(database_url, clock=clock, worker=False, limits={"tokens_per_day": 100}) as elsewhere:
            await permissions.take(elsewhere, "s", 40)
            await permissions.take(elsewhere, "other", 100)
        with pytest.raises(Exception, match="would exceed"):
            await permissions.take_texts(memory, "s", ["one word more"])
        clock.advance(hours=15)
        await permissions.take_texts(memory, "s", ["one word more"])
        with pytest.raises(Exception, match="would exceed"):
            await permissions.take(memory, "s", 101)


async def test_without_a_limit_nothing_is_counted(memory: erstwhile.Memory) -> None:
    await permissions.take(memory, "s", 10**12)
    assert await runtime(memory).keys.spend("s", 1, 1)
    permissions.check_batch(1000)
    with pytest.raises(Exception, match="at most 1,000"):
        permissions.check_batch(1001)


# The command


def test_keys_on_the_command_line(shell: Shell) -> None:  # noqa: F811
    assert "No keys" in shell.run("keys", "list").stderr
    made = shell.json("keys", "create", "--name", "bot", "--expires", "30d", "--read-only")
    assert made["key"].startswith(f"er_{made['id']}_")
    plain = shell.run("keys", "create", "--admin")
    assert model.parse_key(plain.stdout.strip())
    assert "every space (admin)" in plain.stderr
    assert [key["id"] for key in shell.json("keys", "list")] == [made["id"]]
    assert "the space default, to read" in shell.run("keys", "list", "--admin").stdout
    assert shell.json("keys", "revoke", made["id"]) == {"revoked": made["id"]}
    assert "revoked 20" in shell.run("keys", "list").stdout
    assert made["key"] not in json.dumps(shell.json("keys", "list", "--admin"))
    shell.run("keys", "revoke", "nothing", code=1)
    shell.run("keys", "create", "--admin", "--space", "a", code=2)
    shell.run("keys", "create", "--expires", "soon", code=2)


async def test_what_a_new_key_may_do_is_said_in_so_many_words(
    http: httpx2.AsyncClient, memory: erstwhile.Memory
) -> None:
    """A number or a word in place of true and false is refused: a key may only read, or it may write."""
    for given in (0, 1, "no", "yes"):
        answer = await http.post("/v1/keys", json={"read_only": given})
        assert answer.status_code == 422, answer.text
    assert await memory.keys.list(admin=True) == []
