"""OpenAI's chat completions and responses, and Anthropic's messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from erstwhile.http.chat.protocol import (
    BROKEN,
    INSTRUCTIONS,
    ChatInput,
    ChatProtocol,
    JsonBody,
    JsonPiece,
    Recollection,
    ReplyParts,
    items,
    label,
    mapping,
    number,
    role_of,
)

_KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
_ENDS = ("response.completed", "response.incomplete", "response.failed")


def _count(answer: ReplyParts, usage: dict[str, Any], given: str, said: str) -> None:
    """Read the tokens, whose names begin with `given` and `said`."""
    answer.input_tokens = number(usage.get(f"{given}_tokens"))
    answer.output_tokens = number(usage.get(f"{said}_tokens"))
    details = mapping(usage.get(f"{given}_tokens_details"))
    answer.cached_tokens = number(details.get("cached_tokens"))


class _OpenAI(ChatProtocol):
    def error(self, status: int, message: str) -> dict[str, Any]:
        kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "server_error")
        code = _CODES.get(status)
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}

    text_part: str  # the type of a part of a message that is text

    def _insert(self, body: JsonBody, memory: Recollection) -> list[JsonPiece]:
        """Return the messages, with turns before the question and what was found in front of its
        text. A message of its own for it would be refused by strict chat templates."""
        messages = body.pieces(self.list)
        asked = self.question([piece.value for piece in messages])
        if asked is None:
            return messages
        turns = [JsonPiece.of(turn) for turn in memory.turns]
        question = self._added(messages[asked], memory.found, in_front=True) or messages[asked]
        return [*messages[:asked], *turns, question, *messages[asked + 1 :]]

    def _added(self, message: JsonPiece, text: str, *, in_front: bool) -> JsonPiece | None:
        """Return a message with a further text; None if there is none, or no content to add to."""
        content = message.value.get("content")
        if not text or not isinstance(content, str | list):
            return None
        added: Any = {"type": self.text_part, "text": text}
        if isinstance(content, str):
            both = filter(None, (text, content) if in_front else (content, text))
            return JsonPiece.of({**message.value, "content": "\n\n".join(both)})
        parts = [added, *content] if in_front else [*content, added]
        return JsonPiece.of({**message.value, "content": parts})


class ChatCompletions(_OpenAI):
    path = "/chat/completions"
    list = "messages"
    text_part = "text"

    def place(self, body: JsonBody, memory: Recollection) -> None:
        messages = self._insert(body, memory)
        if memory.head:
            pieces = body.pieces("messages")
            lead = list(takewhile(lambda piece: role_of(piece.value) in INSTRUCTIONS, pieces))
            joined = self._added(lead.pop(), memory.head, in_front=False) if lead else None
            if joined is None:
                messages.insert(len(lead), JsonPiece.of({"role": "system", "content": memory.head}))
            else:
                messages[len(lead)] = joined
        body.put_pieces("messages", messages)

    def event(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        self._about(answer, payload)
        for choice in map(mapping, items(payload.get("choices"))):
            if choice.get("index", 0) == 0:
                self._choice(answer, choice, mapping(choice.get("delta")))

    def whole(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        self._about(answer, payload)
        for choice in map(mapping, items(payload.get("choices"))[:1]):
            self._choice(answer, choice, mapping(choice.get("message")))

    def _about(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        answer.model = label(payload.get("model")) or answer.model
        answer.id = label(payload.get("id")) or answer.id
        if usage := mapping(payload.get("usage")):
            _count(answer, usage, "prompt", "completion")
        if payload.get("error"):
            answer.failure = BROKEN

    def _choice(self, answer: ReplyParts, choice: dict[str, Any], said: dict[str, Any]) -> None:
        answer.say(said.get("content") or said.get("refusal"))
        for place, call in enumerate(map(mapping, items(said.get("tool_calls")))):
            tool, function = answer.tool(call.get("index", place)), mapping(call.get("function"))
            tool["id"] = label(call.get("id")) or tool["id"]
            tool["name"] = label(tool["name"] + label(function.get("name")))
            answer.argue(tool, function.get("arguments"))
        answer.finish = label(choice.get("finish_reason")) or answer.finish


class Responses(_OpenAI):
    path = "/responses"
    list = "input"
    text_part = "input_text"

    def said(self, body: JsonBody) -> ChatInput:
        if isinstance(given := body.get("input"), str):
            said = self.read([{"role": "user", "content": given}])
        else:
            said = super().said(body)
        before = bool(body.get("previous_response_id") or body.get("conversation"))
        return replace(said, history=said.history or before)

    def place(self, body: JsonBody, memory: Recollection) -> None:
        given = body.get("instructions")
        if memory.head and (given is None or isinstance(given, str)):
            body.put("instructions", "\n\n".join(filter(None, [given, memory.head])))
        if not memory.turns and not memory.found:
            return
        if isinstance(asked := body.get("input"), str):
            body.put("input", [{"role": "user", "content": asked}])
        body.put_pieces("input", self._insert(body, memory))

    def event(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        kind = payload.get("type")
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            answer.say(payload.get("delta"))
        elif kind == "response.output_item.done":
            self._item(answer, mapping(payload.get("item")))
        elif kind in _ENDS:
            self._about(answer, mapping(payload.get("response")))
        elif kind == "error":
            answer.failure = BROKEN

    def whole(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        self._about(answer, payload)
        for item in map(mapping, items(payload.get("output"))):
            self._item(answer, item)
            if item.get("type") == "message":
                for part in map(mapping, items(item.get("content"))):
                    answer.say(part.get("text") or part.get("refusal"))

    def _item(self, answer: ReplyParts, item: dict[str, Any]) -> None:
        if item.get("type") == "function_call":
            tool = answer.tool(item.get("call_id"))
            named = {"id": label(item.get("call_id")), "name": label(item.get("name"))}
            tool |= {**named, "arguments": ""}
            answer.argue(tool, item.get("arguments"))

    def _about(self, answer: ReplyParts, response: dict[str, Any]) -> None:
        usage = mapping(response.get("usage"))
        answer.model, answer.id = label(response.get("model")), label(response.get("id"))
        _count(answer, usage, "input", "output")
        answer.finish = label(response.get("status"))
        if answer.finish == "failed":
            answer.failure = "the provider could not finish the answer"


_ANTHROPIC_KINDS = {
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
        turns = map(JsonPiece.of, memory.turns)
        put_in = [*messages[:asked], *turns, question, *messages[asked + 1 :]]
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
        kind = _ANTHROPIC_KINDS.get(
            status, "invalid_request_error" if status < 500 else "api_error"
        )
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
