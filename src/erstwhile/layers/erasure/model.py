from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass

KINDS: Final = ("person", "channel", "message", "source")
BY: Final = "erasure"  # stands in place of a person's id as the author of the change


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased. `counts`: rows deleted or to be made again, by kind. `checked`: nothing was
    found afterwards. `digest` covers the rest and is on record; the record names nobody."""

    id: str
    at: datetime
    what: dict[str, str]
    counts: dict[str, int]
    checked: bool
    digest: str


@dataclass(frozen=True, slots=True)
class Erased:
    """An erasure on record, which names nobody. `kind`: person, channel, …; `subject`: its name,
    hashed with the space's secret; `by`: who did it; `digest`: that of the receipt."""

    id: str
    at: datetime
    kind: str
    subject: str
    counts: dict[str, int]
    checked: bool
    digest: str
    by: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What to erase: one of these. A `source` is named in the meta of messages."""

    person: str | None = None
    channel: str | None = None
    message: str | None = None
    source: str | None = None

    @property
    def kind(self) -> str:
        return next((kind for kind in KINDS if getattr(self, kind) is not None), "message")

    @property
    def name(self) -> str:
        return getattr(self, self.kind) or ""

    @property
    def single(self) -> bool:
        """Whether only single messages are erased."""
        return self.person is None and self.channel is None and self.source is None

    @property
    def hand(self) -> str | None:
        """The writer of memories that the person wrote by hand."""
        return None if self.person is None else f"hand:{self.person}"


def alone(*others: str | None) -> None:
    """Refuse `everything` together with anything else."""
    if any(each is not None for each in others):
        raise InvalidInput(
            "`everything` is the whole space: leave out what else is named, or leave out `everything`."
        )


def digest(id: str, at: datetime, subject: str, counts: Mapping[str, Any]) -> str:
    """Return a receipt's digest. `subject` is the keyed hash, so the record alone verifies it."""
    told = [id, at.isoformat(), subject, dict(sorted(counts.items()))]
    return hashlib.sha256(json.dumps(told, separators=(",", ":")).encode()).hexdigest()
