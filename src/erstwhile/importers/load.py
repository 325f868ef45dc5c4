"""From a source into the log, batch by batch, through the door's public verbs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from erstwhile.api.page import every
from erstwhile.base.errors import InvalidInput, TooManyRequests
from erstwhile.importers import formats, sources
from erstwhile.importers.batches import ANY_SIZE, Batch, Batches, Found
from erstwhile.importers.model import Problem, Report
from erstwhile.importers.seen import Seen, digest

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.client.memory import RemoteMemory

T = TypeVar("T")
# Told how many bytes were read, of how many, and how many messages are stored.
Progress = Callable[[int, int, int], None]

_PROBLEMS: Final = 1000
_AT_ONCE: Final = 8  # channels that are written to at the same time: they share a commit
_PATIENCE: Final = 100  # times a server may say that it is too much for now
_LONGEST_WAIT: Final = 60.0


async def load(
    memory: Memory | RemoteMemory,
    path: str | Path,
    *,
    format: str = "auto",
    channel: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Imports a file, a folder or a zip into the memory's space. The same again changes nothing, so that what was broken off is begun
    again. `channel` is for what names none; a `dry_run` stores nothing and says what would be stored."""
    with await _aside(lambda: sources.opened(Path(path), channel)) as opened:
        chosen = await _aside(lambda: formats.choose(format, opened.source))
        report = Report(chosen.name, f"import:{opened.source.name}", left=dict(opened.left), dry_run=dry_run)
        report.skipped = sum(opened.left.values())
        limits = getattr(memory.settings, "limits", None)  # a server has its own
        largest: int = limits.message_bytes if limits else ANY_SIZE
        total = opened.total
        await _Loading(memory, report, largest).run(
            Batches(chosen.read(opened.source)),
            lambda: progress and progress(opened.tally.read, total, report.messages),
        )
    return report


class _Loading:
    def __init__(self, memory: Memory | RemoteMemory, report: Report, largest: int) -> None:
        self._memory, self._report, self._largest = memory, report, largest
        self._channels: set[str] = set()
        self._people: set[str] = set()
        self._blocked: frozenset[str] | None = None
        self._seen = Seen()

    async def run(self, batches: Iterator[Batch], advanced: Callable[[], object]) -> None:
        while (batch := await _aside(lambda: next(batches, None))) is not None:
            problems = dict(batch.problems)
            for part in _parts(batch):
                for unkept in await asyncio.gather(*(self._channel(name, found) for name, found in part)):
                    problems.update(unkept)
            self._count(batch, [problems[place] for place in sorted(problems)])
            advanced()
            if batch.error is not None:
                raise batch.error

    def _count(self, batch: Batch, problems: Sequence[Problem]) -> None:
        report = self._report
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

    async def _channel(self, name: str, found: Sequence[Found]) -> dict[int, Problem]:
        """What of it is not kept, and why. What is there already is asked first: that is many times faster than storing it again."""
        chat, report = self._memory.channel(name), self._report
        known = await _patiently(lambda: chat.known(list({each.key for each in found})))
        unkept = {each.place: await self._unkept(each, erased=True) for each in found if each.key in known.erased}
        fresh = {each.key: each for each in found if each.key not in known.there and each.key not in known.erased}
        good, refused = self._checked(fresh)
        refused |= await (self._tried(name, good) if report.dry_run else self._stored(name, good))
        unkept.update((each.place, refused[each.key]) for each in found if each.key in refused)
        stored = len(good) - sum(key in refused for key in good)
        report.messages += stored
        again = len(found) - len(unkept) - stored
        report.already += again
        report.skipped += again
        return unkept

    def _checked(self, fresh: dict[str, Found]) -> tuple[dict[str, Found], dict[str, Problem]]:
        good, bad = dict[str, Found](), dict[str, Problem]()
        for key, each in fresh.items():
            try:
                good[key] = replace(each, message=each.checked(self._report.source, self._largest))
            except InvalidInput as error:
                bad[key] = Problem(each.where, str(error))
        return good, bad

    async def _stored(self, name: str, good: dict[str, Found]) -> dict[str, Problem]:
        chat = self._memory.channel(name)
        if not good:
            return {}
        try:
            stored = await _patiently(lambda: chat.add_many([each.message for each in good.values()]))
        except InvalidInput as error:
            if len(good) == 1:  # a server may take less than we knew
                return {key: Problem(each.where, str(error)) for key, each in good.items()}
            refused: dict[str, Problem] = {}
            for key, each in good.items():
                refused |= await self._stored(name, {key: each})
            return refused
        return {
            key: await self._unkept(each)
            for (key, each), message in zip(good.items(), stored, strict=True)
            if not message.seq
        }

    async def _tried(self, name: str, good: dict[str, Found]) -> dict[str, Problem]:
        """As `_stored` would; nothing is stored, so what comes twice in a source has to be remembered."""
        for key in [key for key in good if self._seen.count(digest(name, key)) > 1]:
            del good[key]
        remembered, blocked = self._remembered(), await self._who_is_blocked()
        return {
            key: await self._unkept(each)
            for key, each in good.items()
            if not remembered or each.message.person in blocked
        }

    async def _unkept(self, found: Found, *, erased: bool = False) -> Problem:
        space, person = self._memory.settings.space, found.message.person
        if not self._remembered():
            why = f"space {space!r} is not among those that are remembered (ERSTWHILE_SPACES)"
        elif not erased and person in await self._who_is_blocked():
            why = f"{person!r} is blocked in space {space!r}"
        else:
            why = f"it was erased in space {space!r}"
        return Problem(found.where, f"not kept: {why}")

    def _remembered(self) -> bool:
        spaces: Sequence[str] = getattr(self._memory.settings, "spaces", ())
        return not spaces or self._memory.settings.space in spaces

    async def _who_is_blocked(self) -> frozenset[str]:
        if self._blocked is None:
            self._blocked = frozenset(each.person for each in await every(self._memory.people.list) if each.blocked)
        return self._blocked


def _parts(batch: Batch) -> Iterator[list[tuple[str, list[Found]]]]:
    channels = list(batch.channels.items())
    for start in range(0, len(channels), _AT_ONCE):
        yield channels[start : start + _AT_ONCE]


async def _aside(work: Callable[[], T]) -> T:
    """Files are read in a thread, so that a server that imports goes on answering. Whoever is cancelled waits for the thread, which has
    the files open."""
    reading = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(reading)
    except asyncio.CancelledError:
        await asyncio.wait([reading])
        raise


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    for _ in range(_PATIENCE):
        try:
            return await ask()
        except TooManyRequests as error:
            wait = 1 if error.retry_after is None else error.retry_after
            if wait > _LONGEST_WAIT:  # a day's allowance is used up
                raise
            await asyncio.sleep(wait)
    return await ask()
