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
    from erstwhile.client.memory import RemoteMemory, connect
    from erstwhile.context.model import Context
    from erstwhile.events.model import Event
    from erstwhile.exports.model import Exported
    from erstwhile.history.store import Version
    from erstwhile.jobs.model import Settled
    from erstwhile.log.model import Message, NewMessage
    from erstwhile.log.people import Directory, PersonShown
    from erstwhile.looking import BriefShown, ChannelShown, Summary
    from erstwhile.memory import Channel, Memory, open
    from erstwhile.portraying import About
    from erstwhile.recall.model import Hit, Source
    from erstwhile.requests.model import Advice, Report, Request, Why
    from erstwhile.rooms.backfill import Backfilled
    from erstwhile.rooms.erasure.model import Receipt
    from erstwhile.rooms.facts.model import Fact
    from erstwhile.rooms.regenerate import Regenerated
    from erstwhile.rooms.retention.model import Expired
    from erstwhile.rooms.structured.model import Change, Structured
    from erstwhile.rooms.told.model import Commanded, Forgotten, Told
    from erstwhile.sync import SyncChannel, SyncMemory, connect_sync, open_sync

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
    "About": "portraying",
    "Advice": "requests.model",
    "Backfilled": "rooms.backfill",
    "BriefShown": "looking",
    "Change": "rooms.structured.model",
    "Channel": "memory",
    "ChannelShown": "looking",
    "Commanded": "rooms.told.model",
    "Context": "context.model",
    "Directory": "log.people",
    "Event": "events.model",
    "Expired": "rooms.retention.model",
    "Exported": "exports.model",
    "Fact": "rooms.facts.model",
    "Forgotten": "rooms.told.model",
    "Hit": "recall.model",
    "Memory": "memory",
    "Message": "log.model",
    "NewMessage": "log.model",
    "PersonShown": "log.people",
    "Receipt": "rooms.erasure.model",
    "Regenerated": "rooms.regenerate",
    "RemoteChannel": "client.channel",
    "RemoteMemory": "client.memory",
    "Report": "requests.model",
    "Request": "requests.model",
    "Settled": "jobs.model",
    "Source": "recall.model",
    "Structured": "rooms.structured.model",
    "Summary": "looking",
    "SyncChannel": "sync",
    "SyncMemory": "sync",
    "Told": "rooms.told.model",
    "Version": "history.store",
    "Why": "requests.model",
    "connect": "client.memory",
    "connect_sync": "sync",
    "open": "memory",
    "open_sync": "sync",
}

__version__ = "0.1.0"

__all__ = [
    "About",
    "Advice",
    "Backfilled",
    "BriefShown",
    "Change",
    "Changed",
    "Channel",
    "ChannelShown",
    "Commanded",
    "Context",
    "Directory",
    "Error",
    "Event",
    "Expired",
    "Exported",
    "Fact",
    "Forbidden",
    "Forgotten",
    "Hit",
    "InvalidInput",
    "Memory",
    "Message",
    "ModelError",
    "NewMessage",
    "NotFound",
    "PersonShown",
    "Receipt",
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
    "Why",
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
