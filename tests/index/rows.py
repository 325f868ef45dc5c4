"""Rows as the feed brings them, without a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MINUTE = 60_000_000


def row(doc: int, terms: Sequence[str], **more: Any) -> dict[str, Any]:
    return {
        "what": 0,
        "doc": doc,
        "kind": "message",
        "channel": "chat",
        "person": None,
        "writer": None,
        "at": doc * MINUTE,
        "seq": doc,
        "until": more.get("seq", doc),
        "traits": 0,
        "terms": " ".join(terms),
        "vector": None,
        **more,
    }
