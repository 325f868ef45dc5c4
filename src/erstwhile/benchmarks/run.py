"""Store each conversation in a space of its own, let memories form, and ask."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Protocol

import erstwhile
from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.benchmarks.score import (
    DEPTHS,
    BenchmarkCase,
    BenchmarkOptions,
    BenchmarkQuestion,
    BenchmarkRun,
    BenchmarkTurn,
    ContextCoverage,
    QuestionResult,
)
from erstwhile.writers import prompt

if TYPE_CHECKING:
    from erstwhile import Channel, Context, Memory


_BATCH = 500
_LIMIT = 10  # of the timed search; the scored one uses the deepest R@k


class BenchmarkProgress(Protocol):
    """Receives progress."""

    def conversation(self, name: str, questions: int) -> None: ...

    def question(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _StoredCase:
    """A stored conversation: its space, and the turn of each message."""

    space: str
    case: BenchmarkCase
    turns: dict[str, BenchmarkTurn]  # by message id

    def keys(self, ids: Iterable[str]) -> frozenset[str]:
        return frozenset(self.turns[id].key for id in ids if id in self.turns)


async def run(
    cases: Iterable[BenchmarkCase], database: str, result: BenchmarkRun, watcher: BenchmarkProgress
) -> BenchmarkRun:
    """Fill `result`. New spaces named bench-… are used, so any database can be measured."""
    name, options, now = f"bench-{uuid.uuid4().hex[:8]}", result.options, datetime.now(UTC)
    async with erstwhile.open(database, clock=lambda: now, worker=False) as memory:
        if options.answer:
            require_model(memory)
        for case in islice(cases, options.conversations):
            chosen = replace(case, questions=sample_evenly(case.questions, options.questions))
            watcher.conversation(case.name, len(chosen.questions))
            now = case.asked_at
            stored = await _store(memory, chosen, f"{name}-{case.name}", result)
            for question in chosen.questions:
                result.asked.append(await _ask(memory, stored, question, options))
                watcher.question()
            await _answer(memory, stored, result)
    if not result.asked:
        raise InvalidInput(f"{result.file} has no question with evidence. Is it the right file?")
    return result


def sample_evenly(
    questions: Sequence[BenchmarkQuestion], most: int | None
) -> tuple[BenchmarkQuestion, ...]:
    """Pick at most `most` questions evenly, because data sets sort them."""
    if most is None or most >= len(questions):
        return tuple(questions)
    return tuple(questions[place * len(questions) // most] for place in range(most))


async def _store(
    memory: Memory, case: BenchmarkCase, space: str, result: BenchmarkRun
) -> _StoredCase:
    started = time.perf_counter()
    turns: dict[str, BenchmarkTurn] = {}
    for channel, said in groupby(case.turns, key=lambda turn: turn.channel):
        chat = memory.channel(channel, space=space)
        every = list(said)
        for batch in (every[start : start + _BATCH] for start in range(0, len(every), _BATCH)):
            messages = await chat.add_many([_message(turn) for turn in batch])
            turns.update({message.id: turn for message, turn in zip(messages, batch, strict=True)})
    stored = time.perf_counter()
    settled = await memory.settle()
    result.settle_seconds += time.perf_counter() - stored
    result.ingest_seconds += stored - started
    result.conversations += 1
    result.turns += len(case.turns)
    result.left_out += case.left_out
    result.parked += settled.parked
    return _StoredCase(space, case, turns)


def _message(turn: BenchmarkTurn) -> erstwhile.NewMessage:
    person = turn.person if turn.role == "user" else None
    name = None if person == turn.role else person
    return erstwhile.NewMessage(turn.role, turn.text, person, name, turn.at, turn.key)


async def _ask(
    memory: Memory, stored: _StoredCase, question: BenchmarkQuestion, options: BenchmarkOptions
) -> QuestionResult:
    started = time.perf_counter()
    await memory.search(question.text, space=stored.space, kinds=options.kinds, limit=_LIMIT)
    search_ms = (time.perf_counter() - started) * 1000
    deep = DEPTHS[-1]
    hits = await memory.search(question.text, space=stored.space, kinds=options.kinds, limit=deep)
    every = await memory.search(question.text, space=stored.space, limit=deep)
    chat = memory.channel(stored.case.channel, space=stored.space)
    contexts, context_ms = await contexts_of(
        chat, question.text, options.budgets, person=stored.case.person
    )
    seen = {
        budget: _seen(context, stored, question.evidence) for budget, context in contexts.items()
    }
    ids = [id for hit in hits for id in hit.sources if id in stored.turns]
    return QuestionResult(
        question=question,
        found=tuple(stored.keys(hit.sources) for hit in hits),
        found_all=tuple(stored.keys(hit.sources) for hit in every),
        # In the order of their first hit.
        sessions=tuple(dict.fromkeys(stored.turns[id].session for id in ids)),
        seen=seen,
        search_ms=search_ms,
        context_ms=context_ms,
        relevant=any(context.relevant for context in contexts.values()),
    )


async def contexts_of(
    chat: Channel, query: str, budgets: Iterable[int], **more: Any
) -> tuple[dict[int, Context], tuple[float, ...]]:
    """Build a context for each budget. Also return how many milliseconds each took."""
    found, took = {}, []
    for budget in budgets:
        started = time.perf_counter()
        found[budget] = await chat.context(query, budget=budget, recipe="full", **more)
        took.append((time.perf_counter() - started) * 1000)
    return found, tuple(took)


def _seen(context: Context, stored: _StoredCase, evidence: AbstractSet[str]) -> ContextCoverage:
    if not evidence:
        return ContextCoverage(0.0, 0.0, context.tokens)
    text = one_line(context.text)
    ids = [source.id for source in context.sources if source.kind == "message"]
    named = [turn for turn in stored.turns.values() if turn.key in evidence]
    inside = {turn.key for turn in named if one_line(turn.text) in text}
    there = stored.keys(ids) & evidence
    return ContextCoverage(len(inside) / len(evidence), len(there) / len(evidence), context.tokens)


def one_line(text: str) -> str:
    """Join lines: a context indents continuation lines."""
    return " ".join(text.split())


async def _answer(memory: Memory, stored: _StoredCase, result: BenchmarkRun) -> None:
    """Answer questions with the model, after everything else was measured."""
    if not result.options.answer:
        return
    first = len(result.asked) - len(stored.case.questions)
    sample = sample_evenly(stored.case.questions, result.options.answer)
    chosen = {question.key for question in sample}
    for place in range(first, len(result.asked)):
        asked = result.asked[place]
        if asked.question.key in chosen:
            given = await judge(memory, stored.space, stored.case, asked.question)
            result.asked[place] = replace(asked, verdict=given)


_BUDGET = 4000
_INCORRECT = re.compile(r"\b(incorrect|not correct|wrong)\b", re.IGNORECASE)
_CORRECT = re.compile(r"\bcorrect\b", re.IGNORECASE)


def require_model(memory: Memory) -> None:
    if not memory.settings.chat_model and memory.settings.chosen_model == "extractive":
        raise InvalidInput(
            "Answering needs a model. Set ERSTWHILE_MODEL or ERSTWHILE_CHAT_MODEL, or leave --answer out."
        )


async def judge(
    memory: Memory, space: str, case: BenchmarkCase, question: BenchmarkQuestion
) -> str:
    """Return correct, incorrect, or failed if there was no usable reply. Question and answer go
    into a separate space, so that no later question finds them."""
    chat = memory.channel(case.channel, space=space)
    context = await chat.context(question.text, person=case.person, budget=_BUDGET, recipe="full")
    today = f"Today is {case.asked_at:%A, %d %B %Y}."
    at, apart = f"{case.name}/{question.key}", f"{space}-answers"
    system = f"{prompt.load(__package__, 'answer').instructions}\n\n{today}"
    apart_chat = memory.channel(f"{at}/answer", apart)
    answer = await _reply(apart_chat, question.text, system, context.text)
    if answer is None:
        return "failed"
    parts = {"question": question.text, "correct_answer": question.answer, "answer": answer}
    graded = "\n".join(f"<{name}>\n{_escape(text)}\n</{name}>" for name, text in parts.items())
    rules = prompt.load(__package__, "judge").instructions
    return read_grade(await _reply(memory.channel(f"{at}/verdict", apart), graded, rules) or "")


def read_grade(reply: str) -> str:
    if _INCORRECT.search(reply):
        return "incorrect"
    return "correct" if _CORRECT.search(reply) else "failed"


async def _reply(chat: Channel, text: str, system: str, sources: str = "") -> str | None:
    """Return the reply, or None if the model failed: `ask` then marks the stored reply."""
    asked = chat.ask(text, system=system, sources=sources, recipe="brief")
    pieces = [piece async for piece in asked]
    stored = [message async for message in chat.messages()]
    return None if "error" in stored[-1].meta.get("debug", {}) else "".join(pieces).strip()


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
