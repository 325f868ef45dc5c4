"""Build the runtime. The only module that names concrete databases, writers and embedders."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from erstwhile import layers
from erstwhile.base.clock import Clock
from erstwhile.base.errors import SettingsError
from erstwhile.base.settings import Settings
from erstwhile.configuration import space as choices
from erstwhile.configuration.visibility import Visibility
from erstwhile.configuration.writer_pool import ModelBuilders, WriterPool
from erstwhile.embedders import choose as embedders
from erstwhile.embedders.port import Embedder
from erstwhile.events.feed import Feed
from erstwhile.jobs.model import Step
from erstwhile.jobs.worker import Pacing, Worker
from erstwhile.keys.store import KeyStore, Sessions
from erstwhile.layers import Layers, backfill
from erstwhile.layers.appended import AppendedLayers
from erstwhile.layers.backfill import Backfill
from erstwhile.layers.contract import LayerParts
from erstwhile.layers.erasure.revising import SCRUB, Revising
from erstwhile.layers.erasure.steps import Erasure
from erstwhile.layers.preview import Previews
from erstwhile.layers.regenerate import Regenerate
from erstwhile.layers.remake import REMAKE, Remake
from erstwhile.layers.replaced import Undo
from erstwhile.layers.retention.model import Keeping
from erstwhile.layers.retention.steps import Kept, Retention
from erstwhile.log.append import Addition
from erstwhile.log.model import Message
from erstwhile.log.reindex import REINDEX, Reindex
from erstwhile.memories.changes import MemoryChanges
from erstwhile.requests.recorder import Recorder
from erstwhile.search.embed import EMBED, Embedding
from erstwhile.search.find import Recall
from erstwhile.search.store_index import STORE_INDEX, StoreIndex
from erstwhile.storage import Database, Transaction
from erstwhile.storage.groups import WriteGroups
from erstwhile.writers.port import Writer

if TYPE_CHECKING:
    from erstwhile.writers.chat import ChatModel
    from erstwhile.writers.providers import ModelChoice


@dataclass(frozen=True, slots=True)
class Runtime:
    database: Database
    appends: WriteGroups[Addition, list[Message]]
    writers: WriterPool
    layers: Layers
    visibility: Visibility
    reindex: Reindex
    worker: Worker
    changes: MemoryChanges
    regenerate: Regenerate
    previews: Previews
    undo: Undo
    backfill: Backfill
    recall: Recall
    embedder: Embedder | None
    recorder: Recorder
    retention: Retention
    erasure: Erasure
    revising: Revising
    keys: KeyStore
    sessions: Sessions
    feed: Feed


def build(settings: Settings, clock: Clock) -> Runtime:
    database = open_database(settings)
    recorder = Recorder(database, clock, timedelta(days=settings.keep_days.requests))
    writers = _writer_pool(settings, database, recorder)
    visibility, zone = Visibility(settings.privacy), _zone(settings)
    recipe = _recipe(settings)
    built = layers.build(LayerParts(database, writers, clock, visibility, settings, zone, recipe))
    reindex = Reindex(database, clock)
    embedder = embedders.choose(settings)
    embedding = _embedding(settings, database, embedder, clock)
    store_index = StoreIndex(database, clock)
    owners = {kind.name: layer for layer in built for kind in layer.kinds}
    changes = MemoryChanges(owners, clock)
    revising = Revising(database, clock, list(built))
    retention = Retention(database, list(built), clock, (_keeping(settings, zone), built.chunks.wanted))
    steps: Mapping[str, Step] = {
        **{name: step for layer in built for name, step in layer.steps.items()},
        **retention.steps,
        REINDEX: reindex.step,
        REMAKE: Remake(reindex).step,
        EMBED: embedding.step,
        SCRUB: revising.scrub,
        STORE_INDEX: store_index.step,
    }
    feed = Feed(database, timedelta(days=settings.keep_days.events))
    chores = [recorder.forget_old, retention.start, feed.prune, store_index.look]
    worker = Worker(database, steps, clock, _pacing(settings), embedding.look, chores)
    return Runtime(
        database,
        WriteGroups(database, AppendedLayers(built, retention, settings).append),
        writers,
        built,
        visibility,
        reindex,
        worker,
        changes,
        Regenerate(database, built, clock),
        Previews(database, writers, built.briefs),
        Undo(owners, clock),
        Backfill(database, writers, worker, (built.chunks, built.facts, list(built)), clock),
        Recall(database, embedder, clock, visibility, settings.index_memory),
        embedder,
        recorder,
        retention,
        Erasure(database, clock, list(built)),
        revising,
        KeyStore(database, clock),
        Sessions(database, clock),
        feed,
    )


def _embedding(settings: Settings, database: Database, embedder: Embedder | None, clock: Clock) -> Embedding:
    """Embed messages too only if the embedder is cheap or the settings say so."""
    cheap = embedder is not None and embedder.cheap
    messages = settings.embed == "all" or (settings.embed == "auto" and cheap)
    yields = settings.embedder == "auto"
    return Embedding(database, embedder, clock, messages=messages, yields=yields)


def _recipe(settings: Settings) -> Callable[[Transaction], Awaitable[str]]:
    async def unit(tx: Transaction) -> str:
        return await choices.recipe(tx) or settings.recipe

    return unit


def _keeping(settings: Settings, zone: ZoneInfo) -> Kept:
    async def unit(tx: Transaction) -> Keeping:
        return Keeping(await choices.retention(tx, settings), settings.recent_messages, zone)

    return unit


def open_database(settings: Settings) -> Database:
    url = settings.database
    if url.startswith(("postgresql:", "postgres:")):
        try:
            from erstwhile.storage.postgres import PostgresDatabase
        except ImportError:
            message = "Postgres needs its driver: pip install 'erstwhile[postgres]'."
            raise SettingsError(message) from None
        return PostgresDatabase(url, pool=settings.pool)
    if "://" in url and not url.startswith("sqlite:"):
        if url.startswith(("http://", "https://")):
            raise SettingsError("This is a server's address. Use erstwhile.connect or connect_sync.")
        scheme, _, _ = url.partition("://")
        known = "a path, sqlite:///path or postgresql://…"
        raise SettingsError(f"Unknown database {scheme}://… Use {known}.")
    from erstwhile.storage.sqlite import SQLiteDatabase, path_of

    return SQLiteDatabase(path_of(url))


def _writer_pool(settings: Settings, database: Database, recorder: Recorder) -> WriterPool:
    from erstwhile.writers.extractive import ExtractiveWriter

    builders = ModelBuilders(ExtractiveWriter(), _prompted, _chat)
    return WriterPool(database, settings, builders, recorder.spent)


def _prompted(settings: Settings) -> Writer:
    from erstwhile.writers.prompted import PromptedWriter

    return PromptedWriter(_choice(settings, settings.chosen_model))


def _chat(settings: Settings) -> ChatModel:
    from erstwhile.writers.chat import ChatModel
    from erstwhile.writers.providers import account

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
        cache=settings.prompt_cache.enabled,
        cache_min_tokens=settings.prompt_cache.min_tokens,
        cache_retention=settings.prompt_cache.retention,
        hosted_fold=settings.brief.prompt,
    )


def _zone(settings: Settings) -> ZoneInfo:
    try:
        return ZoneInfo(settings.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingsError(
            f"There is no time zone {settings.timezone!r}. Name one such as Europe/Berlin, or UTC."
        ) from None


def _pacing(settings: Settings) -> Pacing:
    # Also without a model in the settings: a space may have its own.
    limited = settings.jobs.calls_per_minute
    model = timedelta(seconds=60 / settings.jobs.calls_per_minute) if limited else timedelta(0)
    gaps = {"model": model, backfill.PACE: max(model, backfill.GAP)}
    return Pacing(
        concurrency=settings.jobs.concurrency,
        poll_seconds=settings.jobs.poll_seconds,
        lease_seconds=settings.jobs.lease_seconds,
        retry_base_seconds=settings.retry_base_seconds,
        gaps=gaps,
    )
