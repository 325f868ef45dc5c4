"""A space with something of everything in it, for asking over HTTP."""

from __future__ import annotations

from typing import Any

import erstwhile

SPACE = "my-app"
HERE = f"/v1/spaces/{SPACE}"
CHAT = f"{HERE}/channels/chat"

_LINES = (
    ("user", "I moved to Busan last week.", "alice"),
    ("assistant", "How is the sea?", None),
    ("user", "I like the sea, and I prefer tea to coffee.", "alice"),
    ("assistant", "Noted.", None),
    ("user", "I work as a nurse at the harbour clinic.", "bob"),
    ("assistant", "Since when?", None),
    ("user", "Since March. I have to call the bank tomorrow.", "bob"),
    ("assistant", "I will remember.", None),
    ("user", "My cat is called Mochi.", "alice"),
    ("assistant", "A good name.", None),
)


def talk(times: int = 1) -> list[dict[str, Any]]:
    return [
        {"role": role, "text": f"{text} ({turn})" if turn else text, "person": person}
        for turn in range(times)
        for role, text, person in _LINES
    ]


async def fill(memory: erstwhile.Memory, times: int = 1) -> erstwhile.Channel:
    chat = memory.channel("chat", SPACE)
    await chat.add_many(talk(times))
    await memory.settle()
    return chat
