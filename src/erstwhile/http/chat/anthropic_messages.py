"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from erstwhile.http.chat.json_body import JsonBody, JsonPiece
from erstwhile.http.chat.protocol import (
    BROKEN,
    ChatProtocol,
    Recollection,
    ReplyParts,
    items,
    label,
    mapping,
    number,
    role_of,
)

_KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
}
_MARKS = 4  # cache_control marks allowed per request
_MARK = {"type": "ephemeral"}


class Messages(ChatProtocol):
    path = "/messages"
    list = "messages"

    def question(self, messages: Sequence[Any]) -> int | None:
        """Return the index of the last user message that is not a tool result."""
        for place in reversed(range(len(messages))):
            if role_of(messages[place]) == "user":
                parts = items(messages[place].get("content"))
                kinds = [mapping(part).get("type") for part in parts]
                if "tool_result" not in kinds:
                    return place
        return None

    def place(self, body: JsonBody, memory: Recollection) -> None:
        if memory.head:
            _put_head(body, memory.head)
        messages = body.pieces("messages")
        asked = self.question([piece.value for piece in messages])
        if asked is None or not (memory.turns or memory.found):
            return
        question = messages[asked]
        if memory.found:
            content = question.value.get("content")
            blocks = [_text(content)] if isinstance(content, str) else list(items(content))
            question = JsonPiece.of({**question.value, "content": [_text(memory.found), *blocks]})
        put_in = [
            *messages[:asked],
            *map(JsonPiece.of, memory.turns),
            question,
            *messages[asked + 1 :],
        ]
        body.put_pieces("messages", put_in)

    def event(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        match payload.get("type"):
            case "message_start":
                message = mapping(payload.get("message"))
                answer.model, answer.id = label(message.get("model")), label(message.get("id"))
                self._usage(answer, mapping(message.get("usage")))
            case "content_block_start":
                self._block(answer, payload.get("index"), mapping(payload.get("content_block")))
            case "content_block_delta":
                delta, place = mapping(payload.get("delta")), payload.get("index")
                if delta.get("type") == "text_delta":
                    answer.say(delta.get("text"))
                elif delta.get("type") == "input_json_delta" and place in answer.tools:
                    answer.argue(answer.tool(place), delta.get("partial_json"))
            case "message_delta":
                answer.finish = (
                    label(mapping(payload.get("delta")).get("stop_reason")) or answer.finish
                )
                self._usage(answer, mapping(payload.get("usage")))
            case "error":
                answer.failure = BROKEN

    def whole(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        answer.model, answer.id = label(payload.get("model")), label(payload.get("id"))
        self._usage(answer, mapping(payload.get("usage")))
        for place, block in enumerate(map(mapping, items(payload.get("content")))):
            self._block(answer, place, block)
        answer.finish = label(payload.get("stop_reason"))

    def error(self, status: int, message: str) -> dict[str, Any]:
        kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}

    def _block(self, answer: ReplyParts, key: object, block: dict[str, Any]) -> None:
        if block.get("type") == "text":
            answer.say(block.get("text"))
        elif block.get("type") == "tool_use":
            tool = answer.tool(key)
            tool |= {"id": label(block.get("id")), "name": label(block.get("name"))}
            if block.get("input"):
                answer.argue(tool, JsonPiece.of(block["input"]).text)

    def _usage(self, answer: ReplyParts, usage: dict[str, Any]) -> None:
        """Add cache reads and writes, which Anthropic counts separately, to the input tokens."""
        cached = number(usage.get("cache_read_input_tokens"))
        written = number(usage.get("cache_creation_input_tokens"))
        answer.cached_tokens = cached or answer.cached_tokens
        answer.input_tokens = (
            number(usage.get("input_tokens")) + cached + written or answer.input_tokens
        )
        answer.output_tokens = number(usage.get("output_tokens")) or answer.output_tokens


def _put_head(body: JsonBody, head: str) -> None:
    given = body.get("system")
    if isinstance(given, list):
        used = str(body.get("tools")) + str(given) + str(body.get("messages"))
        marks = used.count("'cache_control':") + (body.get("cache_control") is not None)
        block = _text(head) | ({"cache_control": _MARK} if 0 < marks < _MARKS else {})
        body.put_pieces("system", [*body.pieces("system"), JsonPiece.of(block)])
    elif given is None or isinstance(given, str):
        body.put("system", "\n\n".join(filter(None, [given, head])))


def _text(text: object) -> dict[str, Any]:
    return {"type": "text", "text": text}
