from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Final

from erstwhile.base import records
from erstwhile.base.records import dataclass
from erstwhile.storage import Row
from erstwhile.storage.checksums import memory_checksum

UNVERIFIED = "unverified"  # in `data`: written in another script than its messages, so that no word can be compared
ERASURE: Final = "erasure"  # stands in place of a person's id as the author of a change
HIDDEN = "hidden"  # in `data`: another memory says it, or it no longer holds


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemory:
    """A row of the table. `channel` is "" for the whole space. `first_seq` to `last_seq` are its
    messages, `seq` the one it comes from most. A memory that a person added has an empty range
    (`last_seq` before `first_seq`). A deleted memory keeps its last text. `restates`: the earlier
    memory that says the same. `trust`: its tier, None until it is stored."""

    id: str
    kind: str
    text: str
    writer: str
    at: datetime
    created_at: datetime
    channel: str = ""
    person: str | None = None
    first_seq: int | None = None
    last_seq: int | None = None
    seq: int | None = None
    position: int = 0
    category: str = ""
    importance: int = 0
    said_by: str | None = None
    trust: int | None = None
    title: str = ""
    draft: bool = False
    stale: bool = False
    from_at: datetime | None = None
    to_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    restates: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    edited_at: datetime | None = None
    edited_by: str | None = None
    deleted_at: datetime | None = None
    deleted_by: str | None = None

    @property
    def range(self) -> tuple[str, int, int]:
        """Its channel, first and last message; an empty range if it has none."""
        return self.channel, self.first_seq or 1, self.last_seq or 0

    @property
    def titled(self) -> str:
        """What it says, under its title where it has one."""
        return " — ".join(filter(None, (self.title, self.text)))

    @property
    def unverified(self) -> bool:
        """Whether nobody could check it yet."""
        return bool(self.data.get(UNVERIFIED)) and self.edited_at is None

    @property
    def found(self) -> bool:
        """Whether a search finds it: not a place without words, nor what its layer has hidden."""
        return bool(self.text) and not self.data.get(HIDDEN)


def to_row(memory: StoredMemory) -> dict[str, Any]:
    data = json.dumps(memory.data, ensure_ascii=False) if memory.data else ""
    row = records.to_row(memory, data=data)
    return {**row, "checksum": memory_checksum(row)}


def from_row(row: Row) -> StoredMemory:
    return records.from_row(StoredMemory, row, data=json.loads(row["data"]) if row["data"] else {})
