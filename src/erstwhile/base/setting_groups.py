"""Settings that belong together. Each value also has a variable: `brief.cap` is
`ERSTWHILE_BRIEF__CAP`.
"""

from __future__ import annotations

from typing import Literal

from erstwhile.base.setting_fields import SettingGroup, setting


class PromptCacheSettings(SettingGroup):
    min_tokens: int = setting(1024, "Shortest prompt to cache, in tokens.", least=0)
    retention: Literal["24h", "in_memory", "off"] = setting(
        "24h", "How long a provider may keep a cached prompt. off: it is not asked to cache."
    )


class BriefSettings(SettingGroup):
    turns: int = setting(3, "Latest turns that stay verbatim beside the brief.", least=1)
    cap: int = setting(500, "Largest brief, in tokens.", least=50)
    threshold: int = setting(
        6000, "Tokens of brief and turns together from which older turns are summarised.", least=50
    )
    budget: int = setting(
        3000, "Tokens of a context of the recipe brief, when no budget is named.", least=200
    )
    prompt: str = setting(
        "", "A prompt hosted by OpenAI for updating the brief, as id or id@version (Responses API)."
    )


class NoteSettings(SettingGroup):
    quiet_minutes: float = setting(
        25, "A conversation gets its note after this much silence.", above=0
    )
    limit_minutes: float = setting(
        120, "A conversation without a pause gets a note after this long.", above=0
    )
    topics: int = setting(8, "Most topics for the notes of one day.", least=3, most=50)
    nightly_hour: int = setting(
        3,
        "Hour at which yesterday's notes are put into topics and profiles are consolidated.",
        least=0,
        most=23,
    )


class DaySettings(SettingGroup):
    characters: int = setting(
        300, "Target length of a daily summary per person, in characters.", least=50
    )
    week_characters: int = setting(
        500, "Target length of the summary of days 2 to 7 per person, in characters.", least=50
    )


class LimitSettings(SettingGroup):
    message_bytes: int = setting(1_048_576, "Largest message, in bytes of UTF-8.", least=1024)
    body_bytes: int = setting(4_194_304, "Largest body of an HTTP request, in bytes.", least=1024)
    memory_seconds: float = setting(
        2.0,
        "A chat through the server waits this long for its memory, then goes on without.",
        above=0,
    )
    tokens_per_day: int = setting(
        0, "Most tokens a space may send to the server in a day (UTC). 0: no limit.", least=0
    )


class KeepSettings(SettingGroup):
    requests: float = setting(
        90.0,
        "Days that requests are kept, for explain, report and recommendations. 0: none is recorded.",
        least=0,
    )


class JobSettings(SettingGroup):
    concurrency: int = setting(4, "Jobs one worker runs at a time.", least=1)
    poll_seconds: float = setting(
        1.0, "How often a worker looks for jobs of other processes.", above=0
    )
    lease_seconds: float = setting(
        30.0, "A job is taken over when its worker shows no sign of life for this long.", above=0
    )
    calls_per_minute: int = setting(
        0, "Model jobs started per minute and space, over all workers. 0: no limit.", least=0
    )
