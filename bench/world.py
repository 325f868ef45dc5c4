"""A full database to look at: `python -m bench.world FILE [--messages 100000] [--days 240]`.

The made-up community of tests/support/guild.py, day by day up to now, with everything that is made of it without a model: summaries,
facts, notes, topics, days, profiles; the demo's long conversation; and a space in Korean. For screenshots, and for trying pages at size.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import erstwhile
from erstwhile import Memory
from erstwhile.testing import FixedClock
from support.guild import START, Guild

_KOREAN = (
    ("jisoo", "지수", "지난주에 부산으로 이사했어. 바다가 바로 앞이야!"),
    ("minho", "민호", "우와, 회사는 어떻게 해? 출퇴근이 너무 멀지 않아?"),
    ("jisoo", "지수", "3월부터 재택근무로 바꿨어. 한 달에 한 번만 서울에 가면 돼."),
    ("minho", "민호", "나는 요즘 도자기를 배우고 있어. 토요일마다 공방에 가."),
    ("jisoo", "지수", "고양이 이름은 모찌야. 이사하고 나서 이틀 동안 숨어 있었어."),
    ("minho", "민호", "그럼 10월 12일에 놀러 갈게. 회는 내가 살게."),
    ("jisoo", "지수", "좋아, 광안리에서 보자. 나는 매운 건 못 먹어."),
    ("minho", "민호", "알겠어. 채식하는 수진이도 같이 갈 것 같아."),
    ("jisoo", "지수", "수진이는 버섯 알레르기가 있으니까 기억해 줘."),
    ("minho", "민호", "응, 기억해 둘게."),
)

_QUESTIONS = (
    "Where does Alex live now?",
    "Who likes jazz?",
    "What did we plan for Friday?",
    "What is my dog called?",
    "What did Hana say about sailing last week?",
    "Which of them speaks Spanish?",
    "zzz qqq",
)


async def fill(file: str, messages: int, days: int, now: datetime) -> None:
    guild = Guild(people=50, messages_a_day=messages // days)
    shift = (now - timedelta(days=days)).replace(hour=0, minute=0, second=0, microsecond=0) - START
    clock = FixedClock(START + shift)
    began = time.perf_counter()
    async with erstwhile.open(file, clock=clock, worker=False) as memory:
        for day in range(days):
            by_channel: dict[str, list[dict[str, Any]]] = defaultdict(list)
            for event in guild.day(day):
                said = {"role": event.role, "text": event.text, "person": event.person, "name": event.name}
                by_channel[event.channel].append({**said, "key": event.key, "at": event.at + shift})
            for channel, said_there in by_channel.items():
                chat = memory.channel(channel)
                await memory.declare(chat, "open")
                for start in range(0, len(said_there), 500):
                    await chat.add_many(said_there[start : start + 500])
            clock.now = START + shift + timedelta(days=day + 1)
            await memory.settle()
            await _asked(memory, day)
            print(
                f"\rday {day + 1} of {days}, {time.perf_counter() - began:.0f} s", end="", file=sys.stderr, flush=True
            )
        clock.now = now - timedelta(hours=4)
        await _others(memory, clock, now)
    print(file=sys.stderr)


async def _others(memory: Memory, clock: FixedClock, now: datetime) -> None:
    """What is nice to look at: one long talk, one in another language, something told, something asked."""
    lines = files("erstwhile.demo").joinpath("conversation.jsonl").read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    chat = memory.channel("kitchen-table")
    await chat.add_many([{name: value for name, value in each.items() if name != "channel"} for each in told])
    korean = memory.channel("부산-이야기", space="friends")
    await memory.declare(korean, "open")
    for number in range(4):
        at = now - timedelta(days=4 - number, hours=2)
        await korean.add_many(
            [
                {"role": "user", "person": person, "name": name, "text": text, "at": at + timedelta(minutes=place)}
                for place, (person, name, text) in enumerate(_KOREAN)
            ]
        )
    await memory.remember("p00", "is allergic to peanuts", by="p00")
    await memory.remember("p01", "prefers to be called Benny", by="p01")
    for _ in range(6):
        await memory.settle()
        clock.now += timedelta(minutes=30)
    for question in _QUESTIONS:
        await chat.context(question)


async def _asked(memory: Memory, day: int) -> None:
    """A few questions a day, so that there is something to report."""
    for number in range(3):
        question = _QUESTIONS[(day + number) % len(_QUESTIONS)]
        await memory.channel("general").context(question, person=f"p{(day * 7 + number) % 50:02}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="the database: a path, or a postgresql:// address")
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=240)
    given = parser.parse_args()
    asyncio.run(fill(given.file, given.messages, given.days, datetime.now(UTC)))
