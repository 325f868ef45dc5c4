"""The calls that a model server received, and its replies."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from erstwhile.base.records import dataclass


@dataclass(slots=True)
class Call:
    """One request. `outcome` is `answered`, a fault's name, or `client left`."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    outcome: str = "pending"
    status: int = 0
    raw: bytes = b""

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def api_key(self) -> str:
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return bearer or self.headers.get("x-api-key", "")

    @property
    def system(self) -> str:
        """The instructions, wherever the protocol carries them."""
        spoken = [text for role, text in self._turns() if role in ("system", "developer")]
        given = (_text(self.body.get(name)) for name in ("instructions", "system"))
        return "\n\n".join(filter(None, [*given, *spoken]))

    @property
    def user(self) -> str:
        """The last thing the user said."""
        return next((text for role, text in reversed(self._turns()) if role == "user"), "")

    @property
    def prompt(self) -> str:
        """Everything the model reads, in order: what a prompt cache compares."""
        spoken = (turn for turn in self._turns() if turn[0] not in ("system", "developer"))
        turns = (f"{role}\n{text}" for role, text in spoken)
        return "\n\n".join([self.system, *turns])

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema asked for, by response format or as the first tool."""
        body = self.body
        named = (body.get("text") or body.get("output_config") or {}).get("format")
        wanted = body.get("response_format") or named or {}
        for place in (wanted.get("json_schema"), wanted, *(body.get("tools") or [])):
            tool = (place or {}).get("function", place) or {}
            found = tool.get("schema") or tool.get("parameters") or tool.get("input_schema")
            if isinstance(found, dict):
                return found
        return None

    def _turns(self) -> list[tuple[str, str]]:
        given = self.body.get("messages", self.body.get("input", []))
        if isinstance(given, str):
            return [("user", given)]
        if not isinstance(given, list):
            return []
        turns = (turn for turn in given if isinstance(turn, dict))
        return [(str(turn.get("role", "")), _text(turn.get("content"))) for turn in turns]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants called; `arguments` is JSON."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. Token counts left at None are worked out; `delay` is in seconds, and so is
    `pause`, between the pieces of a stream."""

    text: str = ""
    refusal: str = ""
    finish: str = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    delay: float = 0.0
    pause: float = 0.0
    tools: tuple[ToolCall, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return ""
