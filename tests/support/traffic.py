"""Many clients at once, for load tests: writers who put in messages with keys and readers who ask for contexts, over bare sockets.

As a program it is a process of its own, so that what is measured is the server and not its clients:

    python tests/support/traffic.py '{"ports": [8765], "writers": 64, "readers": 8, "seconds": 60}'

and prints a line of JSON: what was acknowledged, how long each answer took, and how long it all did.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import sys
import time
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import quote

_WORDS = (
    "the a I you we my our is was will can harbour garden train ticket Berlin Seoul kettle violin winter meeting budget "
    "doctor sister birthday coffee morning deadline report invoice holiday cat dog bicycle rain allergic peanuts moved "
    "likes plays bought lost found needs wants tomorrow yesterday March June old new red green quiet late early again"
)
WORDS = _WORDS.split()


class Broken(Exception):
    """The server closed the connection, or answered something that is no HTTP."""


class Connection:
    """One kept-alive connection. Knows as much HTTP as the server answers with: a status, headers, a body of known length."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, method: str, path: str, body: Any = None, key: str = "") -> tuple[int, bytes]:
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Length: {len(content)}\r\n"
        head += "Content-Type: application/json\r\n" + (f"Idempotency-Key: {key}\r\n" if key else "") + "\r\n"
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
            reader, writer = self._streams
            writer.write(head.encode() + content)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            return int(answer[9:12]), await reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            self.close()
            raise Broken(str(error)) from error

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass
class Load:
    """`batch`: messages in one request. `rate`: messages a second of all writers together; 0: each sends as soon as it was answered. Two
    writers share a channel, so that they meet. A reader pauses between its questions. Keys begin with `name`. With `spaces`, the channels
    are spread over so many, `space-0` and so on."""

    ports: list[int]
    writers: int = 64
    readers: int = 8
    seconds: float = 60.0
    batch: int = 1
    rate: float = 0.0
    pause: float = 0.0
    space: str = "load"
    spaces: int = 0
    name: str = field(default_factory=lambda: f"{random.getrandbits(32):08x}")


@dataclass
class Seen:
    """What the clients saw. `acknowledged`: channel, key and seq of each message that the server said was stored."""

    acknowledged: list[tuple[str, str, int]] = field(default_factory=list)
    acks: list[float] = field(default_factory=list)
    contexts: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    seconds: float = 0.0


def saying(chance: random.Random) -> str:
    """About as long as people's chat messages are: 5 to 40 words."""
    return " ".join(chance.choices(WORDS, k=chance.randint(5, 40)))


def channels(load: Load) -> list[str]:
    return [channel(load, number) for number in range(0, load.writers, 2)]


def channel(load: Load, writer: int) -> str:
    """The channel of a writer. Its number says in which space it is."""
    return f"{'load' if load.spaces else 'channel'}-{writer // 2}"


def path(load: Load, where: str) -> str:
    space = f"{load.space}-{int(where.rpartition('-')[2]) % load.spaces}" if load.spaces else load.space
    return f"/v1/spaces/{space}/channels/{where}"


async def write(load: Load, number: int, seen: Seen, until: float) -> None:
    chance = random.Random(number)
    connection = Connection(load.ports[number % len(load.ports)])
    here = channel(load, number)
    for turn in itertools.count():
        said = [
            {
                "role": "user",
                "text": saying(chance),
                "person": f"person-{number}",
                "key": f"{load.name}/{number}/{turn}/{n}",
            }
            for n in range(load.batch)
        ]
        started = await _turn(load, number, turn, until)
        if started > until:
            break
        status, answer = await connection.send(
            "POST", f"{path(load, here)}/messages", said[0] if load.batch == 1 else {"messages": said}
        )
        seen.acks.append(time.perf_counter() - started)
        if status != 201:
            seen.refused.append(f"{status} {answer[:300].decode(errors='replace')}")
            continue
        stored = json.loads(answer)
        for each in stored["messages"] if load.batch > 1 else [stored]:
            seen.acknowledged.append((here, each["key"], each["seq"]))
    connection.close()


async def _turn(load: Load, number: int, turn: int, until: float) -> float:
    """When the request should go out. One that is late because the last answer was, counts as waiting since then."""
    now = time.perf_counter()
    if not load.rate:
        return now
    due = until - load.seconds + (turn + number / load.writers) * load.batch * load.writers / load.rate
    await asyncio.sleep(max(0.0, due - now))
    return due


async def read(load: Load, number: int, seen: Seen, until: float) -> None:
    chance = random.Random(-1 - number)
    connection = Connection(load.ports[number % len(load.ports)])
    where = channels(load)
    while time.perf_counter() < until:
        query = quote(f"where is the {chance.choice(WORDS)} and {chance.choice(WORDS)}?")
        started = time.perf_counter()
        status, answer = await connection.send("GET", f"{path(load, chance.choice(where))}/context?query={query}")
        seen.contexts.append(time.perf_counter() - started)
        if status != 200:
            seen.refused.append(f"{status} {answer[:300].decode(errors='replace')}")
        await asyncio.sleep(load.pause)
    connection.close()


async def run(load: Load) -> Seen:
    seen, started = Seen(), time.perf_counter()
    until = started + load.seconds
    await asyncio.gather(
        *(write(load, number, seen, until) for number in range(load.writers)),
        *(read(load, number, seen, until) for number in range(load.readers)),
    )
    seen.seconds = time.perf_counter() - started
    return seen


async def stored(load: Load) -> list[tuple[str, str, int]]:
    """What the server holds: channel, key and seq of each message."""
    connection, found = Connection(load.ports[0]), []
    for here in channels(load):
        after = 0
        while True:
            status, answer = await connection.send("GET", f"{path(load, here)}/messages?after={after}&limit=200")
            if status != 200:
                raise Broken(answer.decode())
            page = json.loads(answer)["messages"]
            found += [(here, each["key"], each["seq"]) for each in page]
            if len(page) < 200:
                break
            after = page[-1]["seq"]
    connection.close()
    return found


def broken_promises(acknowledged: list[tuple[str, str, int]], held: list[tuple[str, str, int]]) -> list[str]:
    """What was acknowledged is there as acknowledged; nothing is there twice; no number of a channel is left out."""
    broken = [f"lost: {each}" for each in sorted(set(acknowledged) - set(held))]
    keys: dict[tuple[str, str], int] = {}
    numbers: dict[str, list[int]] = {}
    for channel, key, seq in held:
        keys[channel, key] = keys.get((channel, key), 0) + 1
        numbers.setdefault(channel, []).append(seq)
    broken += [f"stored {count} times: {each}" for each, count in keys.items() if count > 1]
    broken += [
        f"{channel} has gaps" for channel, found in numbers.items() if sorted(found) != list(range(1, len(found) + 1))
    ]
    return broken


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(asyncio.run(run(Load(**json.loads(sys.argv[1])))))) + "\n")
