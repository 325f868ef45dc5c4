"""Store a source in the log, batch by batch, through the API."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from erstwhile.base.errors import InvalidInput, TooManyRequests
from erstwhile.base.page import every
from erstwhile.base.records import dataclass
from erstwhile.importers import model, sources
from erstwhile.importers.sources import DamagedFile
from erstwhile.log import check
from erstwhile.log.model import NewMessage

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.client.memory import RemoteMemory


# Each name with the module that has its FORMAT (or OWN_FORMAT) and what it reads, in the order in
# which they are tried.
_FORMATS: Final = {
    "erstwhile": ("jsonl", "a zip of `erstwhile export` (manifest.json)"),
    "chatgpt": ("chatgpt", "ChatGPT's export (conversations.json)"),
    "claude": ("claude", "Claude's export (conversations.json)"),
    "slack": ("slack", "Slack's export (channels.json and a folder for each channel)"),
    "telegram": ("telegram", "Telegram's JSON (result.json)"),
    "discord": ("discord", "JSON of DiscordChatExporter"),
    "whatsapp": ("whatsapp", "WhatsApp's text (_chat.txt)"),
    "jsonl": (
        "jsonl",
        "a message or a conversation per line (.jsonl, .ndjson); of an array: jq -c '.[]' FILE > FILE.jsonl",
    ),
}
NAMES: Final = tuple(_FORMATS)


def named(name: str) -> model.Format:
    if name not in NAMES:
        raise InvalidInput(f"There is no format {name!r}. Use {', '.join(NAMES)} or auto.")
    home = import_module(f"{__package__}.{_FORMATS[name][0]}")
    return cast(model.Format, home.OWN_FORMAT if name == "erstwhile" else home.FORMAT)


def choose(name: str, source: model.ImportSource) -> model.Format:
    """Return the format of that name; for `auto`, the only one that recognises the source."""
    if name != "auto":
        return named(name)
    found = [each for each in map(named, NAMES) if each.recognises(source)]
    if not found:
        known = "\n".join(f"  {name}: {hint}" for name, (_, hint) in _FORMATS.items())
        raise InvalidInput(
            f"{source.name} is in no known format. Known formats:\n{known}\nName one with --format."
        )
    if len(found) > 1 and found[0].name != "erstwhile":
        names = ", ".join(each.name for each in found)
        raise InvalidInput(
            f"{source.name} holds files of several kinds ({names}). Import it once for each, with --format; "
            "the others are left out then."
        )
    return found[0]


Problems = dict[str, model.ImportProblem]  # by key

ANY_SIZE: Final = 1 << 62
_MESSAGES: Final = 500
_BYTES: Final = 2**20  # of text; a server accepts four times that, and JSON needs some
_READS: Final = 10_000  # so that progress is reported even if a source has only problems


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message and its position in the batch. It is checked only if it is new."""

    place: int
    where: str
    key: str
    message: NewMessage

    def checked(self, source: str, largest: int, *, third_party: bool) -> NewMessage:
        """Return what is stored. Text of a third party is no person's of this space."""
        new, meta = self.message, self.message.meta
        if isinstance(meta, Mapping) and "source" not in meta:
            meta = {**meta, "source": source}
        if third_party and isinstance(meta, Mapping):
            meta = {**meta, "trust": "third_party"}
            new = replace(new, role="tool", person=None, name=new.name or new.person)
        return check.message(replace(new, key=self.key, meta=meta), largest=largest)


@dataclass(slots=True)
class ImportBatch:
    """`error`: why nothing comes after it."""

    channels: dict[str, list[FoundMessage]] = field(default_factory=dict)
    problems: dict[int, model.ImportProblem] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    people: set[str] = field(default_factory=set)
    times: tuple[datetime, datetime] | None = None
    error: InvalidInput | None = None
    reads: int = 0
    messages: int = 0
    size: int = 0

    @property
    def full(self) -> bool:
        return self.messages >= _MESSAGES or self.size >= _BYTES or self.reads >= _READS

    def take(self, read: model.ReadItem, seen: model.DigestCounts) -> None:
        if isinstance(read, model.ImportProblem):
            self.problems[self.reads] = read
        elif isinstance(read, model.SkippedItems):
            self.left[read.reason] = self.left.get(read.reason, 0) + read.count
        else:
            try:
                channel = check.identifier("channel", read.channel)
                self._add(channel, read, seen)
            except InvalidInput as error:
                self.problems[self.reads] = model.ImportProblem(read.where, str(error))

    def _add(self, channel: str, read: model.ImportedMessage, seen: model.DigestCounts) -> None:
        message = read.message
        if message.key is not None:
            key = check.identifier("key", message.key)
        else:
            told = read.channel, message.role, message.person, message.text, message.at
            made = model.digest(*map(str, told))
            key = f"import:{made.hex()[:32]}:{seen.count(made)}"
        found = FoundMessage(self.reads, read.where, key, message)
        self.channels.setdefault(channel, []).append(found)
        self.messages += 1
        meta = len(str(message.meta)) if len(message.meta) > 8 else 200
        self.size += len(message.text.encode("utf-8", "replace")) + meta
        if isinstance(message.person, str):
            self.people.add(message.person)
        if isinstance(message.at, datetime):
            first, last = self.times or (message.at, message.at)
            self.times = min(first, message.at), max(last, message.at)


def read_batches(reads: model.ReadItems) -> Iterator[ImportBatch]:
    seen, ended = model.DigestCounts(), False
    while not ended:
        batch = ImportBatch()
        while not batch.full and not ended:
            try:
                batch.take(next(reads), seen)
            except StopIteration:
                ended = True
            except DamagedFile as damage:
                ended = True
                batch.problems[batch.reads] = model.ImportProblem("here it ends", str(damage))
            except InvalidInput as error:
                ended, batch.error = True, error
            batch.reads += 1
        if not ended or batch.reads > 1 or batch.problems or batch.error:
            yield batch


T = TypeVar("T")
# Called with bytes read, total bytes, and messages stored.
Progress = Callable[[int, int, int], None]

_PROBLEMS: Final = 1000
_AT_ONCE: Final = 8  # channels written at the same time: they share a commit
_PATIENCE: Final = 100  # "too many requests" of a server before the import gives up
_LONGEST_WAIT: Final = 60.0


async def load(
    memory: Memory | RemoteMemory,
    path: str | Path,
    *,
    format: str = "auto",
    channel: str | None = None,
    dry_run: bool = False,
    third_party: bool = False,
    progress: Progress | None = None,
    space: str | None = None,
) -> model.ImportReport:
    """Import a file, folder or zip into a space, by default the memory's. Repeating an import changes
    nothing, so an interrupted one can be repeated.

    `channel` is for messages that name none; `dry_run` stores nothing and reports what would be
    stored. `third_party`: documents, mail or web text, which nobody here said.
    """
    with await _in_thread(lambda: sources.open_source(Path(path), channel)) as opened:
        chosen = await _in_thread(lambda: choose(format, opened.source))
        name, left = f"import:{opened.source.name}", dict(opened.left)
        report = model.ImportReport(chosen.name, name, left=left, dry_run=dry_run)
        report.skipped = sum(opened.left.values())
        limits = getattr(memory.settings, "limits", None)  # a server has its own
        largest: int = limits.message_bytes if limits else ANY_SIZE
        total = opened.total
        space = memory.settings.space if space is None else space
        await _Loader(memory, report, largest, third_party, space).run(
            read_batches(chosen.read(opened.source)),
            lambda: progress and progress(opened.tally.read, total, report.messages),
        )
    return report


@dataclass(slots=True)
class _Loader:
    memory: Memory | RemoteMemory
    report: model.ImportReport
    largest: int
    third_party: bool
    space: str
    _channels: set[str] = field(default_factory=set)
    _people: set[str] = field(default_factory=set)
    _blocked: frozenset[str] | None = None
    _seen: model.DigestCounts = field(default_factory=model.DigestCounts)

    async def run(self, batches: Iterator[ImportBatch], advanced: Callable[[], object]) -> None:
        while (batch := await _in_thread(lambda: next(batches, None))) is not None:
            problems = dict(batch.problems)
            channels = list(batch.channels.items())
            for start in range(0, len(channels), _AT_ONCE):
                stored = (self._channel(*each) for each in channels[start : start + _AT_ONCE])
                for unkept in await asyncio.gather(*stored):
                    problems.update(unkept)
            self._count(batch, [problems[place] for place in sorted(problems)])
            advanced()
            if batch.error is not None:
                raise batch.error

    def _count(self, batch: ImportBatch, problems: Sequence[model.ImportProblem]) -> None:
        report = self.report
        for reason, count in batch.left.items():
            report.left[reason] = report.left.get(reason, 0) + count
        room = _PROBLEMS - len(report.problems)
        report.problems += problems[:room]
        report.more_problems += len(problems[room:])
        report.skipped += len(problems) + sum(batch.left.values())
        self._channels.update(batch.channels)
        self._people.update(batch.people)
        report.channels, report.people = len(self._channels), len(self._people)
        if batch.times:
            report.first = min(filter(None, (report.first, batch.times[0])))
            report.last = max(filter(None, (report.last, batch.times[1])))

    async def _channel(
        self, name: str, found: Sequence[FoundMessage]
    ) -> dict[int, model.ImportProblem]:
        """Store new messages, return what was not kept. Asking for known keys is faster."""
        chat, report = self.memory.channel(name, self.space), self.report
        known = await _with_retries(lambda: chat.known(list({each.key for each in found})))
        erased = [each for each in found if each.key in known.erased]
        unkept = {each.place: await self._unkept(each, erased=True) for each in erased}
        others = (each for each in found if each.key not in known.erased)
        fresh = {each.key: each for each in others if each.key not in known.there}
        good, refused = dict[str, FoundMessage](), Problems()
        third = self.third_party
        for key, each in fresh.items():
            try:
                new = each.checked(report.source, self.largest, third_party=third)
                good[key] = replace(each, message=new)
            except InvalidInput as error:
                refused[key] = model.ImportProblem(each.where, str(error))
        refused |= await (self._tried(name, good) if report.dry_run else self._stored(name, good))
        unkept.update((each.place, refused[each.key]) for each in found if each.key in refused)
        stored = len(good) - sum(key in refused for key in good)
        report.messages += stored
        again = len(found) - len(unkept) - stored
        report.already += again
        report.skipped += again
        return unkept

    async def _stored(self, name: str, good: dict[str, FoundMessage]) -> Problems:
        chat = self.memory.channel(name, self.space)
        if not good:
            return {}
        try:
            new = [each.message for each in good.values()]
            stored = await _with_retries(lambda: chat.add_many(new))
        except InvalidInput as error:
            if len(good) == 1:  # a server may accept less
                problem = partial(model.ImportProblem, reason=str(error))
                return {key: problem(each.where) for key, each in good.items()}
            refused: Problems = {}
            for key, each in good.items():
                refused |= await self._stored(name, {key: each})
            return refused
        both = zip(good.items(), stored, strict=True)
        lost = {key: each for (key, each), message in both if not message.seq}
        return {key: await self._unkept(each) for key, each in lost.items()}

    async def _tried(self, name: str, good: dict[str, FoundMessage]) -> Problems:
        """Dry run of `_stored`. It has to remember keys, because nothing is stored."""
        for key in [key for key in good if self._seen.count(model.digest(name, key)) > 1]:
            del good[key]
        remembered, blocked = self._remembered(), await self._who_is_blocked()
        lost = {
            k: each for k, each in good.items() if not remembered or each.message.person in blocked
        }
        return {key: await self._unkept(each) for key, each in lost.items()}

    async def _unkept(self, found: FoundMessage, *, erased: bool = False) -> model.ImportProblem:
        space, person = self.space, found.message.person
        if not self._remembered():
            why = f"space {space!r} is not among those that are remembered (ERSTWHILE_SPACES)"
        elif not erased and person in await self._who_is_blocked():
            why = f"{person!r} is blocked in space {space!r}"
        else:
            why = f"it was erased in space {space!r}"
        return model.ImportProblem(found.where, f"not kept: {why}")

    def _remembered(self) -> bool:
        spaces: Sequence[str] = getattr(self.memory.settings, "spaces", ())
        return not spaces or self.space in spaces

    async def _who_is_blocked(self) -> frozenset[str]:
        if self._blocked is None:
            known = await every(self.memory.people.list, space=self.space)
            self._blocked = frozenset(each.person for each in known if each.blocked)
        return self._blocked


async def _in_thread(work: Callable[[], T]) -> T:
    """Read files in a thread, so that a server can answer meanwhile. A cancelled caller waits for
    the thread, which has the files open."""
    reading = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(reading)
    except asyncio.CancelledError:
        await asyncio.wait([reading])
        raise


async def _with_retries(ask: Callable[[], Awaitable[T]]) -> T:
    for _ in range(_PATIENCE):
        try:
            return await ask()
        except TooManyRequests as error:
            wait = 1 if error.retry_after is None else error.retry_after
            if wait > _LONGEST_WAIT:  # the quota of the day is used up
                raise
            await asyncio.sleep(wait)
    return await ask()
