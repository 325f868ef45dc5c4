"""Settings: what is passed in code or on the command line, else `ERSTWHILE_…` in the environment,
else `erstwhile.toml`, else the default.

Each setting is described once, here; `erstwhile config show` prints them with where each value came
from.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import SettingsError as NotJson

from erstwhile.base.errors import SettingsError
from erstwhile.base.setting_groups import (
    BriefSettings,
    DaySettings,
    JobSettings,
    KeepSettings,
    LimitSettings,
    NoteSettings,
    PromptCacheSettings,
    SettingGroup,
)

# The default model for each provider whose usual key is in the environment.
_DEFAULT_MODELS = {
    "OPENAI_API_KEY": "openai:gpt-5-nano",
    "ANTHROPIC_API_KEY": "anthropic:claude-haiku-4-5",
    "GEMINI_API_KEY": "google:gemini-2.5-flash-lite",
    "GOOGLE_API_KEY": "google:gemini-2.5-flash-lite",
}


# Aliases (requirement B9): variables of other programs with a rolling summary, and the values in
# `brief`.
_OTHER_NAMES = {
    "MEMORY_K_RAW_TURNS": "turns",
    "MEMORY_SUMMARY_TOKEN_CAP": "cap",
    "MEMORY_PROMPT_TOKEN_BUDGET": "budget",
    "MEMORY_CHUNK_SUMMARIZE_THRESHOLD": "threshold",
}


# The kinds of memory that can be kept for a number of days. A layer adds its own (`memories.kinds.register`).
RETAINED = ["message", "day", "note", "topic", "told", "profile"]


# Tasks that can have their own model: every prompt of a layer, by its file name.
TASKS = (
    *("summarise", "condense", "extract", "fold", "structure"),
    *("remember", "forget", "gather", "route", "day", "week", "portray", "note", "cluster", "consolidate"),
)


def check_retention(days: Mapping[str, float]) -> None:
    """Raise ValueError if a retention is invalid."""
    for kind, each in days.items():
        if kind not in RETAINED:
            raise ValueError(f"there is no retention for {kind!r}, only for {', '.join(RETAINED)}")
        if not (isfinite(each) and each > 0):
            raise ValueError(f"{kind} must be kept for more than 0 days; leave it out to keep it for good")


class _OtherNames(PydanticBaseSettingsSource):
    def get_field_value(self, field: object, field_name: str) -> tuple[object, str, bool]:
        del field
        return self().get(field_name), field_name, False

    def __call__(self) -> dict[str, object]:
        brief = {ours: os.environ[name] for name, ours in _OTHER_NAMES.items() if os.environ.get(name)}
        prompt, version = os.environ.get("PROMPT_ID_SUMMARY_GLOBAL"), os.environ.get("PROMPT_VERSION_SUMMARY_GLOBAL")
        if prompt:
            brief["prompt"] = f"{prompt}@{version}" if version else prompt
        found: dict[str, object] = {"brief": brief} if brief else {}
        model = os.environ.get("MEMORY_SUMMARIZER_MODEL")
        if model:
            found["models"] = {"fold": model if ":" in model else f"openai:{model}"}
        return found


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="ERSTWHILE_",
        env_nested_delimiter="__",
        toml_file="erstwhile.toml",
        extra="ignore",
        frozen=True,
        env_ignore_empty=True,
    )

    _given: dict[str, object] = PrivateAttr(default_factory=dict)

    database: str = Field("erstwhile.db", description="A path, sqlite:///path, or postgresql://user@host/name.")
    space: str = Field("default", description="The space used when none is named.")
    recipe: Literal["dual", "brief", "recall", "person", "community", "full"] = Field(
        "full", description="What a context is made of when no recipe is named."
    )
    budget: int = Field(2000, ge=100, description="Tokens of a context when no budget is named.")
    recent_messages: int = Field(
        20, ge=1, description="At most this many of the latest messages go into a context verbatim."
    )

    model: str = Field(
        "",
        description="provider:name for language work, or 'extractive'. Empty: by the provider key found, else extractive.",
    )
    model_strong: str = Field("", description="The model for the few demanding steps. Empty: the same as model.")
    models: dict[str, str] = Field(
        default_factory=dict, description=f"A model for one task, by the task's name: {', '.join(TASKS)}."
    )
    chat_model: str = Field(
        "", description="The model that answers in `ask` and `erstwhile chat`. Empty: the same as model."
    )
    base_url: str = Field(
        "", description="Where an openai-compatible server listens, for example http://localhost:11434/v1."
    )
    api_key: SecretStr = Field(SecretStr(""), description="The provider's key. Empty: the provider's usual variable.")
    secret_key: SecretStr = Field(
        SecretStr(""),
        description="Encrypts the spaces' API keys; `erstwhile config secret` makes one. Several, comma-separated: the first encrypts.",
    )
    embedder: str = Field(
        "auto",
        description="What makes vectors: wordllama, minilm, use, fastembed[:MODEL], openai[:MODEL], openai-compatible:MODEL or none. "
        "auto: wordllama if it is installed.",
    )
    embedder_url: str = Field("", description="Where the server with /embeddings listens. Empty: the same as base_url.")
    embedder_key: SecretStr = Field(
        SecretStr(""), description="That server's key. Empty: api_key, else the provider's usual variable."
    )
    embed: Literal["auto", "derived", "all"] = Field(
        "auto",
        description="What gets a vector: all, or only what is derived. auto: all if the embedder is local and takes no time.",
    )
    model_timeout_seconds: float = Field(60, gt=0, description="One model call may take this long in all.")
    prompt_cache: PromptCacheSettings = Field(PromptCacheSettings(), description="Caching of prompts by the provider.")

    chunk_size: int = Field(10, ge=2, le=200, description="Messages in a chunk.")
    meta_size: int = Field(10, ge=2, le=100, description="Summaries that make the next level's summary.")
    brief: BriefSettings = Field(BriefSettings(), description="The rolling summary of a channel.")
    timezone: str = Field("UTC", description="Where a day begins and ends, for example Asia/Seoul.")
    notes: NoteSettings = Field(NoteSettings(), description="Conversation notes and their topics.")
    days: DaySettings = Field(DaySettings(), description="What a person did, by day.")
    profiles_beside: int = Field(
        3,
        ge=0,
        description="Profiles shown of people who were mentioned, and as many again of people found through notes.",
    )

    privacy: Literal["strict", "open"] = Field(
        "strict",
        description="strict: content of private and direct channels is not visible in others. open: it is, within the space.",
    )
    spaces: Annotated[list[str], NoDecode] = Field(
        default_factory=list,
        description="The spaces that are remembered and recalled, comma-separated or as a JSON list; none named: all of them.",
    )
    retention: dict[str, float] = Field(
        default_factory=dict,
        description="Days that a kind of memory is kept: message, day, note, topic, told, profile. What is not named is kept.",
    )
    limits: LimitSettings = Field(LimitSettings(), description="What is refused as too large or too much.")

    host: str = Field(
        "127.0.0.1", description="Where the server listens. Other than loopback only once there is a key."
    )
    port: int = Field(8765, ge=0, le=65535, description="The server's port. 0: any that is free.")
    hosts: Annotated[list[str], NoDecode] = Field(
        default_factory=list,
        description="Names the server answers to besides localhost and its own address, comma-separated.",
    )
    origins: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="Web pages that may call the server from a browser (CORS), comma-separated."
    )
    memory_seconds: float = Field(
        2.0, gt=0, description="A chat through the server waits this long for its memory, then goes on without."
    )
    keep_days: KeepSettings = Field(KeepSettings(), description="How long records are kept.")

    worker: bool = Field(True, description="The library also runs due jobs in the background.")
    jobs: JobSettings = Field(JobSettings(), description="How a worker runs jobs.")
    retry_base_seconds: float = Field(
        2.0, gt=0, description="Wait before the first retry; it doubles, up to 1,800 times this."
    )

    index_memory: int = Field(1024, ge=16, description="Megabytes that the search indexes of one process may take.")

    pool: int = Field(10, ge=2, description="Postgres: connections per process.")

    @field_validator("spaces", "hosts", "origins", mode="before")
    @classmethod
    def _listed(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        if given.lstrip().startswith("["):
            try:
                return json.loads(given)
            except ValueError:
                raise ValueError('write a,b or ["a", "b"]') from None
        return [each.strip() for each in given.split(",") if each.strip()]

    @field_validator("origins")
    @classmethod
    def _named(cls, origins: list[str]) -> list[str]:
        if "*" in origins:
            raise ValueError("with * any page that someone looks at could read what is here; name the pages")
        return origins

    @field_validator("models")
    @classmethod
    def _models(cls, models: dict[str, str]) -> dict[str, str]:
        unknown = next((task for task in models if task not in TASKS), None)
        if unknown is not None:
            raise ValueError(f"there is no task {unknown!r}")
        return models

    @field_validator("retention")
    @classmethod
    def _retention(cls, days: dict[str, float]) -> dict[str, float]:
        check_retention(days)
        return days

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, _OtherNames(settings_cls), TomlConfigSettingsSource(settings_cls)

    @property
    def given(self) -> Mapping[str, object]:
        """The values passed in code or on the command line."""
        return self._given

    @property
    def chosen_model(self) -> str:
        """The effective model: as set, else by the provider key found, else the extractive
        writer."""
        if self.model:
            return self.model
        return next((model for key, model in _DEFAULT_MODELS.items() if os.environ.get(key)), "extractive")


def described() -> dict[str, FieldInfo]:
    """Return every setting, those of groups as `brief.cap`."""
    found: dict[str, FieldInfo] = {}
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, SettingGroup):
            found |= {f"{name}.{each}": value for each, value in type(field.default).model_fields.items()}
        else:
            found[name] = field
    return found


def variable(name: str) -> str:
    """Return the environment variable of a value: `brief.cap` is ERSTWHILE_BRIEF__CAP."""
    return f"ERSTWHILE_{name.upper().replace('.', '__')}"


def load(**given: object) -> Settings:
    """Load the settings, with `given` on top. Raises SettingsError that names the setting and what
    it accepts."""
    unknown = sorted(given.keys() - Settings.model_fields.keys())
    if unknown:
        raise SettingsError(f"There is no setting {unknown[0]!r}. `erstwhile config show` lists them all.")
    try:
        chosen = {name: value for name, value in given.items() if value is not None}
        made = Settings(**chosen)  # type: ignore[arg-type]
        made._given = chosen
        return made
    except NotJson as wrong:
        found = re.search(r'field "(\w+)"', str(wrong))
        raise SettingsError(f"Wrong settings. {_json_wanted(found[1]) if found else wrong}") from None
    except ValidationError as wrong:
        lines = [
            f"{'.'.join(str(part) for part in error['loc'])}: {error['msg']} ({_describe(*error['loc'])})"
            for error in wrong.errors(include_input=False, include_url=False)
        ]
        raise SettingsError("Wrong settings. " + "; ".join(lines)) from None


_EXAMPLES = {"models": '{"extract": "openai:gpt-5-mini"}', "retention": '{"message": 90}'}


def _json_wanted(name: str) -> str:
    example = f", for example {_EXAMPLES[name]}" if name in _EXAMPLES else ""
    return f"{name}: ERSTWHILE_{name.upper()} must be JSON{example} ({_describe(name)})"


def _describe(name: object, key: object = None, *rest: object) -> str:
    del rest
    field = described().get(f"{name}.{key}") or Settings.model_fields.get(str(name))
    return field.description or str(name) if field else f"there is no setting {name}"
