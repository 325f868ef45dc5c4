"""Settings: what is passed in code or on the command line, else `ERSTWHILE_…` in the environment,
else `erstwhile.toml`, else the default.

Each setting is described once, here; `erstwhile config show` prints them with where each value came
from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib import import_module
from math import isfinite
from types import MappingProxyType
from typing import Any, Literal

from erstwhile.base.errors import SettingsError
from erstwhile.base.setting_fields import (
    Secret,
    SettingField,
    SettingGroup,
    WrongValues,
    checked,
    setting,
)
from erstwhile.base.setting_groups import (
    BriefSettings,
    DaySettings,
    JobSettings,
    KeepSettings,
    LimitSettings,
    NoteSettings,
    PromptCacheSettings,
)

FILE = "erstwhile.toml"
_PREFIX = "ERSTWHILE_"
_EXAMPLES = {"models": '{"extract": "openai:gpt-5-mini"}', "retention": '{"message": 90}'}

# The default model for each provider whose usual key is in the environment.
DEFAULT_MODELS = {
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


# The kinds of memory that can be kept for a number of days, and the tasks that can have their own model: every prompt,
# by its file name. Layers add theirs when `erstwhile.layers` is imported.
RETAINED = ["message"]
TASKS = ["decompose"]


Recipe = Literal["dual", "brief", "recall", "person", "community", "full"]


def check_retention(days: Mapping[str, float]) -> None:
    """Raise ValueError if a retention is invalid."""
    if days:
        import_module("erstwhile.layers")
    for kind, each in days.items():
        if kind not in RETAINED:
            raise ValueError(f"there is no retention for {kind!r}, only for {', '.join(RETAINED)}")
        if not (isfinite(each) and each > 0):
            why = "must be kept for more than 0 days; leave it out to keep it for good"
            raise ValueError(f"{kind} {why}")


class Settings(SettingGroup):
    _given: Mapping[str, object] = MappingProxyType({})

    database: str = setting(
        "erstwhile.db", "A path, sqlite:///path, or postgresql://user@host/name."
    )
    space: str = setting("default", "The space used when none is named.")
    recipe: Recipe = setting("full", "What a context is made of when no recipe is named.")
    budget: int = setting(2000, "Tokens of a context when no budget is named.", least=100)
    recent_messages: int = setting(
        20, "At most this many of the latest messages go into a context verbatim.", least=1
    )

    model: str = setting(
        "",
        "provider:name for language work, or 'extractive'. Empty: by the provider key found, else extractive.",
    )
    model_strong: str = setting(
        "", "The model for the few demanding steps. Empty: the same as model."
    )
    models: dict[str, str] = setting(
        {},
        "A model for one task, by the task's name: that of its prompt, such as summarise or note.",
    )
    chat_model: str = setting(
        "", "The model that answers in `ask` and `erstwhile chat`. Empty: the same as model."
    )
    base_url: str = setting(
        "", "Where an openai-compatible server listens, for example http://localhost:11434/v1."
    )
    api_key: Secret = setting(
        Secret(""), "The provider's key. Empty: the provider's usual variable."
    )
    secret_key: Secret = setting(
        Secret(""),
        "Encrypts the spaces' API keys; `erstwhile config secret` makes one. Several, comma-separated: the first encrypts.",
    )
    embedder: str = setting(
        "auto",
        "What makes vectors: vectors, minilm, use, fastembed[:MODEL], openai[:MODEL], openai-compatible:MODEL or none. "
        "auto: vectors, our own table for seven languages. With minilm also set ERSTWHILE_EMBED=all: its gain was measured so.",
    )
    embedder_url: str = setting(
        "", "Where the server with /embeddings listens. Empty: the same as base_url."
    )
    embedder_key: Secret = setting(
        Secret(""), "That server's key. Empty: api_key, else the provider's usual variable."
    )
    embed: Literal["auto", "derived", "all"] = setting(
        "auto",
        "What gets a vector: all, or only what is derived. auto: all if the embedder is local and takes no time.",
    )
    index_memory: int = setting(
        1024, "Megabytes that the search indexes of one process may take.", least=16
    )
    model_timeout_seconds: float = setting(
        60,
        "A model call is given up after so many seconds of silence. A model that was silent gets more, up to 16 times.",
        above=0,
    )
    prompt_cache: PromptCacheSettings = setting(
        PromptCacheSettings(), "Caching of prompts by the provider."
    )

    chunk_size: int = setting(10, "Messages in a chunk.", least=2, most=200)
    meta_size: int = setting(10, "Summaries that make the next level's summary.", least=2, most=100)
    brief: BriefSettings = setting(BriefSettings(), "The rolling summary of a channel.")
    timezone: str = setting("UTC", "Where a day begins and ends, for example Asia/Seoul.")
    notes: NoteSettings = setting(NoteSettings(), "Conversation notes and their topics.")
    days: DaySettings = setting(DaySettings(), "What a person did, by day.")
    profiles_beside: int = setting(
        3,
        "Profiles shown of people who were mentioned, and as many again of people found through notes.",
        least=0,
    )

    privacy: Literal["strict", "open"] = setting(
        "strict",
        "strict: content of private and direct channels is not visible in others. open: it is, within the space.",
    )
    keep_secrets: bool = setting(
        False,
        "What is derived keeps keys and passwords that people pasted. Otherwise they are masked there.",
    )
    spaces: list[str] = setting(
        [],
        "The spaces that are remembered and recalled, comma-separated or as a JSON list; none named: all of them.",
    )
    retention: dict[str, float] = setting(
        {},
        "Days that a kind of memory is kept: message, day, note, topic, told, profile. What is not named is kept.",
    )
    limits: LimitSettings = setting(
        LimitSettings(), "What is refused as too large or too much, and how much memory is used."
    )

    host: str = setting(
        "127.0.0.1", "Where the server listens. Other than loopback only once there is a key."
    )
    port: int = setting(8765, "The server's port. 0: any that is free.", least=0, most=65535)
    hosts: list[str] = setting(
        [], "Names the server answers to besides localhost and its own address, comma-separated."
    )
    origins: list[str] = setting(
        [], "Web pages that may call the server from a browser (CORS), comma-separated."
    )
    keep_days: KeepSettings = setting(KeepSettings(), "How long records are kept.")

    worker: bool = setting(True, "The library also runs due jobs in the background.")
    jobs: JobSettings = setting(JobSettings(), "How a worker runs jobs.")
    retry_base_seconds: float = setting(
        2.0, "Wait before the first retry; it doubles, up to 1,800 times this.", above=0
    )

    pool: int = setting(10, "Postgres: connections per process.", least=2)

    @property
    def given(self) -> Mapping[str, object]:
        """The values passed in code or on the command line."""
        return self._given

    @property
    def chosen_model(self) -> str:
        """The effective model: as set, else by the provider key found, else the extractive one."""
        if self.model:
            return self.model
        found = (model for key, model in DEFAULT_MODELS.items() if os.environ.get(key))
        return next(found, "extractive")


def described() -> dict[str, SettingField]:
    """Return every setting, those of groups as `brief.cap`."""
    found: dict[str, SettingField] = {}
    for name, field in Settings.fields.items():
        if isinstance(field.default, SettingGroup):
            found |= {f"{name}.{each}": value for each, value in field.default.fields.items()}
        else:
            found[name] = field
    return found


def variable(name: str) -> str:
    """Return the environment variable of a value: `brief.cap` is ERSTWHILE_BRIEF__CAP."""
    return f"{_PREFIX}{name.upper().replace('.', '__')}"


def load(**given: object) -> Settings:
    """Load the settings, with `given` on top. Raises SettingsError that names the setting and what
    it accepts."""
    unknown = sorted(given.keys() - Settings.fields.keys())
    if unknown:
        why = f"There is no setting {unknown[0]!r}."
        raise SettingsError(f"{why} `erstwhile config show` lists them all.")
    chosen = {
        name: os.fspath(value) if isinstance(value, os.PathLike) else value
        for name, value in given.items()
        if value is not None
    }
    values: dict[str, Any] = {}
    try:
        for source in (chosen, _environment(), _other_names(), read_file()):
            values = _merged(source, values)
        # Settings in the file that do not exist are ignored.
        known = {name: value for name, value in values.items() if name in Settings.fields}
        values = checked(Settings, known)
        _check(values)
    except WrongValues as wrong:
        lines = [f"{'.'.join(where)}: {what} ({_describe(*where)})" for where, what in wrong.found]
        raise SettingsError("Wrong settings. " + "; ".join(lines)) from None
    return Settings(**values, _given=chosen)


def _environment() -> dict[str, Any]:
    """Return what `ERSTWHILE_…` sets. `ERSTWHILE_BRIEF__CAP` wins over `ERSTWHILE_BRIEF`, which
    is JSON."""
    found: dict[str, Any] = {}
    for written, value in sorted(os.environ.items()):
        name, _, key = written.lower().removeprefix(_PREFIX.lower()).partition("__")
        if not (written.upper().startswith(_PREFIX) and value and name in Settings.fields):
            continue
        if not isinstance(Settings.fields[name].default, dict | SettingGroup):
            found |= {} if key else {name: value}
        else:
            found[name] = {**found.get(name, {}), **({key: value} if key else _table(name, value))}
    return found


def _table(name: str, written: str) -> Mapping[str, Any]:
    try:
        found = json.loads(written)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        example = f", for example {_EXAMPLES[name]}" if name in _EXAMPLES else ""
        raise WrongValues([((name,), f"{variable(name)} must be JSON{example}")])
    return found


def _other_names() -> dict[str, Any]:
    brief = {ours: os.environ[name] for name, ours in _OTHER_NAMES.items() if os.environ.get(name)}
    version = os.environ.get("PROMPT_VERSION_SUMMARY_GLOBAL")
    if prompt := os.environ.get("PROMPT_ID_SUMMARY_GLOBAL"):
        brief["prompt"] = f"{prompt}@{version}" if version else prompt
    found: dict[str, Any] = {"brief": brief} if brief else {}
    if model := os.environ.get("MEMORY_SUMMARIZER_MODEL"):
        found["models"] = {"fold": model if ":" in model else f"openai:{model}"}
    return found


def read_file() -> dict[str, Any]:
    """Return what is in `erstwhile.toml`."""
    if not os.path.isfile(FILE):
        return {}
    import tomllib

    with open(FILE, "rb") as file:
        try:
            return tomllib.load(file)
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"{FILE} can't be read: {error}.") from None


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return both; what `second` has wins, in tables value by value."""
    both = {**first, **second}
    for name in first.keys() & second.keys():
        if isinstance(first[name], Mapping) and isinstance(second[name], Mapping):
            both[name] = {**first[name], **second[name]}
    return both


def _check(values: Mapping[str, Any]) -> None:
    """Check what the type of a value does not say. Raises WrongValues."""
    wrong: list[tuple[tuple[str, ...], str]] = []
    if "*" in values.get("origins", ()):
        why = "with * any page that someone looks at could read what is here; name the pages"
        wrong.append((("origins",), why))
    if values.get("models"):
        import_module("erstwhile.layers")
    wrong += [
        (("models",), f"there is no task {task!r}, only {', '.join(TASKS)}")
        for task in values.get("models", ())
        if task not in TASKS
    ]
    try:
        check_retention(values.get("retention", {}))
    except ValueError as error:
        wrong.append((("retention",), str(error)))
    if wrong:
        raise WrongValues(wrong)


def _describe(name: str, key: str = "") -> str:
    field = described().get(f"{name}.{key}") or Settings.fields.get(name)
    return field.description if field else f"there is no setting {name}"
