"""A system to be filled and searched, each in a process of its own: `python -m bench.systems SYSTEM {fill,ask} …`.

What it prints is JSON for bench.search and bench.peers. All systems but erstwhile run in the environment that `make bench-peers` makes.
All get the same messages, the same questions and the same vectors (our table, 256 dimensions), and none may reach further than loopback.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any, Protocol

from bench import sayings

NAMES = ("erstwhile", "mem0", "mem0-faiss", "langgraph", "plain")
DIMENSIONS = 256
LIMIT = 10


def _loopback_only(event: str, args: tuple[Any, ...]) -> None:
    if (
        event == "socket.connect"
        and isinstance(args[1], tuple)
        and not str(args[1][0]).startswith(("127.", "::1", "localhost"))
    ):
        raise RuntimeError(f"a benchmark tried to reach {args[1][0]}")


class Words:
    """Our table of word vectors. A text that is `known` has its vector looked up: what a search costs without embedding its question."""

    def __init__(self) -> None:
        sys.path.append(str(Path(__file__).parents[1] / "packages" / "erstwhile-vectors" / "src"))
        from erstwhile_vectors import embed

        self._embed = embed
        self.known: dict[str, list[float]] = {}

    def embed(self, texts: list[str]) -> list[list[float]]:
        if all(text in self.known for text in texts):
            return [self.known[text] for text in texts]
        return [vector.tolist() for vector in self._embed(texts)]


class System(Protocol):
    words: Words | None  # None when it brings its own embedder

    def add(self, channel: int, texts: list[str]) -> None: ...

    def settle(self) -> None: ...

    def channels(self) -> int:
        """How many are filled already."""
        ...

    def search(self, question: str) -> int: ...

    def embeds(self) -> bool:
        """Whether a search makes a vector of its question."""
        ...

    def close(self) -> None: ...


class Erstwhile:
    """No summaries or facts are made: the recipe `brief` with a threshold out of reach leaves only what search itself needs."""

    words: Words | None = None

    def __init__(self, where: str, space: str) -> None:
        self._space = space
        import erstwhile

        self._runner = asyncio.Runner()
        self._memory = erstwhile.open(
            where, worker=False, model="extractive", recipe="brief", brief={"threshold": 10**9}
        )
        self._run(self._memory.__aenter__())

    def _run(self, work: Any) -> Any:
        return self._runner.run(work)

    def add(self, channel: int, texts: list[str]) -> None:
        messages = [
            {"role": "user", "text": text, "person": f"person-{(channel + place) % 50}", "key": str(place)}
            for place, text in enumerate(texts)
        ]
        self._run(self._memory.channel(f"channel-{channel}", space=self._space).add_many(messages))

    def settle(self) -> None:
        self._run(self._memory.settle())

    def channels(self) -> int:
        low, high = 0, 1
        while self._size(high - 1):
            low, high = high, 2 * high
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._size(middle) else (low, middle)
        return low

    def _size(self, channel: int) -> int:
        return int(self._run(self._memory.channel(f"channel-{channel}", space=self._space).size()))

    def search(self, question: str) -> int:
        return len(self._run(self._memory.search(question, space=self._space, kinds=["message"], limit=LIMIT)))

    def embeds(self) -> bool:
        return getattr(self._memory.settings, "embedder", "none") != "none"

    def close(self) -> None:
        self._run(self._memory.__aexit__(None, None, None))
        self._runner.close()


def opened(system: str, where: str, space: str) -> System:
    if system == "erstwhile":
        return Erstwhile(where, space)
    from bench import peer_systems

    return peer_systems.SYSTEMS[system](where, space)


def fill(system: System, size: int) -> dict[str, Any]:
    """From what is there up to `size` messages."""
    there, wanted = system.channels(), -(-size // sayings.CHANNEL)
    adding = 0.0
    for number in range(there, wanted):
        said = sayings.channel(number)
        started = time.perf_counter()
        system.add(number, said)
        adding += time.perf_counter() - started
        if sys.stderr.isatty():
            print(f"\r{(number + 1) * sayings.CHANNEL:,} messages\033[K", end="\r", file=sys.stderr, flush=True)
    started = time.perf_counter()
    system.settle()
    added = max(0, wanted - there) * sayings.CHANNEL
    return {
        "messages": max(there, wanted) * sayings.CHANNEL,
        "added": added,
        "add_seconds": adding,
        "settle_seconds": time.perf_counter() - started,
    }


def ask(system: System, started: float, count: int) -> dict[str, Any]:
    """The first search of the process, then each question with its embedding, then without."""
    asked = sayings.questions(count + 1)
    system.search(asked[0])
    cold = time.perf_counter() - started
    whole = _timed(system, asked[1:])
    if system.words is not None:
        system.words.known = {each: system.words.embed([each])[0] for each in asked[1:]}
        bare = _timed(system, asked[1:])
    elif system.embeds():
        bare = _without(asked[1:], whole)
    else:
        bare = whole
    return {"cold_ms": cold * 1000, "ms": whole, "bare_ms": bare, "rss_mb": _resident()}


def _timed(system: System, asked: list[str]) -> list[float]:
    took = []
    for each in asked:
        started = time.perf_counter()
        system.search(each)
        took.append((time.perf_counter() - started) * 1000)
    return took


def _without(asked: list[str], whole: list[float]) -> list[float]:
    """Less what embedding each question takes by itself: the door takes no ready vectors."""
    words = Words()
    words.embed(["warm"])
    bare = []
    for each, took in zip(asked, whole, strict=True):
        started = time.perf_counter()
        words.embed([each])
        bare.append(max(0.0, took - (time.perf_counter() - started) * 1000))
    return bare


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", choices=NAMES)
    parser.add_argument("what", choices=["fill", "ask"])
    parser.add_argument("where", help="erstwhile: a database; the others: a folder")
    parser.add_argument("--space", default="bench")
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=200)
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    sys.addaudithook(_loopback_only)
    started = time.perf_counter()
    system = opened(given.system, given.where, given.space)
    result = fill(system, given.size) if given.what == "fill" else ask(system, started, given.questions)
    system.close()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
