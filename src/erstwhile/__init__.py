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
    from erstwhile.api.channels import (
        ChannelBrief,
        ChannelEntry,
        ChannelPreview,
        MemoryCounts,
        Summary,
    )
    from erstwhile.api.doctor import Finding
    from erstwhile.api.memory import Memory, open
    from erstwhile.api.notes import NoteDetails
    from erstwhile.api.portraits import About
    from erstwhile.archive.model import Backup
    from erstwhile.base.errors import (
        AuthenticationError,
        ConflictError,
        Error,
        InvalidInput,
        ModelError,
        NotFound,
        PermissionDenied,
        SchemaTooNew,
        SchemaTooOld,
        ServerUnreachable,
        SettingsError,
        StorageError,
        StorageFull,
        TooManyRequests,
    )
    from erstwhile.base.page import Page
    from erstwhile.client.memory import RemoteChannel, RemoteMemory, connect, connect_sync
    from erstwhile.configuration.model_check import ModelCheck
    from erstwhile.configuration.prompts import CurrentPrompt
    from erstwhile.configuration.space import SettingChoice
    from erstwhile.configuration.visibility import Audience
    from erstwhile.context.model import Context
    from erstwhile.events.model import Event
    from erstwhile.exports.rows import ExportResult, ImportCounts
    from erstwhile.jobs.model import ListedJob, QueueCount, Settled
    from erstwhile.keys.model import Key, NewKey
    from erstwhile.layers.backfill import BackfillReport
    from erstwhile.layers.erasure.model import ErasureRecord, Receipt
    from erstwhile.layers.facts.model import Fact
    from erstwhile.layers.notes.model import Buffer, Night, Note, NotedDay
    from erstwhile.layers.preview import Preview
    from erstwhile.layers.profiles.model import Profile, ProfileFact
    from erstwhile.layers.regenerate import RegenerateResult
    from erstwhile.layers.remembered.model import CommandReply, ForgetResult, ToldText
    from erstwhile.layers.retention.model import ExpiryReport
    from erstwhile.layers.structured.model import Change, StructuredMemory
    from erstwhile.log.listening import ListenedChannel
    from erstwhile.log.model import KnownKeys, Message, NewMessage, Origin
    from erstwhile.log.people import PersonEntry
    from erstwhile.memories.history import Version
    from erstwhile.requests.model import Explanation, Recommendation, Report, Request
    from erstwhile.search.flagged import FlaggedMemory
    from erstwhile.search.model import BrowsePage, Facet, Hit, Source
    from erstwhile.search.space_counts import SpaceCounts

# The names of this package, by the module that defines them.
_DEFINED = {
    "api.blocking": "SyncChannel SyncMemory open_sync",
    "api.channel": "Channel",
    "api.channels": "ChannelBrief ChannelEntry ChannelPreview MemoryCounts Summary",
    "api.doctor": "Finding",
    "api.memory": "Memory open",
    "api.notes": "NoteDetails",
    "api.portraits": "About",
    "archive.model": "Backup",
    "base.errors": (
        "AuthenticationError ConflictError Error InvalidInput ModelError NotFound PermissionDenied"
        " SchemaTooNew SchemaTooOld ServerUnreachable SettingsError StorageError StorageFull"
        " TooManyRequests"
    ),
    "base.page": "Page",
    "client.memory": "RemoteChannel RemoteMemory connect connect_sync",
    "configuration.model_check": "ModelCheck",
    "configuration.prompts": "CurrentPrompt",
    "configuration.space": "SettingChoice",
    "configuration.visibility": "Audience",
    "context.model": "Context",
    "events.model": "Event",
    "exports.rows": "ExportResult ImportCounts",
    "jobs.model": "ListedJob QueueCount Settled",
    "keys.model": "Key NewKey",
    "layers.backfill": "BackfillReport",
    "layers.erasure.model": "ErasureRecord Receipt",
    "layers.facts.model": "Fact",
    "layers.notes.model": "Buffer Night Note NotedDay",
    "layers.preview": "Preview",
    "layers.profiles.model": "Profile ProfileFact",
    "layers.regenerate": "RegenerateResult",
    "layers.remembered.model": "CommandReply ForgetResult ToldText",
    "layers.retention.model": "ExpiryReport",
    "layers.structured.model": "Change StructuredMemory",
    "log.listening": "ListenedChannel",
    "log.model": "KnownKeys Message NewMessage Origin",
    "log.people": "PersonEntry",
    "memories.history": "Version",
    "requests.model": "Explanation Recommendation Report Request",
    "search.space_counts": "SpaceCounts",
    "search.flagged": "FlaggedMemory",
    "search.model": "BrowsePage Facet Hit Source",
}
_HOMES = {name: module for module, names in _DEFINED.items() for name in names.split()}

__version__ = "0.1.0"

__all__ = [
    "About",
    "Audience",
    "AuthenticationError",
    "BackfillReport",
    "Backup",
    "BrowsePage",
    "Buffer",
    "Change",
    "Channel",
    "ChannelBrief",
    "ChannelEntry",
    "ChannelPreview",
    "CommandReply",
    "ConflictError",
    "Context",
    "CurrentPrompt",
    "ErasureRecord",
    "Error",
    "Event",
    "ExpiryReport",
    "Explanation",
    "ExportResult",
    "Facet",
    "Fact",
    "Finding",
    "FlaggedMemory",
    "ForgetResult",
    "Hit",
    "ImportCounts",
    "InvalidInput",
    "Key",
    "KnownKeys",
    "ListedJob",
    "ListenedChannel",
    "Memory",
    "MemoryCounts",
    "Message",
    "ModelCheck",
    "ModelError",
    "NewKey",
    "NewMessage",
    "Night",
    "NotFound",
    "Note",
    "NoteDetails",
    "NotedDay",
    "Origin",
    "Page",
    "PermissionDenied",
    "PersonEntry",
    "Preview",
    "Profile",
    "ProfileFact",
    "QueueCount",
    "Receipt",
    "Recommendation",
    "RegenerateResult",
    "RemoteChannel",
    "RemoteMemory",
    "Report",
    "Request",
    "SchemaTooNew",
    "SchemaTooOld",
    "ServerUnreachable",
    "SettingChoice",
    "SettingsError",
    "Settled",
    "Source",
    "SpaceCounts",
    "StorageError",
    "StorageFull",
    "StructuredMemory",
    "Summary",
    "SyncChannel",
    "SyncMemory",
    "ToldText",
    "TooManyRequests",
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
