"""Measure what a context says about questions that have no answer, on chats that nobody was asked about before.

`python -m bench.abstention` asks the questions of `bench/abstention.toml` of the chats in `bench/unseen/lodgers`, each
in a space of its own, and prints how many contexts say that nothing bears on them, and how many with an answer hold
the message that answers; then the same for floors that a caller could pass, which leave out single lines.
`--shown` also prints which unanswerable questions got lines, and which answerable ones got none.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import erstwhile
from bench import unseen
from erstwhile import Channel, Memory

QUESTIONS = Path(__file__).with_suffix(".toml")
CHATS = Path(__file__).parent / "unseen" / "lodgers"
KINDS = ("asked", "near", "far")
FLOORS = (None, 0.02, 0.05, 0.1, 0.3)  # None is the default
BUDGET = 1000


class Result(NamedTuple):
    """`held`: whether the message that answers is in the context."""

    kind: str
    question: str
    silent: bool
    held: bool


async def ask(memory: Memory, floor: float | None) -> list[Result]:
    found = []
    for name, given in tomllib.loads(QUESTIONS.read_text("utf-8")).items():
        chat = memory.channel("chat", space=name)
        for kind in KINDS:
            for each in given[kind]:
                question, words = each if kind == "asked" else (each, "")
                found.append(await _result(chat, given["person"], floor, (kind, question, words)))
    return found


async def _result(chat: Channel, person: str, floor: float | None, asked: tuple[str, str, str]) -> Result:
    kind, question, words = asked
    made = await chat.context(question, person=person, budget=BUDGET, floor=floor)
    return Result(kind, question, not made.relevant, bool(words) and words in made.text)


async def store(memory: Memory) -> None:
    chats = unseen.chats(CHATS)
    for name in tomllib.loads(QUESTIONS.read_text("utf-8")):
        (said,) = (each for title, each in chats.items() if title.startswith(f"{name}: "))
        await memory.channel("chat", space=name).add_many(said)
    await memory.settle()


def row(floor: float | None, found: list[Result]) -> str:
    cells = ["the default" if floor is None else str(floor)]
    for kind in KINDS:
        some = [each.silent for each in found if each.kind == kind]
        cells.append(f"{sum(some)} of {len(some)}")
    asked = [each.held for each in found if each.kind == "asked"]
    return f"| {' | '.join([*cells, f'{sum(asked)} of {len(asked)}'])} |"


async def main(*given: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = lambda: datetime(2026, 7, 1, 9, tzinfo=UTC)  # noqa: E731
        async with erstwhile.open(str(Path(folder) / "chats.db"), model="none", worker=False, clock=clock) as memory:
            await store(memory)
            print("| floor | nothing for answerable | nothing for near ones | for far ones | answer in the context |")
            print("|---|---|---|---|---|")
            for floor in FLOORS:
                found = await ask(memory, floor)
                print(row(floor, found))
                if given and floor is None:
                    wrong = (each for each in found if each.silent == (each.kind == "asked"))
                    print(*(f"  {each.kind}: {each.question}" for each in wrong), sep="\n")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
