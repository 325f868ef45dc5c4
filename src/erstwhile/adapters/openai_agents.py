"""OpenAI Agents SDK: a session whose items are messages of a channel.

session = ErstwhileSession("support-42", memory, person="alice")
await Runner.run(agent, "Where do I live now?", session=session)
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from agents.memory.session_settings import SessionSettings, resolve_session_limit

from erstwhile.adapters.items import ItemList, run_either, storable_text
from erstwhile.api.blocking import SyncMemory
from erstwhile.api.memory import Memory
from erstwhile.log.model import Message, NewMessage

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

KIND = "openai-agents"
_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class ErstwhileSession:
    """The SDK's `Session`. Messages of others are plain messages; `person` is the user."""

    def __init__(
        self,
        session_id: str,
        memory: Memory | SyncMemory,
        *,
        space: str | None = None,
        person: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = session_settings or SessionSettings()
        self._chat = memory.channel(session_id, space)
        self._items: ItemList[TResponseInputItem] = ItemList(self._chat, _item)
        self._person = person

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the latest `limit` items, oldest first. A negative limit means all."""
        most = resolve_session_limit(limit, self.session_settings)
        return await run_either(
            self._chat, lambda: self._items.newest(None if most is None or most < 0 else most)
        )

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        if items:
            new = [_message(cast("dict[str, Any]", item), self._person) for item in items]
            await run_either(self._chat, lambda: self._items.add(new))

    async def pop_item(self) -> TResponseInputItem | None:
        return await run_either(self._chat, self._items.pop)

    async def clear_session(self) -> None:
        await run_either(self._chat, self._items.clear)


def _message(item: dict[str, Any], person: str | None) -> NewMessage:
    kind = str(item.get("type", "message"))
    role = _ROLES.get(
        str(item.get("role", "")), "tool" if kind.endswith("_output") else "assistant"
    )
    # As text, because JSON escapes what a database cannot store.
    meta = {KIND: json.dumps(item)}
    return NewMessage(
        role, storable_text(_text(item), f"[{kind}]"), person=person if role == "user" else None, meta=meta
    )  # fmt: skip


def _text(item: dict[str, Any]) -> str:
    if item.get("type") == "function_call":
        return f"[{item.get('name')}({item.get('arguments')})]"
    said = item.get("content") or item.get("output") or ""
    if isinstance(said, str):
        return said
    parts = [part.get("text") or part.get("refusal") for part in said if isinstance(part, dict)]
    return "\n".join(each for each in parts if isinstance(each, str))


def _item(message: Message) -> TResponseInputItem | None:
    kept = message.meta.get(KIND)
    if kept is not None:
        return cast("TResponseInputItem", json.loads(kept))
    if message.role == "tool":
        return None
    return cast("TResponseInputItem", {"role": message.role, "content": message.text})
