"""Many writers over HTTP at once while others ask for contexts: nothing is lost, nothing is there twice, no number is left out."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest

from soak.size import SOAK
from support import traffic
from support.serving import Served

SIZE = {"writers": 64, "readers": 8, "seconds": 150.0} if SOAK else {"writers": 8, "readers": 2, "seconds": 1.5}


@pytest.mark.timeout(3600 if SOAK else 600)
def test_nothing_is_lost_and_nothing_is_twice(database_url: str) -> None:
    servers = 2 if database_url.startswith("postgres") else 1
    with ExitStack() as stack:
        ports = [stack.enter_context(Served(database_url)).port for _ in range(servers)]
        acknowledged: list[tuple[str, str, int]] = []
        for batch in (1, 20):
            load = traffic.Load(ports=ports, batch=batch, pause=0.1, **SIZE)
            seen = asyncio.run(traffic.run(load))
            assert seen.refused == []
            assert len(seen.acknowledged) > SIZE["writers"], "the writers hardly got a word in"
            assert len(seen.contexts) >= SIZE["readers"]
            acknowledged += seen.acknowledged
        held = asyncio.run(traffic.stored(load))
    assert traffic.broken_promises(acknowledged, held) == []
    assert len(held) == len(acknowledged)


def test_the_checks_can_see_a_loss_a_double_and_a_gap() -> None:
    """The control: the same checks over answers that were tampered with."""
    held = [("hall", "a", 1), ("hall", "b", 2), ("hall", "c", 3)]
    assert traffic.broken_promises(held, held) == []
    assert traffic.broken_promises(held, held[:2]) == ["lost: ('hall', 'c', 3)"]
    assert traffic.broken_promises(held[:1], [*held[:1], ("hall", "a", 2)]) == ["stored 2 times: ('hall', 'a')"]
    assert traffic.broken_promises([], [held[0], held[2]]) == ["hall has gaps"]
    assert traffic.broken_promises(held[:2], [held[0], ("hall", "b", 3), ("hall", "x", 2)]) == [
        "lost: ('hall', 'b', 2)"
    ]
