"""LangChain: a chat history stored as a channel.

RunnableWithMessageHistory(chain, lambda session: ErstwhileChatHistory(memory, session))
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    message_to_dict,
    messages_from_dict,
)

from erstwhile.adapters.items import ItemList, run_blocking, run_either, storable_text
from erstwhile.api.blocking import SyncMemory
from erstwhile.api.memory import Memory
from erstwhile.log.model import Message, NewMessage

KIND = "langchain"
_ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
_PLAIN = {"user": HumanMessage, "assistant": AIMessage, "system": SystemMessage}


class ErstwhileChatHistory(BaseChatMessageHistory):
    """The history of a channel, with messages of others in it. With an async memory use the async
    methods (`ainvoke`), with a blocking one either."""

    def __init__(
        self,
        memory: Memory | SyncMemory,
        channel: str,
        *,
        space: str | None = None,
        person: str | None = None,
    ) -> None:
        self._chat = memory.channel(channel, space)
        self._items: ItemList[BaseMessage] = ItemList(self._chat, _message)
        self._person = person

    if TYPE_CHECKING:
        messages: list[BaseMessage]
    else:

        @property
        def messages(self) -> list[BaseMessage]:
            return run_blocking(self._chat, self._items.newest)

    async def aget_messages(self) -> list[BaseMessage]:
        return await run_either(self._chat, self._items.newest)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        run_blocking(self._chat, lambda: self._items.add([self._new(each) for each in messages]))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        await run_either(
            self._chat, lambda: self._items.add([self._new(each) for each in messages])
        )

    def clear(self) -> None:
        run_blocking(self._chat, self._items.clear)

    async def aclear(self) -> None:
        await run_either(self._chat, self._items.clear)

    def _new(self, message: BaseMessage) -> NewMessage:
        role = _ROLES.get(message.type, "assistant")
        calls = getattr(message, "tool_calls", None) or ()
        called = (f"[{call['name']}({json.dumps(call['args'])})]" for call in calls)
        said = "\n".join([str(message.text), *called])
        text = storable_text(said.strip(), f"[{message.type}]")
        person = self._person if role == "user" else None
        meta = {KIND: json.dumps(message_to_dict(message))}
        return NewMessage(role, text, person=person, meta=meta)


def _message(message: Message) -> BaseMessage | None:
    kept = message.meta.get(KIND)
    if kept is not None:
        return messages_from_dict([json.loads(kept)])[0]
    plain = _PLAIN.get(message.role)
    return None if plain is None else plain(content=message.text, name=message.name)
