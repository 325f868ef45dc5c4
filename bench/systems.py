"""A system to be filled and searched, each in a process of its own: `python -m bench.systems SYSTEM WHAT WHERE …`.

What it prints is JSON for bench.search and bench.peers. All systems but erstwhile run in the environments that
`make bench-peers` makes. All get the same messages, the same questions and the same vectors (our table, 256
dimensions), and none may reach further than loopback.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from bench import sayings

DIMENSIONS = 256
LIMIT = 10


class Message(NamedTuple):
    person: str
    text: str
    at: datetime | None = None
    role: str = "user"
    named: bool = True

    @property
    def line(self) -> str:
        """What a system gets that has no place for the speaker."""
        return f"{self.person}: {self.text}" if self.named else self.text


class Found(NamedTuple):
    """A hit: a `message`, or a `memory` that a model made."""

    id: str
    text: str
    kind: str = "message"


class Words:
    """Our table of word vectors. A text that is `known` has its vector looked up: what a search costs without
    embedding its question."""

    def __init__(self) -> None:
        sys.path.append(str(Path(__file__).parents[1] / "packages" / "erstwhile-vectors" / "src"))
        from erstwhile_vectors import embed

        self._embed = embed
        self.known: dict[str, list[float]] = {}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if all(text in self.known for text in texts):
            return [self.known[text] for text in texts]
        return [vector.tolist() for vector in self._embed(texts)]


class System(Protocol):
    words: Words | None  # None when it brings its own embedder

    def add(self, channel: int, messages: Sequence[Message]) -> list[str]:
        """Store raw messages, without a model. Returns their ids."""
        ...

    def remember(self, messages: Sequence[Message]) -> None:
        """Store messages as the system advises to with a model."""
        ...

    def work(self) -> None:
        """Do what is due in the background."""
        ...

    def settle(self) -> None:
        """Wait for all work in the background, and for what is to be tried again."""
        ...

    def channels(self) -> int:
        """How many are filled already."""
        ...

    def search(self, question: str, limit: int = LIMIT) -> list[Found]:
        """Search raw messages."""
        ...

    def recall(self, question: str) -> list[Found]:
        """Search everything, after `remember`."""
        ...

    def embeds(self) -> bool:
        """Whether a search makes a vector of its question."""
        ...

    def close(self) -> None: ...


_NOTHING_MADE: dict[str, Any] = {"model": "extractive", "recipe": "brief", "brief": {"threshold": 10**9}}


class Erstwhile:
    """Without a model no summaries or facts are made: the recipe `brief` with a threshold out of reach leaves only
    what search itself needs. `whole`: the default settings."""

    words: Words | None = None

    def __init__(self, where: str, space: str, base_url: str = "", *, whole: bool = False) -> None:
        self._space = space
        self.now: datetime | None = None
        import erstwhile

        settings = {} if whole else _NOTHING_MADE
        if base_url:
            settings = {"model": "openai-compatible:scripted", "base_url": base_url, "recipe": "full"}
        self._runner = asyncio.Runner()
        self._memory = erstwhile.open(where, worker=False, clock=lambda: self.now or datetime.now(UTC), **settings)
        self._run(self._memory.__aenter__())

    def _run(self, work: Any) -> Any:
        return self._runner.run(work)

    def _channel(self, number: int) -> Any:
        return self._memory.channel(f"channel-{number}", space=self._space)

    def add(self, channel: int, messages: Sequence[Message]) -> list[str]:
        given = [
            {"role": each.role, "text": each.text, "key": str(place), "at": each.at} | _who(each)
            for place, each in enumerate(messages)
        ]
        return [each.id for each in self._run(self._channel(channel).add_many(given))]

    def remember(self, messages: Sequence[Message]) -> None:
        chat = self._channel(0)
        for each in messages:
            self._run(chat.add(each.role, each.text, **_who(each)))

    def work(self) -> None:
        self._run(self._memory.settle())

    def settle(self) -> None:
        while self._run(self._memory.settle()).waiting:
            time.sleep(0.2)

    def channels(self) -> int:
        low, high = 0, 1
        while self._size(high - 1):
            low, high = high, 2 * high
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._size(middle) else (low, middle)
        return low

    def _size(self, channel: int) -> int:
        return int(self._run(self._channel(channel).size()))

    def search(self, question: str, limit: int = LIMIT) -> list[Found]:
        return self._found(question, limit, kinds=["message"])

    def recall(self, question: str) -> list[Found]:
        return self._found(question, LIMIT) + self._found(question, LIMIT, kinds=["fact"])

    def _found(self, question: str, limit: int, **more: Any) -> list[Found]:
        hits = self._run(self._memory.search(question, space=self._space, limit=limit, **more))
        return [Found(hit.id, hit.text, "message" if hit.kind == "message" else "memory") for hit in hits]

    def embeds(self) -> bool:
        return getattr(self._memory.settings, "embedder", "none") != "none"

    def close(self) -> None:
        self._run(self._memory.__aexit__(None, None, None))
        self._runner.close()


def _who(message: Message) -> dict[str, str]:
    if message.role != "user":
        return {}
    return {"person": message.person} | ({"name": message.person} if message.named else {})


def opened(system: str, where: str, space: str = "bench", base_url: str = "") -> System:
    if system == "erstwhile":
        return Erstwhile(where, space, base_url)
    from bench import peer_systems

    return peer_systems.SYSTEMS[system](where, space, base_url)


def fill(system: System, size: int) -> dict[str, Any]:
    """From what is there up to `size` messages."""
    there, wanted = system.channels(), -(-size // sayings.CHANNEL)
    batches = []
    for number in range(there, wanted):
        said = [
            Message(f"person-{(number + place) % 50}", text, named=False)
            for place, text in enumerate(sayings.channel(number))
        ]
        started = time.perf_counter()
        system.add(number, said)
        batches.append(time.perf_counter() - started)
        if sys.stderr.isatty():
            print(f"\r{(number + 1) * sayings.CHANNEL:,} messages\033[K", end="\r", file=sys.stderr, flush=True)
    started = time.perf_counter()
    system.settle()
    added = max(0, wanted - there) * sayings.CHANNEL
    return {
        "messages": max(there, wanted) * sayings.CHANNEL,
        "added": added,
        "add_seconds": sum(batches),
        "batch_seconds": batches,
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
    return {"cold_ms": cold * 1000, "ms": whole, "bare_ms": bare, **_memory()}


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


def _memory() -> dict[str, float]:
    """The process's own memory, and pages of files that are mapped."""
    pages = [int(each) for each in Path("/proc/self/statm").read_text().split()]
    page = os.sysconf("SC_PAGE_SIZE") / 1e6
    return {"own_mb": (pages[1] - pages[2]) * page, "mapped_mb": pages[2] * page}


def shut_in() -> None:
    """Let the process reach nothing but loopback, and say nothing but its result."""
    logging.disable(logging.WARNING)
    sys.addaudithook(_loopback_only)


def _loopback_only(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(args[1], tuple):
        host = str(args[1][0])
        if not host.startswith(("127.", "::1", "localhost")):
            raise RuntimeError(f"a benchmark tried to reach {host}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system")
    parser.add_argument("what", choices=["fill", "ask"])
    parser.add_argument("where", help="erstwhile: a database; the others: a folder")
    parser.add_argument("--space", default="bench")
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=200)
    given = parser.parse_args()
    shut_in()
    started = time.perf_counter()
    system = opened(given.system, given.where, given.space)
    result = fill(system, given.size) if given.what == "fill" else ask(system, started, given.questions)
    system.close()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
