"""Make days: one model call for all people of a day, or a draft without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from erstwhile.base.errors import BadAnswer, Error, RequestTooLong
from erstwhile.layers.days import batch
from erstwhile.layers.days.batch import DaySection, Summaries
from erstwhile.layers.days.planning import DayPlan
from erstwhile.layers.days.store import DayText, MadeDays
from erstwhile.text import analyse
from erstwhile.writers import xml
from erstwhile.writers.port import (
    Halves,
    TranscriptLine,
    Writer,
    WriterAnswer,
    WriterQuestion,
    WriterRequest,
)
from erstwhile.writers.prompt import load
from erstwhile.writers.writers import Writers

T = TypeVar("T")

_AT_ONCE = 4
_ROUNDS = 3  # of condensing: a model that reads little at once needs several
_PROMPT = load(__package__, "day")
_DASH = " — "  # between the date of a summary and its words
_ASKS = ("?", "？")  # how a question ends


class DayWork:
    """The model calls for one question. After the model was unavailable once, all further answers
    are drafts, so that the caller waits for one failure and not for a dozen."""

    def __init__(self, writers: Writers) -> None:
        self.writers = writers
        self.failure: Error | None = None
        self._away = False
        self._turns = asyncio.Semaphore(_AT_ONCE)

    @property
    def drafting(self) -> bool:
        """Return whether an answer would be a draft now."""
        return self._away or self.writers.best.draft

    async def answer(self, ask: WriterQuestion[T]) -> WriterAnswer[T]:
        async with self._turns:
            if self._away:
                return await self.writers.drafts.answer(ask)
            answered, failure = await self.writers.answer(ask)
            if failure is not None:
                self.failure = failure
                # The next answer may be good, the next question shorter.
                self._away = not isinstance(failure, BadAnswer | RequestTooLong)
            return answered


async def make(work: DayWork, plan: DayPlan, length: int) -> list[MadeDays]:
    parts = batch.parts(plan.sections)
    answered = await asyncio.gather(*(work.answer(_ask(plan, part, length)) for part in parts))
    summaries = batch.joined([each.value for each in answered])
    for _ in range(_ROUNDS):
        long = batch.too_long(summaries, length)
        for part in batch.parts(batch.condensable(summaries, long, plan.sections)):
            summaries |= (await work.answer(_ask(plan, part, length))).value
    by_audience: dict[str, WriterAnswer[Summaries]] = {}
    for part, each in zip(parts, answered, strict=True):
        for section in part:
            if each.draft or section.audience not in by_audience:
                by_audience[section.audience] = each
    missing = await _missing(work.writers.drafts, plan, summaries, length)
    made = []
    for audience, (wanted, _) in plan.needs.make.items():
        by = by_audience.get(audience)
        name = by.writer if by is not None else ""
        texts = {
            person: DayText(batch.shortened(" ".join(text.split()), length), name)
            for (place, person), text in summaries.items()
            if place == audience
        }
        drafted = (who for who in missing.value if who[0] == audience)
        texts |= {who[1]: DayText(missing.value[who], missing.writer) for who in drafted}
        wanted = replace(wanted, draft=by is not None and by.draft)
        made.append(MadeDays(wanted, texts, name, plan.moment))
    return made


async def _missing(
    drafts: Writer, plan: DayPlan, summaries: Summaries, length: int
) -> WriterAnswer[Summaries]:
    """Draft a day for everyone who spoke but is missing in the model's answer."""
    sections = []
    for section in plan.sections:
        said = [each for each in section.said if (section.audience, each.person) not in summaries]
        sections.append(replace(section, said=tuple(each for each in said if each.person)))
    return await drafts.answer(_ask(plan, sections, length))


def _ask(plan: DayPlan, part: Sequence[DaySection], length: int) -> WriterQuestion[Summaries]:
    common = batch.public_texts(plan.needs.day, _PROMPT.instructions)

    def read(answer: str) -> Summaries:
        """Leave out leaking summaries: those people get a draft."""
        found = batch.read(answer, part, plan.names)
        return batch.without_leaks(found, part, plan.names, common)

    return WriterQuestion(
        prompt=_PROMPT,
        text=batch.material(plan.needs.day, part, plan.names, length),
        read=read,
        draft=lambda writer: _draft(writer, part, plan.names, length),
        schema=batch.schema(part, length),
        room=batch.TOKENS_OF_A_SUMMARY * sum(len(section.people) for section in part),
        check=lambda found: batch.borne(found, part, plan.names),
        halves=lambda: _halves(plan, part, length),
    )


def _halves(
    plan: DayPlan, part: Sequence[DaySection], length: int
) -> Halves[WriterQuestion[Summaries], Summaries] | None:
    divided = batch.divided(part)
    if divided is None:
        return None
    first, rest = divided
    return Halves(
        _ask(plan, first, length),
        lambda _: _ask(plan, rest, length),
        lambda one, other: batch.joined([one, other]),
    )


# Without a model


async def _draft(
    writer: Writer, part: Sequence[DaySection], names: Mapping[str, str], length: int
) -> Summaries:
    """Draft the day of each speaker from their own words. People who were only mentioned get none."""
    made: Summaries = {}
    for section in part:
        for person in section.people:
            label = " ".join(names.get(person, person).split())
            said = [message for message in section.said if message.person == person]
            lines = [TranscriptLine(label, xml.named(each.text, names), each.at) for each in said]
            text = await _person(writer, lines, length)
            if text:
                made[section.audience, person] = batch.shortened(" ".join(text.split()), length)
    return made


async def _person(writer: Writer, lines: Sequence[TranscriptLine], length: int) -> str:
    """Return a short day whole, without questions: the writer would pick its facts and leave out the rest."""
    stated = [line for line in lines if not line.text.rstrip().endswith(_ASKS)] or list(lines)
    telling = [line for line in stated if len(analyse.query_terms(line.text)) > 1] or stated
    if sum(len(line.text) + 1 for line in telling) > length:
        return (await writer.summarise(WriterRequest(_PROMPT, telling))).text
    told = [(await writer.summarise(WriterRequest(_PROMPT, [line]))).text for line in telling]
    texts = list(dict.fromkeys(text for text in told if text))
    name = f"{telling[0].speaker}: "  # like the date, only once
    rest = [text.partition(_DASH)[2].removeprefix(name) or text for text in texts[1:]]
    return " ".join([*texts[:1], *rest])
