"""Long-term memory for conversations.

    async with erstwhile.open("chat.db") as memory:
        chat = memory.channel("support-42")
        await chat.add("user", "I moved to Busan last week", person="alice")
        context = await chat.context("Where do I live now?", person="alice")

Importing this is cheap: what a name stands for is imported when the name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from erstwhile.api.blocking import SyncChannel, SyncMemory, open_sync
    from erstwhile.api.channel import Channel
    from erstwhile.api.channels import BriefShown, ChannelPreview, ChannelShown, MemoryCounts, Summary
    from erstwhile.api.memory import Memory, open
    from erstwhile.api.page import Page
    from erstwhile.api.portraits import About
    from erstwhile.archive.model import Backup
    from erstwhile.base.errors import (
        Changed,
        Error,
        Forbidden,
        InvalidInput,
        ModelError,
        NotFound,
        SchemaTooNew,
        SchemaTooOld,
        SettingsError,
        StorageError,
        StorageFull,
        TooManyRequests,
        Unauthorized,
        Unreachable,
    )
    from erstwhile.client.channel import RemoteChannel
    from erstwhile.client.memory import RemoteMemory, connect, connect_sync
    from erstwhile.configuration.model_check import ModelCheck
    from erstwhile.configuration.visibility import Audience
    from erstwhile.context.model import Context
    from erstwhile.events.model import Event
    from erstwhile.exports.model import Exported
    from erstwhile.jobs.model import Settled
    from erstwhile.layers.backfill import Backfilled
    from erstwhile.layers.erasure.model import Erased, Receipt
    from erstwhile.layers.facts.model import Fact
    from erstwhile.layers.preview import Preview
    from erstwhile.layers.regenerate import Regenerated
    from erstwhile.layers.remembered.model import Commanded, Forgotten, Told
    from erstwhile.layers.retention.model import Expired
    from erstwhile.layers.structured.model import Change, Structured
    from erstwhile.log.listening import Listened
    from erstwhile.log.model import KnownKeys, Message, NewMessage, Origin
    from erstwhile.log.people import Directory, PersonShown
    from erstwhile.requests.model import Explanation, Recommendation, Report, Request
    from erstwhile.search.counted import Counted
    from erstwhile.search.flagged import Flagged
    from erstwhile.search.model import Browsed, Facet, Hit, Source

_ERRORS = (
    "Changed",
    "Error",
    "Forbidden",
    "InvalidInput",
    "ModelError",
    "NotFound",
    "SchemaTooNew",
    "SchemaTooOld",
    "SettingsError",
    "StorageError",
    "StorageFull",
    "TooManyRequests",
    "Unauthorized",
    "Unreachable",
)
_HOMES = dict.fromkeys(_ERRORS, "base.errors") | {
    "About": "api.portraits",
    "Recommendation": "requests.model",
    "Audience": "configuration.visibility",
    "Backfilled": "layers.backfill",
    "Backup": "archive.model",
    "BriefShown": "api.channels",
    "Browsed": "search.model",
    "Change": "layers.structured.model",
    "Channel": "api.channel",
    "ChannelPreview": "api.channels",
    "ChannelShown": "api.channels",
    "Commanded": "layers.remembered.model",
    "Context": "context.model",
    "Counted": "search.counted",
    "Directory": "log.people",
    "Erased": "layers.erasure.model",
    "Event": "events.model",
    "Expired": "layers.retention.model",
    "Exported": "exports.model",
    "Facet": "search.model",
    "Fact": "layers.facts.model",
    "Flagged": "search.flagged",
    "Forgotten": "layers.remembered.model",
    "Hit": "search.model",
    "KnownKeys": "log.model",
    "Listened": "log.listening",
    "MemoryCounts": "api.channels",
    "Memory": "api.memory",
    "Message": "log.model",
    "NewMessage": "log.model",
    "Origin": "log.model",
    "Page": "api.page",
    "Preview": "layers.preview",
    "PersonShown": "log.people",
    "Receipt": "layers.erasure.model",
    "Regenerated": "layers.regenerate",
    "RemoteChannel": "client.channel",
    "RemoteMemory": "client.memory",
    "Report": "requests.model",
    "Request": "requests.model",
    "Settled": "jobs.model",
    "Source": "search.model",
    "Structured": "layers.structured.model",
    "Summary": "api.channels",
    "SyncChannel": "api.blocking",
    "SyncMemory": "api.blocking",
    "Told": "layers.remembered.model",
    "ModelCheck": "configuration.model_check",
    "Version": "memories.history",
    "Explanation": "requests.model",
    "connect": "client.memory",
    "connect_sync": "client.memory",
    "open": "api.memory",
    "open_sync": "api.blocking",
}

__version__ = "0.1.0"

__all__ = [
    "About",
    "Audience",
    "Backfilled",
    "Backup",
    "BriefShown",
    "Browsed",
    "Change",
    "Changed",
    "Channel",
    "ChannelPreview",
    "ChannelShown",
    "Commanded",
    "Context",
    "Counted",
    "Directory",
    "Erased",
    "Error",
    "Event",
    "Expired",
    "Explanation",
    "Exported",
    "Facet",
    "Fact",
    "Flagged",
    "Forbidden",
    "Forgotten",
    "Hit",
    "InvalidInput",
    "KnownKeys",
    "Listened",
    "Memory",
    "MemoryCounts",
    "Message",
    "ModelCheck",
    "ModelError",
    "NewMessage",
    "NotFound",
    "Origin",
    "Page",
    "PersonShown",
    "Preview",
    "Receipt",
    "Recommendation",
    "Regenerated",
    "RemoteChannel",
    "RemoteMemory",
    "Report",
    "Request",
    "SchemaTooNew",
    "SchemaTooOld",
    "SettingsError",
    "Settled",
    "Source",
    "StorageError",
    "StorageFull",
    "Structured",
    "Summary",
    "SyncChannel",
    "SyncMemory",
    "Told",
    "TooManyRequests",
    "Unauthorized",
    "Unreachable",
    "Version",
    "connect",
    "connect_sync",
    "open",
    "open_sync",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'erstwhile' has no attribute {name!r}")
    value = getattr(import_module(f"erstwhile.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
