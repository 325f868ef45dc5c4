from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from erstwhile.base.errors import InvalidInput

KINDS: Final = ("person", "channel", "message", "source")
BY: Final = "erasure"  # who took the words away, where someone's id would stand


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased: `what` names it, `counts` says how many rows of each kind are gone or wait to be made again without it, `checked`
    that nothing of it was found afterwards. `digest` is of the rest, and on record; the record itself names nobody."""

    id: str
    at: datetime
    what: dict[str, str]
    counts: dict[str, int]
    checked: bool
    digest: str


@dataclass(frozen=True, slots=True)
class Erased:
    """An erasure as it is on record, which names nobody: `kind` says whether it was a person, a channel, …, `subject` is who or what it
    was, hashed under the space's secret, `by` who did it. `digest` is that of the receipt."""

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
    """Whom or what to erase: one of these. A `source` is what messages name in their meta, such as an import's file."""

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
        """Messages of which nothing is told but themselves."""
        return self.person is None and self.channel is None and self.source is None

    @property
    def hand(self) -> str | None:
        """As which a person's own words are signed where they stand for told ones."""
        return None if self.person is None else f"hand:{self.person}"


def alone(*others: str | None) -> None:
    """Everything is not everything of someone."""
    if any(each is not None for each in others):
        raise InvalidInput("`everything` is the whole space: leave out what else is named, or leave out `everything`.")


def digest(id: str, at: datetime, subject: str, counts: Mapping[str, Any]) -> str:
    """Of what the receipt says; `subject` is the keyed hash, so that the digest of a record can be made again from the record alone."""
    told = [id, at.isoformat(), subject, dict(sorted(counts.items()))]
    return hashlib.sha256(json.dumps(told, separators=(",", ":")).encode()).hexdigest()
