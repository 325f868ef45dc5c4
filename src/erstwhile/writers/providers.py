"""Which model does which step, and how to call it. pydantic-ai is imported with the first model.

Calls are not retried here, because jobs are.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING, Any

from erstwhile.base.errors import SettingsError
from erstwhile.base.records import dataclass
from erstwhile.base.tls import trusted
from erstwhile.writers.accounts import (
    EXTRAS,
    HOMES,
    KEY_VARIABLES,
    OPENAI,
    account,
    cache_retention,
    is_own_server,
    key_variable,
)
from erstwhile.writers.calls import ModelTraits
from erstwhile.writers.prompt import Prompt

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

OUTPUT_TOKENS = 1024
# A model that always reasons spends output tokens on it first.
_REASONING_TOKENS = 3072
_CONNECT_SECONDS = 5.0
_NAME = "memories"  # of every schema
_LIMITS = frozenset({"maxLength", "maxItems", "minimum", "maximum"})
_SILENCE_SECONDS = 3600.0  # whoever calls gives up before

_RETRIES_OFF = OPENAI | {"openai-compatible", "anthropic"}  # by the clients built here


def preload() -> None:
    """Import what the first call needs, which takes a second or two. If it is not installed, the
    call says so."""
    with suppress(ImportError):
        import pydantic_ai.direct
        import pydantic_ai.models.openai  # noqa: F401


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Model names are `provider:name`; `per_task` has a model for single prompts, by name."""

    light: str
    strong: str
    per_task: Mapping[str, str] = field(default_factory=dict)
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60
    cache: bool = True
    cache_min_tokens: int = 1024
    cache_retention: str = "24h"
    hosted_fold: str = ""

    def model_for(self, prompt: Prompt) -> str:
        usual = self.strong if prompt.role == "strong" else self.light
        return self.per_task.get(prompt.name) or usual

    def providers(self) -> set[str]:
        named = (self.light, self.strong, *self.per_task.values())
        return {account(name) for name in named if name}


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """The address of a model, for callers that use its provider's protocol directly; `wait` is the
    longest silence, in seconds."""

    provider: str
    model: str
    url: str
    key: str = field(repr=False)
    wait: float = 60
    cache_from: int | None = None  # tokens from which to request caching

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class ReadyModel:
    """A model that is ready to be called."""

    provider: str
    name: str
    model: Model
    own_server: bool = False

    def settings(self, choice: ModelChoice, *, cache_key: str, tokens: int) -> ModelSettings:
        profile: Mapping[str, Any] = self.model.profile
        settings: dict[str, Any] = {"max_tokens": OUTPUT_TOKENS}
        retries = "max_retries" not in self.model.unsupported_settings
        if self.provider not in _RETRIES_OFF and retries:
            settings["max_retries"] = 0
        if profile.get("supports_thinking"):
            # Reasoning off, or as little as the model accepts: pydantic-ai knows which.
            settings["thinking"] = False
        if not self._rejects_temperature(profile):
            settings["temperature"] = 0.0
        efforts = profile.get("openai_reasoning_efforts", ())
        if profile.get("thinking_always_enabled") and "minimal" not in efforts:
            settings["max_tokens"] = OUTPUT_TOKENS + _REASONING_TOKENS
        if self.provider == "openai-responses":
            settings["openai_store"] = False  # otherwise that API keeps conversations for 30 days
        if choice.cache and tokens >= choice.cache_min_tokens:
            settings |= self._caching(profile, choice.cache_retention, cache_key)
        return settings  # type: ignore[return-value]

    def body(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the part of a request that asks a server of one's own for this schema. pydantic-ai
        makes descriptions of its limits, which bind no server."""
        if not self.model.profile.get("supports_json_schema_output"):
            return {}
        # Behind an `openai` model with a base_url may be a gateway to OpenAI, which knows no limits.
        ours = self.provider == "openai-compatible"
        given = schema if ours else _without_limits(schema)
        named = {"name": _NAME, "schema": given, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": named}}

    def shape(self, schema: dict[str, Any] | None) -> ModelRequestParameters | None:
        """Return the answer's schema if the model supports one; else the prompt describes it."""
        if schema is None or not self.model.profile.get("supports_json_schema_output"):
            return None
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition

        loose = _without_limits(schema)
        wanted = OutputObjectDefinition(json_schema=loose, name=_NAME, strict=True)
        return ModelRequestParameters(output_mode="native", output_object=wanted)

    def _rejects_temperature(self, profile: Mapping[str, Any]) -> bool:
        """Return whether to leave the temperature out; pydantic-ai would do so with a warning on
        every call."""
        if profile.get("anthropic_disallows_sampling_settings"):
            return True
        theirs = profile.get("openai_supports_reasoning") or self.provider == "anthropic"
        return bool(theirs and profile.get("thinking_always_enabled"))

    def _caching(self, profile: Mapping[str, Any], wanted: str, cache_key: str) -> dict[str, Any]:
        if self.provider == "anthropic":
            return {"anthropic_cache_instructions": True, "anthropic_cache_messages": True}
        if self.provider not in OPENAI or not cache_key:
            return {}
        settings: dict[str, Any] = {"openai_prompt_cache_key": cache_key}
        # From GPT-5.6 on retention cannot be chosen.
        if not profile.get("openai_supports_prompt_cache_breakpoints"):
            retention = cache_retention(self.name, wanted)
            settings |= {"openai_prompt_cache_retention": retention} if retention else {}
        return settings


def _without_limits(schema: Any) -> Any:
    """Return a schema without lengths and ranges, which some providers refuse in strict mode."""
    if isinstance(schema, dict):
        return {name: _without_limits(each) for name, each in schema.items() if name not in _LIMITS}
    return [_without_limits(each) for each in schema] if isinstance(schema, list) else schema


def address(choice: ModelChoice) -> ModelAddress:
    provider, _, model = choice.light.partition(":")
    home = choice.base_url or HOMES.get(account(choice.light))
    if not model or not home:
        raise SettingsError(
            f"A chat can't be passed on to the model {choice.light!r}. Use one of openai, anthropic or google, or openai-compatible "
            "with base_url."
        )
    key = (choice.api_key or "none") if provider not in KEY_VARIABLES else key_for(provider, choice)
    cache_from = choice.cache_min_tokens if choice.cache and provider in OPENAI else None
    home = home.rstrip("/")
    if provider == "anthropic":  # its base_url may end in /v1 or not
        home = home.removesuffix("/v1") + "/v1"
    return ModelAddress(provider, model, home, key, choice.timeout, cache_from)


def key_for(provider: str, choice: ModelChoice) -> str:
    variables = KEY_VARIABLES[provider]
    found = choice.api_key or next(filter(None, map(os.environ.get, variables)), None)
    if found:
        return found
    if choice.base_url:
        return "none"  # a local server or a gateway may need none
    how = f"set {variables[0]}, or ERSTWHILE_API_KEY"
    raise SettingsError(f"A {provider} model needs a key: {how}.")


class ModelPool:
    """Builds each model once, with one HTTP client per provider."""

    def __init__(self, choice: ModelChoice) -> None:
        self._choice = choice
        self._reached: dict[str, ReadyModel] = {}
        self._traits: dict[str, ModelTraits] = {}
        self._clients: dict[str, httpx2.AsyncClient] = {}
        self._building = asyncio.Lock()
        providers = sorted(choice.providers())
        if choice.api_key and not choice.base_url and len(providers) > 1:
            raise SettingsError(
                f"One api_key can't be for {' and '.join(providers)}: leave it empty and set "
                f"{' and '.join(map(key_variable, providers))}."
            )

    async def reach(self, name: str) -> ReadyModel:
        meant = self._choice.base_url or account(name) in self._choice.providers()
        if self._choice.api_key and not meant:
            known = " and ".join(sorted(self._choice.providers()))
            why = f"so it is not sent to {account(name)}"
            raise SettingsError(f"The api_key is for {known}, {why}.")
        if name not in self._reached:
            async with self._building:
                if name not in self._reached:
                    # The first import takes a second or two: not on the event loop.
                    self._reached[name] = await asyncio.to_thread(self._build, name)
        return self._reached[name]

    def traits(self, name: str) -> ModelTraits:
        """Return what was learnt of a model."""
        return self._traits.setdefault(name, ModelTraits(self._choice.timeout))

    async def close(self) -> None:
        clients, self._clients, self._reached = self._clients, {}, {}
        for client in clients.values():
            await client.aclose()

    def _build(self, name: str) -> ReadyModel:
        provider, _, model = name.partition(":")
        if not model:
            raise SettingsError(
                f"The model {name!r} needs its provider in front, for example openai:{name or 'gpt-5-nano'}."
            )
        builders: dict[str, Callable[[str, str], Model]] = {
            **dict.fromkeys(OPENAI, self._openai),
            "openai-compatible": self._openai_compatible,
            "anthropic": self._anthropic,
        }
        try:
            built = builders.get(provider, self._other)(provider, model)
            return ReadyModel(provider, model, built, is_own_server(name, self._choice.base_url))
        except ImportError:
            missing = EXTRAS.get(provider, f"pydantic-ai-slim[{provider}]")
        how = f'pip install "{missing}"'
        raise SettingsError(f"The model {name} needs a package that is not installed: {how}.")

    def openai_client(self, provider: str = "openai") -> AsyncOpenAI:
        return self._openai_sdk(key_for(provider, self._choice), "openai")

    def _openai_sdk(self, key: str, provider: str) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        client = self._client(provider)
        address = self._choice.base_url
        return AsyncOpenAI(api_key=key, base_url=address, http_client=client, max_retries=0)

    def _openai(self, provider: str, model: str) -> Model:
        from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
        from pydantic_ai.providers.openai import OpenAIProvider

        # Chat completions by default: proxies and gateways support it, and it stores nothing.
        kind = OpenAIResponsesModel if provider == "openai-responses" else OpenAIChatModel
        return kind(model, provider=OpenAIProvider(openai_client=self.openai_client(provider)))

    def _openai_compatible(self, provider: str, model: str) -> Model:
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.profiles.openai import OpenAIModelProfile
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        if not self._choice.base_url:
            example = "for example http://localhost:11434/v1"
            raise SettingsError(f"An openai-compatible model needs base_url, {example}.")
        # Never OPENAI_API_KEY: it is not for other servers. Many need none, but the client insists.
        client = self._openai_sdk(self._choice.api_key or "none", provider)
        # `max_tokens` is the older name, which every such server knows.
        profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
        there = OpenAICompatibleProvider(provider, openai_client=client, profile=profile)
        return OpenAIChatModel(model, provider=there)

    def _anthropic(self, provider: str, model: str) -> Model:
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        address = self._choice.base_url
        if address:  # this client adds /v1 itself; one base_url serves both clients
            address = address.rstrip("/").removesuffix("/v1")
        key, http = key_for(provider, self._choice), self._client(provider)
        client = AsyncAnthropic(api_key=key, base_url=address, http_client=http, max_retries=0)
        return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))

    def _other(self, provider: str, model: str) -> Model:
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model
        from pydantic_ai.providers import Provider, infer_provider_class

        def with_what_is_given(kind: str) -> Provider[Any]:
            made = infer_provider_class(kind)
            takes = inspect.signature(made.__init__).parameters
            offered = {"api_key": self._choice.api_key, "base_url": self._choice.base_url}
            given = {name: value for name, value in offered.items() if value and name in takes}
            if "http_client" in takes:
                given["http_client"] = self._client(kind)  # type: ignore[assignment]
            return made(**given)

        try:
            return infer_model(f"{provider}:{model}", with_what_is_given)
        except ValueError:
            wrong = f"There is no provider {provider!r}: use openai, anthropic, google or openai-compatible with base_url."
        except UserError:
            variable = key_variable(provider)
            wrong = f"The model {provider}:{model} needs a key or an address: set {variable} or ERSTWHILE_API_KEY."
        raise SettingsError(wrong)

    def _client(self, provider: str) -> httpx2.AsyncClient:
        import httpx2

        if provider not in self._clients:
            connect = min(_CONNECT_SECONDS, self._choice.timeout)

            async def connect_soon(request: httpx2.Request) -> None:
                """Some SDKs send one timeout for everything, with each request: connecting must not take that long."""
                timeout = {**request.extensions.get("timeout", {}), "connect": connect}
                request.extensions = {**request.extensions, "timeout": timeout}

            self._clients[provider] = httpx2.AsyncClient(
                timeout=httpx2.Timeout(_SILENCE_SECONDS, connect=connect),
                limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=100),
                verify=trusted(),
                event_hooks={"request": [connect_soon]},
            )
        return self._clients[provider]
