"""Build the runtime. The only module that names concrete databases, writers and embedders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from erstwhile.base.clock import Clock
from erstwhile.base.errors import SettingsError
from erstwhile.base.settings import Settings
from erstwhile.configuration import space as choices
from erstwhile.configuration.visibility import Visibility
from erstwhile.configuration.writer_pool import ModelBuilders, WriterPool
from erstwhile.context import recipes
from erstwhile.embedders import choose as embedders
from erstwhile.embedders.port import Embedder
from erstwhile.events.feed import Feed
from erstwhile.jobs.model import Step
from erstwhile.jobs.worker import Pacing, Worker
from erstwhile.keys.store import KeyStore, Sessions
from erstwhile.layers import backfill
from erstwhile.layers.backfill import Backfill
from erstwhile.layers.brief.fold import Limits
from erstwhile.layers.brief.steps import Briefs
from erstwhile.layers.contract import Layer, Wanted
from erstwhile.layers.days.steps import Days, Lengths
from erstwhile.layers.erasure.revising import SCRUB, Revising
from erstwhile.layers.erasure.steps import Erasure, Rooms
from erstwhile.layers.facts.steps import Facts
from erstwhile.layers.hands import Hands
from erstwhile.layers.notes.steps import Notes, Timing
from erstwhile.layers.preview import Previews
from erstwhile.layers.profiles.steps import Profiles
from erstwhile.layers.regenerate import Regenerate
from erstwhile.layers.remake import REMAKE, Remake
from erstwhile.layers.remembered.steps import Tellings
from erstwhile.layers.replaced import Undo
from erstwhile.layers.restore import Restore
from erstwhile.layers.retention.model import Keeping
from erstwhile.layers.retention.steps import Kept, Retention
from erstwhile.layers.structured.steps import StructuredMemories
from erstwhile.layers.summaries.steps import Chunks
from erstwhile.log.reindex import REINDEX, Reindex
from erstwhile.memories.changes import MemoryChanges
from erstwhile.requests.recorder import Recorder
from erstwhile.search.embed import EMBED, Embedding
from erstwhile.search.find import Recall
from erstwhile.search.flagged import LOOK, Look
from erstwhile.storage import Database, Transaction
from erstwhile.writers.port import Writer

if TYPE_CHECKING:
    from erstwhile.writers.chat import ChatModel
    from erstwhile.writers.providers import ModelChoice


@dataclass(frozen=True, slots=True)
class Runtime:
    database: Database
    writers: WriterPool
    layers: Sequence[Layer]
    chunks: Chunks
    facts: Facts
    briefs: Briefs
    told: Tellings
    days: Days
    notes: Notes
    profiles: Profiles
    hearing: Visibility
    reindex: Reindex
    worker: Worker
    hands: Hands
    restore: Restore
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
    writers = _desk(settings, database, recorder)
    facts = Facts(database, writers, clock)
    structured = StructuredMemories(database, writers, clock, _uses("structured", settings))
    chunks = Chunks(database, writers, clock, (settings.chunk_size, settings.meta_size), followers=[facts, structured])
    briefs = Briefs(database, writers, clock, _limits(settings))
    hearing = Visibility(settings.privacy)
    told = Tellings(database, writers, clock, hearing)
    zone = _zone(settings)
    days = Days(
        database, writers, clock, hearing, (zone, Lengths(settings.days.characters, settings.days.week_characters))
    )
    profiles = Profiles(database, writers, clock, hearing)
    notes = Notes(database, writers, clock, hearing, (_timing(settings, zone), [profiles]))
    reindex = Reindex(database, clock)
    embedder = embedders.choose(settings)
    embedding = _embedding(settings, database, embedder, clock)
    layers: list[Layer] = [chunks, facts, structured, briefs, told, days]
    owners = {kind.name: layer for layer in layers for kind in layer.kinds}
    changes = MemoryChanges(owners, clock)
    erased = Rooms(layers, notes)
    revising = Revising(database, clock, erased)
    retention = Retention(database, layers, clock, (_keeping(settings, zone), _uses("chunks", settings)))
    steps: Mapping[str, Step] = {
        **{name: step for layer in layers for name, step in layer.steps.items()},
        **told.steps,
        **days.steps,
        **notes.steps,
        **profiles.steps,
        **retention.steps,
        REINDEX: reindex.step,
        REMAKE: Remake(reindex).step,
        EMBED: embedding.step,
        LOOK: Look(database, clock).step,
        SCRUB: revising.scrub,
    }
    feed = Feed(database, timedelta(days=settings.keep_days.events))
    chores = [recorder.forget_old, retention.start, feed.prune]
    worker = Worker(database, steps, clock, _pacing(settings), embedding.look, chores)
    restore = Restore((notes, profiles), changes, clock)
    return Runtime(
        database,
        writers,
        layers,
        chunks,
        facts,
        briefs,
        told,
        days,
        notes,
        profiles,
        hearing,
        reindex,
        worker,
        Hands(notes, changes, clock),
        restore,
        Regenerate(database, (chunks, facts, structured), clock),
        Previews(database, writers, briefs),
        Undo(owners, clock),
        Backfill(database, writers, worker, (chunks, facts, layers), clock),
        Recall(database, embedder, clock, hearing, settings.index_memory),
        embedder,
        recorder,
        retention,
        Erasure(database, clock, erased),
        revising,
        KeyStore(database, clock),
        Sessions(database, clock),
        feed,
    )


def _embedding(settings: Settings, database: Database, embedder: Embedder | None, clock: Clock) -> Embedding:
    """Return which documents are embedded: all of them only if the embedder is cheap or the
    settings say so."""
    messages = settings.embed == "all" or (settings.embed == "auto" and embedder is not None and embedder.cheap)
    return Embedding(database, embedder, clock, messages=messages, yields=settings.embedder == "auto")


def _uses(room: str, settings: Settings) -> Wanted:
    """Return whether a space's recipe uses a layer."""

    async def unit(tx: Transaction) -> bool:
        return room in recipes.rooms(await choices.recipe(tx) or settings.recipe)

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
            raise SettingsError("Postgres needs its driver: pip install 'erstwhile[postgres]'.") from None
        return PostgresDatabase(url, pool=settings.pool)
    if "://" in url and not url.startswith("sqlite:"):
        if url.startswith(("http://", "https://")):
            raise SettingsError("That is a server's address: use erstwhile.connect, or erstwhile.connect_sync.")
        raise SettingsError(f"Unknown database {url.split('://')[0]}://… Use a path, sqlite:///path or postgresql://….")
    from erstwhile.storage.sqlite import SQLiteDatabase, path_of

    return SQLiteDatabase(path_of(url))


def _desk(settings: Settings, database: Database, recorder: Recorder) -> WriterPool:
    from erstwhile.writers.extractive import ExtractiveWriter

    return WriterPool(database, settings, ModelBuilders(ExtractiveWriter(), _prompted, _chat), recorder.spent)


def _prompted(settings: Settings) -> Writer:
    from erstwhile.writers.prompted import PromptedWriter

    return PromptedWriter(_choice(settings, settings.chosen_model))


def _chat(settings: Settings) -> ChatModel:
    from erstwhile.writers.chat import ChatModel
    from erstwhile.writers.providers import account

    model = settings.chat_model or settings.chosen_model
    choice, writes = _choice(settings, model), account(settings.chosen_model)
    if writes not in ("extractive", account(model)) and not settings.base_url:
        choice = replace(
            choice, api_key=None
        )  # the key belongs to the provider of the memory model and is sent to no other
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


def _limits(settings: Settings) -> Limits:
    return Limits(
        keep=settings.brief.turns,
        threshold=settings.brief.threshold,
        cap=settings.brief.cap,
        budget=settings.brief.budget,
    )


def _timing(settings: Settings, zone: ZoneInfo) -> Timing:
    return Timing(
        quiet=timedelta(minutes=settings.notes.quiet_minutes),
        limit=timedelta(minutes=settings.notes.limit_minutes),
        hour=settings.notes.nightly_hour,
        zone=zone,
        topics=settings.notes.topics,
        grace=timedelta(seconds=10) if settings.worker else timedelta(0),
    )


def _zone(settings: Settings) -> ZoneInfo:
    try:
        return ZoneInfo(settings.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingsError(
            f"There is no time zone {settings.timezone!r}. Name one such as Europe/Berlin, or UTC."
        ) from None


def _pacing(settings: Settings) -> Pacing:
    limited = settings.jobs.calls_per_minute  # even without an operator's model: a space may have its own
    model = timedelta(seconds=60 / settings.jobs.calls_per_minute) if limited else timedelta(0)
    gaps = {"model": model, backfill.PACE: max(model, backfill.GAP)}
    return Pacing(
        concurrency=settings.jobs.concurrency,
        poll_seconds=settings.jobs.poll_seconds,
        lease_seconds=settings.jobs.lease_seconds,
        retry_base_seconds=settings.retry_base_seconds,
        gaps=gaps,
    )
