"""A small source of each format, and how to make one as large as wanted: so many messages, alike for the same number.

A format joins the tests of killing, resuming, hostile bytes and memory by a line in MAKERS.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SAYINGS = (
    "I moved to Busan in {n}.",
    "저는 {n}년에 부산에서 일했어요.",
    "我{n}年搬到了首尔。 👩‍👩‍👧 ok",
    "אני גר בתל אביב מאז {n}",
    'Let\'s meet at the station at {n}, "the usual place".\nBring \\ tea.',
    "haha yes",
)
PEOPLE = ("Mina", "Juno", "Ada 🦊")
_START = datetime(2024, 1, 1, tzinfo=UTC)

Maker = Callable[[Path, int], Path]


def saying(number: int) -> str:
    return SAYINGS[number % len(SAYINGS)].format(n=number)


def when(number: int) -> datetime:
    return _START + timedelta(minutes=number)


def jsonl(folder: Path, count: int) -> Path:
    """Every third line has no key, and every seventh is like one before it."""
    file = folder / "said.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for number in range(count):
            line: dict[str, Any] = {"channel": f"c{number % 3}", "role": "user", "text": saying(number)}
            line |= {"person": f"p{number % 3}", "name": PEOPLE[number % 3]}
            if number % 3:
                line |= {"key": f"k{number}", "at": when(number).isoformat()}
            elif number % 7 == 0:
                line["text"] = "the same again"
            lines.write(json.dumps(line, ensure_ascii=bool(number % 2)) + "\n")
    return file


def discord_message(number: int, **more: Any) -> dict[str, Any]:
    author = {"id": str(1000 + number % 3), "name": f"user{number % 3}", "discriminator": "0000"}
    author |= {
        "nickname": PEOPLE[number % 3],
        "color": None,
        "isBot": False,
        "roles": [],
        "avatarUrl": "https://x/a.png",
    }
    return {
        "id": str((number + 1) << 30),
        "type": "Default",
        "timestamp": when(number).isoformat(),
        "timestampEdited": None,
        "callEndedTimestamp": None,
        "isPinned": False,
        "content": saying(number),
        "author": author,
        "attachments": [],
        "embeds": [],
        "stickers": [],
        "reactions": [],
        "mentions": [],
        "inlineEmojis": [],
        **more,
    }


def discord_file(file: Path, channel: dict[str, Any], messages: Iterator[dict[str, Any]]) -> Path:
    """As DiscordChatExporter writes it: indented, the count behind the messages."""
    head = {"guild": {"id": "1", "name": "The house", "iconUrl": ""}, "channel": channel, "dateRange": {"after": None}}
    count = 0
    with file.open("w", encoding="utf-8") as written:
        written.write(json.dumps(head, indent=2)[:-2] + ',\n  "messages": [')
        for count, message in enumerate(messages, start=1):
            written.write(("," if count > 1 else "") + "\n    " + json.dumps(message, ensure_ascii=False, indent=2))
        written.write(f'\n  ],\n  "messageCount": {count}\n}}')
    return file


def discord(folder: Path, count: int) -> Path:
    """Two channels of a server, one of them in two parts."""
    home = folder / "discord"
    home.mkdir(exist_ok=True)
    general = {"id": "77", "type": "GuildTextChat", "categoryId": "5", "category": "Text", "name": "general"}
    thread = {"id": "78", "type": "GuildPublicThread", "categoryId": "77", "category": "general", "name": "tea"}
    third = count // 3
    parts = (("general.json", general, 0, third), ("general [part 2].json", general, third, 2 * third))
    for name, channel, first, last in (*parts, ("general - tea.json", thread, 2 * third, count)):
        discord_file(home / name, channel, map(discord_message, range(first, last)))
    return home


MAKERS: dict[str, Maker] = {"jsonl": jsonl, "discord": discord}
