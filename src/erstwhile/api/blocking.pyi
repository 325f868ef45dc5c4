"""The types of the blocking API, written by `python -m erstwhile.api.stub`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from erstwhile.api.channels import ChannelBrief, ChannelEntry, Summary
from erstwhile.api.doctor import Finding
from erstwhile.api.memory import Memory
from erstwhile.api.notes import NoteDetails
from erstwhile.api.portraits import About
from erstwhile.api.types import Conversation
from erstwhile.archive.model import Backup
from erstwhile.base.clock import Clock
from erstwhile.base.page import Page
from erstwhile.base.settings import Settings
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
from erstwhile.search.model import BrowsePage, Hit, Source
from erstwhile.search.space_counts import SpaceCounts
from pathlib import Path
from typing import Any, Self

class SyncArchive:
    def backup(self, *, to: str | Path, progress: Callable[[str, int], None] = ...) -> Backup: ...
    def restore(
        self,
        file: str | Path,
        *,
        progress: Callable[[str, int], None] = ...,
    ) -> Backup: ...
    def load(
        self,
        path: str | Path,
        *,
        progress: Callable[[str, int], None] = ...,
        space: str | None = None,
    ) -> ImportCounts: ...
    def receipts(
        self,
        *,
        person: str | None = None,
        channel: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[ErasureRecord]: ...
    def origins(
        self,
        *,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[Origin]: ...
    def expiring(self, *, space: str | None = None) -> ExpiryReport: ...
    def expire(self, *, space: str | None = None) -> ExpiryReport: ...

class SyncChannels:
    def list(
        self,
        *,
        channels: Sequence[str] | None = None,
        matching: str | None = None,
        order: str = 'name',
        counts: bool = False,
        previews: bool = False,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[ChannelEntry]: ...
    def get(self, chat: Conversation) -> ChannelEntry: ...
    def summaries(
        self,
        chat: Conversation,
        *,
        level: int | None = None,
        first: int | None = None,
        last: int | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> Page[Summary]: ...
    def brief(self, chat: Conversation) -> ChannelBrief | None: ...
    def set_privacy(
        self,
        chat: Conversation,
        privacy: str,
        *,
        people: Sequence[str] = (),
        title: str | None = None,
    ) -> None: ...
    def visibility(
        self,
        *,
        declared: bool = False,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[Audience]: ...
    def listen(
        self,
        chat: Conversation,
        on: bool = True,
        *,
        since: str = '',
        by: str = '',
        title: str | None = None,
    ) -> None: ...
    def listening(self, *, space: str | None = None) -> Page[ListenedChannel]: ...
    def mark_read(self, chat: Conversation, key: str) -> None: ...
    def mark_checked(self, chat: Conversation, key: str) -> None: ...

class SyncEvents:
    def watch(self, *, space: str | None = None, after: str | None = None) -> Iterator[Event]: ...

class SyncFacts:
    def list(
        self,
        chat: Conversation,
        *,
        category: str | None = None,
        min_importance: int | None = None,
        first: int | None = None,
        last: int | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> Page[Fact]: ...
    def add(
        self,
        chat: Conversation,
        text: str,
        *,
        by: str,
        person: str | None = None,
        trust: str = 'user',
    ) -> Fact: ...
    def structured(
        self,
        *,
        person: str | None = None,
        type: str | None = None,
        valid: datetime | str = 'now',
        open: bool = False,
        asker: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[StructuredMemory]: ...
    def changes(
        self,
        *,
        person: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[Change]: ...

class SyncIds:
    def resolve(self, prefix: str, *, space: str | None = None) -> Page[str]: ...

class SyncJobs:
    def list(
        self,
        *,
        state: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[ListedJob]: ...
    def queue(self, *, space: str | None = None) -> Page[QueueCount]: ...
    def retry(self, job: str | None = None, *, space: str | None = None) -> int: ...
    def park(self, job: str, reason: str = '', *, space: str | None = None) -> None: ...

class SyncKeys:
    def create(
        self,
        *,
        space: str | None = None,
        admin: bool = False,
        name: str = '',
        read_only: bool = False,
        expires: datetime | str | None = None,
    ) -> NewKey: ...
    def list(self, *, space: str | None = None, admin: bool = False) -> Page[Key]: ...
    def revoke(self, id: str, *, space: str | None = None, admin: bool = False) -> None: ...

class SyncMemories:
    def list(
        self,
        *,
        channel: str | None = None,
        person: str | None = None,
        kinds: Sequence[str] | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[Hit]: ...
    def browse(
        self,
        words: str = '',
        *,
        channel: str | None = None,
        person: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | date | str | None = None,
        until: datetime | date | str | None = None,
        writer: str | None = None,
        trust: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> BrowsePage: ...
    def get(self, id: str, *, space: str | None = None) -> Source: ...
    def sources(self, id: str, *, space: str | None = None) -> Source: ...
    def history(self, id: str, *, space: str | None = None) -> Page[Version]: ...
    def edit(
        self,
        id: str,
        text: str,
        *,
        by: str,
        expected: str | None = None,
        space: str | None = None,
    ) -> Version: ...
    def delete(
        self,
        id: str,
        *,
        by: str,
        expected: str | None = None,
        space: str | None = None,
    ) -> Version: ...
    def restore(self, id: str, *, by: str, space: str | None = None) -> Version: ...
    def regenerate(
        self,
        chat: Conversation,
        first: int,
        last: int,
        what: str = 'chunk',
        *,
        overwrite: bool = False,
    ) -> RegenerateResult: ...
    def undo(self, chat: Conversation, made: RegenerateResult, *, by: str) -> int: ...
    def realign(self, chat: Conversation) -> int: ...
    def backfill(
        self,
        *,
        progress: Callable[[int, int], None] | None = None,
        space: str | None = None,
    ) -> BackfillReport: ...
    def flagged(
        self,
        *,
        reason: str | None = None,
        reviewed: bool = False,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[FlaggedMemory]: ...
    def review(
        self,
        id: str,
        *,
        by: str,
        decision: str = 'keep',
        space: str | None = None,
    ) -> int: ...

class SyncNotes:
    def list(
        self,
        *,
        channel: str | None = None,
        person: str | None = None,
        day: date | str | None = None,
        kind: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[Note]: ...
    def get(self, id: str, *, space: str | None = None) -> NoteDetails: ...
    def days(
        self,
        since: date | str,
        until: date | str,
        *,
        channel: str | None = None,
        person: str | None = None,
        space: str | None = None,
    ) -> Page[NotedDay]: ...
    def buffers(
        self,
        *,
        channel: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[Buffer]: ...
    def nightly(self, *, space: str | None = None) -> Night: ...

class SyncPeople:
    def list(
        self,
        *,
        people: Sequence[str] | None = None,
        matching: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[PersonEntry]: ...
    def block(self, person: str, *, by: str | None = None, space: str | None = None) -> None: ...
    def unblock(self, person: str, *, by: str | None = None, space: str | None = None) -> None: ...
    def share(self, person: str, shares: bool = True, *, space: str | None = None) -> None: ...
    def messages(
        self,
        person: str,
        *,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[Hit]: ...
    def remembered(self, person: str, *, space: str | None = None) -> Page[ToldText]: ...
    def profile(
        self,
        person: str,
        *,
        ended: bool = False,
        space: str | None = None,
    ) -> Profile: ...
    def add_to_profile(
        self,
        person: str,
        section: str,
        text: str,
        *,
        by: str,
        space: str | None = None,
    ) -> ProfileFact: ...
    def import_profile(
        self,
        person: str,
        facts: Sequence[str | Mapping[str, Any]],
        *,
        by: str,
        space: str | None = None,
    ) -> int: ...
    def export_profile(self, person: str, *, space: str | None = None) -> dict[str, Any]: ...
    def delete_profile(self, person: str, *, by: str, space: str | None = None) -> int: ...
    def kept(self, person: str | None, *, space: str | None = None) -> bool: ...

class SyncPrompts:
    def list(
        self,
        *,
        person: str | None = None,
        space: str | None = None,
    ) -> Page[CurrentPrompt]: ...
    def set(
        self,
        name: str,
        instructions: str,
        *,
        person: str | None = None,
        space: str | None = None,
    ) -> None: ...
    def reset(self, name: str, *, person: str | None = None, space: str | None = None) -> bool: ...
    def preview(
        self,
        chat: Conversation,
        first: int,
        last: int,
        *,
        prompt: str,
        instructions: str | None = None,
    ) -> Preview: ...

class SyncRequests:
    def list(
        self,
        *,
        channel: str | None = None,
        person: str | None = None,
        op: str | None = None,
        words: str = '',
        only: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
        space: str | None = None,
    ) -> Page[Request]: ...
    def explain(self, request: str, *, space: str | None = None) -> Explanation: ...
    def feedback(self, request: str, note: str = '', *, space: str | None = None) -> None: ...
    def report(self, *, days: int = 7, space: str | None = None) -> Report: ...
    def recommendations(
        self,
        *,
        days: int = 7,
        space: str | None = None,
    ) -> Page[Recommendation]: ...

class SyncSpaces:
    def list(self, *, cursor: str | None = None, limit: int = 100) -> Page[str]: ...
    def counts(self, *, days: int = 30, space: str | None = None) -> SpaceCounts: ...
    def flags(self, *, space: str | None = None) -> dict[str, int]: ...
    def configure(
        self,
        *,
        model: str | None = None,
        model_strong: str | None = None,
        chat_model: str | None = None,
        base_url: str | None = None,
        recipe: str | None = None,
        api_key: str | None = None,
        privacy: str | None = None,
        retention: str | None = None,
        floor: str | None = None,
        space: str | None = None,
    ) -> None: ...
    def put(
        self,
        given: Mapping[str, str | None],
        check: Callable[[Mapping[str, str], Mapping[str, str]], None] | None = None,
        *,
        space: str | None = None,
    ) -> None: ...
    def configuration(self, *, space: str | None = None) -> Page[SettingChoice]: ...
    def try_model(self, role: str = 'light', *, space: str | None = None) -> ModelCheck: ...
    def rebuild(self, *, space: str | None = None) -> None: ...

class SyncChannel:
    channel: str
    space: str
    def add(
        self,
        role: str,
        text: str,
        *,
        person: str | None = None,
        name: str | None = None,
        at: datetime | str | None = None,
        key: str | None = None,
        model: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Message: ...
    def add_many(self, messages: Sequence[NewMessage | Mapping[str, Any]]) -> list[Message]: ...
    def edit(self, key: str, text: str) -> Message | None: ...
    def delete(self, keys: Sequence[str]) -> int: ...
    def size(self) -> int: ...
    def known(self, keys: Sequence[str]) -> KnownKeys: ...
    def messages(self, after: int = 0, limit: int | None = None) -> Iterator[Message]: ...
    def context(
        self,
        query: str = '',
        *,
        person: str | None = None,
        budget: int | None = None,
        recipe: str | None = None,
        scope: str | None = None,
        trial: bool = False,
        within: Sequence[str] | None = None,
        floor: float | None = None,
        trust: str | None = None,
        decompose: bool = False,
    ) -> Context: ...
    def ask(
        self,
        query: str,
        *,
        person: str | None = None,
        name: str | None = None,
        model: str | None = None,
        system: str = '',
        sources: str = '',
        budget: int | None = None,
        recipe: str | None = None,
        key: str | None = None,
        within: Sequence[str] | None = None,
        keep: bool = True,
        scope: str | None = None,
        floor: float | None = None,
        decompose: bool = False,
    ) -> Iterator[str]: ...
    def command(
        self,
        text: str,
        *,
        person: str | None = None,
        name: str | None = None,
    ) -> CommandReply: ...

class SyncMemory:
    settings: Settings
    archive: SyncArchive
    channels: SyncChannels
    events: SyncEvents
    facts: SyncFacts
    ids: SyncIds
    jobs: SyncJobs
    keys: SyncKeys
    memories: SyncMemories
    notes: SyncNotes
    people: SyncPeople
    prompts: SyncPrompts
    requests: SyncRequests
    spaces: SyncSpaces
    def __init__(self, target: Memory) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *how: object) -> None: ...
    def channel(self, channel: str, space: str | None = None) -> SyncChannel: ...
    def search(
        self,
        query: str,
        *,
        channel: str | None = None,
        person: str | None = None,
        asker: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | date | str | None = None,
        until: datetime | date | str | None = None,
        writer: str | None = None,
        trust: str | None = None,
        trial: bool = False,
        within: Sequence[str] | None = None,
        decompose: bool = False,
        limit: int = 10,
        space: str | None = None,
    ) -> Page[Hit]: ...
    def remember(
        self,
        person: str,
        fact: str,
        *,
        by: str | None = None,
        channel: str | None = None,
        space: str | None = None,
    ) -> ToldText: ...
    def forget(
        self,
        person: str,
        fact: str,
        *,
        by: str | None = None,
        channel: str | None = None,
        space: str | None = None,
    ) -> ForgetResult: ...
    def about(
        self,
        person: str,
        *,
        channel: str | None = None,
        asker: str | None = None,
        fresh: bool = True,
        within: Sequence[str] | None = None,
        space: str | None = None,
    ) -> About: ...
    def settle(self) -> Settled: ...
    def work(self) -> None: ...
    def erase(
        self,
        *,
        person: str | None = None,
        channel: str | None = None,
        message: str | None = None,
        origin: str | None = None,
        everything: bool = False,
        by: str = '',
        space: str | None = None,
    ) -> Receipt: ...
    def export(
        self,
        *,
        person: str | None = None,
        channel: str | None = None,
        to: str | Path,
        space: str | None = None,
    ) -> ExportResult: ...
    def doctor(self, *, quick: bool = False, space: str | None = None) -> Page[Finding]: ...
    def describe(self) -> str: ...
    def ready(self) -> None: ...

def open_sync(database: str | Path | None = None, *, clock: Clock = ..., **settings: Any) -> SyncMemory: ...
