"""Choose the embedder of the settings, and import no other. Only wiring calls this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from erstwhile.base.errors import SettingsError
from erstwhile.base.settings import Settings
from erstwhile.embedders.port import Embedder

if TYPE_CHECKING:
    from erstwhile.embedders.openai import EmbeddingEndpoint

_NAMES = "auto, none, vectors, minilm, use, fastembed[:MODEL], openai[:MODEL]"


def choose(settings: Settings) -> Embedder | None:
    """Return None for `none`. Loads no model and makes no call."""
    name, colon, model = settings.embedder.strip().partition(":")
    if colon and (not model or name not in ("fastembed", "openai", "openai-compatible")):
        name = ""
    match name:
        case "none":
            return None
        case "auto" | "vectors":
            from erstwhile.embedders.vectors import OwnVectors

            return OwnVectors()
        case "minilm":
            from erstwhile.embedders import minilm

            _demand(minilm.installed(), name, "erstwhile[minilm]")
            return minilm.MiniLMEmbedder()
        case "use":
            from erstwhile.embedders import use

            _demand(use.installed(), name, "erstwhile[use]")
            return use.USEEmbedder()
        case "fastembed":
            from erstwhile.embedders import fastembed

            _demand(fastembed.installed(), name, "erstwhile[fastembed]")
            return fastembed.FastEmbedder(model)
        case "openai" | "openai-compatible":
            from erstwhile.embedders import openai

            _demand(openai.installed(), name, "erstwhile[openai]")
            return openai.OpenAIEmbedder(_endpoint(settings, name, model))
    raise SettingsError(
        f"There is no embedder {settings.embedder!r}: use {_NAMES} or openai-compatible:MODEL."
    )


def _endpoint(settings: Settings, name: str, model: str) -> EmbeddingEndpoint:
    """OpenAI's uses the language model's address and key too, unless they belong to another
    provider; another server's only the key, and only if it is the same server."""
    from erstwhile.embedders import openai

    ours = name == "openai"
    provider = settings.chosen_model.partition(":")[0]
    shared = provider in ("extractive", "openai", "openai-chat", "openai-responses")
    url = settings.embedder_url or (settings.base_url if shared or not ours else "")
    if not ours and not (model and url):
        raise SettingsError(
            "The embedder openai-compatible needs a model and an address: openai-compatible:MODEL, and embedder_url or "
            "base_url, for example http://localhost:11434/v1."
        )
    same = shared if ours else url == settings.base_url
    theirs = settings.api_key.get_secret_value() if same else ""
    key = settings.embedder_key.get_secret_value() or theirs
    more = settings.model_timeout_seconds, openai.OPENAI if ours else openai.COMPATIBLE
    return openai.EmbeddingEndpoint(name, model or openai.DEFAULT, url, key, *more)


def _demand(installed: bool, name: str, package: str) -> None:
    if not installed:
        raise SettingsError(f"The embedder {name} is not installed: pip install '{package}'.")
