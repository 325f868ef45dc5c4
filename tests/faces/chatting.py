"""What the tests of the chat protocols share: a server over a memory whose model is scripted, and looking at what became of a turn."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI

import erstwhile
from erstwhile.http.app import create_app
from erstwhile.testing import Call, ModelServer

Serve = Callable[[FastAPI], str]
logging.getLogger("uvicorn.error").setLevel(
    logging.CRITICAL
)  # streams that break off are what some of these tests are about


@dataclass(frozen=True, slots=True)
class House:
    memory: erstwhile.Memory
    model: ModelServer
    app: FastAPI
    url: str

    @property
    def asked(self) -> Call:
        """The last call of the model."""
        return self.model.calls[-1]

    async def said(self, channel: str, count: int) -> list[erstwhile.Message]:
        """The messages of a channel, once there are as many: a turn is logged after its reply."""
        chat = self.memory.channel(channel)

        async def there() -> bool:
            return await chat.size() >= count

        await soon(there)
        return [message async for message in chat.messages()]


@asynccontextmanager
async def house(
    url: str, serve: Serve, model: ModelServer, provider: str = "openai-compatible", **more: Any
) -> AsyncIterator[House]:
    settings: dict[str, Any] = {"chat_model": f"{provider}:chatty", "model": "extractive", "worker": False}
    settings |= {"base_url": model.base_url, "api_key": "upstream-key", "model_timeout_seconds": 60}
    async with erstwhile.open(url, **{**settings, **more}) as memory:
        app = create_app(memory)
        yield House(memory, model, app, serve(app))


async def soon(true: Callable[[], Awaitable[bool]], seconds: float = 120) -> None:
    async with asyncio.timeout(seconds):
        while not await true():  # noqa: ASYNC110 - what is waited for happens in a database
            await asyncio.sleep(0.02)


def texts(call: Call) -> list[tuple[str, Any]]:
    return [(each.get("role", ""), each.get("content")) for each in call.body["messages"]]
