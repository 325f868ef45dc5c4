"""The layer: fold turns into the brief, after the reply."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from erstwhile.base import crash
from erstwhile.base.errors import Error
from erstwhile.base.logs import Log
from erstwhile.configuration import prompts
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.brief import store
from erstwhile.layers.brief import turns as folding
from erstwhile.layers.brief.model import KIND, Brief
from erstwhile.layers.brief.store import queries
from erstwhile.layers.brief.turns import Limits, Turn, group
from erstwhile.layers.contract import Layer, LayerParts, Remake
from erstwhile.layers.part import Item, Part, PartRequest
from erstwhile.log import people
from erstwhile.log import store as log_store
from erstwhile.log.model import ChannelMessages, Message
from erstwhile.storage import Transaction, column
from erstwhile.tables.model import Subject, Table
from erstwhile.text import tokens
from erstwhile.text.lines import flat
from erstwhile.writers.port import Halves, TranscriptLine, WriterOutput, WriterRequest
from erstwhile.writers.prompt import Prompt

if TYPE_CHECKING:
    from erstwhile.writers.writers import Writers

log = Log(__name__)

FOLD = "brief.fold"
_PAGE = 400  # messages per job; the next job folds the rest
_SHORTER = "\n\nYour summary must be shorter this time: at most {words} words."


class Briefs(Layer):
    name = "brief"
    kinds = (KIND,)
    recipes = ("brief", "full")
    tables = (Table("briefs", channel=("channel",), words=("text", "draft_text")),)

    def __init__(self, parts: LayerParts) -> None:
        super().__init__(parts)
        given = parts.settings.brief
        self._limits = Limits(given.turns, given.threshold, given.cap, given.budget)

    @property
    def steps(self) -> Mapping[str, Step]:
        return {FOLD: self.fold}

    async def before_append(self, tx: Transaction, channels: Sequence[str]) -> dict[str, int]:
        """Return how many tokens each brief has not folded, locked until the commit."""
        rows = await tx.all(queries.hold_pending, channels=json.dumps(channels))
        return {row["channel"]: row["pending"] for row in rows}

    async def appended(
        self,
        tx: Transaction,
        added: Sequence[ChannelMessages],
        held: Mapping[str, int],
        now: datetime,
    ) -> None:
        """Enqueue a fold of each channel where a finished turn makes it due."""
        said = {}
        for each in added:
            said[each.channel] = self._count(each.messages, known=each.channel in held)
        await store.grow(tx, said)
        enough = self._limits.threshold - self._limits.cap
        full = [each for each in added if held.get(each.channel, 0) + said[each.channel] > enough]
        replied = [each for each in full if any(one.role == "assistant" for one in each.messages)]
        await jobs.enqueue_all(tx, [_fold_job(each.channel) for each in replied], now)

    def _count(self, messages: Sequence[Message], *, known: bool) -> int:
        """Count the tokens of messages. Where the layer is new, the earlier messages are to be folded too."""
        spoken = [message.text for message in messages if message.role in ("user", "assistant")]
        said = sum(tokens.count(text) + 2 for text in spoken)
        return said if known or messages[0].seq == 1 else said + self._limits.threshold

    async def _ask(self, tx: Transaction, channel: str, now: datetime, until: int = 0) -> None:
        """Enqueue a fold. `until`: the message to which a fold of many turns continues."""
        await jobs.enqueue(tx, _fold_job(channel, until), now)

    async def fold(self, job: Job) -> Outcome:
        channel = str(job.payload["channel"])
        writers = await self._writers.for_space(job.space)
        drafting = writers.best.draft
        brief, messages = await self._database.read(
            job.space, lambda tx: self._read(tx, channel, drafting=drafting)
        )
        turns = group(messages)
        more = len(messages) == _PAGE
        until = int(job.payload["until"])
        enough = more or (brief is not None and folding.due(brief.text, turns, self._limits))
        if brief is not None and not until and enough:
            keep = self._limits.keep
            newest = await self._database.read(
                job.space, lambda tx: log_store.latest(tx, channel, 20 * keep)
            )
            finished = [turn for turn in group(newest) if turn.finished]
            until = finished[-keep].messages[0].seq - 1 if len(finished) >= keep else 0
        due = [turn for turn in turns if turn.finished and turn.last <= until]
        if brief is None or not due:
            waiting = sum(turn.tokens for turn in turns)
            spent = {"channel": channel, "tokens": waiting}
            return Outcome(lambda tx: tx.run(queries.recount, **spent))
        taken = folding.slice_of(due, self._limits)
        started = time.monotonic()
        place = channel, taken[0].messages[0].seq, taken[-1].messages[-1].seq
        asked = await self._database.read(
            job.space, lambda tx: prompts.in_force(tx, "fold", *place)
        )
        written, failure = await self._write(writers, asked, brief, taken)
        seconds = time.monotonic() - started
        was = brief

        async def effects(tx: Transaction) -> None:
            if not await store.put(tx, was, written, taken, self._clock()):
                return
            crash.point("brief.after_fold")
            if not failure and (len(taken) < len(due) or more):
                await self._ask(tx, channel, self._clock(), until)
            before = tokens.count(was.text) + sum(turn.tokens for turn in taken)
            sizes = {"tokens_before": before, "tokens_after": tokens.count(written.text)}
            how = {"draft": written.draft, "seconds": round(seconds, 3)}
            log.info("brief.folded", channel=channel, turns=len(taken), **sizes, **how)

        return Outcome(effects, failure)

    async def _read(
        self, tx: Transaction, channel: str, *, drafting: bool
    ) -> tuple[Brief | None, list[Message]]:
        brief = await store.get(tx, channel)
        if brief is not None and drafting:  # without a model, continue the draft
            brief = replace(brief, text=brief.draft_text, cursor=brief.draft_cursor)
        cursor = brief.cursor if brief else 0
        return brief, await people.tell_apart(tx, await log_store.after(tx, channel, cursor, _PAGE))

    async def _write(
        self, writers: Writers, prompt: Prompt, brief: Brief, turns: Sequence[Turn]
    ) -> tuple[WriterOutput, Error | None]:
        """Write the brief within the cap: ask again if it is too long, then cut at a sentence."""
        request = self.request(brief.text, turns, prompt)
        written, failure = await writers.fold(request)
        if tokens.count(written.text) > self._limits.cap and not written.draft:
            more = _SHORTER.format(words=self._limits.cap // 2)
            instructions = request.prompt.instructions + more
            shorter = replace(request.prompt, instructions=instructions)
            again, failure = await writers.fold(self._of_turns(brief.text, turns, shorter))
            written = again if failure is None else written
            failure = None
        if failure is not None:  # a draft continues what is shown, not the model's last text
            written = await writers.drafts.fold(self.request(brief.shown, turns, prompt))
        return replace(written, text=tokens.cut(written.text, self._limits.cap)), failure

    def request(self, existing: str, turns: Sequence[Turn], prompt: Prompt) -> WriterRequest:
        """Return the input of a writer: the summary so far, and the turns."""
        return self._of_turns(existing, turns, prompts.filled(prompt, _lines(existing, turns)))

    def _of_turns(
        self, existing: str, turns: Sequence[Turn], prompt: Prompt, *, several: bool | None = None
    ) -> WriterRequest:
        several = folding.several_people(turns) if several is None else several
        text = folding.question(existing, turns, several=several)

        def halves() -> Halves[WriterRequest, WriterOutput] | None:
            """Fold the first half of the turns, and the others into what that gave."""
            parts = folding.divided(turns)
            if parts is None:
                return None
            first, second = parts

            def rest(folded: WriterOutput) -> WriterRequest:
                known = tokens.cut(folded.text, self._limits.cap)
                return self._of_turns(known, second, prompt, several=several)

            half = self._of_turns(existing, first, prompt, several=several)
            return Halves(half, rest, lambda _, whole: whole)

        lines, cap = _lines(existing, turns), self._limits.cap
        return WriterRequest(prompt, lines, text=text, cap=cap, halves=halves)

    async def _fold_anew(self, tx: Transaction, channels: Sequence[str], now: datetime) -> None:
        """Fold channels again, from their first turns."""
        await store.grow(tx, dict.fromkeys(channels, self._limits.threshold))
        await jobs.enqueue_all(tx, [_fold_job(channel) for channel in channels], now)

    async def parts(self, tx: Transaction, request: PartRequest) -> Sequence[Part]:
        brief = await store.get(tx, request.channel)
        if brief is None or not brief.shown:
            return ()
        return [Part("brief", [Item(brief.id, "brief", flat(brief.shown), 1, brief.covers)])]

    async def emptied(self, tx: Transaction) -> None:
        """Delete all briefs but those that cover expired messages."""
        await tx.run(queries.empty)

    async def rebuild(self, tx: Transaction) -> None:
        channels = [each.channel for each in await log_store.channels(tx)]
        await self._fold_anew(tx, channels, self._clock())

    async def erased(self, tx: Transaction, _subject: Subject) -> Remake:
        touched = await column(tx, queries.blank)
        return lambda tx, now: self._fold_anew(tx, touched, now)

    async def messages_expired(self, tx: Transaction, channel: str, _first: int, last: int) -> None:
        await tx.run(queries.settle, channel=channel, last=last)

    async def redraft(self, tx: Transaction) -> int:
        """Enqueue a fold where a draft is ahead of the model's text."""
        behind = await column(tx, queries.behind)
        for channel in behind:
            await self._ask(tx, channel, self._clock())
        return len(behind)


def _lines(existing: str, turns: Sequence[Turn]) -> list[TranscriptLine]:
    lines = [TranscriptLine(speaker="", text=existing, role="summary")] if existing else []
    said = (each for turn in turns for each in turn.messages)
    return lines + [TranscriptLine(each.speaker, each.text, each.at, each.role) for each in said]


def _fold_job(channel: str, until: int = 0) -> NewJob:
    payload, lane = {"channel": channel, "until": until}, f"brief:{channel}"
    return NewJob(kind=FOLD, key=channel, payload=payload, lane=lane, pace="model")
