"""How long a provider keeps a prompt in its cache."""

from __future__ import annotations

# OpenAI's prompt caching guide: these can keep a cached prompt for 24 hours, their small siblings
# can't.
_A_DAY = ("gpt-4.1", "gpt-5")
_MINUTES = ("gpt-4.1-mini", "gpt-4.1-nano", "gpt-5-mini", "gpt-5-nano", "gpt-5-chat", "gpt-5-pro")
# Answers 400 to "in_memory".
_KEEPS_ONLY_A_DAY = ("gpt-5.5",)


def cache_retention(model: str, wanted: str) -> str | None:
    """Return the retention to request: a day if possible, else in memory; None if neither."""
    if model.startswith(_KEEPS_ONLY_A_DAY):
        return "24h" if wanted == "24h" else None
    if wanted == "24h" and model.startswith(_A_DAY) and not model.startswith(_MINUTES):
        return "24h"
    return "in_memory"
