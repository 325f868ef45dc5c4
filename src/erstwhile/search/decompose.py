"""Split a question into sub-questions by one call of a model, search each, and merge what they find."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.search.candidates import CandidateColumns, by_column
from erstwhile.search.find import Ask, Recall, Use
from erstwhile.search.model import CandidateList, SearchQuery, TracedHits
from erstwhile.search.trace import MOST, Candidate
from erstwhile.storage import Row, Transaction
from erstwhile.writers import answers, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.port import Writer, WriterQuestion
from erstwhile.writers.prompt import load
from erstwhile.writers.providers import preload

log = Log(__name__)

T = TypeVar("T")

MOST_QUESTIONS: Final = 3
_SECONDS: Final = 5.0  # for the model; then the question is searched as it is
_LONGEST: Final = 2000  # characters of a question; a longer text is no question


@dataclass(frozen=True, slots=True)
class SubSearch:
    question: str
    found: TracedHits


async def split(writers: WriterPool, space: str, question: str) -> tuple[str, ...]:
    """Return at most three sub-questions; none without a model, or if it fails or takes too long."""
    chosen = await writers.for_space(space)
    if chosen.best.draft or not question.strip() or len(question) > _LONGEST:
        return ()
    ask = WriterQuestion(
        prompt=load(__package__, "decompose"),
        text=f"<question>{xml.escape(question)}</question>",
        read=lambda answer: _read(answer, question),
        draft=_nothing,
        schema=answers.object_schema(questions={"type": "array", "items": {"type": "string"}}),
        tries=1,
    )
    await asyncio.to_thread(preload)  # the first call's imports are not the model's time
    try:
        async with asyncio.timeout(_SECONDS):
            answered, failure = await chosen.answer(ask)
    except TimeoutError:
        log.warning("recall.not_split", reason=f"the model took longer than {_SECONDS:g} s")
        return ()
    if failure is not None:
        log.warning("recall.not_split", reason=str(failure))
    return answered.value


class SplitSearch:
    """Searches as `Recall` does, and for each of the questions too."""

    def __init__(self, recall: Recall, questions: Sequence[str]) -> None:
        self._recall, self._questions = recall, questions

    async def find(self, space: str, ask: Ask, use: Use[T]) -> T:
        others, limit = list[SubSearch](), 0
        for question in self._questions:

            async def ask_part(tx: Transaction, question: str = question) -> SearchQuery | None:
                nonlocal limit
                wanted = await ask(tx)
                limit = 0 if wanted is None else wanted.limit
                return None if wanted is None else replace(wanted, query=question, notes=0)

            found = await self._recall.find(space, ask_part, _hand_over)
            if found is not None:
                others.append(SubSearch(question, found))

        async def use_all(tx: Transaction, found: TracedHits | None) -> T:
            return await use(tx, found and merge(found, others, limit))

        return await self._recall.find(space, ask, use_all)


async def _hand_over(_tx: Transaction, found: TracedHits | None) -> TracedHits | None:
    return found


def merge(whole: TracedHits, others: Sequence[SubSearch], limit: int) -> TracedHits:
    """Return the best hits of all, each with its best score: scores are deviations from what else
    was looked at, so a line that stands out for a sub-question counts as one that stands out for
    the question. Notes of the space stay behind them."""
    if not others:
        return whole
    ranked = [hit for hit in whole.hits if hit.id in whole.relevance]
    notes = [hit for hit in whole.hits if hit.id not in whole.relevance]
    best = {hit.id: hit for hit in ranked}
    hops: dict[str, str] = {}
    for each in others:
        for hit in each.found.hits:
            if hit.id not in best or hit.score > best[hit.id].score:
                best[hit.id], hops[hit.id] = hit, each.question
    hits = sorted(best.values(), key=lambda hit: -hit.score)[:limit]
    relevance = dict(whole.relevance)
    for each in others:
        for id, likely in each.found.relevance.items():
            relevance[id] = max(likely, relevance.get(id, 0.0))
    everything = [each.found for each in others]
    return replace(
        whole,
        hits=[*hits, *notes],
        trace=replace(
            whole.trace,
            candidates=_candidates(whole, others, hops, [hit.id for hit in hits]),
            sub_questions=tuple(each.question for each in others),
        ),
        said={id: row for each in [*everything, whole] for id, row in each.said.items()},
        stored={id: memory for each in [*everything, whole] for id, memory in each.stored.items()},
        relevance=relevance,
        by_meaning=any(each.by_meaning for each in [whole, *everything]),
    )


def _candidates(
    whole: TracedHits, others: Sequence[SubSearch], hops: Mapping[str, str], kept: Sequence[str]
) -> CandidateList:
    """Return the candidates of all searches, what is kept first. A line has the sub-question that
    found it best as its hop."""
    lists = [
        ("", whole.trace.candidates),
        *((each.question, each.found.trace.candidates) for each in others),
    ]
    unread = list(dict.fromkeys(doc for _, each in lists for doc in each.unread))
    first = {id: place for place, id in enumerate(kept)}

    def make(rows: Mapping[int, Row]) -> CandidateColumns:
        found: dict[str, Candidate] = {}
        for hop, each in lists:
            for candidate in each.made(rows):
                if hops.get(candidate.id, "") == hop or candidate.id not in found:
                    found[candidate.id] = replace(candidate, hop=hop or candidate.hop)
        places = sorted(
            found.values(), key=lambda each: (first.get(each.id, len(first)), -each.score)
        )
        return by_column(places[:MOST])

    ids = list(dict.fromkeys([*kept, *(id for _, each in lists for id in each.ids)]))
    return CandidateList(ids[:MOST], make, unread)


def _read(answer: str, question: str) -> tuple[str, ...]:
    given = answers.json_object(answer, "questions").get("questions")
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise MalformedAnswer('"questions" must be a list of texts.')
    asked = dict.fromkeys(" ".join(xml.plain(each).split())[:_LONGEST] for each in given)
    return tuple(each for each in asked if each and each != question)[:MOST_QUESTIONS]


async def _nothing(_writer: Writer) -> tuple[str, ...]:
    return ()
