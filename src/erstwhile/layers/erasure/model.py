from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass


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
class ErasureRecord:
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
