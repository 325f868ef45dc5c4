from __future__ import annotations

from erstwhile.base.records import dataclass
from erstwhile.memories import kinds
from erstwhile.memories.kinds import Kind

KIND = kinds.register(Kind("brief", "Brief", "briefs", direct=10, colour="note", by_hand=False))


@dataclass(frozen=True, slots=True)
class Brief:
    """The brief of a channel: a model's text up to `cursor`, and a draft up to `draft_cursor`. The
    draft is what the extractive writer wrote while there was no model."""

    id: str
    channel: str
    text: str
    cursor: int
    draft_text: str
    draft_cursor: int
    writer: str
    folded: int

    @property
    def draft(self) -> bool:
        return self.draft_cursor > self.cursor

    @property
    def shown(self) -> str:
        return self.draft_text if self.draft else self.text

    @property
    def covers(self) -> int:
        """The last message that the shown text covers."""
        return max(self.cursor, self.draft_cursor)
