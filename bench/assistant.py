"""How well search does in talk with an assistant: `python -m bench.assistant [--database URL] [--misses]`.

A small set of our own (bench/assistant_talk.py), for comparing one version with another; it is too small to publish.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.assistant_talk import EXCHANGES, QUESTIONS, Exchange, fillers, long_reply
from erstwhile import Memory, NewMessage

DEPTHS = (1, 5, 10)
BUDGETS = (500, 1000, 2000)
LANGUAGES = ("en", "zh", "ja", "ko")


def in_turn() -> list[Exchange]:
    """Return the exchanges with the others between them."""
    between = fillers()
    step = len(between) // len(EXCHANGES)
    found: list[Exchange] = []
    for number, each in enumerate(EXCHANGES):
        found += [*between[number * step : (number + 1) * step], each]
    return [*found, *between[len(EXCHANGES) * step :]]


async def fill(memory: Memory) -> tuple[dict[str, str], dict[str, str]]:
    """Store the talk. Return the id of each message, and what of it must be in a context."""
    ids, needed = {}, {}
    first = datetime(2026, 3, 1, 9, tzinfo=UTC)
    for number, each in enumerate(in_turn()):
        at = first + timedelta(hours=6 * number)
        said = [
            NewMessage("user", each.user, person="sam", at=at),
            NewMessage("assistant", long_reply(number, each), at=at + timedelta(minutes=1)),
        ]
        stored = await memory.channel("assistant").add_many(said)
        for side, message, text in zip(("user", "reply"), stored, (each.user, each.reply), strict=True):
            ids[f"{each.key}/{side}"], needed[f"{each.key}/{side}"] = message.id, text
    await memory.settle()
    return ids, needed


async def measure(database: str, misses: bool) -> None:
    import erstwhile

    clock: Callable[[], datetime] = lambda: datetime(2026, 7, 1, 9, tzinfo=UTC)  # noqa: E731
    async with erstwhile.open(database, worker=False, clock=clock) as memory:
        ids, needed = await fill(memory)
        ranks, seen = {}, {}
        for question, key in QUESTIONS:
            hits = [hit.id for hit in await memory.search(question, kinds=["message"], limit=50)]
            ranks[question] = hits.index(ids[key]) + 1 if ids[key] in hits else 1000
            for budget in BUDGETS:
                context = await memory.channel("assistant").context(question, person="sam", budget=budget)
                seen[question, budget] = needed[key] in " ".join(context.text.split())
            if misses and ranks[question] > DEPTHS[1]:
                print(f"{ranks[question]:5} {key:14} {question}")
    print("| | questions | R@1 | R@5 | R@10 | in 500 tokens | 1,000 | 2,000 |\n|---|---|---|---|---|---|---|---|")
    for name in (*LANGUAGES, "all"):
        chosen = [question for question, key in QUESTIONS if name == "all" or _language(key) == name]
        found = [sum(ranks[each] <= depth for each in chosen) / len(chosen) for depth in DEPTHS]
        inside = [sum(seen[each, budget] for each in chosen) / len(chosen) for budget in BUDGETS]
        print(f"| {name} | {len(chosen)} | " + " | ".join(f"{100 * share:.1f}" for share in (*found, *inside)) + " |")


def _language(key: str) -> str:
    wanted = key.partition("/")[0]
    return next(each.language for each in EXCHANGES if each.key == wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database")
    parser.add_argument("--misses", action="store_true", help="also print what is not among the first five")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(given.database or str(Path(folder) / "bench.db"), given.misses))


if __name__ == "__main__":
    main()
