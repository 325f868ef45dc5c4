"""The texts of the settings page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from erstwhile.base.setting_list import Setting
from erstwhile.base.settings import RETAINED
from erstwhile.configuration.space import NEVER, SettingChoice
from erstwhile.dashboard import labels
from erstwhile.layers.retention.model import Expired

# What each prompt is for: the kind of memory it writes, and from what.
PROMPTS = {
    "summarise": ("Summaries", "Summarises every ten messages of a conversation."),
    "condense": ("Meta summaries", "Summarises ten summaries."),
    "extract": ("Facts", "Extracts facts from ten messages."),
    "fold": ("Brief", "Folds older turns into the brief of a channel."),
    "structure": ("Structured memories", "Extracts structured memories from ten messages."),
}
PLACEHOLDERS = {
    "people": "the names of those who speak",
    "language": "the language they speak",
    "dates": "the days of the conversation",
}
ROLES = {
    "light": ("model", "Memories", "Writes summaries, facts, notes and days."),
    "strong": ("model_strong", "Demanding steps", "Writes where more care is needed, such as profiles."),
    "chat": ("chat_model", "Chat", "Answers people, where the memory is asked to."),
}
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")


@dataclass(frozen=True, slots=True)
class SpaceSetting:
    """A setting of a space, its value, and where it is set."""

    name: str
    value: str
    own: bool
    source: str


def in_force(choices: Sequence[SettingChoice], settings: Sequence[Setting]) -> dict[str, SpaceSetting]:
    server = {each.name: each for each in settings}
    return {
        each.name: SpaceSetting(each.name, each.value, each.whose == "space", source(each, server[each.name]))
        for each in choices
    }


def source(choice: SettingChoice, setting: Setting) -> str:
    if choice.whose == "space":
        return "this space"
    if choice.name == "model" and not setting.value:
        found = next((key for key in _KEYS if os.environ.get(key)), None)
        return f"the key in {found}" if found else "default"
    return where(setting)


def where(setting: Setting) -> str:
    if setting.source == "given":
        return "given at the start"
    return setting.variable if setting.source == "environment" else setting.source


def days(retention: str) -> dict[str, str]:
    """Days by kind, from message=30,day=90; a kind that is kept for good is missing."""
    if not retention or retention == NEVER:
        return {}
    return {kind: number for kind, _, number in (part.partition("=") for part in retention.split(","))}


def kinds() -> dict[str, str]:
    """The kinds that can be kept for a number of days, with their labels."""
    return {kind: labels.of(kind).plural.capitalize() for kind in RETAINED}


def retention(given: Mapping[str, str]) -> str:
    """The value to store for the fields of the form; an empty field means for good."""
    kept = [f"{kind}={given[kind].strip()}" for kind in RETAINED if given.get(kind, "").strip()]
    return ",".join(kept) or NEVER


def expired(gone: Expired) -> str:
    told = [f"{number:,} {labels.of(kind).plural}" for kind, number in gone.by_kind.items() if number]
    return f"Expired: {', '.join(told)}." if told else "Nothing was old enough to expire."


def shown(value: object) -> str:
    """The value of a setting as text."""
    if isinstance(value, Mapping):
        return ", ".join(
            f"{name}={each:g}" if isinstance(each, float) else f"{name}={each}" for name, each in value.items()
        )
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
