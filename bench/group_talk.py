"""How well search does in group chats of our own: `python -m bench.group_talk [--misses] [--language zh]`.

`bench/group_talk/<language>.txt` is the talk of several people over most of a year; `<language>.jsonl` are questions in the format
of `erstwhile bench file`. Beside the product stands plain BM25 over bigrams and single characters. One author wrote talk and
questions, so this is for comparing one version with another.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path

import erstwhile
from erstwhile import NewMessage
from erstwhile.benchmarks.own_questions import OwnQuestion, OwnReport, measure, read
from erstwhile.benchmarks.run import one_line

FOLDER = Path(__file__).with_name("group_talk")
BUDGETS = (500, 1000, 2000)
DEPTHS = (5, 10, 20)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+|[a-z0-9]+")


def said(language: str) -> list[tuple[str, NewMessage]]:
    """Return the messages with their channels, in order. Those of a conversation are half a minute apart."""
    found: list[tuple[str, NewMessage]] = []
    channel, at = "", datetime(2026, 1, 1, tzinfo=UTC)
    for line in (FOLDER / f"{language}.txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            channel, day, hour = line[2:].split()
            at = datetime.fromisoformat(f"{day}T{hour}+00:00")
        elif line.strip():
            person, _, text = line.partition(": ")
            found.append((channel, NewMessage("user", text, person=person, name=person, at=at)))
            at += timedelta(seconds=30)
    return sorted(found, key=lambda each: each[1].at)


async def ask(language: str, questions: Sequence[OwnQuestion]) -> OwnReport:
    with tempfile.TemporaryDirectory() as folder:
        now = datetime(2027, 1, 10, 9, tzinfo=UTC)
        async with erstwhile.open(str(Path(folder, "bench.db")), worker=False, clock=lambda: now) as memory:
            for channel, message in said(language):
                await memory.channel(channel).add_many([message])
            await memory.settle()
            return await measure(memory, f"{language}.jsonl", questions, BUDGETS)


def plain(language: str, questions: Sequence[OwnQuestion]) -> dict[str, list[float]]:
    """Return R@k of plain BM25, by category."""
    texts = [message.text for _, message in said(language)]
    counts = [Counter(_terms(text)) for text in texts]
    usual = sum(map(len, texts)) / len(texts)
    holding = Counter(term for each in counts for term in each)
    found: dict[str, list[list[float]]] = {}
    for question in questions:
        scores = [
            sum(
                log(1 + (len(texts) - holding[term] + 0.5) / (holding[term] + 0.5))
                * count[term] * 2.2 / (count[term] + 1.2 * (0.25 + 0.75 * len(text) / usual))
                for term in dict.fromkeys(_terms(question.text))
                if term in count
            )
            for text, count in zip(texts, counts, strict=True)
        ]  # fmt: skip
        best = sorted(range(len(texts)), key=lambda place: -scores[place])
        ranks = [
            next(rank for rank, place in enumerate(best) if quote in one_line(texts[place]))
            for quote in question.evidence
        ]
        shares = [sum(rank < depth for rank in ranks) / len(ranks) for depth in DEPTHS]
        found.setdefault(question.category, []).append(shares)
        found.setdefault("all", []).append(shares)
    return {name: [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)] for name, rows in found.items()}


def _terms(text: str) -> list[str]:
    runs = _UNSPACED.findall(text.casefold())
    return [run[at : at + length] for run in runs for length in (1, 2) for at in range(len(run) - length + 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", default="zh")
    parser.add_argument("--misses", action="store_true", help="also print what is missed, and why")
    given = parser.parse_args()
    questions = read(FOLDER / f"{given.language}.jsonl")
    report, baseline = asyncio.run(ask(given.language, questions)), plain(given.language, questions)
    recall, context = report.tables["recall"], report.tables["context"]
    rows = []
    for name in (*recall.categories, "all"):
        scored = recall.overall if name == "all" else recall.categories[name]
        inside = context.overall if name == "all" else context.categories[name]
        found = [scored.values[f"R@{depth}"] for depth in DEPTHS]
        held = [inside.values[f"{budget}"] for budget in BUDGETS]
        rows.append((name, scored.questions, *(f"{each:.1f}" for each in (*baseline[name], *found, *held))))
    names = [f"{system} R@{depth}" for system in ("plain", "ours") for depth in DEPTHS]
    head = ("", "questions", *names, *(f"in {budget} tokens" for budget in BUDGETS))
    for line in (head, ("---",) * len(head), *rows):
        print("| " + " | ".join(map(str, line)) + " |")
    if given.misses:
        for each in report.misses:
            print(f"{each.question} | {each.evidence} | {each.reason}")
        for inside_miss in report.context_misses:
            print(f"{inside_miss.question} | {inside_miss.evidence} | {inside_miss.budgets} | {inside_miss.reason}")


if __name__ == "__main__":
    main()
