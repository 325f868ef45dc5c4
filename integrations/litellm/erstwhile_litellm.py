"""Memory for everything behind a LiteLLM proxy: `callbacks: erstwhile_litellm.memory` in its config.

`ERSTWHILE_URL`, `ERSTWHILE_KEY` and `ERSTWHILE_SPACE` say where the memory is. Without it, calls go on.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import urllib.parse
import urllib.request
from typing import Any

from litellm.integrations.custom_logger import CustomLogger

log = logging.getLogger(__name__)
Json = dict[str, Any]

SECONDS = 3.0
BUDGET = 1500
_MARK = "erstwhile"  # in the metadata of a call: whose it is


class ErstwhileMemory(CustomLogger):
    """Recalls before a chat completion, and stores the question and the reply."""

    def __init__(self, url: str = "", key: str = "", space: str = "") -> None:
        super().__init__()
        self._url = (url or os.environ.get("ERSTWHILE_URL", "http://127.0.0.1:8765")).rstrip("/")
        self._key = key or os.environ.get("ERSTWHILE_KEY", "")
        self._space = space or os.environ.get("ERSTWHILE_SPACE", "default")

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
        metadata[_MARK] = {"channel": channel, "person": person}
        context = await self._post(channel, "context", {"query": query, "person": person, "budget": BUDGET})
        if asked is not None and query.strip():  # else it answers a tool, in the same turn
            await self._post(channel, "messages", {"role": "user", "text": query, "person": person})
        if context and context.get("text"):
            data["messages"] = _with_context(messages, context["text"])
        return data

    async def async_log_success_event(self, kwargs: Json, response_obj: Any, start_time: Any, end_time: Any) -> None:  # noqa: ARG002
        """Store the reply, also of a stream."""
        whose = ((kwargs.get("litellm_params") or {}).get("metadata") or {}).get(_MARK)
        whole = kwargs.get("async_complete_streaming_response") or response_obj
        choices = getattr(whole, "choices", None) or []
        message = getattr(choices[0], "message", None) if choices else None
        text = str(getattr(message, "content", None) or "")
        if whose and text.strip():
            key = f"litellm:{getattr(whole, 'id', '')}"
            await self._post(whose["channel"], "messages", {"role": "assistant", "text": text, "key": key})

    async def _post(self, channel: str, verb: str, body: Json) -> Json | None:
        try:
            return await asyncio.to_thread(self._request, channel, verb, body)
        except (OSError, ValueError) as error:
            log.warning("erstwhile: no memory now (%s)", error)
            return None

    def _request(self, channel: str, verb: str, body: Json) -> Json:
        space, channel = (urllib.parse.quote(each, safe="") for each in (self._space, channel))
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        url = f"{self._url}/v1/spaces/{space}/channels/{channel}/{verb}"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return dict(json.load(answer))


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
