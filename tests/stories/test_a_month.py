"""A month of a community of fifty (five days of it, but in `make soak`): restarts every day, servers that are killed, two at once, a
model that is away for a day."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from month import BLOCKED, SPACE, Month, broken

from erstwhile.testing import ModelServer
from support.guild import START, Guild

SOAK = bool(os.environ.get("ERSTWHILE_SOAK"))


@pytest.mark.timeout(3600 if SOAK else 600)
def test_a_month_of_a_community_is_in_order(database_url: str) -> None:
    with ModelServer() as server:
        month = Month(
            url=database_url,
            server=server,
            guild=Guild(messages_a_day=300 if SOAK else 30),
            days=30 if SOAK else 5,
            kills=frozenset({1, 3, 4, 11, 12, 17, 24} if SOAK else {1, 3}),
            twice=frozenset({2, 4, 9, 12, 21} if SOAK else {3}),
            dark=frozenset({3, 17} if SOAK else {2}),
        )
        month.live()
        assert month.died == len(month.kills)
        assert asyncio.run(broken(month)) == []
        if database_url.endswith(".db"):
            days = [(START + timedelta(days=day)).date().isoformat() for day in range(month.days)]
            assert [day for day in nights(month.url) if day >= days[0]] == days, "one for each, whoever died when"


@pytest.mark.long
def test_the_checks_can_see_what_is_wrong(tmp_path: Path) -> None:
    """The control: the same checks over a database that was tampered with."""
    with ModelServer() as server:
        month = Month(url=str(tmp_path / "guild.db"), server=server, guild=Guild(people=8, messages_a_day=25), days=2)
        month.live()
    assert asyncio.run(broken(month)) == []
    for theft, mended, complaint in [
        (
            "UPDATE memories SET last_seq = last_seq - 1 WHERE kind = 'note'",
            "UPDATE memories SET last_seq = last_seq + 1 WHERE kind = 'note'",
            "is in 0 notes",
        ),
        ("DELETE FROM memory_sources WHERE id LIKE 'top_%'", "", "is in 0 topics"),
        (
            "UPDATE memories SET data = replace(data, 'nte_', 'xnte_') WHERE kind = 'profile'",
            "UPDATE memories SET data = replace(data, 'xnte_', 'nte_') WHERE kind = 'profile'",
            "can't be traced",
        ),
        (f"UPDATE memories SET said_by = '{BLOCKED}' WHERE kind = 'profile'", "", "a fact of or by a blocked person"),
        ("DELETE FROM messages WHERE seq = 3", "", "lost: "),
    ]:
        _tamper(month.url, theft)
        assert any(complaint in each for each in asyncio.run(broken(month))), theft
        _tamper(month.url, mended)


def _tamper(url: str, how: str) -> None:
    connection = apsw.Connection(url)
    connection.execute(how)
    connection.close()


def nights(url: str) -> list[str]:
    """The days that had their night. The first start, which finds that there never was one, makes up for the day before."""
    connection = apsw.Connection(url)
    found = [row[0] for row in connection.execute("SELECT day FROM nights WHERE space = ? ORDER BY day", (SPACE,))]
    connection.close()
    return found
