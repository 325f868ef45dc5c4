"""No request of at most a megabyte costs a second of CPU, whatever it is made of (trust S13).

CPU of a real server's process, with what it still does after the answer. In `make test` requests have 48 kB.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from cases import case
from erstwhile.testing import ModelServer
from soak.size import SOAK, measured
from support.serving import Served

SIZE = 1_000_000 if SOAK else 48_000
MOST = 1.0  # seconds
TICKS = os.sysconf("SC_CLK_TCK")
HERE = "/v1/spaces/my-app"
CHAT = f"{HERE}/channels/chat"
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
UNITS = (
    *(
        "word ",
        "\n",
        "<a",
        "1.",
        "a1",
        "1 ",
        "?!",
        "http://a.b/c ",
        "Mina: ",
        '{"a":',
        "é ",
        "的",
        "1月",
        "me gusta la ",
    ),
    *("\u0301", "😀", "-----BEGIN ", "password is ", "I moved to Busan. ", "last tuesday ", "remember that "),
)
FEW = ("1月",)
Body = dict[str, Any]
Kind = Callable[[str, "Server"], tuple[str, str, Body]]


def pieces(text: str, length: int) -> list[str]:
    return [text[start : start + length] for start in range(0, len(text), length)]


def split(text: str, count: int) -> list[str]:
    return pieces(text, max(1, len(text) // count))[:count]


def sentences(size: int) -> str:
    """Each is another, with names, numbers and a date."""
    made = (f"On {n % 28 + 1} March {n % 90 + 1950} Mina bought {n} lanterns in Busan. " for n in range(size // 50))
    return "".join(made)[:size]


def words(size: int) -> str:
    return " ".join(f"{n:x}walnut" for n in range(size // 7))[:size]


def filled(unit: str) -> Callable[[int], str]:
    return lambda size: (unit * (size // len(unit.encode()) + 1)).encode()[:size].decode(errors="ignore")


TEXTS: dict[str, Callable[[int], str]] = {
    **{unit: filled(unit) for unit in (UNITS if SOAK else FEW)},
    "sentences": sentences,
    **({"words": words} if SOAK else {}),
}


def post(path: str, make: Callable[[str], Body], method: str = "POST") -> Kind:
    return lambda text, _server: (method, path, make(text))


def tool(name: str, make: Callable[[str, Server], Body]) -> Kind:
    def call(text: str, server: Server) -> tuple[str, str, Body]:
        params = {"name": name, "arguments": make(text, server)}
        return "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    return call


def said(text: str, **more: object) -> Body:
    return {"role": "user", "text": text, "person": "alice", **more}


def turns(texts: Sequence[str]) -> list[Body]:
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]


KINDS: dict[str, Kind] = {
    "a message": post(f"{CHAT}/messages", said),
    "a message with meta": post(f"{CHAT}/messages", lambda text: said("x", meta={"a": split(text, 50_000)})),
    "100 messages": post(f"{CHAT}/messages", lambda text: {"messages": [said(each) for each in split(text, 100)]}),
    "1,000 messages": post(f"{CHAT}/messages", lambda text: {"messages": [said(each) for each in split(text, 1000)]}),
    "too many messages": post(f"{CHAT}/messages", lambda text: {"messages": [said(each) for each in pieces(text, 20)]}),
    "an edited message": post(f"{CHAT}/messages/first", lambda text: {"text": text}, "PATCH"),
    "known keys": post(f"{CHAT}/messages/known", lambda text: {"keys": split(text, 9_000)}),
    "a context": post(f"{CHAT}/context", lambda text: {"query": text, "person": "alice"}),
    "a context within": post(f"{CHAT}/context", lambda text: {"query": "tea", "within": split(text, 9_000)}),
    "a question": post(f"{CHAT}/ask", lambda text: {"query": text, "person": "alice"}),
    "a question's instructions": post(f"{CHAT}/ask", lambda text: {"query": "hi", "system": text, "person": "alice"}),
    "a command": post(f"{CHAT}/command", lambda text: {"text": text, "person": "alice"}),
    "a fact": post(f"{CHAT}/facts", lambda text: {"text": text, "by": "alice"}),
    "a fact about a person": post(f"{HERE}/people/alice/remember", lambda text: {"fact": text}),
    "what to forget": post(f"{HERE}/people/alice/forget", lambda text: {"fact": text}),
    "a fact of a profile": post(f"{HERE}/people/alice/profile", lambda text: {"section": "work", "text": text}),
    "a profile": post(f"{HERE}/people/carol/profile/import", lambda text: {"facts": split(text, 1000)}),
    "a profile of one fact": post(f"{HERE}/people/dora/profile/import", lambda text: {"facts": [text]}),
    "an edited memory": lambda text, server: ("PATCH", f"{HERE}/memories/{server.fact}", {"text": text, "by": "alice"}),
    "a prompt": post(f"{HERE}/prompts/extract", lambda text: {"instructions": text}, "PUT"),
    "a preview": post(
        f"{CHAT}/preview", lambda text: {"first": 1, "last": 5, "prompt": "extract", "instructions": text}
    ),
    "feedback": lambda text, server: ("POST", f"{HERE}/requests/{server.request}/feedback", {"note": text}),
    "chat completions": post(
        "/v1/chat/completions", lambda text: {"model": "m", "user": "alice", "messages": turns([text])}
    ),
    "chat completions of many turns": post(
        "/v1/chat/completions", lambda text: {"model": "m", "user": "bob", "messages": turns([*split(text, 999), "hi"])}
    ),
    "responses": post("/v1/responses", lambda text: {"model": "m", "user": "alice", "input": text}),
    "messages of Anthropic": post(
        "/v1/messages",
        lambda text: {"model": "m", "max_tokens": 9, "metadata": {"user_id": "alice"}, "messages": turns([text])},
    ),
    "MCP: add_memory": tool("add_memory", lambda text, _: {"text": text}),
    "MCP: add_memory about a person": tool("add_memory", lambda text, _: {"text": text, "about": "alice"}),
    "MCP: update_memory": tool("update_memory", lambda text, server: {"id": server.fact, "text": text}),
    "MCP: search_memory": tool("search_memory", lambda text, _: {"query": text}),
    "MCP: get_context": tool("get_context", lambda text, _: {"query": text}),
    "what no route takes": post(f"{CHAT}/context", lambda text: {"nothing": split(text, 50_000)}),
}


@dataclass
class Server:
    """The server, and ids of what it holds."""

    served: Served
    fact: str = ""
    request: str = ""

    def send(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        url = f"http://127.0.0.1:{self.served.port}{path}"
        request = urllib.request.Request(url, body or None, HEADERS, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return int(answer.status), answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read()

    def made(self, path: str, body: Body) -> Body:
        status, answer = self.send("POST", path, json.dumps(body).encode())
        assert status < 300, answer
        return dict(json.loads(answer))

    def spent(self) -> float:
        """CPU seconds of its process until now."""
        with open(f"/proc/{self.served.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def settled(self) -> float:
        """The same, once what an answer leaves to be done has been done: in a soak, for each answer by itself."""
        for space in (HERE, "/v1/spaces/default"):
            self.send("GET", f"{space}/search?q=tea", b"")  # takes what was added into the index
            self.send("GET", f"{space}/requests?limit=1", b"")  # records what was asked
        last, quiet = self.spent(), 0 if SOAK else 2
        while quiet < 2:
            time.sleep(0.03)
            now = self.spent()
            quiet, last = quiet + 1 if now - last <= 1 / TICKS else 0, now
        return last


def body(make: Kind, text: Callable[[int], str], server: Server) -> tuple[str, str, bytes]:
    """A request of at most SIZE bytes, and not much less."""
    size = SIZE
    while True:
        method, path, made = make(text(size), server)
        spelt = json.dumps(made, ensure_ascii=False).encode()
        if len(spelt) <= SIZE:
            return method, path, spelt
        size = int(size * SIZE / len(spelt)) - 200


@contextmanager
def serving(database: str) -> Iterator[Server]:
    with ModelServer(answer="Fine.") as model:
        settings = {"model": "extractive", "chat_model": "openai-compatible:chatty", "base_url": model.base_url}
        with Served(
            database, "--no-worker", "--log-level", "error", api_key="k", embedder="none", **settings
        ) as served:
            server = Server(served)
            server.made(f"{CHAT}/messages", said("I like tea and live in Busan.", key="first"))
            server.made(f"{CHAT}/messages", {"messages": [said(f"I bought {n} red lanterns.") for n in range(9)]})
            server.fact = server.made(f"{CHAT}/facts", {"text": "Alice likes tea.", "by": "alice"})["id"]
            server.request = server.made(f"{CHAT}/context", {"query": "tea", "person": "alice"})["request"]
            yield server


@pytest.mark.timeout(3600 if SOAK else 600)
def test_no_request_costs_a_second_of_cpu(cli_url: str) -> None:
    costs: list[tuple[float, str, str]] = []
    with serving(cli_url) as server:
        for make in KINDS.values():  # the first of each imports what it needs
            server.send(*body(make, lambda _: "I moved to Busan.", server))
        for number, (kind, make) in enumerate(KINDS.items()):
            for unit, text in list(TEXTS.items())[0 if SOAK else number % 2 :: 1 if SOAK else 2]:
                with case(kind, unit):
                    before = server.settled()
                    status, answer = server.send(*body(make, text, server))
                    assert status < 500, answer
                    costs.append((server.settled() - before, kind, unit))
    costs.sort(reverse=True)
    told = "; ".join(f"{spent:.2f} s for {kind} of {unit!r}" for spent, kind, unit in costs[:3])
    measured(f"most CPU of a request of {SIZE:,} bytes: {told}")
    assert costs[0][0] < MOST, costs[:10]


def test_the_measure_sees_what_a_server_spends_after_its_answer(cli_url: str) -> None:
    """The control: what twenty requests cost is seen."""
    with serving(cli_url) as server:
        before = server.settled()
        for _ in range(20):
            server.send(*body(KINDS["a context"], sentences, server))
        assert server.settled() - before > 0.1
