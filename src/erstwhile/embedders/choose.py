"""Choose the embedder of the settings, and import no other. Only wiring calls this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from erstwhile.base.errors import SettingsError
from erstwhile.base.settings import Settings
from erstwhile.embedders.port import Embedder

if TYPE_CHECKING:
    from erstwhile.embedders.openai import EmbeddingEndpoint

_NAMES = "auto, none, vectors, minilm, use, fastembed[:MODEL], openai[:MODEL] or openai-compatible:MODEL"


def choose(settings: Settings) -> Embedder | None:
    """Return None for `none`. Loads no model and makes no call."""
    name, colon, model = settings.embedder.strip().partition(":")
    if colon and (not model or name not in ("fastembed", "openai", "openai-compatible")):
        raise _unknown(settings.embedder)
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
            endpoint = _openai(settings, model) if name == "openai" else _compatible(settings, model)
            return openai.OpenAIEmbedder(endpoint)
    raise _unknown(settings.embedder)


def _openai(settings: Settings, model: str) -> EmbeddingEndpoint:
    """Use the language model's address and key too, unless they belong to another provider."""
    from erstwhile.embedders import openai

    provider = settings.chosen_model.partition(":")[0]
    shared = provider in ("extractive", "openai", "openai-chat", "openai-responses")
    url = settings.embedder_url or (settings.base_url if shared else "")
    key = settings.embedder_key.get_secret_value() or (settings.api_key.get_secret_value() if shared else "")
    return openai.EmbeddingEndpoint("openai", model or openai.DEFAULT, url, key, settings.model_timeout_seconds)


def _compatible(settings: Settings, model: str) -> EmbeddingEndpoint:
    from erstwhile.embedders import openai

    url = settings.embedder_url or settings.base_url
    if not model or not url:
        raise SettingsError(
            "The embedder openai-compatible needs a model and an address: openai-compatible:MODEL, and embedder_url or "
            "base_url, for example http://localhost:11434/v1."
        )
    same_server = url == settings.base_url
    key = settings.embedder_key.get_secret_value() or (settings.api_key.get_secret_value() if same_server else "")
    return openai.EmbeddingEndpoint(
        "openai-compatible", model, url, key, settings.model_timeout_seconds, openai.COMPATIBLE
    )


def _demand(installed: bool, name: str, package: str) -> None:
    if not installed:
        raise SettingsError(f"The embedder {name} is not installed: pip install '{package}'.")


def _unknown(name: str) -> SettingsError:
    return SettingsError(f"There is no embedder {name!r}: use {_NAMES}.")
