"""
title: erstwhile memory
description: Long-term memory: recalls what bears on a question, and stores both sides of the chat.
version: 0.1.0
license: Apache-2.0
required_open_webui_version: 0.6.0
"""

import asyncio
import logging
import urllib.parse
from typing import Any

import aiohttp
from pydantic import BaseModel, Field
from yarl import URL

log = logging.getLogger(__name__)
Json = dict[str, Any]


class Filter:
    """Open WebUI calls `inlet` before a model and `outlet` after it. Without a server both change nothing."""

    class Valves(BaseModel):
        url: str = Field("http://127.0.0.1:8765", description="The erstwhile server.")
        key: str = Field("", description="A key of the space.")
        space: str = Field("default", description="The space.")
        budget: int = Field(1500, description="Most tokens of memory in a prompt.")
        seconds: float = Field(3.0, description="How long a chat waits for memory.")
        priority: int = Field(0, description="Order among filters.")

    def __init__(self) -> None:
        self.valves = self.Valves()
        self.storing: dict[str, asyncio.Task[None]] = {}  # the last of each channel

    async def inlet(self, body: Json, __user__: Json | None = None, __metadata__: Json | None = None) -> Json:
        """Recall, then store the question in the background."""
        channel, messages = _channel(body, __metadata__), body.get("messages") or []
        asked = messages[-1] if messages and messages[-1].get("role") == "user" else None
        if not channel or not __user__ or asked is None or not _text(asked).strip():
            return body
        person = str(__user__["id"])
        query = {"query": _text(asked), "person": person, "budget": self.valves.budget}
        context = await self._post(channel, "context", query)
        asked_id = str(asked.get("id") or (__metadata__ or {}).get("user_message_id") or "")
        self._store(channel, asked, asked_id, person=person, name=str(__user__.get("name") or person))
        if context and context.get("text"):
            body["messages"] = _with_context(messages, context["text"])
        return body

    async def outlet(self, body: Json, __user__: Json | None = None, __metadata__: Json | None = None) -> Json:
        """Store the reply, in the background too."""
        channel, messages = _channel(body, __metadata__), body.get("messages") or []
        if channel and __user__ and messages and messages[-1].get("role") == "assistant":
            self._store(channel, messages[-1], str(messages[-1].get("id") or ""))
        return body

    def _store(self, channel: str, message: Json, id: str, **who: str) -> None:
        """Begin to store a message. No chat waits for it; the messages of a channel stay in their order."""
        text = _text(message).strip()
        if text:
            key = {"key": f"open-webui:{id}"} if id else {}  # asked again, or of two models: the same message
            said = {"role": message["role"], "text": text, **who, **key}
            task = asyncio.create_task(self._store_after(self.storing.get(channel), channel, said))
            self.storing[channel] = task
            task.add_done_callback(lambda done: self.storing.get(channel) is done and self.storing.pop(channel))

    async def _store_after(self, earlier: asyncio.Task[None] | None, channel: str, said: Json) -> None:
        if earlier:
            await asyncio.wait([earlier])
        await self._post(channel, "messages", said)

    async def _post(self, channel: str, verb: str, body: Json) -> Json | None:
        space, channel = (urllib.parse.quote(each, safe="") for each in (self.valves.space, channel))
        url = f"{self.valves.url.rstrip('/')}/v1/spaces/{space}/channels/{channel}/{verb}"
        headers = {"Authorization": f"Bearer {self.valves.key}"} if self.valves.key else {}
        limit = aiohttp.ClientTimeout(total=self.valves.seconds)
        try:
            async with (
                aiohttp.ClientSession(timeout=limit, headers=headers, trust_env=True, raise_for_status=True) as session,
                session.post(URL(url, encoded=True), json=body, allow_redirects=False) as answer,
            ):
                return dict(await answer.json())
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            log.warning("erstwhile: no memory now (%s)", str(error) or type(error).__name__)
            return None


def _channel(body: Json, metadata: Json | None) -> str:
    """Name the chat. Titles, tags and the like are not part of it, and temporary chats are not kept."""
    chat = str((metadata or {}).get("chat_id") or body.get("chat_id") or "")
    return "" if not chat or chat.startswith("local") or (metadata or {}).get("task") else f"open-webui:{chat}"


def _text(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content if part.get("type") == "text")


def _with_context(messages: list[Json], text: str) -> list[Json]:
    """Add a text to the last of the first system messages: some models take no second one."""
    first = next((n for n, each in enumerate(messages) if each.get("role") != "system"), len(messages))
    before = messages[:first]
    if before and isinstance(before[-1].get("content"), str):
        text = f"{before.pop()['content']}\n\n{text}"
    return [*before, {"role": "system", "content": text}, *messages[first:]]
