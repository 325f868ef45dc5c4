"""OpenAI's responses."""

from __future__ import annotations

from typing import Any

from erstwhile.http.chat import openai_chat
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
_ENDS = ("response.completed", "response.incomplete", "response.failed")


class Responses:
    path = "/responses"
    list = "input"

    def said(self, body: JsonBody) -> Said:
        given = body.get("input")
        before = bool(body.get("previous_response_id") or body.get("conversation"))
        if isinstance(given, str):
            return Said(given, fresh=True, history=before, texts=frozenset(filter(None, [given.strip()])))
        messages = [piece.value for piece in body.pieces("input")]
        roles = [role_of(each) for each in messages]
        place = openai_chat.last_user(roles)
        if place is None:
            return Said(history=True, texts=texts_of(messages))
        return Said(
            question=text_of(messages[place].get("content")),
            fresh=place == len(messages) - 1,
            history=before or sum(role not in _INSTRUCTIONS for role in roles) > 1,
            texts=texts_of(messages),
        )

    def place(self, body: JsonBody, memory: Recollection) -> None:
        given = body.get("instructions")
        if memory.head and (given is None or isinstance(given, str)):
            body.put("instructions", "\n\n".join(filter(None, [given, memory.head])))
        if not memory.turns and not memory.found:
            return
        if isinstance(body.get("input"), str):
            body.put("input", [{"role": "user", "content": body.get("input")}])
        messages = body.pieces("input")
        asked = openai_chat.last_user([role_of(piece.value) for piece in messages])
        if asked is None:
            return
        turns = [Piece.of(turn) for turn in memory.turns]
        found = [Piece.of({"role": "developer", "content": memory.found})] if memory.found else []
        body.put_pieces("input", [*messages[:asked], *turns, *found, *messages[asked:]])

    def event(self, answer: Answer, payload: dict[str, Any]) -> None:
        kind = payload.get("type")
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            answer.say(payload.get("delta"))
        elif kind == "response.output_item.done":
            self._item(answer, mapping(payload.get("item")))
        elif kind in _ENDS:
            self._about(answer, mapping(payload.get("response")))
        elif kind == "error":
            answer.failure = "an error came in the middle of the answer"

    def whole(self, answer: Answer, payload: dict[str, Any]) -> None:
        self._about(answer, payload)
        for item in map(mapping, items(payload.get("output"))):
            self._item(answer, item)
            if item.get("type") == "message":
                for part in map(mapping, items(item.get("content"))):
                    answer.say(part.get("text") or part.get("refusal"))

    def error(self, status: int, message: str) -> dict[str, Any]:
        return openai_chat.error(status, message)

    def _item(self, answer: Answer, item: dict[str, Any]) -> None:
        if item.get("type") == "function_call":
            tool = answer.tool(item.get("call_id"))
            tool |= {"id": label(item.get("call_id")), "name": label(item.get("name")), "arguments": ""}
            answer.argue(tool, item.get("arguments"))

    def _about(self, answer: Answer, response: dict[str, Any]) -> None:
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
