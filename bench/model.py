"""What a model makes of the demo conversation: `python -m bench.model [--messages 120] [--questions 10] [--sample 20] [--minutes 10]`.

The model is that of the settings: ERSTWHILE_MODEL=openai-compatible:NAME and ERSTWHILE_BASE_URL for a server of one's own, a key for a
provider. With ERSTWHILE_MODEL=extractive it is none: the drafts are looked at, and whether the context holds the
answer. Fewer messages are stretches around the answers to the questions. Nothing is judged by a model: whether a memory
is borne out and in the language of its messages is worked out, and so is whether an answer says what the good one
says; the sample is for a reader to mark by `bench/FACTS.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile import demo
from erstwhile.api.memory import Memory
from erstwhile.base.page import every
from erstwhile.demo import DemoQuestion
from erstwhile.search.model import Source
from erstwhile.text import analyse, detection
from erstwhile.writers.grounding import CitedMessages, unborne
from erstwhile.writers.port import TranscriptLine

Channels = dict[str, list[dict[str, Any]]]
SPACE = "demo"
EXTRACTIVE = "extractive"
BUDGET = 1500  # tokens of a context, as in `erstwhile demo`
RIGHT = 0.5  # the share of the good answer's words that a right one has
BATCH = 50
SHOWN = 4  # messages of a memory in the sample
FAILED = "[The model failed"
REASON = re.compile(r' reason="?(.*?)(?: \(after \d+ attempts?\))?"?(?: \w+=|$)')  # in a line of the log


@dataclass(frozen=True, slots=True)
class ModelBench:
    messages: int = 0  # 0: all of them
    questions: int = 10
    sample: int = 20
    minutes: float = 0.0  # to wait for the memories; 0: until they are made


class FailureCount(logging.Handler):
    """Counts why jobs were put off or parked."""

    def __init__(self) -> None:
        super().__init__()
        self.reasons: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage()
        if "event=job.parked" in line or "event=job.retry_scheduled" in line:
            reason = REASON.search(line)
            self.reasons[reason[1] if reason else "unknown"] += 1


@dataclass(slots=True)
class MemoryCheck:
    """What was found out about the memories that the model wrote, by kind."""

    drafts_only: bool = False  # no model: drafts are what is looked at
    drafts: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    borne: int = 0
    right_language: int = 0
    written: list[Source] = field(default_factory=list)


def stretches(channels: Channels, questions: Sequence[DemoQuestion], messages: int) -> Channels:
    """Take about so many messages, in order: those around the answers."""
    if not messages or not questions:
        return channels
    each = max(1, messages // len(questions))
    chosen: dict[str, set[int]] = {name: set() for name in channels}
    for question in questions:
        channel, _, key = question.evidence[-1].partition("/")
        place = next(number for number, said in enumerate(channels[channel]) if said["key"] == key)
        first = max(0, place + 1 - each)
        chosen[channel].update(range(first, first + each))
    return {name: [channels[name][place] for place in sorted(chosen[name])] for name in channels if chosen[name]}


async def measure(options: ModelBench, **settings: Any) -> None:
    questions = demo.questions()[: options.questions]
    channels = stretches(demo.conversation(), questions, options.messages)
    total = sum(map(len, channels.values()))
    failures = FailureCount()
    logger = logging.getLogger("erstwhile.jobs.worker")
    logger.addHandler(failures)
    try:
        with tempfile.TemporaryDirectory() as folder:
            given = {"worker": False, "space": SPACE, "recipe": "full"} | settings
            async with erstwhile.open(str(Path(folder) / "model.db"), **given) as memory:
                print(f"\n### {memory.settings.chosen_model} on the demo, {date.today()}, {total} messages\n")  # noqa: DTZ011
                await print_ability(memory)
                await print_cost(memory, channels, options.minutes)
                print_failures(failures.reasons)
                checked = await check(memory)
                print_memories(checked)
                await (print_contexts if checked.drafts_only else print_answers)(memory, questions)
                print_sample(checked.written, options.sample)
    finally:
        logger.removeHandler(failures)


async def print_ability(memory: Memory) -> None:
    """Print what doctor thinks of the model."""
    model = memory.settings.chosen_model
    for finding in await memory.doctor():
        if model in finding.what:
            print(f"doctor, {finding.level}: {finding.what} {finding.advice}")


async def print_cost(memory: Memory, channels: Channels, minutes: float) -> None:
    total = sum(map(len, channels.values()))
    for name, said in channels.items():
        for start in range(0, len(said), BATCH):
            await memory.channel(name).add_many(said[start : start + BATCH])
    began = time.perf_counter()
    with suppress(TimeoutError):
        async with asyncio.timeout(60 * minutes or None):
            await memory.settle()
    left = [f"{each.jobs} {each.kind} {each.state}" for each in await memory.jobs.queue() if each.state != "timer"]
    print(f"\n{time.perf_counter() - began:.0f} s; jobs not done: {', '.join(left) or 'none'}\n")
    print(
        "| task | calls | failed | prompt tokens | completion tokens | memories left out |\n|---|---|---|---|---|---|"
    )
    spent = [each for each in (await memory.requests.report()).spent if each.task not in ("chat", "try")]
    names = ("calls", "failed", "input_tokens", "output_tokens", "unborne")
    for each in spent:
        print(f"| {each.task} | {' | '.join(f'{getattr(each, name):,}' for name in names)} |")
    sums = [sum(getattr(each, name) for each in spent) for name in names]
    print(f"| all | {' | '.join(f'{number:,}' for number in sums)} |")
    print(f"| a message | {' | '.join(f'{number / total:.2f}' for number in sums)} |")


def print_failures(reasons: Counter[str]) -> None:
    print("\nFailures of jobs, by reason:" if reasons else "\nNo job failed.")
    for reason, number in reasons.most_common():
        print(f"- {number} × {reason}")


# Memories


def said(memory: Source) -> Iterator[Source]:
    """Yield the messages that a memory rests on."""
    for each in memory.sources:
        if each.kind == "message":
            yield each
        else:
            yield from said(each)


async def check(memory: Memory) -> MemoryCheck:
    model = memory.settings.chosen_model
    checked = MemoryCheck(drafts_only=model == EXTRACTIVE)
    for hit in await every(memory.memories.list):
        each = await memory.memories.sources(hit.id)
        messages = list(said(each))
        if not (each.writer or "").startswith(model):
            checked.drafts += 1
        elif messages:
            checked.kinds[each.kind] += 1
            checked.written.append(each)
            lines = [TranscriptLine(line.speaker or "", line.text, line.at) for line in messages]
            evidence = CitedMessages(lines, (), frozenset(line.speaker for line in lines))
            checked.borne += not unborne(each.text, evidence)
            checked.right_language += detection.dominant([each.text]) == detection.dominant(line.text for line in lines)
    return checked


def print_memories(checked: MemoryCheck) -> None:
    number = len(checked.written)
    kinds = ", ".join(f"{count} {kind}" for kind, count in checked.kinds.most_common())
    print(f"\nMemories by the model: {number} ({kinds or 'none'}); without it, drafts among them: {checked.drafts}")
    if number:
        print(
            f"Borne out by their messages: {checked.borne / number:.0%}; in their language: {checked.right_language / number:.0%}"
        )


def print_sample(written: Sequence[Source], number: int) -> None:
    print("\n#### A sample to mark: useful, marginal or junk\n")
    for each in random.Random(7).sample(written, min(number, len(written))):
        print(f"- [ ] {each.kind}: {' '.join(each.text.split())}")
        messages = list(said(each))
        for line in messages[:SHOWN]:
            print(f"    - {line.speaker}: {' '.join(line.text.split())}")
        if len(messages) > SHOWN:
            print(f"    - and {len(messages) - SHOWN} more")


# Answers


async def print_answers(memory: Memory, questions: Sequence[DemoQuestion]) -> None:
    right = Counter[str]()
    lines = []
    for question in questions:
        for how, space in (("with memory", SPACE), ("without", "nothing")):
            chat = memory.channel(question.channel, space=space)
            asked = chat.ask(question.question, person=question.person, budget=BUDGET, scope="person", keep=False)
            answer = "".join([piece async for piece in asked]).strip()
            correct = is_right(question, answer)
            right[how] += correct
            lines.append(f"- {'✓' if correct else '✗'} {how}: {' '.join(answer.split())[:300]}")
        lines.append(f"  - asked: {question.question} A good answer: {question.answer}")
    counts = "; ".join(f"{how} {right[how]}" for how in ("with memory", "without"))
    print(f"\nAnswers that have half of the good one's words, of {len(questions)}: {counts}\n")
    print("\n".join(lines))


async def print_contexts(memory: Memory, questions: Sequence[DemoQuestion]) -> None:
    """Without a model nobody answers: print how often the context has the words of the good answer."""
    right = 0
    for question in questions:
        chat = memory.channel(question.channel, space=SPACE)
        context = await chat.context(question.question, person=question.person, budget=BUDGET, scope="person")
        right += is_right(question, context.text)
    print(f"\nContexts that have half of the good answer's words, of {len(questions)}: {right}")


def is_right(question: DemoQuestion, answer: str) -> bool:
    """Whether an answer has at least half of the words of the good one that are not in the question."""
    good = re.sub(r"[(（].*?[)）]", "", question.answer)
    wanted = set(analyse.query_terms(good)) - set(analyse.terms(question.question))
    held = wanted.intersection(analyse.terms(answer))
    return not answer.startswith(FAILED) and len(held) >= RIGHT * len(wanted) > 0


def options() -> ModelBench:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=0, help="about so many, around the answers (all)")
    parser.add_argument("--questions", type=int, default=10)
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=0.0, help="report after so many what was made (when all is)")
    return ModelBench(**vars(parser.parse_args()))


if __name__ == "__main__":
    asyncio.run(measure(options()))
