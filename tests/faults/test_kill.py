"""kill -9 at random instants, again and again, of a process that adds messages and works on them."""

from __future__ import annotations

import asyncio
import random
from itertools import chain
from pathlib import Path

import apsw
import psycopg
import pytest
from crashing import CHANNELS, Contents, Nursery, broken_promises, contents, finished, migrate, timeless, undisturbed

from soak.size import NUMBER, SOAK

LIVES = {"sqlite": 20 if SOAK else 1, "postgres": 10 if SOAK else 1}  # databases, one after the other
ROUNDS = {"sqlite": 100, "postgres": 20} if SOAK else {"sqlite": 24, "postgres": 8}  # kills in the life of each
LONGEST = {"sqlite": 0.16, "postgres": 1.0}  # seconds a speaker may live; some die before they have said anything


@pytest.mark.timeout(3600 if SOAK else 600)
def test_nothing_acknowledged_is_lost_and_nothing_is_derived_twice(database_url: str, tmp_path: Path) -> None:
    dialect = "postgres" if database_url.startswith("postgres") else "sqlite"
    with Nursery() as nursery:
        for life in range(LIVES[dialect]):
            chance = random.Random(1000 * (NUMBER - 1) + 11 + life)
            seconds = [chance.uniform(0, LONGEST[dialect]) for _ in range(ROUNDS[dialect])]
            url = another(database_url, life) if life else database_url
            ended = one_life(nursery, url, seconds)
            assert timeless(ended) == timeless(
                asyncio.run(undisturbed(str(tmp_path / f"calm-{life}.db"), dict(ended.channels)))
            )


def one_life(nursery: Nursery, url: str, seconds: list[float]) -> Contents:
    acknowledged: list[str] = []
    # On a busy machine few get a word in: then there are more rounds, each a little longer.
    more = (each * (2 + turn) for turn in range(9) for each in seconds)
    for number, each in enumerate(chain(seconds, more), start=1):
        if number > len(seconds) and len(acknowledged) > len(seconds):
            break
        acknowledged += nursery.round(url, each)
        if not acknowledged:  # then the database may not have its tables yet
            asyncio.run(migrate(url))
        found = asyncio.run(contents(url))
        assert broken_promises(found, acknowledged) == [], f"after kill {number}"
    assert len(acknowledged) > len(seconds), "the speakers hardly got a word in"
    ended = asyncio.run(finished(url))
    assert {channel for channel, _ in ended.channels} == set(CHANNELS)
    return ended


def another(url: str, number: int) -> str:
    """Another empty database: a file, or a schema of the same Postgres."""
    if not url.startswith("postgres"):
        return f"{url}.{number}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA life_{number}")  # type: ignore[arg-type]
    return f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3Dlife_{number}"


def test_the_checks_can_see_a_loss(tmp_path: Path) -> None:
    """The control: the same checks over a database from which something was taken away."""
    url = str(tmp_path / "robbed.db")
    whole = asyncio.run(undisturbed(url, {"hall": 20}))
    acknowledged = [f"{key} {seq}" for _, seq, key, *_ in whole.messages]
    assert broken_promises(asyncio.run(contents(url)), acknowledged) == []
    for theft, complaint in [
        ("DELETE FROM messages WHERE seq = 20", "lost: hall/20 20"),
        ("DELETE FROM jobs WHERE kind = 'facts.extract' AND key LIKE '%:1-4'", "no facts.extract for ('hall', 1, 4)"),
        ("DELETE FROM chunks WHERE first_seq = 5 AND level = 0", "its output is not there"),
        ("DROP INDEX messages_key; UPDATE messages SET key = 'hall/7' WHERE seq = 8", "lost: hall/8 8"),
    ]:
        connection = apsw.Connection(url)
        connection.execute(theft)
        connection.close()
        broken = broken_promises(asyncio.run(contents(url)), acknowledged)
        assert any(complaint in each for each in broken), (theft, broken)
