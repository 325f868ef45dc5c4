"""How fast a backfill may call models."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

PACE: Final = "backfill"
GAP: Final = timedelta(milliseconds=500)  # between model calls, to leave room for other work
