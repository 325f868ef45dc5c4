"""OpenAI's chat completions."""

from __future__ import annotations

from typing import Any

from erstwhile.http.chat.json_body import JsonBody, Piece
from erstwhile.http.chat.protocol import (
    Answer,
    Recollection,
    Said,
    items,
    label,
    mapping,
    number,
    role_of,
    text_of,
    texts_of,
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

    def said(self, body: JsonBody) -> Said:
        messages = [piece.value for piece in body.pieces("messages")]
        roles = [role_of(each) for each in messages]
        place = last_user(roles)
        if place is None:
            return Said(history=True, texts=texts_of(messages))
        asked = messages[place]
        name = asked.get("name")
        return Said(
            question=text_of(asked.get("content")),
            name=name if isinstance(name, str) and name.strip() else None,
            fresh=place == len(messages) - 1,
            history=sum(role not in _INSTRUCTIONS for role in roles) > 1,
            texts=texts_of(messages),
        )

    def place(self, body: JsonBody, memory: Recollection) -> None:
        messages = body.pieces("messages")
        roles = [role_of(piece.value) for piece in messages]
        lead = next((place for place, role in enumerate(roles) if role not in _INSTRUCTIONS), len(roles))
        asked = last_user(roles)
        head = [_system(memory.head)] if memory.head else []
        if asked is None:
            body.put_pieces("messages", [*messages[:lead], *head, *messages[lead:]])
            return
        turns = [Piece.of(turn) for turn in memory.turns]
        found = [_system(memory.found)] if memory.found else []
        put_in = [*messages[:lead], *head, *messages[lead:asked], *turns, *found, *messages[asked:]]
        body.put_pieces("messages", put_in)

    def event(self, answer: Answer, payload: dict[str, Any]) -> None:
        self._about(answer, payload)
        for choice in items(payload.get("choices")):
            if mapping(choice).get("index", 0) == 0:
                self._choice(answer, mapping(choice), mapping(mapping(choice).get("delta")))

    def whole(self, answer: Answer, payload: dict[str, Any]) -> None:
        self._about(answer, payload)
        for choice in items(payload.get("choices"))[:1]:
            self._choice(answer, mapping(choice), mapping(mapping(choice).get("message")))

    def error(self, status: int, message: str) -> dict[str, Any]:
        return error(status, message)

    def _about(self, answer: Answer, payload: dict[str, Any]) -> None:
        answer.model = label(payload.get("model")) or answer.model
        answer.id = label(payload.get("id")) or answer.id
        usage = mapping(payload.get("usage"))
        if usage:
            answer.input_tokens = number(usage.get("prompt_tokens"))
            answer.output_tokens = number(usage.get("completion_tokens"))
            answer.cached_tokens = number(mapping(usage.get("prompt_tokens_details")).get("cached_tokens"))
        if payload.get("error"):
            answer.failure = "an error came in the middle of the answer"

    def _choice(self, answer: Answer, choice: dict[str, Any], said: dict[str, Any]) -> None:
        answer.say(said.get("content") or said.get("refusal"))
        for place, call in enumerate(items(said.get("tool_calls"))):
            tool, function = answer.tool(mapping(call).get("index", place)), mapping(mapping(call).get("function"))
            tool["id"] = label(mapping(call).get("id")) or tool["id"]
            tool["name"] = label(tool["name"] + label(function.get("name")))
            answer.argue(tool, function.get("arguments"))
        answer.finish = label(choice.get("finish_reason")) or answer.finish


def _system(text: str) -> Piece:
    return Piece.of({"role": "system", "content": text})
