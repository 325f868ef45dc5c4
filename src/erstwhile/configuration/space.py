"""The settings of a space: its models, their address and key, its recipe, floor, privacy and retention.
The operator's settings are the default.

A space with its own model does not use the operator's other models. It uses the operator's address
and key only for the same provider, and the operator's key is never sent to an address that the
space has set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, get_args, get_type_hints
from urllib.parse import urlsplit

from erstwhile.base.clock import micros
from erstwhile.base.errors import InvalidInput, SettingsError
from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass
from erstwhile.base.setting_fields import Secret
from erstwhile.base.settings import Settings, check_retention
from erstwhile.configuration import encryption
from erstwhile.events import store as events
from erstwhile.log import store as log
from erstwhile.storage import EVERYWHERE, Database, Transaction, column, value
from erstwhile.storage.queries import load
from erstwhile.writers.accounts import account

queries = load(__package__)

NAMES = (
    *("model", "model_strong", "chat_model", "base_url"),
    *("recipe", "api_key", "privacy", "retention", "floor"),
)
# Sent where a client needs a key and there is none.
NO_KEY = "none"
# A space's retention that keeps everything.
NEVER = "never"

Chosen = Mapping[str, str]  # values by name

_MODELS = ("model", "model_strong", "chat_model")
_MODEL = late_pattern(r"extractive|[a-z][a-z0-9-]{1,40}:[^\s\x00-\x1f\ud800-\udfff]{1,200}")
_KEY = late_pattern(r"[\x21-\x7e]{1,4000}")  # it is sent in a header
_SHOWN_OF_A_KEY = 4
_SHORTEST_SHOWN_IN_PART = 16


@dataclass(frozen=True, slots=True)
class SettingChoice:
    """One effective setting of a space. The value of an api_key only shows whether it is set."""

    name: str
    value: str
    whose: Literal["default", "space"]


def known(name: str) -> str:
    if name not in NAMES:
        raise InvalidInput(f"Unknown setting {name!r} of a space. Use one of {', '.join(NAMES)}.")
    return name


def checked(name: str, value: object) -> str:
    """Check a value; "" resets the setting. Errors never quote a key or an address."""
    if not isinstance(value, str):
        raise InvalidInput(f"{known(name)} must be text, not {type(value).__name__}.")
    text = value.strip()
    if not text:
        return ""
    if name in _MODELS and not _MODEL.fullmatch(text):
        example = "for example openai:gpt-5-nano"
        raise InvalidInput(f"{name} is provider:name, {example}, or 'extractive' for none.")
    if name == "api_key" and not _KEY.fullmatch(text):
        why = "The api_key contains a space or a character that no key has."
        raise InvalidInput(f"{why} Copy it again.")
    if name == "base_url":
        _check_address(text)
    choices = get_args(get_type_hints(Settings)[name]) if name in ("recipe", "privacy") else (text,)
    if text not in choices:
        raise InvalidInput(f"Unknown {name} {text!r}. Use one of {', '.join(choices)}.")
    if name == "retention":
        text = _retention_text(_retention(text))
    if name == "floor":
        text = _floor_text(text)
    return text


def _check_address(text: str) -> None:
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        sound = False
    if not sound or " " in text or not text.isprintable() or len(text) > 2000:
        example = "for example http://localhost:11434/v1"
        raise InvalidInput(f"base_url is an http:// or https:// address, {example}.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        why = "base_url must not contain a user, password, query or fragment."
        raise InvalidInput(f"{why} Set the key as api_key.")


def _floor_text(text: str) -> str:
    try:
        floor = float(text)
    except ValueError:
        floor = -1.0
    if not 0 <= floor <= 1:
        raise InvalidInput("floor is a number from 0 (leave nothing out) to 1.")
    return f"{floor:g}"


def _retention(text: str) -> dict[str, float]:
    """Parse message=30,day=90."""
    if text == NEVER:
        return {}
    pairs = [part.partition("=") for part in text.split(",")]
    try:
        days = {kind.strip(): float(number) for kind, _, number in pairs}
    except ValueError:
        how = "for example message=30,day=90, or 'never'"
        raise InvalidInput(f"retention is days by kind, {how}.") from None
    try:
        check_retention(days)
    except ValueError as error:
        raise InvalidInput(f"In retention, {error}.") from None
    return days


def _retention_text(days: Mapping[str, float]) -> str:
    return ",".join(f"{kind}={number:g}" for kind, number in days.items()) or NEVER


# On disk


async def own(tx: Transaction) -> dict[str, str]:
    """Read the settings of the space; the api_key is encrypted."""
    rows = await tx.all(queries.settings_of)
    return {row["name"]: row["value"] for row in rows if row["name"] in NAMES}


async def recipe(tx: Transaction) -> str:
    return await value(tx, queries.setting, name="recipe") or ""


async def of_contexts(tx: Transaction) -> tuple[str, float | None]:
    """Return the recipe and the floor that the space has chosen for its contexts."""
    chosen = await own(tx)
    floor = chosen.get("floor")
    return chosen.get("recipe", ""), None if floor is None else float(floor)


async def retention(tx: Transaction, settings: Settings) -> Mapping[str, float]:
    """Return the retention in days by kind. A space's own replaces the operator's completely."""
    own = await value(tx, queries.setting, name="retention")
    return settings.retention if own is None else _retention(own)


async def put(tx: Transaction, values: Chosen, settings: Settings, now: datetime) -> None:
    """Store settings (the api_key encrypted); "" resets one. Raises if they are inconsistent."""
    await log.add_space(tx, now)
    for name, chosen in values.items():
        if chosen:
            row = {"name": name, "value": chosen, "secret": int(name == "api_key")}
            await tx.run(queries.put_setting, **row, now=micros(now))
        else:
            await tx.run(queries.drop_setting, name=name)
        await events.emit(tx, "settings", "changed", name)
    _check_key_has_one_provider(await own(tx), settings)


async def with_a_model(database: Database) -> list[str]:
    """List the spaces that have their own model."""
    return await database.read(EVERYWHERE, lambda tx: column(tx, queries.spaces_with_a_model))


def _check_key_has_one_provider(chosen: Chosen, settings: Settings) -> None:
    if "api_key" not in chosen or "base_url" in chosen:
        return
    mine = effective(settings, {**chosen, "api_key": NO_KEY})
    models = [mine.chosen_model, mine.model_strong, mine.chat_model, *mine.models.values()]
    providers = sorted({account(each) for each in models if each and each != "extractive"})
    if len(providers) > 1:
        raise InvalidInput(
            f"One api_key can't be for {' and '.join(providers)}. Choose models of one provider, or base_url of a gateway for both."
        )


# In force


def effective(settings: Settings, chosen: Chosen) -> Settings:
    """Apply a space's settings, with the decrypted api_key, over the operator's."""
    if not chosen:
        return settings
    apart = ("api_key", "retention", "floor")
    update: dict[str, Any] = {name: chosen[name] for name in chosen if name not in apart}
    if "retention" in chosen:
        update["retention"] = _retention(chosen["retention"])
    provider = account(chosen.get("model") or settings.chosen_model)
    ours = account(settings.chosen_model)
    # Whether the chat model needs a key of another provider than the operator's.
    talks = chosen.get("chat_model", settings.chat_model)
    talks_elsewhere = account(talks) != account(settings.chat_model)
    if "model" in chosen:
        update.setdefault("model_strong", "")
        update["models"] = {}
        if account(settings.chat_model) != provider:
            update.setdefault("chat_model", "")
    if provider != ours:
        update.setdefault("base_url", "")
    if chosen.keys() & {"model", "base_url", "api_key"}:
        # A stored prompt belongs to the account of the operator's key.
        update["brief"] = settings.brief.replace(prompt="")
    if "api_key" in chosen:
        update["api_key"] = Secret(chosen["api_key"])
    elif "base_url" in chosen:
        update["api_key"] = Secret(NO_KEY)
    elif provider != ours or (ours == "extractive" and not settings.base_url and talks_elsewhere):
        update["api_key"] = Secret("")
    return settings.replace(**update)


def opened(chosen: Chosen, settings: Settings) -> dict[str, str]:
    """Decrypt the api_key."""
    if "api_key" not in chosen:
        return dict(chosen)
    secret = settings.secret_key.get_secret_value()
    return {**chosen, "api_key": encryption.decrypt(secret, chosen["api_key"])}


def shown(chosen: Chosen, settings: Settings) -> list[SettingChoice]:
    mine = effective(settings, {**chosen, "api_key": NO_KEY} if "api_key" in chosen else chosen)
    found = []
    for name in NAMES:
        value = _shown_value(name, chosen, mine, settings)
        found.append(SettingChoice(name, value, "space" if name in chosen else "default"))
    return found


def _shown_value(name: str, chosen: Chosen, mine: Settings, settings: Settings) -> str:
    if name == "api_key" and name in chosen:
        try:
            key = opened(chosen, settings)["api_key"]
        except SettingsError as error:
            return f"set, but: {error}"
        long = len(key) >= _SHORTEST_SHOWN_IN_PART
        return f"set, ends in …{key[-_SHOWN_OF_A_KEY:]}" if long else "set"
    if name == "api_key":
        return "set" if mine.api_key.get_secret_value() not in ("", NO_KEY) else ""
    if name in chosen:
        return chosen[name]
    if name == "retention":
        return _retention_text(mine.retention)
    if name == "floor":
        return ""  # contexts decide by the question
    value = mine.chosen_model if name == "model" else str(getattr(mine, name))
    return re.sub(r"(?<=://)[^/@\s]+@", "", value)
