"""Settings that belong together. Each value also has a variable: `brief.cap` is
`ERSTWHILE_BRIEF__CAP`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class SettingGroup(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PromptCacheSettings(SettingGroup):
    enabled: bool = Field(default=True, description="Ask the provider to cache prompts.")
    min_tokens: int = Field(default=1024, ge=0, description="Shortest prompt to cache, in tokens.")
    retention: Literal["24h", "in_memory"] = Field(
        default="24h", description="How long a provider may keep a cached prompt."
    )


class BriefSettings(SettingGroup):
    turns: int = Field(default=3, ge=1, description="Latest turns that stay verbatim beside the brief.")
    cap: int = Field(default=500, ge=50, description="Largest brief, in tokens.")
    threshold: int = Field(
        default=6000, ge=50, description="Tokens of brief and turns together from which older turns are summarised."
    )
    budget: int = Field(
        default=3000, ge=200, description="Tokens of a context of the recipe brief, when no budget is named."
    )
    prompt: str = Field(
        default="", description="A prompt hosted by OpenAI for updating the brief, as id or id@version (Responses API)."
    )


class NoteSettings(SettingGroup):
    quiet_minutes: float = Field(default=25, gt=0, description="A conversation gets its note after this much silence.")
    limit_minutes: float = Field(
        default=120, gt=0, description="A conversation without a pause gets a note after this long."
    )
    topics: int = Field(default=8, ge=3, le=50, description="Most topics for the notes of one day.")
    nightly_hour: int = Field(
        default=3,
        ge=0,
        le=23,
        description="Hour at which yesterday's notes are put into topics and profiles are consolidated.",
    )


class DaySettings(SettingGroup):
    characters: int = Field(
        default=300, ge=50, description="Target length of a daily summary per person, in characters."
    )
    week_characters: int = Field(
        default=500, ge=50, description="Target length of the summary of days 2 to 7 per person, in characters."
    )


class LimitSettings(SettingGroup):
    message_bytes: int = Field(default=1_048_576, ge=1024, description="Largest message, in bytes of UTF-8.")
    body_bytes: int = Field(default=4_194_304, ge=1024, description="Largest body of an HTTP request, in bytes.")
    batch_messages: int = Field(default=1000, ge=1, description="Most messages in one HTTP request.")
    tokens_per_day: int = Field(
        default=0, ge=0, description="Most tokens a space may send to the server in a day (UTC). 0: no limit."
    )


class KeepSettings(SettingGroup):
    events: float = Field(default=7.0, gt=0, description="Days that the feed of changes is kept.")
    requests: float = Field(
        default=90.0,
        ge=0,
        description="Days that requests are kept, for explain, report and recommendations. 0: none is recorded.",
    )


class JobSettings(SettingGroup):
    concurrency: int = Field(default=4, ge=1, description="Jobs one worker runs at a time.")
    poll_seconds: float = Field(default=1.0, gt=0, description="How often a worker looks for jobs of other processes.")
    lease_seconds: float = Field(
        default=30.0, gt=0, description="A job is taken over when its worker shows no sign of life for this long."
    )
    calls_per_minute: int = Field(
        default=0, ge=0, description="Model jobs started per minute and space, over all workers. 0: no limit."
    )
