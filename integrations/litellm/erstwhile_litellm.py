"""Memory for everything behind a LiteLLM proxy: `callbacks: erstwhile_litellm.memory` in its config.

`ERSTWHILE_URL`, `ERSTWHILE_KEY` and `ERSTWHILE_SPACE` say where the memory is. Without it, calls go on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import urllib.parse
import uuid
from typing import Any

import aiohttp
from litellm.integrations.custom_logger import CustomLogger
from yarl import URL

log = logging.getLogger(__name__)
Json = dict[str, Any]

SECONDS = 3.0
BUDGET = 1500
TRIED = 1000  # questions that are known again when a client repeats a call
_MARK = "erstwhile"  # in the metadata of a call: whose it is


class ErstwhileMemory(CustomLogger):
    """Recalls before a chat completion, and stores the question and the reply."""

    def __init__(self, url: str = "", key: str = "", space: str = "") -> None:
        super().__init__()
        self._url = (url or os.environ.get("ERSTWHILE_URL", "http://127.0.0.1:8765")).rstrip("/")
        self._key = key or os.environ.get("ERSTWHILE_KEY", "")
        self._space = space or os.environ.get("ERSTWHILE_SPACE", "default")
        self._tried: dict[str, str] = {}  # from what was asked to the key of the question; the oldest first
        self._storing: dict[str, asyncio.Task[None]] = {}  # the last of each channel

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: Json, call_type: str) -> Json:  # noqa: ARG002
        """Put what is worth knowing before the messages. A call that names no user gets no memory."""
        messages = data.get("messages") or []
        person = str(data.get("user") or getattr(user_api_key_dict, "end_user_id", None) or "")
        if call_type not in ("completion", "acompletion") or not person or not messages:
            return data
        asked = messages[-1] if messages[-1].get("role") == "user" else None
        query = _text(asked or next((each for each in reversed(messages) if each.get("role") == "user"), {}))
        metadata = data.setdefault("metadata", {})
        channel = f"litellm:{metadata.get('session_id') or data.get('litellm_session_id') or person}"
        metadata[_MARK] = channel
        context = await self._post(channel, "context", {"query": query, "person": person, "budget": BUDGET})
        if asked is not None and query.strip():  # else it answers a tool, in the same turn
            key = self._question_key(data, channel, person)
            self._store(channel, {"role": "user", "text": query, "person": person, "key": key})
        if context and context.get("text"):
            data["messages"] = _with_context(messages, context["text"])
        return data

    async def async_log_success_event(self, kwargs: Json, response_obj: Any, start_time: Any, end_time: Any) -> None:  # noqa: ARG002
        """Store the reply, also of a stream."""
        channel = ((kwargs.get("litellm_params") or {}).get("metadata") or {}).get(_MARK)
        whole = kwargs.get("async_complete_streaming_response") or response_obj
        choices = getattr(whole, "choices", None) or []
        message = getattr(choices[0], "message", None) if choices else None
        text = str(getattr(message, "content", None) or "")
        if channel and text.strip():
            key = f"litellm:{getattr(whole, 'id', '')}"
            self._store(channel, {"role": "assistant", "text": text, "key": key})

    def _question_key(self, data: Json, channel: str, person: str) -> str:
        """Name a question. A retry gets the key of the first attempt: clients say that it is one, or send an own key."""
        given = (data.get("proxy_server_request") or {}).get("headers") or {}
        headers = {name.lower(): str(value) for name, value in given.items()}
        if named := headers.get("idempotency-key"):
            return f"litellm:{hashlib.sha256(named.encode()).hexdigest()}"
        asked = json.dumps([channel, person, data["messages"]], sort_keys=True, default=str)
        digest = hashlib.sha256(asked.encode(errors="replace")).hexdigest()
        again = headers.get("x-stainless-retry-count", "0") != "0"
        key = self._tried.pop(digest, "") if again else ""
        self._tried[digest] = key = key or f"litellm:{uuid.uuid4()}"
        if len(self._tried) > TRIED:
            del self._tried[next(iter(self._tried))]
        return key

    def _store(self, channel: str, said: Json) -> None:
        """Begin to store a message. No call waits for it; the messages of a channel stay in their order."""
        task = asyncio.create_task(self._store_after(self._storing.get(channel), channel, said))
        self._storing[channel] = task
        task.add_done_callback(lambda done: self._storing.get(channel) is done and self._storing.pop(channel))

    async def _store_after(self, earlier: asyncio.Task[None] | None, channel: str, said: Json) -> None:
        if earlier:
            await asyncio.wait([earlier])
        await self._post(channel, "messages", said)

    async def _post(self, channel: str, verb: str, body: Json) -> Json | None:
        space, channel = (urllib.parse.quote(each, safe="") for each in (self._space, channel))
        url = f"{self._url}/v1/spaces/{space}/channels/{channel}/{verb}"
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        limit = aiohttp.ClientTimeout(total=SECONDS)
        try:
            async with (
                aiohttp.ClientSession(timeout=limit, headers=headers, trust_env=True, raise_for_status=True) as session,
                session.post(URL(url, encoded=True), json=body, allow_redirects=False) as answer,
            ):
                return dict(await answer.json())
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            log.warning("erstwhile: no memory now (%s)", str(error) or type(error).__name__)
            return None


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


memory = ErstwhileMemory()
