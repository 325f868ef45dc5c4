"""Find problems: why memories are not being made, and what to do about it."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Literal

from erstwhile.base.errors import ModelError, SettingsError
from erstwhile.base.records import dataclass
from erstwhile.base.settings import DEFAULT_MODELS, Settings
from erstwhile.configuration.model_check import probe
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.embedders.port import Embedder
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.layers.summaries import readings
from erstwhile.layers.summaries import store as chunks
from erstwhile.log import store as log
from erstwhile.log.integrity import damaged_messages
from erstwhile.memories.integrity import damaged_memories
from erstwhile.storage import Database, Transaction, migrate
from erstwhile.writers.accounts import is_own_server, key_found, key_variable, missing_package
from erstwhile.writers.providers import ModelChoice, ModelPool

if TYPE_CHECKING:
    from erstwhile.wiring import Runtime


_TABLES = 12  # that are listed by name, the largest
_NAMED = 20  # damaged messages and memories that are listed
_STALLED = timedelta(minutes=10)
_NO_ISOLATION = "Run `erstwhile migrate` as a user who may create roles, or connect as an ordinary user who owns the tables."


_USUAL = {"openai-compatible", *(model.partition(":")[0] for model in DEFAULT_MODELS.values())}
_ENOUGH_CHUNKS = 3  # from which on no structured memory at all is a sign
_NO_MODEL = (
    "Set a provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY), or "
    "ERSTWHILE_MODEL and ERSTWHILE_BASE_URL; for this space alone, `erstwhile spaces set`."
)
_TOO_SMALL = "The model may be too small: what it writes that no message bears out is left out. Choose a larger one."
_SLOW = (
    "Raise ERSTWHILE_MODEL_TIMEOUT_SECONDS, set ERSTWHILE_JOBS__CONCURRENCY=1, or choose a smaller or faster model. "
    "Until then memories are drafts."
)


async def examine_all(runtime: Runtime, space: str, now: datetime) -> list[Finding]:
    """Check everything: the database for damage, and what a model of one's own server can do."""
    sound = await _soundness(runtime.database, space)
    found = [*sound, *await examine(runtime, space, now), *await _ability(runtime.writers, space)]
    return [*found, await _size(runtime.database)] if sound[0].level == "ok" else found


async def _soundness(database: Database, space: str) -> list[Finding]:
    """Check the whole database for damage, and every message and memory against its checksum."""
    damage = await database.check()
    if not damage:
        rows = await damaged_messages(database, space) + await damaged_memories(database, space)
        damage = [f"{each} is not what was stored" for each in rows[:_NAMED]]
        if len(rows) > _NAMED:
            damage.append(f"so are {len(rows) - _NAMED:,} further messages and memories")
    advice = "Stop writing and restore the latest backup."
    found = [Finding("problem", f"The database is damaged: {each}", advice) for each in damage]
    return found or [Finding("ok", f"{database.describe()} is sound.")]


async def _size(database: Database) -> Finding:
    """Measure the tables. Reads the whole file of a SQLite database, which must be sound."""
    sizes = await database.sizes()
    listed = dict(islice(sizes.items(), _TABLES))
    total = sum(sizes.values())
    if total > sum(listed.values()):
        listed["others"] = total - sum(listed.values())
    tables = ", ".join(f"{name} {size:,}" for name, size in listed.items())
    return Finding("ok", f"{total:,} bytes on disk, tables with their indexes: {tables}.")


async def examine(runtime: Runtime, space: str, now: datetime) -> list[Finding]:
    """Check what takes no time."""
    database, writers = runtime.database, runtime.writers
    findings = [
        Finding("problem", f"Spaces are kept apart by queries alone: {each}.", _NO_ISOLATION)
        for each in await database.gaps()
    ]
    findings += await _schema(database)
    settings = writers.settings
    try:
        settings = await writers.settings_for(space)
        findings.append(await _model(settings))
    except SettingsError as error:
        what, _, advice = str(error).partition(". ")
        findings.append(Finding("problem", f"{what}.", advice))

    async def unit(tx: Transaction) -> list[Finding]:
        vectors = [*embedder_findings(settings), *await _vectors(tx, runtime.embedder)]
        return [*await _queue(tx, now), *await _memories(tx, settings), *vectors]

    return findings + await database.read(space, unit)


async def _schema(database: Database) -> list[Finding]:
    foreign = await database.foreign_objects()
    told = (f"The database has a {each} that erstwhile did not make." for each in foreign)
    findings = [Finding("problem", what, "Delete it unless you know it.") for what in told]
    version, known = await database.version(), migrate.known(database.dialect)[-1].version
    if version > known:
        what = f"The database has schema {version}, this process knows up to {known}."
        advice = "Restart it with the version that ran `erstwhile migrate`."
        findings.append(Finding("problem", what, advice))
    return findings


async def _model(settings: Settings) -> Finding:
    model = settings.chosen_model
    if model == "extractive" and settings.api_key.get_secret_value():
        advice = "Set one: `erstwhile spaces set model PROVIDER:NAME`."
        return Finding("problem", "There is a key, but no model to use it with.", advice)
    if model == "extractive":
        return Finding("note", "No model is configured: memories are extractive drafts.", _NO_MODEL)
    if model.startswith("openai-compatible:") and not settings.base_url:
        advice = "Set ERSTWHILE_BASE_URL, for example http://localhost:11434/v1."
        return Finding("problem", f"{model} has no address.", advice)
    provider = model.partition(":")[0]
    if not (settings.base_url or settings.api_key.get_secret_value() or key_found(provider)):
        here = "for this space alone, `erstwhile spaces set api_key -`."
        advice = f"Set {key_variable(provider)} or ERSTWHILE_API_KEY; {here}"
        return Finding("problem", f"{model} has no key.", advice)
    if package := missing_package(provider):
        what = f"{model} needs a package that is not installed."
        return Finding("problem", what, f"pip install '{package}'")
    if why := await _refusal(settings, model):
        advice = (
            "Set ERSTWHILE_MODEL; for this space alone, `erstwhile spaces set model PROVIDER:NAME`."
        )
        return Finding("problem", why, advice)
    return Finding("ok", f"Memories are written by {model}.")


async def _refusal(settings: Settings, model: str) -> str:
    """Return why a model can't be called, "" if nothing is known to be wrong. What the usual ones
    lack is known without building them."""
    provider, _, name = model.partition(":")
    if name and provider in _USUAL:
        return ""
    key = settings.api_key.get_secret_value() or None
    models = ModelPool(ModelChoice(model, model, base_url=settings.base_url, api_key=key))
    try:
        await models.reach(model)
    except SettingsError as error:
        return str(error)
    finally:
        await models.close()
    return ""


async def _ability(writers: WriterPool, space: str) -> list[Finding]:
    """Let a model of one's own server, which may be too small or too slow, read a short
    conversation."""
    try:
        settings = await writers.settings_for(space)
    except SettingsError:
        return []  # `examine` says so
    model = settings.chosen_model
    if not settings.base_url or not is_own_server(model, settings.base_url):
        return []
    try:
        noted, wrong = await probe(writers, space)
    except (ModelError, SettingsError) as error:
        noted, wrong = 0, str(error)
        if "did not answer within" not in wrong:
            return [Finding("problem", wrong)]
    if noted:
        return [Finding("ok", f"{model} noted {noted} memories of a short conversation that hold.")]
    if "did not answer within" in wrong:
        return [Finding("problem", f"{model} is slow. {wrong}", _SLOW)]
    what = f"{model} noted no memory of a short conversation that holds. {wrong}"
    return [Finding("problem", what, _TOO_SMALL)]


async def _queue(tx: Transaction, now: datetime) -> list[Finding]:
    counted = await jobs.counts(tx, now)
    findings = []
    if counted["parked"]:
        parked = await jobs.listed(tx, now, state="parked", limit=1)
        what = f"{counted['parked']} jobs are parked, the first because: {parked[0].reason}"
        findings.append(Finding("problem", what, "Fix the cause, then run `erstwhile jobs retry`."))
    waiting = await jobs.listed(tx, now, state="waiting", limit=1)
    if waiting and waiting[0].attempts:
        advice = "They are retried automatically; until then there are drafts."
        findings.append(Finding("problem", f"Jobs keep failing: {waiting[0].reason}", advice))
    elif waiting and now - waiting[0].due_at > _STALLED:
        since = f"{waiting[0].due_at:%Y-%m-%d %H:%M} UTC"
        what = f"{counted['waiting']} jobs waiting since {since}; no worker is running."
        advice = "Start `erstwhile worker`, or run `erstwhile settle`."
        findings.append(Finding("problem", what, advice))
    moving = f"The queue moves: {counted['waiting']} waiting, {counted['running']} running."
    return findings or [Finding("ok", moving)]


async def _memories(tx: Transaction, settings: Settings) -> list[Finding]:
    total, modelled = await log.count(tx), settings.chosen_model != "extractive"
    levels = await chunks.counts(tx)
    read = await readings.counts(tx, "fact")
    if not total["messages"]:
        advice = "Add some: `erstwhile add CHANNEL user TEXT`, or `erstwhile import FILE`."
        return [Finding("note", f"Space {tx.space!r} has no messages.", advice)]
    if not levels:
        when = f"{settings.chunk_size} messages, or when it has been quiet, and `erstwhile settle`."
        what = f"{total['messages']} messages, no summaries yet."
        return [Finding("note", what, f"A channel gets its first after {when}")]
    metas = sum(row["summaries"] for row in levels if row["level"])
    summaries = f"{sum(row['summaries'] for row in levels) - metas} summaries"
    summaries += f", {metas} meta summaries" if metas else ""
    stored = f"{total['messages']} messages in {total['channels']} channels"
    findings = [Finding("ok", f"{stored}; {summaries}; {read.found} facts.")]
    noted = await readings.counts(tx, "structured")
    if noted.read:
        what = f"{noted.found} structured memories in {noted.nonempty} of {noted.read} chunks ({noted.rate:.0%})."
        # Without a model there are few: that no model is configured is said already.
        too_few = not noted.found and noted.read >= _ENOUGH_CHUNKS and modelled
        findings.append(Finding("problem", what, _TOO_SMALL) if too_few else Finding("ok", what))
    if read.read and not read.nonempty:
        plain = "Small talk has none; without a model only plain statements become facts."
        advice = (
            "Small talk has none; else check the model and the extract prompt."
            if modelled
            else plain
        )
        findings.append(
            Finding("problem" if modelled else "note", "No chunk has any fact.", advice)
        )
    drafts = sum(row["drafts"] for row in levels) + read.drafts + noted.drafts
    if drafts and modelled:
        what = f"{drafts} drafts are waiting to be replaced by the model."
        findings.append(Finding("note", what, "`erstwhile settle` or a worker does it."))
    return findings


def embedder_findings(settings: Settings) -> list[Finding]:
    """Say that MiniLM was found better only with vectors of the messages too."""
    if settings.embedder != "minilm" or settings.embed == "all":
        return []
    what = "minilm makes vectors of summaries and facts only: its gain was measured with the messages' too."
    return [Finding("note", what, "Set ERSTWHILE_EMBED=all.")]


async def _vectors(tx: Transaction, embedder: Embedder | None) -> list[Finding]:
    row = await documents.count_vectors(tx)
    if not row["vectors"] and not row["waiting"]:
        return []
    if embedder is None:
        what = f"{row['vectors']} vectors of {row['embedder']} are not used"
        what = f"{what}: no embedder is set, so search uses words only."
        return [Finding("note", what, "Set ERSTWHILE_EMBEDDER.")] if row["vectors"] else []
    if row["embedder"] and row["embedder"] != embedder.name:
        made = f"The stored vectors were made by {row['embedder']}"
        what = f"{made}, but this process uses {embedder.name}: search uses words only."
        advice = "Name the same ERSTWHILE_EMBEDDER everywhere; to change it, name the new one."
        return [Finding("problem", what, advice)]
    if row["waiting"]:
        what = f"{row['waiting']} documents wait for a vector; they are found by words until then."
        return [Finding("note", what, "`erstwhile settle` or a worker makes them.")]
    return [Finding("ok", f"{row['vectors']} vectors by {row['embedder']}.")]


Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `advice` says what to do, if anything."""

    level: Level
    what: str
    advice: str = ""
