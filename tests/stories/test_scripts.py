"""A script without async: the same verbs, blocking."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest

import erstwhile
from erstwhile.testing import FixedClock, ModelServer


def test_a_script_adds_settles_and_asks(database_url: str, clock: FixedClock) -> None:
    with erstwhile.open_sync(database_url, clock=clock, worker=False) as memory:
        chat = memory.channel("notes", space="me")
        first = chat.add("user", "I moved to Busan on 3 March 2026.", person="alice", name="Alice")
        assert (first.seq, chat.size()) == (1, 1)
        chat.add_many([{"role": "user", "person": "alice", "text": f"I read book number {n}."} for n in range(24)])
        settled = memory.settle()
        assert (settled.done, settled.waiting, settled.parked) == (2, 0, 0)
        assert [message.seq for message in chat.messages(after=20)] == [21, 22, 23, 24, 25]
        assert len(list(chat.messages(limit=7))) == 7
        context = chat.context("Where do I live?", person="alice", budget=500)
        assert "Busan" in context.text
        (hit, *_) = memory.search("Busan", space="me")
        assert memory.memories.sources(hit.id, space="me").id == hit.id
        assert {job.state for job in memory.jobs.list(space="me")} == {"done"}
        memory.spaces.rebuild(space="me")
        assert memory.settle().done == 7, "the tail and standing requests were read, conversations cut again"
        assert memory.search("Busan", space="me", limit=1) == [hit]
        assert memory.jobs.retry() == 0
        assert memory.doctor(space="me")


def test_a_script_meets_the_same_errors(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False) as memory:
        with pytest.raises(erstwhile.InvalidInput):
            memory.channel("c").add("user", "")
        with pytest.raises(erstwhile.NotFound):
            memory.memories.sources("msg_nothing")
        with pytest.raises(erstwhile.NotFound):
            memory.jobs.park("job_nothing", "why")
    with pytest.raises(erstwhile.NotFound, match="not open"):
        memory.settle()


INTERRUPTED = """
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background process ignores it
import erstwhile
from erstwhile.testing import ModelServer

asked, over = threading.Event(), threading.Event()

def slow(call):
    asked.set()
    over.wait(30)
    return "Numbers that the user likes."

with ModelServer(slow) as server:
    settings = {"model": "openai-compatible:x", "base_url": server.base_url, "api_key": "k"}
    try:
        with erstwhile.open_sync(sys.argv[1], worker=False, **settings) as memory:
            memory.channel("c").add_many([{"role": "user", "text": f"I like number {n}."} for n in range(10)])
            threading.Thread(target=lambda: asked.wait() and print("asked", flush=True)).start()
            memory.settle()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    with erstwhile.open_sync(sys.argv[1], worker=False) as memory:
        print(memory.channel("c").size(), {job.state for job in memory.jobs.list()}, flush=True)
    over.set()
"""


def test_a_script_that_is_interrupted_stops_at_once(database_url: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, database_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as script:
        assert script.stdout is not None
        assert script.stdout.readline() == "asked\n"
        script.send_signal(signal.SIGINT)
        sent = time.monotonic()
        said, complaints = script.communicate(timeout=60)
        assert time.monotonic() - sent < 20
    assert said == "interrupted\n10 {'waiting'}\n"
    assert complaints == ""


def test_a_script_at_a_prompt_sees_what_there_is(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False) as memory:
        chat = memory.channel("notes", space="me")
        assert {"search", "about", "people", "channel"} <= set(dir(memory))
        assert {"list", "block"} <= set(dir(memory.people))
        assert {"add", "context"} <= set(dir(chat))
        assert repr(chat) == "<SyncChannel 'notes' of space 'me'>"


def test_the_background_worker_runs_in_a_script_too(database_url: str, model_server: ModelServer) -> None:
    settings = {"model": "openai-compatible:x", "base_url": model_server.base_url, "api_key": "k"}
    with erstwhile.open_sync(database_url, **settings) as memory:
        memory.channel("c").add_many([{"role": "user", "text": f"I like number {n}."} for n in range(10)])
        pause = threading.Event()
        for _ in range(200):
            if not memory.jobs.list(state="waiting") and not memory.jobs.list(state="running"):
                break
            pause.wait(0.05)
        assert memory.search("number", kinds=["chunk"])
    assert len(model_server.calls) == 2, "the summary; facts and memories"


def test_threads_of_a_script_share_one_memory(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False) as memory:
        chat = memory.channel("c")

        def talk(who: str) -> None:
            for n in range(10):
                chat.add("user", f"{who} says {n}", person=who)

        threads = [threading.Thread(target=talk, args=(f"person {n}",)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [message.seq for message in chat.messages()] == list(range(1, 61))
        assert memory.settle().done == 6


def test_two_scripts_one_after_the_other_share_a_file(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False) as memory:
        memory.channel("c").add_many([{"role": "user", "text": f"I like number {n}."} for n in range(10)])
    with erstwhile.open_sync(database_url, worker=False) as memory:
        assert memory.settle().done == 1
        assert memory.search("number")
