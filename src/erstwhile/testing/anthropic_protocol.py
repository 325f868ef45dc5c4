"""Anthropic's wire format: messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from erstwhile.testing.calls import Call, Reply, ToolCall
from erstwhile.testing.openai_protocol import Tokens, halves, pieces

_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


def error(kind: str, code: str, message: str) -> dict[str, Any]:
    del code  # Anthropic sends a type only
    said = {"type": kind, "message": message}
    return {"type": "error", "error": said, "request_id": "req_scripted"}


def message(call: Call, reply: Reply, tokens: Tokens) -> dict[str, Any]:
    content: list[dict[str, Any]] = (
        [{"type": "text", "text": reply.text}] if reply.text and not reply.refusal else []
    )
    content += [{**_tool_use(tool), "input": json.loads(tool.arguments)} for tool in reply.tools]
    return {**_head(call), "content": content, **_stop(reply), "usage": _usage(tokens)}


def message_events(call: Call, reply: Reply, tokens: Tokens) -> Iterator[bytes]:
    usage = _usage(tokens)
    unended = {"stop_reason": None, "stop_sequence": None}
    start = {**_head(call), "content": [], **unended, "usage": usage}
    yield _event("message_start", {"message": start})
    yield _event("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}})
    for piece in [] if reply.refusal else pieces(reply.text):
        delta = {"type": "text_delta", "text": piece}
        yield _event("content_block_delta", {"index": 0, "delta": delta})
    yield _event("content_block_stop", {"index": 0})
    for place, tool in enumerate(reply.tools, 1):
        block = {**_tool_use(tool), "input": {}}
        yield _event("content_block_start", {"index": place, "content_block": block})
        for half in halves(tool.arguments):
            delta = {"type": "input_json_delta", "partial_json": half}
            yield _event("content_block_delta", {"index": place, "delta": delta})
        yield _event("content_block_stop", {"index": place})
    yield _event("message_delta", {"delta": _stop(reply), "usage": usage})
    yield _event("message_stop", {})


def _tool_use(tool: ToolCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": tool.id, "name": tool.name}


def _head(call: Call) -> dict[str, Any]:
    return {"id": f"msg_{call.number}", "type": "message", "role": "assistant", "model": call.model}


def _stop(reply: Reply) -> dict[str, Any]:
    reason = _STOP_REASONS.get(reply.finish, "end_turn")
    if reply.tools or reply.refusal:
        reason = "tool_use" if reply.tools else "refusal"
    return {"stop_reason": reason, "stop_sequence": None}


def _usage(tokens: Tokens) -> dict[str, Any]:
    """Anthropic counts what was read from the cache apart from the input."""
    return {
        "input_tokens": tokens.input - tokens.cached,
        "output_tokens": tokens.output,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation_input_tokens": 0,
    }


def _event(kind: str, fields: dict[str, Any]) -> bytes:
    payload = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {payload}\n\n".encode()
