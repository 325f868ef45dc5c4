"""Memory for chat engines and agents of LlamaIndex: `memory=ErstwhileMemory(memory, "support-42", person="alice")`."""

from __future__ import annotations

import json
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import BaseMemory

from erstwhile import NewMessage
from erstwhile.adapters.items import ItemList, run_blocking, storable_text

KIND = "llamaindex"
_ROLES = {"user": "user", "assistant": "assistant", "chatbot": "assistant", "model": "assistant", "tool": "tool"}


class ErstwhileMemory(BaseMemory):
    """A channel of a blocking memory (`erstwhile.open_sync` or `connect_sync`). `recent`: how many of the last messages
    stand as they are; what is older is in the context, of at most `budget` tokens."""

    recent: int = 20
    budget: int = 1500
    _chat: Any = PrivateAttr()
    _items: Any = PrivateAttr()
    _person: str | None = PrivateAttr()

    def __init__(
        self, memory: Any, channel: str, *, space: str | None = None, person: str | None = None, **given: Any
    ) -> None:
        super().__init__(**given)
        self._chat = memory.channel(channel, space)
        self._items = ItemList(self._chat, _message)
        self._person = person

    @classmethod
    def class_name(cls) -> str:
        return "ErstwhileMemory"

    @classmethod
    def from_defaults(cls, **given: Any) -> ErstwhileMemory:
        return cls(**given)

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:
        """Return what is worth knowing for this input, or for the last question, and the last messages."""
        last = run_blocking(self._chat, lambda: self._items.newest(self.recent))
        asked = [each.content or "" for each in last if each.role == MessageRole.USER]
        query = input or (asked[-1] if asked else "")
        context = self._chat.context(query, person=self._person, budget=self.budget)
        told = [ChatMessage(role=MessageRole.SYSTEM, content=context.text)] if context.text else []
        return [*told, *last]

    def get_all(self) -> list[ChatMessage]:
        return list(run_blocking(self._chat, self._items.newest))

    def put(self, message: ChatMessage) -> None:
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        run_blocking(self._chat, lambda: self._items.add([self._new(each) for each in messages]))

    def set(self, messages: list[ChatMessage]) -> None:
        """Make these the history. What they begin with and is there already is not stored again."""
        there = self.get_all()
        if messages[: len(there)] != there:
            self.reset()
            there = []
        if messages[len(there) :]:
            self.put_messages(messages[len(there) :])

    def reset(self) -> None:
        """Start anew. The memory still knows what was said."""
        run_blocking(self._chat, self._items.clear)

    def _new(self, message: ChatMessage) -> NewMessage:
        role = _ROLES.get(message.role.value, "system")
        text = storable_text(message.content or "", f"[{message.role.value}]")
        kept = {KIND: json.dumps(message.model_dump(mode="json"))}
        return NewMessage(role, text, person=self._person if role == "user" else None, meta=kept)


def _message(message: Any) -> ChatMessage | None:
    kept = message.meta.get(KIND)
    if kept is not None:
        return ChatMessage.model_validate(json.loads(kept))
    return ChatMessage(role=message.role, content=message.text) if message.role in _ROLES.values() else None
