"""Model calls and tokens per message, by recipe: `python -m bench.cost [--messages 1000] [--pauses]`.

With `--pauses` the conversation falls quiet after every 20 messages, so that notes and topics are made of it.

A conversation of two, an assistant's reply after each message of the user, against the scripted server on loopback. Tokens are counted by
erstwhile's own counter over what was really sent; replies of the chat model are not part of it, this is the cost of remembering.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from datetime import date
from pathlib import Path

import erstwhile
from bench.ingest import WORDS
from erstwhile.testing import FixedClock, ModelServer
from erstwhile.text import tokens

RECIPES = ("dual", "brief", "full")


def said(chance: random.Random, words: tuple[int, int]) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(*words)))


async def cost(recipe: str, messages: int, folder: Path, *, pauses: bool) -> str:
    chance, clock = random.Random(7), FixedClock()
    with ModelServer() as server:
        settings = {
            "model": "openai-compatible:scripted",
            "base_url": server.base_url,
            "recipe": recipe,
            "worker": False,
        }
        async with erstwhile.open(str(folder / f"{recipe}.db"), clock=clock, **settings) as memory:
            chat = memory.channel("chat")
            size = 0
            for turn in range(messages // 2):
                question, answer = said(chance, (5, 40)), said(chance, (20, 120))
                await chat.add("user", question, person="mina", name="Mina")
                await chat.add("assistant", answer, model="scripted")
                size += tokens.count(question) + tokens.count(answer)
                if turn % 10 == 9:
                    clock.advance(minutes=40 if pauses else 0)
                    await memory.settle()
            clock.advance(days=int(pauses))
            settled = await memory.settle()
        assert settled.waiting == settled.parked == 0
        calls = server.calls
        sent = sum(tokens.count(call.system) + tokens.count(call.user) for call in calls)
    return (
        f"| {recipe} | {len(calls)} | {len(calls) / messages:.3f} | {sent / messages:,.0f} | {size / messages:,.0f} |"
    )


async def measure(messages: int, *, pauses: bool) -> None:
    print(f"\n### Cost of remembering, {date.today()}, {messages:,} messages\n")  # noqa: DTZ011
    print(
        "| recipe | calls | calls/message | prompt tokens/message | tokens of a message itself |\n|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for recipe in RECIPES:
            print(await cost(recipe, messages, Path(folder), pauses=pauses), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--pauses", action="store_true")
    given = parser.parse_args()
    asyncio.run(measure(given.messages, pauses=given.pauses))
