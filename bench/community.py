"""What remembering a community costs: `python -m bench.community [--days 30]`.

Fifty people, 300 messages a day in twelve channels and their threads, against the scripted server on loopback. Tokens are counted by
erstwhile's own counter over what was really sent, by task.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import erstwhile
from erstwhile.testing import Call, FixedClock, ModelServer
from erstwhile.text import tokens
from support.guild import START, Guild

RECIPES = ("community", "full")
_TICK = timedelta(minutes=20)


async def month(recipe: str, days: int, folder: Path) -> str:
    guild, clock = Guild(), FixedClock(START)
    said = size = 0
    with ModelServer() as server:
        settings = {
            "model": "openai-compatible:scripted",
            "base_url": server.base_url,
            "recipe": recipe,
            "worker": False,
        }
        async with erstwhile.open(str(folder / f"{recipe}.db"), clock=clock, **settings) as memory:
            for day in range(days):
                for event in guild.day(day):
                    while clock.now + _TICK < event.at:
                        clock.now += _TICK
                        await memory.settle()
                    clock.now = max(clock.now, event.at)
                    chat = memory.channel(event.channel)
                    await memory.declare(chat, "open")
                    await chat.add(event.role, event.text, person=event.person, name=event.name, key=event.key)
                    said, size = said + 1, size + tokens.count(event.text)
            for _ in range(30):
                await memory.settle()
                clock.advance(hours=1)
        calls = server.calls
    sent = [tokens.count(call.system) + tokens.count(call.user) for call in calls]
    tasks = Counter[str]()
    for call, count in zip(calls, sent, strict=True):
        tasks[task(call)] += count
    by_task = ", ".join(f"{name} {count / said:.1f}" for name, count in tasks.most_common())
    return (
        f"| {recipe} | {said:,} | {len(calls) / said:.3f} | {sum(sent) / said:,.0f} | {by_task} | {size / said:.0f} |"
    )


def task(call: Call) -> str:
    """By the key of the answer that a prompt asks for."""
    keys = {'"topics"': "cluster", '"drop"': "consolidate", '"title"': "note", '"memories"': "structure"}
    return next((name for key, name in keys.items() if key in call.system), "others")


async def measure(days: int) -> None:
    print(f"\n### Cost of a community, {date.today()}, {days} days of 300 messages\n")  # noqa: DTZ011
    print("| recipe | messages | calls/message | prompt tokens/message | by task | tokens of a message itself |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for recipe in RECIPES:
            print(await month(recipe, days, Path(folder)), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=30)
    asyncio.run(measure(parser.parse_args().days))
