"""The one place that names concrete databases and writers, and puts the house together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from erstwhile.base.clock import Clock
from erstwhile.base.errors import SettingsError
from erstwhile.base.settings import Settings
from erstwhile.jobs.model import Step
from erstwhile.jobs.worker import Pacing, Worker
from erstwhile.log.reindex import REINDEX, Reindex
from erstwhile.rooms.chunks.steps import Chunks
from erstwhile.rooms.facts.steps import Facts
from erstwhile.storage import Database
from erstwhile.writers.port import Writer
from erstwhile.writers.writers import Writers


@dataclass(frozen=True, slots=True)
class House:
    database: Database
    writers: Writers
    chunks: Chunks
    facts: Facts
    reindex: Reindex
    worker: Worker


def build(settings: Settings, clock: Clock) -> House:
    database = open_database(settings)
    writers = _writers(settings)
    facts = Facts(database, writers, clock)
    chunks = Chunks(database, writers, clock, (settings.chunk_size, settings.meta_size), followers=[facts])
    reindex = Reindex(database, clock)
    steps: Mapping[str, Step] = {**chunks.steps, **facts.steps, REINDEX: reindex.step}
    return House(database, writers, chunks, facts, reindex, Worker(database, steps, clock, _pacing(settings, writers)))


def open_database(settings: Settings) -> Database:
    url = settings.database
    if url.startswith(("postgresql:", "postgres:")):
        try:
            from erstwhile.storage.postgres import PostgresDatabase
        except ImportError:
            raise SettingsError("Postgres needs its driver: pip install 'erstwhile[postgres]'.") from None
        return PostgresDatabase(url, pool=settings.pool)
    if "://" in url and not url.startswith("sqlite:"):
        raise SettingsError(f"Unknown database {url.split('://')[0]}://… Use a path, sqlite:///path or postgresql://….")
    from erstwhile.storage.sqlite import SQLiteDatabase, path_of

    return SQLiteDatabase(path_of(url), readers=settings.readers, busy_seconds=settings.busy_seconds)


def _writers(settings: Settings) -> Writers:
    from erstwhile.writers.extractive import ExtractiveWriter

    drafts = ExtractiveWriter()
    if settings.chosen_model == "extractive":
        return Writers(best=drafts, drafts=drafts)
    return Writers(best=_prompted(settings), drafts=drafts)


def _prompted(settings: Settings) -> Writer:
    from erstwhile.writers.prompted import PromptedWriter
    from erstwhile.writers.providers import ModelChoice

    return PromptedWriter(
        ModelChoice(
            light=settings.chosen_model,
            strong=settings.model_strong or settings.chosen_model,
            per_task=settings.models,
            base_url=settings.base_url or None,
            api_key=settings.api_key.get_secret_value() or None,
            timeout=settings.model_timeout_seconds,
            cache=settings.prompt_cache,
            cache_min_tokens=settings.prompt_cache_min_tokens,
            cache_retention=settings.prompt_cache_retention,
        )
    )


def _pacing(settings: Settings, writers: Writers) -> Pacing:
    limited = settings.calls_per_minute and not writers.best.draft
    return Pacing(
        concurrency=settings.worker_concurrency,
        poll_seconds=settings.worker_poll_seconds,
        lease_seconds=settings.lease_seconds,
        retry_base_seconds=settings.retry_base_seconds,
        gap=timedelta(seconds=60 / settings.calls_per_minute) if limited else timedelta(0),
        keep_done=timedelta(days=settings.jobs_keep_days),
    )
