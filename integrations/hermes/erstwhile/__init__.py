"""The memory provider of Hermes Agent. Copy this folder to `$HERMES_HOME/plugins/erstwhile`.

It needs nothing but Python's standard library. Without a server the agent goes on without memory.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import threading
import urllib.parse
import urllib.request
from typing import Any

from agent.memory_provider import MemoryProvider

log = logging.getLogger(__name__)
Json = dict[str, Any]

SECONDS = 3.0
BUDGET = 1500
SEARCH = {
    "name": "erstwhile_search",
    "description": "Search what was said in all earlier conversations with this person.",
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for, in plain words."}},
        "required": ["query"],
    },
}
REMEMBER = {
    "name": "erstwhile_remember",
    "description": "Remember a fact about the person, for all later conversations.",
    "parameters": {"type": "object", "properties": {"fact": {"type": "string"}}, "required": ["fact"]},
}


class ErstwhileMemoryProvider(MemoryProvider):
    """`ERSTWHILE_URL` names the server; `ERSTWHILE_KEY` and `ERSTWHILE_SPACE` are optional."""

    def __init__(self) -> None:
        self._url = os.environ.get("ERSTWHILE_URL", "").rstrip("/")
        self._key = os.environ.get("ERSTWHILE_KEY", "")
        self._space = os.environ.get("ERSTWHILE_SPACE", "default")
        self._session, self._person, self._writes = "", "user", True
        self._turns: queue.Queue[tuple[str, str, str] | None] = queue.Queue()
        self._worker: threading.Thread | None = None

    @property
    def name(self) -> str:
        return "erstwhile"

    def is_available(self) -> bool:
        return bool(self._url)

    def initialize(self, session_id: str, **more: Any) -> None:
        self._session = session_id
        self._person = str(more.get("user_id") or more.get("agent_identity") or "user")
        self._writes = more.get("agent_context", "primary") == "primary"
        self._worker = threading.Thread(target=self._store_turns, name="erstwhile", daemon=True)
        self._worker.start()

    def system_prompt_block(self) -> str:
        return "Earlier conversations are remembered by erstwhile. What bears on a message is shown with it."

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        if not query.strip():
            return ""
        body = {"query": query, "person": self._person, "budget": BUDGET}
        found = self._attempt(f"{self._channel(session_id)}/context", body) or {}
        return str(found.get("text") or "")

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[Json] | None = None,  # noqa: ARG002
    ) -> None:
        if self._writes:
            self._turns.put((self._channel(session_id), user_content, assistant_content))

    def on_session_switch(self, new_session_id: str, **_: Any) -> None:
        self._session = new_session_id

    def get_tool_schemas(self) -> list[Json]:
        return [SEARCH, REMEMBER]

    def handle_tool_call(self, tool_name: str, args: Json, **_: Any) -> str:
        if tool_name == SEARCH["name"]:
            query = urllib.parse.urlencode({"q": args.get("query", ""), "asker": self._person, "limit": 8})
            found = self._attempt(f"search?{query}", None)
            if found is None:
                return json.dumps({"error": "The memory can't be reached."})
            return json.dumps({"results": [{"text": hit["text"], "at": hit["at"]} for hit in found["hits"]]})
        person = urllib.parse.quote(self._person, safe="")
        done = self._attempt(f"people/{person}/remember", {"fact": args.get("fact", ""), "by": self._person})
        return json.dumps({"remembered": done is not None})

    def shutdown(self) -> None:
        """Store what is left, for a few seconds at most."""
        if self._worker is not None:
            self._turns.put(None)
            self._worker.join(2 * SECONDS)

    def get_config_schema(self) -> list[Json]:
        return [
            {"key": "url", "description": "The erstwhile server", "required": True, "env_var": "ERSTWHILE_URL"},
            {"key": "key", "description": "A key of the space", "secret": True, "env_var": "ERSTWHILE_KEY"},
            {"key": "space", "description": "The space", "default": "default", "env_var": "ERSTWHILE_SPACE"},
        ]

    def _store_turns(self) -> None:
        while (turn := self._turns.get()) is not None:
            channel, asked, answered = turn
            said = [{"role": "user", "text": asked, "person": self._person}, {"role": "assistant", "text": answered}]
            kept = [each for each in said if each["text"].strip()]
            if kept:
                self._attempt(f"{channel}/messages", {"messages": kept})

    def _channel(self, session: str) -> str:
        return "channels/" + urllib.parse.quote(f"hermes:{session or self._session}", safe="")

    def _attempt(self, path: str, body: Json | None) -> Json | None:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        url = f"{self._url}/v1/spaces/{urllib.parse.quote(self._space, safe='')}/{path}"
        request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return dict(json.load(answer))
        except (OSError, ValueError) as error:
            log.warning("erstwhile: no memory now (%s)", error)
            return None


def register(context: Any) -> None:
    context.register_memory_provider(ErstwhileMemoryProvider())
