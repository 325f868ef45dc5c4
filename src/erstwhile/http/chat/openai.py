"""OpenAI's chat completions and responses."""

from __future__ import annotations

from typing import Any

from erstwhile.http.chat.json_body import JsonBody, JsonPiece
from erstwhile.http.chat.protocol import (
    ChatInput,
    Recollection,
    ReplyParts,
    chat_input,
    items,
    label,
    mapping,
    number,
    role_of,
)

_INSTRUCTIONS = ("system", "developer")
_KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


def error(status: int, message: str) -> dict[str, Any]:
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "server_error")
    code = _CODES.get(status)
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def last_user(roles: list[str]) -> int | None:
    return next((place for place in reversed(range(len(roles))) if roles[place] == "user"), None)


class ChatCompletions:
    path = "/chat/completions"
    list = "messages"

    def said(self, body: JsonBody) -> ChatInput:
        messages = [piece.value for piece in body.pieces("messages")]
        roles = [role_of(each) for each in messages]
        place = last_user(roles)
        name = None if place is None else messages[place].get("name")
        history = sum(role not in _INSTRUCTIONS for role in roles) > 1
        return chat_input(messages, place, history=history, name=name)

    def place(self, body: JsonBody, memory: Recollection) -> None:
        messages = body.pieces("messages")
        roles = [role_of(piece.value) for piece in messages]
        lead = next((place for place, role in enumerate(roles) if role not in _INSTRUCTIONS), len(roles))
        asked = last_user(roles)
        head = [_system(memory.head)] if memory.head else []
        if asked is None:
            body.put_pieces("messages", [*messages[:lead], *head, *messages[lead:]])
            return
        turns = [JsonPiece.of(turn) for turn in memory.turns]
        found = [_system(memory.found)] if memory.found else []
        put_in = [*messages[:lead], *head, *messages[lead:asked], *turns, *found, *messages[asked:]]
        body.put_pieces("messages", put_in)

    def event(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        self._about(answer, payload)
        for choice in items(payload.get("choices")):
            if mapping(choice).get("index", 0) == 0:
                self._choice(answer, mapping(choice), mapping(mapping(choice).get("delta")))

    def whole(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        self._about(answer, payload)
        for choice in items(payload.get("choices"))[:1]:
            self._choice(answer, mapping(choice), mapping(mapping(choice).get("message")))

    def error(self, status: int, message: str) -> dict[str, Any]:
        return error(status, message)

    def _about(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        answer.model = label(payload.get("model")) or answer.model
        answer.id = label(payload.get("id")) or answer.id
        usage = mapping(payload.get("usage"))
        if usage:
            answer.input_tokens = number(usage.get("prompt_tokens"))
            answer.output_tokens = number(usage.get("completion_tokens"))
            answer.cached_tokens = number(mapping(usage.get("prompt_tokens_details")).get("cached_tokens"))
        if payload.get("error"):
            answer.failure = "an error came in the middle of the answer"

    def _choice(self, answer: ReplyParts, choice: dict[str, Any], said: dict[str, Any]) -> None:
        answer.say(said.get("content") or said.get("refusal"))
        for place, call in enumerate(items(said.get("tool_calls"))):
            tool, function = answer.tool(mapping(call).get("index", place)), mapping(mapping(call).get("function"))
            tool["id"] = label(mapping(call).get("id")) or tool["id"]
            tool["name"] = label(tool["name"] + label(function.get("name")))
            answer.argue(tool, function.get("arguments"))
        answer.finish = label(choice.get("finish_reason")) or answer.finish


def _system(text: str) -> JsonPiece:
    return JsonPiece.of({"role": "system", "content": text})


_ENDS = ("response.completed", "response.incomplete", "response.failed")


class Responses:
    path = "/responses"
    list = "input"

    def said(self, body: JsonBody) -> ChatInput:
        given = body.get("input")
        before = bool(body.get("previous_response_id") or body.get("conversation"))
        if isinstance(given, str):
            return ChatInput(given, fresh=True, history=before, texts=frozenset(filter(None, [given.strip()])))
        messages = [piece.value for piece in body.pieces("input")]
        roles = [role_of(each) for each in messages]
        history = before or sum(role not in _INSTRUCTIONS for role in roles) > 1
        return chat_input(messages, last_user(roles), history=history)

    def place(self, body: JsonBody, memory: Recollection) -> None:
        given = body.get("instructions")
        if memory.head and (given is None or isinstance(given, str)):
            body.put("instructions", "\n\n".join(filter(None, [given, memory.head])))
        if not memory.turns and not memory.found:
            return
        if isinstance(body.get("input"), str):
            body.put("input", [{"role": "user", "content": body.get("input")}])
        messages = body.pieces("input")
        asked = last_user([role_of(piece.value) for piece in messages])
        if asked is None:
            return
        turns = [JsonPiece.of(turn) for turn in memory.turns]
        found = [JsonPiece.of({"role": "developer", "content": memory.found})] if memory.found else []
        body.put_pieces("input", [*messages[:asked], *turns, *found, *messages[asked:]])

    def event(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        kind = payload.get("type")
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            answer.say(payload.get("delta"))
        elif kind == "response.output_item.done":
            self._item(answer, mapping(payload.get("item")))
        elif kind in _ENDS:
            self._about(answer, mapping(payload.get("response")))
        elif kind == "error":
            answer.failure = "an error came in the middle of the answer"

    def whole(self, answer: ReplyParts, payload: dict[str, Any]) -> None:
        self._about(answer, payload)
        for item in map(mapping, items(payload.get("output"))):
            self._item(answer, item)
            if item.get("type") == "message":
                for part in map(mapping, items(item.get("content"))):
                    answer.say(part.get("text") or part.get("refusal"))

    def error(self, status: int, message: str) -> dict[str, Any]:
        return error(status, message)

    def _item(self, answer: ReplyParts, item: dict[str, Any]) -> None:
        if item.get("type") == "function_call":
            tool = answer.tool(item.get("call_id"))
            tool |= {"id": label(item.get("call_id")), "name": label(item.get("name")), "arguments": ""}
            answer.argue(tool, item.get("arguments"))

    def _about(self, answer: ReplyParts, response: dict[str, Any]) -> None:
        usage = mapping(response.get("usage"))
        answer.model, answer.id = label(response.get("model")), label(response.get("id"))
        answer.input_tokens, answer.output_tokens = (
            number(usage.get("input_tokens")),
            number(usage.get("output_tokens")),
        )
        answer.cached_tokens = number(mapping(usage.get("input_tokens_details")).get("cached_tokens"))
        answer.finish = label(response.get("status"))
        if answer.finish == "failed":
            answer.failure = "the provider could not finish the answer"
