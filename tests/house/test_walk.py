"""The walk in docs/architecture.md names every file that a message and a question pass."""

from __future__ import annotations

import gc
import re
import sys
import threading
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

import pytest

import erstwhile

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "erstwhile"
MOST = 12
GROUND = re.compile(
    r"(base|storage|text|language|embedders|configuration|events|requests|receipts|index|log|memories)/|jobs/leases\.py|layers/\w+/|layers/(part|__init__|contract)\.py"
    r"|.*/(model|recipes)\.py|api/(memory|resource|verb|types)\.py"
)


def named(way: str) -> list[str]:
    page = (ROOT / "docs" / "architecture.md").read_text()
    walk = page.partition(f"<!-- walk: {way} -->")[2].partition("<!-- walk: end -->")[0]
    return re.findall(r"^\d+\. `([\w/.]+)`", walk, flags=re.MULTILINE)


@pytest.mark.parametrize("way", ["in", "out"])
def test_the_walk_is_short_and_its_files_are_there(way: str) -> None:
    files = named(way)
    assert 0 < len(files) <= MOST
    assert [file for file in files if not (SOURCE / file).is_file()] == []


class Follower:
    """Collects the files of the package whose functions are called, in all threads that start while it is there."""

    def __init__(self) -> None:
        self.passed: set[str] = set()

    def __enter__(self) -> Self:
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]

    def _note(self, frame: FrameType, event: str, _arg: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(SOURCE.as_posix()):
            self.passed.add(Path(path).relative_to(SOURCE).as_posix())

    def take(self) -> set[str]:
        passed, self.passed = self.passed, set()
        return passed


async def test_a_message_and_a_question_pass_no_other_file(tmp_path: Path) -> None:
    gc.collect()  # the apps of other tests listen until they are collected
    with Follower() as follower:
        async with erstwhile.open(str(tmp_path / "walk.db"), worker=False) as memory:
            chat = memory.channel("chat")
            for number in range(10):
                await chat.add("user", f"I bought {number} lanterns in Busan.", person="mina")
            await memory.settle()
            await chat.context("How many lanterns?")
            follower.take()
            await chat.add("user", "I moved to Oslo.", person="mina")
            passed_in = follower.take()
            context = await chat.context("Where are the lanterns from?")
            passed_out = follower.take()
    assert "Busan" in context.text
    assert {"log/append.py", "jobs/store.py"} <= passed_in
    assert sorted(file for file in passed_in - set(named("in")) if not GROUND.match(file)) == []
    assert sorted(file for file in passed_out - set(named("out")) if not GROUND.match(file)) == []
