"""What memory costs before the first word: `python -m bench.chat [--messages 100000] [--pairs 200] [--embedded-postgres] [--database URL]`.

A space with that many messages in channels of 500; a scripted model in a process of its own that begins to answer after 20 ms; a server in
another. The same streamed question is asked directly and through the server, in turn, over connections that stay open, and the time to the
first piece of the answer is compared. The index is warm: the first questions are not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import httpx2

from bench import sayings
from bench.machine import postgres
from bench.search import ROOT, cuts, scratch

TALKED = 4
WARM = 10
HEAD = "| database | messages | direct p50 ms | p95 | through p50 ms | p95 | added p50 ms | p95 |\n|---|---|---|---|---|---|---|---|"
ENVIRONMENT = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}


async def fill(where: str, messages: int) -> None:
    """Only what search and the log need, as in bench.search; and with all that is derived, the channels where the questions are asked."""
    import erstwhile

    def said(number: int, count: int) -> list[dict[str, Any]]:
        texts = sayings.channel(number)[:count]
        speakers = [{"role": "user", "person": "mina"}, {"role": "assistant"}]
        return [{**speakers[place % 2], "text": text} for place, text in enumerate(texts)]

    async with erstwhile.open(
        where, worker=False, model="extractive", recipe="brief", brief={"threshold": 10**9}
    ) as memory:
        for number in range(messages // sayings.CHANNEL):
            chat = memory.channel(f"channel-{number}")
            if not await chat.size():
                await chat.add_many(said(number, sayings.CHANNEL))
        await memory.settle()
    async with erstwhile.open(where, worker=False, model="extractive") as memory:
        for number in range(TALKED):
            chat = memory.channel(f"talk-{number}")
            if not await chat.size():
                await chat.add_many(said(number, 200))
        await memory.settle()


def model() -> None:
    """The scripted model, until its input ends."""
    from erstwhile.testing import ModelServer, Reply

    with ModelServer(lambda _call: Reply("You live in Busan, near the sea, since last week.", delay=0.02)) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


async def serve(where: str, base_url: str) -> None:
    import socket

    import uvicorn

    import erstwhile
    from erstwhile.http.app import create_app

    settings: dict[str, Any] = {
        "model": "extractive",
        "chat_model": "openai-compatible:chatty",
        "limits": {"memory_seconds": 30},
    }
    async with erstwhile.open(where, base_url=base_url, api_key="k", **settings) as memory:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(create_app(memory), log_level="warning"))
        print(f"http://127.0.0.1:{listening.getsockname()[1]}/v1", flush=True)
        asyncio.get_running_loop().run_in_executor(
            None, lambda: (sys.stdin.read(), setattr(server, "should_exit", True))
        )
        await server.serve([listening])


@contextmanager
def process(*words: str) -> Iterator[str]:
    """A part of this in a process of its own; what it prints first is where it listens."""
    with subprocess.Popen(
        [sys.executable, "-m", "bench.chat", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        cwd=ROOT,
    ) as running:
        assert running.stdout is not None
        assert running.stdin is not None
        try:
            yield running.stdout.readline().strip()
        finally:
            running.stdin.close()
            running.wait(30)


async def first_word(client: httpx2.AsyncClient, url: str, question: str, channel: str) -> float:
    body = {"model": "chatty", "stream": True, "messages": [{"role": "user", "content": question}]}
    headers = {"X-Erstwhile-Channel": channel, "X-Erstwhile-Person": "mina"}
    started = time.perf_counter()
    async with client.stream("POST", f"{url}/chat/completions", json=body, headers=headers) as answer:
        answer.raise_for_status()
        pieces = answer.aiter_raw()
        await anext(pieces)
        took = (time.perf_counter() - started) * 1000
        async for _ in pieces:
            pass
    if url.endswith("/v1") and "x-erstwhile-memory" in answer.headers:
        assert answer.headers["x-erstwhile-memory"].startswith("ok"), answer.headers["x-erstwhile-memory"]
    return took


async def pairs(direct: str, through: str, count: int, pause: float) -> tuple[list[float], list[float]]:
    questions = sayings.questions(count + WARM)
    times: tuple[list[float], list[float]] = ([], [])
    async with httpx2.AsyncClient(timeout=60) as client:
        for _ in range(60):  # the first ones find the index not yet filled
            body = {"model": "m", "messages": [{"role": "user", "content": "Where do I live?"}]}
            headers = {"X-Erstwhile-Memory": "read", "X-Erstwhile-Channel": "talk-0"}
            answer = await client.post(f"{through}/chat/completions", json=body, headers=headers)
            if answer.headers["x-erstwhile-memory"].startswith("read"):
                break
            await asyncio.sleep(1)
        for number, question in enumerate(questions):
            for place, url in enumerate((direct, through)):
                took = await first_word(client, url, question, f"talk-{number % TALKED}")
                if number >= WARM:
                    times[place].append(took)
                await asyncio.sleep(pause)  # nobody asks again the moment an answer ends; the turn is logged meanwhile
    return times


def measure(label: str, where: str, given: argparse.Namespace) -> None:
    subprocess.run(
        [sys.executable, "-m", "bench.chat", "--fill", where, "--messages", str(given.messages)],
        check=True,
        env=ENVIRONMENT,
        cwd=ROOT,
    )
    with process("--model") as direct, process("--serve", where, "--upstream", direct) as through:
        alone, passed = asyncio.run(pairs(direct, through, given.pairs, given.pause))
    added = [after - before for before, after in zip(alone, passed, strict=True)]
    figures = " | ".join(
        f"{cut:.1f}" for cut in (*cuts(alone), *cuts(passed), statistics.median(added), cuts(added)[1])
    )
    print(f"| {label} | {given.messages:,} | {figures} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between questions")
    parser.add_argument("--database", help="measure on this one; it is filled, and kept")
    parser.add_argument("--embedded-postgres", action="store_true", help="also on a Postgres started for the run")
    parser.add_argument("--keep", help="keep the SQLite database in this file, and use it again the next time")
    for inner in ("--fill", "--serve", "--upstream"):
        parser.add_argument(inner, help=argparse.SUPPRESS)
    parser.add_argument("--model", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fill:
        asyncio.run(fill(given.fill, given.messages))
    elif given.serve:
        asyncio.run(serve(given.serve, given.upstream))
    elif given.model:
        model()
    else:
        print(f"\n### First word through the chat, {date.today()}, {platform.machine()}, {given.pairs} pairs a row\n")  # noqa: DTZ011
        print(HEAD, flush=True)
        with scratch() as folder:
            measure("sqlite", given.keep or str(folder / "chat.db"), given)
            if given.database:
                measure("--database", given.database, given)
            if given.embedded_postgres:
                measure("postgres", postgres(Path(folder) / "postgres", "chat"), given)


if __name__ == "__main__":
    main()
