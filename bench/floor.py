"""Calibrate the relevance of lines, and measure what a floor withholds.

`python -m bench.floor` fits the weights of `index/scores.py` on our own invented talk (bench/floor.toml, the demo,
bench/assistant_talk.py), half of it held out. `python -m bench.floor --locomo FILE [--conversations N]` prints, for
LoCoMo's questions with and without an answer, how many get nothing at each floor, and the evidence that is lost;
`--contexts` also the evidence in contexts of 2,000 tokens.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import erstwhile
from bench.assistant_talk import QUESTIONS
from erstwhile import Memory, demo
from erstwhile.base.records import dataclass
from erstwhile.benchmarks import data_sets
from erstwhile.context.recipes import FLOOR
from erstwhile.index.documents import Scope
from erstwhile.search import evidence, find
from erstwhile.search.model import SearchQuery

FLOORS = (0.0, 0.002, 0.004, 0.007, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)
CONTEXTS = (None, 0.0, 0.004, 0.01)  # floors whose contexts are built; None is the default
_SIDES = 2
_FOUND = 100


@dataclass(frozen=True, slots=True)
class Question:
    """`evidence`: ids of the messages that answer it; none if nothing does."""

    text: str
    space: str
    channel: str
    person: str | None
    evidence: frozenset[str]


class Line(NamedTuple):
    covered: float
    cosine: float
    right: bool


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--locomo", type=Path)
    options.add_argument("--conversations", type=int, default=2)
    options.add_argument("--contexts", action="store_true", help="Also build contexts of 2,000 tokens; slow.")
    given = options.parse_args()
    clock = lambda: datetime(2026, 12, 1, 9, tzinfo=UTC)  # noqa: E731
    with tempfile.TemporaryDirectory() as folder:
        async with erstwhile.open(str(Path(folder) / "floor.db"), worker=False, clock=clock) as memory:
            if given.locomo:
                await measure(memory, given.locomo, given.conversations, contexts=given.contexts)
            else:
                await calibrate(memory)


# Calibration


async def calibrate(memory: Memory) -> None:
    asked = [*await _invented(memory), *await _demo(memory), *await _assistant(memory)]
    lines = {each: await _lines(memory, each) for each in asked}
    for side in range(_SIDES):
        fitted = [line for place, each in enumerate(asked) if place % _SIDES == side for line in lines[each]]
        others = [each for place, each in enumerate(asked) if place % _SIDES != side]
        weights = _fit(fitted)
        print(f"fitted on half {side}: constant, coverage, cosine", np.round(weights, 2))
        _print_curve("the other half", weights, others, lines)
    weights = _fit([line for each in asked for line in lines[each]])
    print("fitted on all:", np.round(weights, 2))
    _print_curve("all", weights, asked, lines)
    plain = {each: [line._replace(cosine=0.0) for line in lines[each]] for each in asked}
    weights = _fit([line for each in asked for line in plain[each]])
    print("fitted without vectors:", np.round(weights, 2))
    _print_curve("without vectors", weights, asked, plain)


def _fit(lines: Sequence[Line]) -> Any:
    """Logistic regression by Newton's method, with a little ridge."""
    features = np.array([[1.0, line.covered, line.cosine] for line in lines])
    right = np.array([line.right for line in lines], float)
    weights = np.zeros(features.shape[1])
    for _ in range(50):
        expected = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (right - expected) - 0.01 * weights
        curve = (features * (expected * (1 - expected))[:, None]).T @ features + 0.01 * np.eye(len(weights))
        weights += np.linalg.solve(curve, slope)
    return weights


def _print_curve(name: str, weights: Any, asked: Sequence[Question], lines: Mapping[Question, Sequence[Line]]) -> None:
    estimates = {each: [_estimate(weights, line) for line in lines[each]] for each in asked}
    _print_calibration(
        [(p, line.right) for each in asked for p, line in zip(estimates[each], lines[each], strict=True)]
    )
    for floor in FLOORS:
        silent = [max(estimates[each], default=0.0) < floor for each in asked]
        known = [quiet for each, quiet in zip(asked, silent, strict=True) if each.evidence]
        never = [quiet for each, quiet in zip(asked, silent, strict=True) if not each.evidence]
        print(f"  {name}, floor {floor}: nothing for {_share(known)} answerable, {_share(never)} unanswerable")


def _print_calibration(pairs: Sequence[tuple[float, bool]]) -> None:
    for low, high in ((0, 0.02), (0.02, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1.01)):
        inside = [right for p, right in pairs if low <= p < high]
        mean = np.mean([p for p, _ in pairs if low <= p < high]) if inside else 0
        print(f"  estimated {low}-{high}: {len(inside)} lines, mean {mean:.3f}, right {_share(inside)}")


def _estimate(weights: Any, line: Line) -> float:
    return float(1 / (1 + np.exp(-(weights @ [1.0, line.covered, line.cosine]))))


def _share(flags: Sequence[bool]) -> str:
    return f"{100 * sum(flags) / len(flags):.1f} % of {len(flags)}" if flags else "none"


async def _lines(memory: Memory, asked: Question) -> list[Line]:
    """The two features of every message that a search finds, from two searches whose estimate is one of them."""
    found = []
    for feature in (lambda covered, _cosine: covered, lambda _covered, cosine: cosine):
        before, evidence.probability = evidence.probability, feature
        try:
            found.append(await _relevance(memory, asked))
        finally:
            evidence.probability = before
    return [Line(found[0][id], found[1][id], id in asked.evidence) for id in found[0] if id.startswith("msg_")]


async def _relevance(memory: Memory, asked: Question) -> Mapping[str, float]:
    scope = Scope(channel=asked.channel, kinds=("message", "fact", "structured"))
    wanted = SearchQuery(asked.text, scope, _FOUND, asker=asked.person, beside=True, here=asked.channel)
    return (await find.search(memory._runtime.recall, asked.space, wanted)).relevance


async def _invented(memory: Memory) -> list[Question]:
    """Each language in a space of its own, between the small talk of the others that say nothing."""
    made = []
    start = datetime(2026, 3, 1, 9, tzinfo=UTC)
    for language, given in tomllib.loads((Path(__file__).parent / "floor.toml").read_text("utf-8")).items():
        chat = memory.channel("chat", space=f"floor-{language}")
        said = []
        for number, text in enumerate(given["said"]):
            at = start + timedelta(days=number)
            said.append(await chat.add("user", text, person="ann", at=at))
        await memory.settle()
        where = (f"floor-{language}", "chat", "ann")
        made += [Question(text, *where, frozenset({said[line].id})) for text, line in given["asked"]]
        made += [Question(text, *where, frozenset()) for text in given["never"]]
    return made


async def _demo(memory: Memory) -> list[Question]:
    """The demo's questions; and those of the invented talk that nothing answers here either."""
    ids: dict[str, str] = {}
    for channel, messages in demo.conversation().items():
        stored = await memory.channel(channel, space="demo").add_many(messages)
        ids |= {f"{channel}/{each.key}": each.id for each in stored}
    await memory.settle()
    made = [
        Question(each.question, "demo", each.channel, each.person, frozenset(ids[key] for key in each.evidence))
        for each in demo.questions()
    ]
    never = tomllib.loads((Path(__file__).parent / "floor.toml").read_text("utf-8"))
    where = ("demo", made[0].channel, "robin", frozenset[str]())
    return made + [Question(text, *where) for code in ("en", "ko", "zh", "de") for text in never[code]["never"]]


async def _assistant(memory: Memory) -> list[Question]:
    from bench.assistant import in_turn, long_reply

    ids = {}
    start = datetime(2026, 3, 1, 9, tzinfo=UTC)
    chat = memory.channel("assistant", space="assistant")
    for number, each in enumerate(in_turn()):
        at = start + timedelta(hours=6 * number)
        user = await chat.add("user", each.user, person="sam", at=at)
        reply = await chat.add("assistant", long_reply(number, each), at=at + timedelta(minutes=1))
        ids[f"{each.key}/user"], ids[f"{each.key}/reply"] = user.id, reply.id
    await memory.settle()
    return [Question(text, "assistant", "assistant", "sam", frozenset({ids[key]})) for text, key in QUESTIONS]


# LoCoMo


async def measure(memory: Memory, file: Path, conversations: int, *, contexts: bool) -> None:
    """Print what each floor withholds of questions that have an answer, and of those of category 5, which have none."""
    answerable, adversarial, kept = [], [], []
    shown: dict[float | None, list[float]] = {floor: [] for floor in CONTEXTS}
    for number, sample in enumerate(data_sets.elements(file)):
        if number == conversations:
            break
        space = f"locomo-{number}"
        case = data_sets.of_locomo(sample)
        chat = memory.channel(case.channel, space=space)
        turns = await chat.add_many(
            [{"role": "user", "text": t.text, "person": t.person, "at": t.at, "key": t.key} for t in case.turns]
        )
        keys = {turn.key: message.id for turn, message in zip(case.turns, turns, strict=True)}
        await memory.settle()
        for each in case.questions:
            asked = Question(each.text, space, case.channel, None, frozenset(keys[key] for key in each.evidence))
            found = await _relevance(memory, asked)
            answerable.append(max(found.values(), default=0.0))
            kept += [found.get(id, 0.0) for id in asked.evidence]
            for floor, shares in shown.items() if contexts else ():
                made = await chat.context(each.text, budget=2000, recipe="full", floor=floor)
                there = {source.id for source in made.sources if source.kind == "message"}
                shares.append(len(asked.evidence & there) / len(asked.evidence))
        for each in sample["qa"]:
            if each["category"] == 5:
                asked = Question(each["question"], space, case.channel, None, frozenset())
                adversarial.append(max((await _relevance(memory, asked)).values(), default=0.0))
    print(f"{len(answerable)} answerable, {len(adversarial)} adversarial questions; the default floor is {FLOOR}")
    for floor in FLOORS:
        silent = _share([best < floor for best in answerable]), _share([best < floor for best in adversarial])
        lost = _share([each < floor for each in kept if each])
        print(f"floor {floor}: nothing for {silent[0]} answerable, {silent[1]} adversarial; lost {lost} evidence found")

    for floor, shares in shown.items() if contexts else ():
        print(f"floor {floor}: {100 * np.mean(shares):.1f} % of the evidence in contexts of 2,000 tokens")


if __name__ == "__main__":
    asyncio.run(main())
