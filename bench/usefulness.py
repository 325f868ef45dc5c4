"""Fit the weights by which facts without a model are kept, to what readers said about facts.

python -m bench.usefulness            fits on all sheets of bench/unseen, and tests each set with weights of the others
python -m bench.usefulness --wrong    prints what a set's weights of the others keep and lose wrongly

A fact counts as useful if two of three readers say so, or the only one. The weights are in
`erstwhile/writers/extractive/usefulness.py`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bench import plain, unseen
from erstwhile.text import detection
from erstwhile.writers.extractive import usefulness
from erstwhile.writers.extractive.judgement import Judgement, signals_of

SETS = ("first", "second", "third", "held", "fresh", "later", "labelled")
NAMES = tuple(usefulness.WEIGHTS)
PENALTY = 1.0  # on large weights
THRESHOLDS = (-9.0, 0.0, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2, 1.4)

_FACT = re.compile(r"^.*? \([^()]*20\d\d[^()]*\): (?P<text>.*?)(?: \((?P<aside>[^()]+: .+)\))?$", re.S)
_RESOLVED = re.compile(r" ?[(（](?:\d{1,2} \w{3} \d{4}|\w{3} \d{4}|20\d\d|week of [^)]*|20\d\d[年년][^)）]*)[)）]")


@dataclass(frozen=True)
class JudgedFact:
    set: str
    fact: str
    features: dict[str, float]
    share: float
    """Of the readers, who found it useful."""

    @property
    def useful(self) -> bool:
        return self.share > 0.5


def judged() -> list[JudgedFact]:
    return [
        *labelled(),
        *(
            JudgedFact(each, row["fact"], features(row["fact"]), given.count("useful") / len(given))
            for each in SETS
            for row in unseen.read_sheet(unseen.CHATS / f"{each}.tsv")
            if (given := [row[reader] for reader in unseen.READERS if row[reader]])
        ),
    ]


def labelled() -> Iterator[JudgedFact]:
    """Yield what of the tuned half of `bench/plain` must become facts."""
    texts = [
        text
        for file in sorted(plain.STATEMENTS.glob("*.txt"))
        for wanted, text in plain.statements(file, plain.HALVES[0])
        if wanted
    ]
    for text in texts:
        yield JudgedFact("labelled", text, described(text, ""), 1.0)


def features(fact: str) -> dict[str, float]:
    """Return the features of a fact as a sheet has it: with speaker, day and resolved dates."""
    match = _FACT.match(fact)
    assert match is not None, fact
    return described(_RESOLVED.sub("", match["text"]), match["aside"] or "")


def described(text: str, aside: str) -> dict[str, float]:
    spoken = detection.dominant([text])
    return usefulness.features(text, aside, Judgement(spoken, signals_of(spoken).formal(text)))


def fit(facts: Sequence[JudgedFact]) -> np.ndarray:
    """Return the weights of a logistic regression, by Newton's method."""
    given, wanted = matrix(facts), np.array([each.share for each in facts])
    penalty = np.eye(len(NAMES)) * PENALTY
    penalty[0, 0] = 0
    weights = np.zeros(len(NAMES))
    for _ in range(30):
        likely = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (likely - wanted) + penalty @ weights
        weights -= np.linalg.solve((given.T * (likely * (1 - likely))) @ given + penalty, slope)
    return weights


def matrix(facts: Sequence[JudgedFact]) -> np.ndarray:
    return np.array([[each.features.get(name, 0.0) for name in NAMES] for each in facts])


def left_out(facts: Sequence[JudgedFact]) -> list[tuple[JudgedFact, float]]:
    """Return each fact with its score by the weights of the other sets."""
    scored: list[tuple[JudgedFact, float]] = []
    for name in SETS:
        own = [each for each in facts if each.set == name]
        weights = fit([each for each in facts if each.set != name])
        scored += zip(own, (matrix(own) @ weights).tolist(), strict=True)
    return scored


def main(*given: str) -> None:
    facts = judged()
    scored = left_out(facts)
    print(f"{len(facts)} facts. Useful of those kept, and kept of the useful, by the weights of the other sets:")
    print(f"| kept from | all | {' | '.join(SETS)} |\n|---|{'---|' * (len(SETS) + 1)}")
    for least in THRESHOLDS:
        cells = [cell([each for each in scored if each[0].set in chosen], least) for chosen in (SETS[:-1], *zip(SETS))]
        print(f"| {least} | {' | '.join(cells)} |")
    for name, weight in zip(NAMES, fit(facts), strict=True):
        print(f'    "{name}": {weight:.2f},')
    for fact, score in sorted(scored, key=lambda each: each[1]) if given else ():
        if fact.useful != (score >= usefulness.FEWEST):
            print(f"{'lost' if fact.useful else 'kept'} {score:5.2f} {fact.set:6} {fact.fact}")


def cell(scored: Sequence[tuple[JudgedFact, float]], least: float) -> str:
    kept = [fact.useful for fact, score in scored if score >= least]
    useful = sum(fact.useful for fact, _ in scored)
    return f"{sum(kept) / max(1, len(kept)):.0%}, {sum(kept) / useful:.0%}"


if __name__ == "__main__":
    main(*sys.argv[1:])
