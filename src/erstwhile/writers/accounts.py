"""The providers of models: where they are, which key and which package a model of theirs needs, and how long they keep
a prompt in their cache."""

from __future__ import annotations

import os
from importlib.util import find_spec
from urllib.parse import urlsplit

OPENAI = frozenset({"openai", "openai-chat", "openai-responses"})
KEY_VARIABLES = {
    **dict.fromkeys(OPENAI, ("OPENAI_API_KEY",)),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
HOMES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai",
}
EXTRAS = {
    **dict.fromkeys((*OPENAI, "openai-compatible"), "erstwhile[openai]"),
    "anthropic": "erstwhile[anthropic]",
    "google": "erstwhile[google]",
}


def missing_package(provider: str) -> str:
    """Return what to install to call models of a provider, "" if any can be called."""
    missing = EXTRAS.get(provider, f"pydantic-ai-slim[{provider}]")
    return "" if find_spec("pydantic_ai") else missing


def account(model: str) -> str:
    """Return the provider whose key a model uses."""
    provider = model.partition(":")[0]
    return "openai" if provider in OPENAI else provider


def is_own_server(model: str, base_url: str | None) -> bool:
    """Return whether a model may be on any server: slow, and without some of what OpenAI's can
    do."""
    provider = model.partition(":")[0]
    if provider == "openai-compatible":
        return True
    host = urlsplit(base_url or HOMES["openai"]).hostname or ""
    return provider in OPENAI and not f".{host}".endswith(".openai.com")


def key_variable(provider: str) -> str:
    return KEY_VARIABLES.get(provider, (f"{provider.upper().replace('-', '_')}_API_KEY",))[0]


def key_found(provider: str) -> bool:
    """Return whether the environment has the provider's usual key; unknown providers may need
    none."""
    variables = KEY_VARIABLES.get(provider, ())
    return not variables or any(map(os.environ.get, variables))


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
