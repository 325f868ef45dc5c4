"""Long messages of any units hold up nobody else: neither the event loop nor the writer works on them (trust S13).

While they are added, `/healthz` is asked all the time, and another space adds messages. How long both wait is compared
with how long they wait while as many ordinary messages of the same size are added to the same server, by turns.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from itertools import count

import httpx2
import pytest

from soak.size import SOAK, measured
from support.serving import Served

SIZE = 1_000_000 if SOAK else 100_000
ORDINARY = "I moved to Busan and like the sea there. "
HOSTILE = ("\n", " \n", "a", "1月", "<a", "[a](", "```\n", "Mina: ", "1. ", "\u0301", "http://a.b/c ", "12:")
UNITS = HOSTILE if SOAK else HOSTILE[::3]
SLACK, FLOOR = 4.0, 0.25  # times as long, and seconds by which a busy machine may delay anybody
_numbers = count()


class Waits:
    """The longest that somebody waited for an answer, of each kind of request."""

    def __init__(self, url: str) -> None:
        self.longest = {"/healthz": 0.0, "another space": 0.0}
        self._over, self._url = asyncio.Event(), url

    async def during(self, work: Callable[[httpx2.AsyncClient], Awaitable[None]]) -> dict[str, float]:
        async with httpx2.AsyncClient(base_url=self._url, timeout=120) as http:
            asking = [asyncio.create_task(self._beat(http)), asyncio.create_task(self._add(http))]
            await asyncio.sleep(0.1)
            await work(http)
            self._over.set()
            await asyncio.gather(*asking)
        return self.longest

    async def _beat(self, http: httpx2.AsyncClient) -> None:
        await self._repeat("/healthz", lambda: http.get("/healthz"))

    async def _add(self, http: httpx2.AsyncClient) -> None:
        said = {"role": "user", "text": "I like tea."}
        await self._repeat("another space", lambda: http.post("/v1/spaces/other/channels/chat/messages", json=said))

    async def _repeat(self, what: str, ask: Callable[[], Awaitable[httpx2.Response]]) -> None:
        while not self._over.is_set():
            begun = time.perf_counter()
            assert (await ask()).status_code < 300
            self.longest[what] = max(self.longest[what], time.perf_counter() - begun)
            await asyncio.sleep(0.01)


async def adding(http: httpx2.AsyncClient, unit: str) -> None:
    """One long message, and a fact that is as long as it may be."""
    text = f"{next(_numbers)} {unit * (SIZE // len(unit.encode()))}"
    at = "/v1/spaces/one/channels/chat"
    added = await http.post(f"{at}/messages", json={"role": "user", "text": text, "person": "mina"})
    assert added.status_code == 201, added.text
    fact = await http.post(f"{at}/facts", json={"text": text[:12_000], "by": "mina"})
    assert fact.status_code == 201, fact.text


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_long_messages_of_any_units_hold_up_nobody(cli_url: str) -> None:
    worst: dict[str, tuple[float, float, str]] = {}
    with Served(cli_url, "--no-worker", "--log-level", "error", model="extractive", embedder="none") as server:
        url = f"http://127.0.0.1:{server.port}"
        await Waits(url).during(lambda http: adding(http, ORDINARY))  # imports what it needs
        for unit in UNITS:
            calm = await Waits(url).during(lambda http: adding(http, ORDINARY))
            for _ in range(3):  # a machine that was busy just then is no fault of what is tested
                found = await Waits(url).during(lambda http, unit=unit: adding(http, unit))
                held = {what: (found[what], calm[what], unit) for what in found}
                late = [what for what in found if found[what] > SLACK * calm[what] + FLOOR]
                if not late:
                    break
            assert not late, (unit, held)
            worst = {what: max(each, worst.get(what, each)) for what, each in held.items()}
    told = "; ".join(
        f"{what} {found:.2f} s with {unit!r}, {calm:.2f} s with words" for what, (found, calm, unit) in worst.items()
    )
    measured(f"longest waits beside messages of {SIZE:,} bytes: {told}")


async def test_the_measure_sees_a_server_that_stands_still(cli_url: str) -> None:
    """The control: nobody is answered for a second."""
    with Served(cli_url, "--no-worker", "--log-level", "error", model="extractive", embedder="none") as server:

        async def stand_still(_http: httpx2.AsyncClient) -> None:
            os.kill(server.pid, signal.SIGSTOP)
            await asyncio.sleep(1)
            os.kill(server.pid, signal.SIGCONT)
            await asyncio.sleep(0.1)

        found = await Waits(f"http://127.0.0.1:{server.port}").during(stand_still)
    assert min(found.values()) > 0.8
