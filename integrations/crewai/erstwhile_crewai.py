"""Memory for crews: `Crew(…, memory=ErstwhileMemory(memory, "support-crew"))`.

It stands in for CrewAI's own memory, which needs a model and a vector store for each save and each recall. Here both are
the work of erstwhile, which also keeps what was said and where each memory came from.
"""

from __future__ import annotations

from typing import Any

from crewai.memory.types import MemoryMatch, MemoryRecord
from crewai.memory.unified_memory import Memory
from pydantic import PrivateAttr

_MOST_SCORE = 1.0


class ErstwhileMemory(Memory):
    """A channel of a blocking memory (`erstwhile.open_sync` or `connect_sync`)."""

    _memory: Any = PrivateAttr()
    _chat: Any = PrivateAttr()
    _space: str | None = PrivateAttr()

    def __init__(self, memory: Any, channel: str = "crew", *, space: str | None = None, **given: Any) -> None:
        super().__init__(storage=object(), **given)  # the vector store of CrewAI is not opened
        self._memory, self._chat, self._space = memory, memory.channel(channel, space), space

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> ErstwhileMemory:
        """A copy of a crew shares its memory."""
        return self

    def extract_memories(self, content: str) -> list[str]:
        """Leave it to erstwhile to find what is worth remembering."""
        return [content]

    def remember(
        self, content: str, *_: Any, metadata: dict[str, Any] | None = None, agent_role: str | None = None, **__: Any
    ) -> MemoryRecord | None:
        records = self.remember_many([content], metadata=metadata, agent_role=agent_role)
        return records[0] if records else None

    def remember_many(
        self,
        contents: list[str],
        *_: Any,
        metadata: dict[str, Any] | None = None,
        agent_role: str | None = None,
        **__: Any,
    ) -> list[MemoryRecord]:
        if self.read_only:
            return []
        meta = {"crewai": {"agent": agent_role, **(metadata or {})}}
        said = [self._chat.add("assistant", text, name=agent_role, meta=meta) for text in contents if text.strip()]
        return [MemoryRecord(id=each.id, content=each.text, created_at=each.at) for each in said]

    def recall(self, query: str, *_: Any, limit: int = 10, **__: Any) -> list[MemoryMatch]:
        """Return messages and memories, best first."""
        hits = self._memory.search(query, space=self._space, limit=limit)
        return [
            MemoryMatch(
                record=MemoryRecord(id=hit.id, content=hit.text, categories=[hit.kind], created_at=hit.at),
                score=min(_MOST_SCORE, hit.score),
            )
            for hit in hits
        ]

    def reset(self, scope: str | None = None) -> None:  # noqa: ARG002
        """Erase the channel, with everything made from it."""
        self._memory.erase(space=self._space, channel=self._chat.channel)

    def reset_all(self) -> None:
        self.reset()

    def drain_writes(self) -> None:
        """Nothing waits: a message is on disk when `remember` returns."""

    async def aextract_memories(self, content: str) -> list[str]:
        return self.extract_memories(content)
