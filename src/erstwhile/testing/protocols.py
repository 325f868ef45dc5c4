"""The wire formats of OpenAI (chat completions, responses, embeddings) and Anthropic (messages)."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import struct
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from erstwhile.base.records import dataclass
from erstwhile.testing.calls import Call, Reply, ToolCall

_CACHE_FROM = 1024
_CACHE_STEP = 128
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Tokens:
    input: int
    output: int
    cached: int

    @property
    def total(self) -> int:
        return self.input + self.output


def estimate(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


class PrefixCache:
    """Remembers the last prompts of each cache key; a shared beginning counts as cached."""

    def __init__(self) -> None:
        self._seen: defaultdict[str, deque[str]] = defaultdict(lambda: deque(maxlen=16))

    def count(self, call: Call, reply: Reply) -> Tokens:
        prompt = call.prompt
        given = estimate(prompt) if reply.input_tokens is None else reply.input_tokens
        cached = self._hit(call, prompt) if reply.cached_tokens is None else reply.cached_tokens
        written = reply.output_tokens
        if written is None:
            written = estimate(reply.text or reply.refusal)
        return Tokens(input=given, output=written, cached=min(cached, given))

    def _hit(self, call: Call, prompt: str) -> int:
        if call.path == "/messages" and "cache_control" not in str(call.body):
            return 0  # Anthropic caches only what a request marks
        seen = self._seen[f"{call.model}|{call.body.get('prompt_cache_key', '')}"]
        shared = max((_shared(prompt, earlier) for earlier in seen), default=0)
        seen.append(prompt)
        tokens = shared // _CHARACTERS_PER_TOKEN
        return tokens // _CACHE_STEP * _CACHE_STEP if tokens >= _CACHE_FROM else 0


def _shared(one: str, other: str) -> int:
    """Count the characters that two prompts share at the start, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


_CREATED = 1_750_000_000  # a fixed time: answers are the same on every run
_PIECES = re.compile(r"(?:\S+\s*){1,3}|\s+")
_FEW_PIECES = 6
_ENDLESS = 50_000  # characters


def error(kind: str, code: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def models(names: tuple[str, ...]) -> dict[str, Any]:
    same = {"object": "model", "created": _CREATED, "owned_by": "erstwhile"}
    return {"object": "list", "data": [{"id": name, **same} for name in names]}


def pieces(text: str) -> list[str]:
    """Cut a text between its words: at a few, as each piece takes a client time. One that is no
    answer any more is cut at all of them, as by a server that goes on and on."""
    words = _PIECES.findall(text)
    size = max(1, len(words) // _FEW_PIECES) if len(text) < _ENDLESS else 1
    return ["".join(words[start : start + size]) for start in range(0, len(words), size)]


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


# Chat completions


def chat(call: Call, reply: Reply, tokens: Tokens) -> dict[str, Any]:
    said = None if reply.refusal or (reply.tools and not reply.text) else reply.text
    message: dict[str, Any] = {"role": "assistant", "content": said}
    message["refusal"] = reply.refusal or None
    if reply.tools:
        message["tool_calls"] = [_tool_call(tool) for tool in reply.tools]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
    head = _chat_head(call, "chat.completion")
    return {**head, "choices": [choice], "usage": _chat_usage(tokens)}


def chat_events(call: Call, reply: Reply, tokens: Tokens) -> Iterator[bytes]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _data({**_chat_head(call, "chat.completion.chunk"), "choices": [choice]})

    field = "refusal" if reply.refusal else "content"
    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(reply.refusal or reply.text):
        yield chunk({field: piece})
    for place, tool in enumerate(reply.tools):
        yield chunk({"tool_calls": [{"index": place, **_tool_call(replace(tool, arguments=""))}]})
        for half in halves(tool.arguments):
            yield chunk({"tool_calls": [{"index": place, "function": {"arguments": half}}]})
    yield chunk({}, _finish(reply))
    if (call.body.get("stream_options") or {}).get("include_usage"):
        head = _chat_head(call, "chat.completion.chunk")
        yield _data({**head, "choices": [], "usage": _chat_usage(tokens)})
    yield b"data: [DONE]\n\n"


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.tools and reply.finish == "stop" else reply.finish


def _tool_call(tool: ToolCall) -> dict[str, Any]:
    function = {"name": tool.name, "arguments": tool.arguments}
    return {"id": tool.id, "type": "function", "function": function}


def _chat_head(call: Call, kind: str) -> dict[str, Any]:
    named = {"id": f"chatcmpl-{call.number}", "object": kind}
    return {**named, "created": _CREATED, "model": call.model}


def _chat_usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.total,
        "prompt_tokens_details": {"cached_tokens": tokens.cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


# Responses


def response(call: Call, reply: Reply, tokens: Tokens) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "text": reply.text}
    part |= {"annotations": [], "logprobs": []}
    if reply.refusal:
        part = {"type": "refusal", "refusal": reply.refusal}
    cut = reply.finish == "length"
    said = [_output_message(call, "completed", [part])] if reply.text or not reply.tools else []
    return {
        **_response_head(call, "incomplete" if cut else "completed"),
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [*said, *map(_function_call, reply.tools)],
        "usage": {
            "input_tokens": tokens.input,
            "input_tokens_details": {"cached_tokens": tokens.cached, "cache_write_tokens": 0},
            "output_tokens": tokens.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens.total,
        },
    }


def response_events(call: Call, reply: Reply, tokens: Tokens) -> Iterator[bytes]:
    whole = response(call, reply, tokens)
    started = {"response": {**_response_head(call, "in_progress"), "output": [], "usage": None}}
    steps = [("response.created", started), ("response.in_progress", started)]
    for place, item in enumerate(whole["output"]):
        message = item["type"] == "message"
        steps += _said(call, reply, item, place) if message else _called(item, place)
    steps.append((f"response.{whole['status']}", {"response": whole}))
    for number, (kind, fields) in enumerate(steps):
        payload = {"type": kind, "sequence_number": number, **fields}
        yield f"event: {kind}\n".encode() + _data(payload)


def _said(
    call: Call, reply: Reply, item: dict[str, Any], place: int
) -> list[tuple[str, dict[str, Any]]]:
    part = item["content"][0]
    field = "refusal" if reply.refusal else "text"
    name = "response.refusal" if reply.refusal else "response.output_text"
    blank = {**part, field: ""}
    at = {"item_id": item["id"], "output_index": place, "content_index": 0}
    logprobs: dict[str, Any] = {} if reply.refusal else {"logprobs": []}
    begun = {"output_index": place, "item": _output_message(call, "in_progress", [])}
    return [
        ("response.output_item.added", begun),
        ("response.content_part.added", {**at, "part": blank}),
        *((f"{name}.delta", {**at, **logprobs, "delta": piece}) for piece in pieces(part[field])),
        (f"{name}.done", {**at, **logprobs, field: part[field]}),
        ("response.content_part.done", {**at, "part": part}),
        ("response.output_item.done", {"output_index": place, "item": item}),
    ]


def _called(item: dict[str, Any], place: int) -> list[tuple[str, dict[str, Any]]]:
    at = {"item_id": item["id"], "output_index": place}
    begun = {**item, "arguments": "", "status": "in_progress"}
    named = {"name": item["name"], "arguments": item["arguments"]}
    return [
        ("response.output_item.added", {"output_index": place, "item": begun}),
        ("response.function_call_arguments.delta", {**at, "delta": item["arguments"]}),
        ("response.function_call_arguments.done", {**at, **named}),
        ("response.output_item.done", {"output_index": place, "item": item}),
    ]


def _function_call(tool: ToolCall) -> dict[str, Any]:
    named = {"call_id": tool.id, "name": tool.name, "arguments": tool.arguments}
    return {"id": f"fc_{tool.id}", "type": "function_call", "status": "completed", **named}


def _response_head(call: Call, status: str) -> dict[str, Any]:
    return {
        "id": f"resp_{call.number}",
        "object": "response",
        "created_at": _CREATED,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": call.model,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _output_message(call: Call, status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    head = {"id": f"msg_{call.number}", "type": "message", "role": "assistant"}
    return {**head, "status": status, "content": content}


def _data(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(payload, ensure_ascii=False).encode() + b"\n\n"


_DIMENSIONS = 256


def embeddings(call: Call, reply: Reply, _tokens: Tokens) -> dict[str, Any]:
    """The reply's text names what is wrong with it; faults that change words do nothing here."""
    fault = reply.text
    if fault == "bare_object":
        return {"embedding": vector(""), "kind": "note"}
    texts = _texts(call.body.get("input", ""))
    vectors = [vector(text, int(call.body.get("dimensions") or _DIMENSIONS)) for text in texts]
    packed = call.body.get("encoding_format") == "base64"
    rows: list[dict[str, Any]] = [
        {"object": "embedding", "index": at, "embedding": _packed(row) if packed else row}
        for at, row in enumerate(_spoilt(vectors, fault))
    ]
    if fault == "wrong_types" and rows:
        rows[-1]["embedding"] = {"values": ["a", None]}
    tokens = sum(map(estimate, texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": rows, "model": call.model, "usage": usage}


def _spoilt(vectors: list[list[float]], fault: str) -> list[list[float]]:
    if fault == "empty" or not vectors:
        return []
    *others, last = vectors
    spoilt = {
        "fewer_vectors": others,
        "other_dimensions": [*others, last[: len(last) // 2]],
        "not_numbers": [*others, [math.nan, *last[1:]]],
    }
    return spoilt.get(fault, vectors)


def vector(text: str, dimensions: int = _DIMENSIONS) -> list[float]:
    """Hashed words and letter trigrams: equal texts are equal, texts that share words are near."""
    folded = " ".join(text.casefold().split())
    trigrams = [folded[at : at + 3] for at in range(len(folded) - 2)]
    features = [*re.findall(r"\w+", folded) * 2, *trigrams]
    row = [0.0] * dimensions
    for feature in features or [""]:
        hashed = hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8)
        digest = int.from_bytes(hashed.digest(), "big")
        row[digest % dimensions] += 1.0 if digest >> 63 else -1.0
    length = math.sqrt(sum(value * value for value in row)) or 1.0
    return [value / length for value in row]


def _texts(given: object) -> list[str]:
    """Read the input: the API takes a text, texts, a token list, or token lists."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, list) and given and all(isinstance(item, int) for item in given):
        return [" ".join(map(str, given))]
    texts = given if isinstance(given, list) else []
    return [item if isinstance(item, str) else " ".join(map(str, item)) for item in texts]


def _packed(row: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode()


_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


def anthropic_error(kind: str, code: str, message: str) -> dict[str, Any]:
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
