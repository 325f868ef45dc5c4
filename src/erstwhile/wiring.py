"""Build the runtime. The only module that names concrete databases, writers and embedders."""

from __future__ import annotations

from collections import UserDict
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from erstwhile.base.clock import Clock
from erstwhile.base.errors import SettingsError
from erstwhile.base.later import later
from erstwhile.base.settings import Settings
from erstwhile.configuration import space as choices
from erstwhile.embedders.choose import choose
from erstwhile.layers import Layers
from erstwhile.storage import Database, Transaction

if TYPE_CHECKING:
    from erstwhile.configuration.visibility import Visibility
    from erstwhile.configuration.writer_pool import WriterPool
    from erstwhile.embedders.port import Embedder
    from erstwhile.events.feed import Feed
    from erstwhile.jobs.model import Step
    from erstwhile.jobs.worker import Pacing, Worker
    from erstwhile.keys.store import KeyStore, Sessions
    from erstwhile.layers.backfill import Backfill
    from erstwhile.layers.contract import Layer
    from erstwhile.layers.erasure.revising import MessageRevision
    from erstwhile.layers.erasure.steps import Erasure
    from erstwhile.layers.preview import Previews
    from erstwhile.layers.regenerate import Regenerate, Undo
    from erstwhile.layers.retention.model import RetentionPolicy
    from erstwhile.layers.retention.steps import Retention
    from erstwhile.log.append import Addition
    from erstwhile.log.model import Message
    from erstwhile.log.reindex import Reindex
    from erstwhile.memories.changes import MemoryChanges
    from erstwhile.requests.recorder import Recorder
    from erstwhile.search.embed import Embedding
    from erstwhile.search.find import Recall
    from erstwhile.search.store_index import StoreIndex
    from erstwhile.storage.groups import WriteGroups
    from erstwhile.writers.chat import ChatModel
    from erstwhile.writers.port import Writer
    from erstwhile.writers.providers import ModelChoice


class Runtime:
    """The parts of an open memory. Each is imported and built when it is first used, so that a
    process pays only for what it does."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._zone = _zone(settings)
        self.database = open_database(settings)
        # Now: a wrong setting is refused when the memory is opened.
        self.embedder: Embedder | None = choose(settings)

    def built(self, name: str) -> bool:
        """Return whether a part was used: only then there is something to close."""
        return name in self.__dict__

    async def close(self) -> None:
        if self.built("appends"):
            await self.appends.close()
        if self.built("worker"):
            await self.worker.stop()
        if self.embedder is not None:
            await self.embedder.close()
        if self.built("writers"):
            await self.writers.close()
        if self.built("recorder"):
            await self.recorder.close()
        await self.database.close()

    @cached_property
    def recorder(self) -> Recorder:
        from erstwhile.requests.recorder import Recorder
        from erstwhile.text.secrets import mask

        keep = timedelta(days=self._settings.keep_days.requests)
        masked = str if self._settings.keep_secrets else mask
        return Recorder(self.database, self._clock, keep, masked)

    @cached_property
    def appends(self) -> WriteGroups[Addition, list[Message]]:
        from erstwhile.layers.appended import AppendedLayers
        from erstwhile.storage.groups import WriteGroups

        retention = later(lambda: self.retention)
        appended = AppendedLayers(self.layers, retention, self._settings)
        return WriteGroups(self.database, appended.append)

    @cached_property
    def writers(self) -> WriterPool:
        from erstwhile.configuration.writer_pool import ModelBuilders, WriterPool
        from erstwhile.writers.extractive import ExtractiveWriter

        builders = ModelBuilders(ExtractiveWriter(), _prompted, _chat)
        return WriterPool(self.database, self._settings, builders, self.recorder.spent)

    @cached_property
    def visibility(self) -> Visibility:
        from erstwhile.configuration.visibility import Visibility

        return Visibility(self._settings.privacy)

    @cached_property
    def layers(self) -> Layers:
        from erstwhile.layers.contract import LayerParts

        writers = later(lambda: self.writers)
        parts = self.database, writers, self._clock, self.visibility, self._settings, self._zone
        return Layers(LayerParts(*parts, self._recipe))

    @cached_property
    def reindex(self) -> Reindex:
        from erstwhile.log.reindex import Reindex

        return Reindex(self.database, self._clock)

    @cached_property
    def embedding(self) -> Embedding:
        """Embed messages too only if the embedder is cheap or the settings say so."""
        from erstwhile.search.embed import Embedding

        settings, embedder = self._settings, self.embedder
        cheap = embedder is not None and embedder.cheap
        messages = settings.embed == "all" or (settings.embed == "auto" and cheap)
        yields = settings.embedder == "auto"
        return Embedding(self.database, embedder, self._clock, messages=messages, yields=yields)

    @cached_property
    def store_index(self) -> StoreIndex:
        from erstwhile.search.store_index import StoreIndex

        return StoreIndex(self.database, self._clock, self.embedder)

    @cached_property
    def worker(self) -> Worker:
        from erstwhile.jobs.worker import Worker

        steps, pacing, look = _Steps(self), _pacing(self._settings), self.embedding.look
        return Worker(self.database, steps, self._clock, pacing, look, [self._delete_old])

    async def _delete_old(self, now: datetime) -> None:
        """Delete records that are old enough, and keep the timers of retention running."""
        await self.recorder.forget_old(now)
        await self.retention.start(now)
        await self.feed.prune(now)
        await self.store_index.look(now)

    @cached_property
    def changes(self) -> MemoryChanges:
        from erstwhile.memories.changes import MemoryChanges

        return MemoryChanges(self._owners, self._clock)

    @cached_property
    def regenerate(self) -> Regenerate:
        from erstwhile.layers.regenerate import Regenerate

        return Regenerate(self.database, self.layers, self._clock)

    @cached_property
    def previews(self) -> Previews:
        from erstwhile.layers.preview import Previews

        return Previews(self.database, self.writers, self.layers.briefs)

    @cached_property
    def undo(self) -> Undo:
        from erstwhile.layers.regenerate import Undo

        return Undo(self._owners, self._clock)

    @cached_property
    def backfill(self) -> Backfill:
        from erstwhile.layers.backfill import Backfill

        layers = self.layers.chunks, self.layers.facts, list(self.layers)
        return Backfill(self.database, self.writers, self.worker, layers, self._clock)

    @cached_property
    def recall(self) -> Recall:
        from erstwhile.search.find import Recall

        most = self._settings.index_memory
        return Recall(self.database, self.embedder, self._clock, self.visibility, most)

    @cached_property
    def retention(self) -> Retention:
        from erstwhile.layers.retention.steps import Retention

        rules = (self._keeping, lambda tx: self.layers.chunks.wanted(tx))
        return Retention(self.database, self.layers, self._clock, rules)

    @cached_property
    def erasure(self) -> Erasure:
        from erstwhile.layers.erasure.steps import Erasure
        from erstwhile.owners import owners

        return Erasure(self.database, self._clock, list(self.layers), owners())

    @cached_property
    def revising(self) -> MessageRevision:
        from erstwhile.layers.erasure.revising import MessageRevision
        from erstwhile.owners import owners

        return MessageRevision(self.database, self._clock, list(self.layers), owners())

    @cached_property
    def keys(self) -> KeyStore:
        from erstwhile.keys.store import KeyStore

        return KeyStore(self.database, self._clock)

    @cached_property
    def sessions(self) -> Sessions:
        from erstwhile.keys.store import Sessions

        return Sessions(self.database, self._clock)

    @cached_property
    def feed(self) -> Feed:
        from erstwhile.events.feed import Feed

        return Feed(self.database)

    @cached_property
    def _owners(self) -> dict[str, Layer]:
        return {kind.name: layer for layer in self.layers for kind in layer.kinds}

    async def _recipe(self, tx: Transaction) -> str:
        return await choices.recipe(tx) or self._settings.recipe

    async def _keeping(self, tx: Transaction) -> RetentionPolicy:
        from erstwhile.layers.retention.model import RetentionPolicy

        days = await choices.retention(tx, self._settings)
        return RetentionPolicy(days, self._settings.recent_messages, self._zone)


class _Steps(UserDict[str, "Step"]):
    """The step of each kind of job. All are built when the first job runs."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    @cached_property
    def data(self) -> dict[str, Step]:  # type: ignore[override]
        from erstwhile.layers.erasure.revising import CLEAN
        from erstwhile.layers.rebuild import REMAKE, Remake
        from erstwhile.log.reindex import REINDEX
        from erstwhile.search.embed import EMBED
        from erstwhile.search.store_index import STORE_INDEX

        runtime = self._runtime
        return {
            **{name: step for layer in runtime.layers for name, step in layer.steps.items()},
            **runtime.retention.steps,
            REINDEX: runtime.reindex.step,
            REMAKE: Remake(runtime.reindex).step,
            EMBED: runtime.embedding.step,
            CLEAN: runtime.revising.clean,
            STORE_INDEX: runtime.store_index.step,
        }


def open_database(settings: Settings) -> Database:
    url = settings.database
    if _is_postgres(url):
        return _postgres(url, settings.pool)
    if "://" in url and not url.startswith("sqlite:"):
        if url.startswith(("http://", "https://")):
            why = "This is a server's address. Use erstwhile.connect or connect_sync."
            raise SettingsError(why)
        scheme, _, _ = url.partition("://")
        known = "a path, sqlite:///path or postgresql://…"
        raise SettingsError(f"Unknown database {scheme}://… Use {known}.")
    from erstwhile.storage.sqlite import SQLiteDatabase, path_of

    return SQLiteDatabase(path_of(url))


def database_file(settings: Settings) -> Path | None:
    """Return the file of an SQLite database; None for another database."""
    url = settings.database
    if _is_postgres(url) or ("://" in url and not url.startswith("sqlite:")):
        return None
    from erstwhile.storage.sqlite import path_of

    return Path(path_of(url))


def _is_postgres(url: str) -> bool:
    if set("@:=").isdisjoint(url):  # a plain path
        return False
    from erstwhile.base.addresses import is_postgres

    return is_postgres(url)


def _postgres(url: str, pool: int) -> Database:
    try:
        from erstwhile.storage.postgres import PostgresDatabase
    except ImportError:
        why = "Postgres needs its driver: pip install 'erstwhile[postgres]'."
        raise SettingsError(why) from None
    return PostgresDatabase(url, pool=pool)


def _prompted(settings: Settings) -> Writer:
    from erstwhile.writers.prompted import PromptedWriter

    return PromptedWriter(_choice(settings, settings.chosen_model))


def _chat(settings: Settings) -> ChatModel:
    from erstwhile.writers.accounts import account
    from erstwhile.writers.chat import ChatModel

    model = settings.chat_model or settings.chosen_model
    choice, writes = _choice(settings, model), account(settings.chosen_model)
    if writes not in ("extractive", account(model)) and not settings.base_url:
        choice = replace(choice, api_key=None)  # the key is for the provider of the memory model
    return ChatModel(choice)


def _choice(settings: Settings, model: str) -> ModelChoice:
    from erstwhile.writers.providers import ModelChoice

    return ModelChoice(
        light=model,
        strong=settings.model_strong or model,
        per_task=settings.models,
        base_url=settings.base_url or None,
        api_key=settings.api_key.get_secret_value() or None,
        timeout=settings.model_timeout_seconds,
        cache=settings.prompt_cache.retention != "off",
        cache_min_tokens=settings.prompt_cache.min_tokens,
        cache_retention=settings.prompt_cache.retention,
        hosted_fold=settings.brief.prompt,
    )


def _zone(settings: Settings) -> tzinfo:
    if settings.timezone == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(settings.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingsError(
            f"There is no time zone {settings.timezone!r}. Name one such as Europe/Berlin, or UTC."
        ) from None


def _pacing(settings: Settings) -> Pacing:
    from erstwhile.jobs.worker import Pacing
    from erstwhile.layers.contract import GAP, PACE

    # Also without a model in the settings: a space may have its own.
    jobs = settings.jobs
    model = timedelta(seconds=60 / jobs.calls_per_minute if jobs.calls_per_minute else 0)
    return Pacing(
        concurrency=jobs.concurrency,
        poll_seconds=jobs.poll_seconds,
        lease_seconds=jobs.lease_seconds,
        retry_base_seconds=settings.retry_base_seconds,
        gaps={"model": model, PACE: max(model, GAP)},
    )
