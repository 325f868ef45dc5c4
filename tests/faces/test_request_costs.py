"""What a request costs grows in proportion to its size: no request of a megabyte takes a second of CPU by its content.

CPU time of this process is compared for a smaller and a larger request of the same kind, the best of some tries.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable

import httpx2
import pytest
from seeded import CHAT, HERE

from cases import case

SOAK = bool(os.environ.get("ERSTWHILE_SOAK"))
SMALL, TIMES = (65_536, 16) if SOAK else (16_384, 8)
SLACK = 4.0  # caches, memory, threads for long texts, rounding; a square would be TIMES times as much
UNITS = ("word ", "\n", "<a", "1.", "a1", "的", "?!", "http://a.b/c ", "Mina: ", '{"a":', "é", "-----BEGIN ")
Send = Callable[[str], Awaitable[httpx2.Response]]


async def cost(send: Send, unit: str, size: int) -> float:
    """CPU seconds of one request with text of this size."""
    text = (unit * (size // len(unit.encode()) + 1)).encode()[:size].decode(errors="ignore")
    best = float("inf")
    for number in range(3):
        begun = time.process_time()
        answer = await send(f"{number} {text}")
        best = min(best, time.process_time() - begun)
        assert answer.status_code < 500, answer.text
    return best


def senders(http: httpx2.AsyncClient) -> dict[str, Send]:
    return {
        "a message": lambda text: http.post(f"{CHAT}/messages", json={"role": "user", "text": text, "person": "alice"}),
        "a context": lambda text: http.post(f"{CHAT}/context", json={"query": text, "person": "alice"}),
        "a fact": lambda text: http.post(f"{CHAT}/facts", json={"text": text, "by": "alice"}),
        "a command": lambda text: http.post(f"{CHAT}/command", json={"text": text, "person": "alice"}),
        "a fact about a person": lambda text: http.post(f"{HERE}/people/alice/remember", json={"fact": text}),
    }


@pytest.mark.timeout(3600 if SOAK else 600)
@pytest.mark.parametrize("what", ["a message", "a context", "a fact", "a command", "a fact about a person"])
async def test_the_cost_of_a_request_is_linear(http: httpx2.AsyncClient, what: str) -> None:
    send = senders(http)[what]
    await cost(send, "warm ", 1024)
    for unit in UNITS:
        with case(what, unit):
            small, large = await cost(send, unit, SMALL), await cost(send, unit, SMALL * TIMES)
            assert large <= TIMES * SLACK * max(small, 0.002), f"{small:.3f} s, then {large:.3f} s"


async def test_a_question_that_brings_a_document_along_costs_what_its_ends_do(http: httpx2.AsyncClient) -> None:
    """Of different words, which are also in a long message."""
    words = " ".join(f"{number:x}walnut" for number in range(100_000))
    await senders(http)["a message"](words[:1_000_000])
    for what in ("a context", "a search by MCP"):
        send = {**senders(http), "a search by MCP": lambda text: _search(http, text)}[what]
        with case(what):
            await cost(send, words, 1024)
            small, large = await cost(send, words, 16_384), await cost(send, words, 1_000_000)
            assert large <= SLACK * max(small, 0.05), f"{small:.3f} s, then {large:.3f} s"


async def _search(http: httpx2.AsyncClient, text: str) -> httpx2.Response:
    call = {"name": "search_memory", "arguments": {"query": text}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return await http.post("/mcp", json=body, headers={"accept": "application/json, text/event-stream"})


async def test_the_measure_can_see_a_square() -> None:
    """The control: work that grows with the square of the text is noticed."""

    async def send(text: str) -> httpx2.Response:
        sum(1 for start in range(0, len(text), 64) if text[start:].count("x") < 0)
        return httpx2.Response(200)

    small, large = await cost(send, "y", 65_536), await cost(send, "y", 65_536 * 8)
    assert large > 8 * SLACK * max(small, 0.002)
