"""Making days with whoever writes: one call for all the people of a day, a draft where there is no model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from erstwhile.base.errors import BadAnswer, Error
from erstwhile.layers.days import batch, drafting, leaks
from erstwhile.layers.days.batch import DaySection, Summaries
from erstwhile.layers.days.planning import DayPlan
from erstwhile.layers.days.store import DayText, MadeDays
from erstwhile.writers.port import Writer, WriterAnswer, WriterQuestion
from erstwhile.writers.prompt import load
from erstwhile.writers.writers import Writers

T = TypeVar("T")

_AT_ONCE = 4
_PROMPT = load(__package__, "day")


class DayWork:
    """What is asked of the writers for one question. Once the model can't be had, nothing more is asked of it, so that whoever waits for
    an answer waits for one failure and not for a dozen."""

    def __init__(self, writers: Writers) -> None:
        self.writers = writers
        self.failure: Error | None = None
        self._away = False
        self._turns = asyncio.Semaphore(_AT_ONCE)

    @property
    def drafting(self) -> bool:
        """Whether what is asked now comes out as a draft."""
        return self._away or self.writers.best.draft

    async def answer(self, ask: WriterQuestion[T]) -> WriterAnswer[T]:
        async with self._turns:
            if self._away:
                return await self.writers.drafts.answer(ask)
            answered, failure = await self.writers.answer(ask)
            if failure is not None:
                self.failure = failure
                self._away = not isinstance(
                    failure, BadAnswer
                )  # what it answered badly once, it may do well the next time
            return answered


async def make(work: DayWork, plan: DayPlan, length: int) -> list[MadeDays]:
    parts = batch.parts(plan.sections)
    answered = await asyncio.gather(*(work.answer(_ask(plan, part, length)) for part in parts))
    summaries = batch.joined([each.value for each in answered])
    long = batch.too_long(summaries, length)
    for part in batch.parts(batch.again(summaries, long, plan.sections)):
        summaries |= (await work.answer(_ask(plan, part, length))).value
    by_audience: dict[str, WriterAnswer[Summaries]] = {}
    for part, each in zip(parts, answered, strict=True):
        for section in part:
            if each.draft or section.audience not in by_audience:
                by_audience[section.audience] = each
    spare = await _left_out(work.writers.drafts, plan, summaries, length)
    made = []
    for audience, (wanted, _) in plan.needs.make.items():
        by = by_audience.get(audience)
        name = by.writer if by is not None else ""
        texts = {
            person: DayText(batch.shortened(" ".join(text.split()), length), name)
            for (heard, person), text in summaries.items()
            if heard == audience
        }
        texts |= {
            person: DayText(text, spare.writer) for (heard, person), text in spare.value.items() if heard == audience
        }
        made.append(MadeDays(replace(wanted, draft=by is not None and by.draft), texts, name, plan.moment))
    return made


async def _left_out(drafts: Writer, plan: DayPlan, summaries: Summaries, length: int) -> WriterAnswer[Summaries]:
    """Everyone who spoke has a day, also whom the model forgot."""
    forgotten = []
    for section in plan.sections:
        people = {person for person in section.people if (section.audience, person) not in summaries}
        forgotten.append(replace(section, said=tuple(message for message in section.said if message.person in people)))
    return await drafts.answer(_ask(plan, forgotten, length))


def _ask(plan: DayPlan, part: Sequence[DaySection], length: int) -> WriterQuestion[Summaries]:
    """Whoever's summary tells what is not theirs to hear is as if the model had forgotten them."""
    common = leaks.told_anyway(plan.needs.day, _PROMPT.instructions)
    return WriterQuestion(
        prompt=_PROMPT,
        text=batch.material(plan.needs.day, part, plan.names, length),
        read=lambda answer: leaks.without(batch.read(answer, part, plan.names), part, plan.names, common),
        draft=lambda writer: drafting.of_part(writer, _PROMPT, part, plan.names, length),
        schema=batch.schema(),
        room=batch.room(part),
    )
