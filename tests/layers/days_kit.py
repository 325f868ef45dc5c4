"""People who talk over several days, and what the room days made of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import erstwhile
import inserted
from erstwhile.storage import Row
from erstwhile.storage.queries import make
from erstwhile.testing import Call, FixedClock, ModelServer
from inside import runtime

_TABLES = {
    name: make(name, sql, sql)
    for name, sql in {
        "days": "SELECT id, category AS day, channel AS audience, person, from_at, to_at, text, writer, draft, created_at AS made_at"
        " FROM memories WHERE space = :space AND kind = 'day' ORDER BY category, channel, person",
        "batches": "SELECT * FROM day_batches WHERE space = :space ORDER BY day, audience",
        "weeks": "SELECT * FROM weeks WHERE space = :space ORDER BY person, audience",
        "portraits": "SELECT * FROM portraits WHERE space = :space ORDER BY person, audience",
    }.items()
}


async def rows(memory: erstwhile.Memory, table: str, space: str = "default") -> list[Row]:
    return await runtime(memory).database.read(space, lambda tx: tx.all(_TABLES[table]))


async def tell(memory: erstwhile.Memory, person: str, text: str, audience: str = "") -> None:
    """As if someone had asked to remember it."""
    await inserted.tell(memory, f"tld_{person}_{audience}", person, text, audience)


async def say(
    memory: erstwhile.Memory, person: str, text: str, at: datetime | None = None, channel: str = "general"
) -> erstwhile.Message:
    return await memory.channel(channel).add("user", text, person=person, name=person.title(), at=at)


async def say_together(memory: erstwhile.Memory, channel: str, **said: str) -> None:
    """Each says something, in one call: so the channel is everyone's from its first message."""
    new = [{"role": "user", "person": who, "name": who.title(), "text": text} for who, text in said.items()]
    await memory.channel(channel).add_many(new)


async def open_to_all(memory: erstwhile.Memory, *channels: str) -> None:
    """Declare channels open, before anyone speaks there."""
    for channel in channels or ("general",):
        await memory.channels.set_privacy(memory.channel(channel), "open")


def asked(server: ModelServer, key: str) -> list[Call]:
    """The calls of one step, by the key of its answer: days, week or portrait."""
    return [call for call in server.calls if f'"{key}"' in call.system]


def counted(server: ModelServer) -> tuple[int, int, int]:
    days, week, portrait = (len(asked(server, key)) for key in ("days", "week", "portrait"))
    return days, week, portrait


def opened(url: str, clock: FixedClock, server: ModelServer | None = None, **more: Any) -> erstwhile.Memory:
    chosen: dict[str, Any] = {"model": "extractive"}
    if server is not None:
        chosen = {"model": "openai-compatible:scripted", "base_url": server.base_url, "api_key": "k"}
    return erstwhile.open(url, clock=clock, worker=False, model_timeout_seconds=60, **chosen, **more)


def texts(found: Sequence[Row]) -> list[str]:
    return [row["text"] for row in found]
