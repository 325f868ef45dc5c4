"""Fit the weights of the signs of useful facts (`[useful]` in English `facts.toml`) to what readers said.

python weights.py                 prints how good they are on authors left out, then the weights
python weights.py --left-out      prints each fact of the sets that the network has not learnt from, best first

A logistic regression. Where the network has learnt the verdicts its score says nothing, so there the score is left out.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from bench import unseen  # noqa: E402

from erstwhile.writers.extractive import facts, signs, usefulness  # noqa: E402
from erstwhile.writers.extractive.statements import read  # noqa: E402
from erstwhile.writers.port import TranscriptLine  # noqa: E402

NEW: Final = (
    "outsiders",
    "visitors",
    "neighbours",
    "lodgers",
    "tenants",
    "travellers",
    "settlers",
    "callers",
)  # the network has not learnt from them
LEARNT: Final = ("strangers", "newcomers", "guests", "first", "second", "third", "held", "fresh", "later")
CHUNK: Final = 10  # messages, as the layer of facts reads them
ONE_READER: Final = 0.4  # against several
USUAL: Final = 2.3  # score of a fact; so that the base is that of a usual one
SMOOTHING: Final = 2.0
LIMITS: Final = (-9.0, 0.0, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6)


@dataclass(frozen=True)
class Judged:
    source: str
    author: str
    fact: str
    signs: frozenset[str]
    score: float
    size: int
    verdict: str
    weight: float


def judged(language: str = "en") -> Iterator[Judged]:
    alone = one_reader()
    for folder in sorted(each for each in (*unseen.CHATS.iterdir(), *(Path(__file__).parent / "chats").iterdir())):
        if not folder.is_dir():
            continue
        sheet = {(row["chat"], row["fact"]): row for row in unseen.read_sheet(folder.parent / f"{folder.name}.tsv")}
        for chat, said in unseen.chats(folder).items():
            author = re.match(r"[a-z]+\d?(?=[-_])|", chat)
            for fact, score in candidates(said):
                bullet = facts._bullet(fact)[2:]
                given = [sheet[chat, bullet][each] for each in unseen.READERS] if (chat, bullet) in sheet else []
                verdict = majority(given) or alone.get(fact.text.strip().lower(), "")
                if verdict and fact.statement.language == language:
                    yield Judged(
                        source=folder.name,
                        author=f"{folder.name} {author[0] if author else ''}",
                        fact=bullet,
                        signs=frozenset(signs.found(fact.text, fact.aside, fact.statement)),
                        score=score,
                        size=min(signs.MOST_BYTES, len(fact.text.encode())),
                        verdict=verdict,
                        weight=1.0 if all(given) and given else ONE_READER,
                    )


def candidates(said: list[dict[str, str]]) -> Iterator[tuple[facts.ExtractedFact, float]]:
    """Yield every fact that stands by itself, and its score."""
    lines = [TranscriptLine(each.get("name", "assistant"), each["text"], each["at"], each["role"]) for each in said]
    for start in range(0, len(lines), CHUNK):
        statements = read(lines[start : start + CHUNK])
        people = frozenset(each.speaker.lower() for each in statements if len(each.speaker) > 1)
        kept = [each for each in statements if not each.filler]
        found = facts.complete([*facts.found(kept, statements), *facts.parts(kept, ())], people)
        unlike = list({facts._bullet(each): each for each in found if not each.statement.assistant}.values())
        asked = [(each.text, each.aside, facts.strength(each)) for each in unlike]
        yield from zip(unlike, usefulness.scores(asked), strict=True)


def one_reader() -> dict[str, str]:
    with (Path(__file__).parent / "verdicts.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["text"].strip().lower(): row["verdict"] for row in rows}


def majority(given: list[str]) -> str:
    counted = Counter(filter(None, given))
    if not counted:
        return ""
    verdict, count = counted.most_common(1)[0]
    return verdict if count > 1 or counted.total() == 1 else "marginal"


def fitted(table: np.ndarray, useful: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Newton's method; the last column is the base, which is not smoothed."""
    smoothing = np.full(table.shape[1], SMOOTHING)
    smoothing[-1] = 1e-3
    found = np.zeros(table.shape[1])
    for _ in range(20):
        odds = 1 / (1 + np.exp(-table @ found))
        slope = table.T @ (weight * (odds - useful)) + smoothing * found
        curve = (table * (weight * odds * (1 - odds))[:, None]).T @ table + np.diag(smoothing)
        found -= np.linalg.solve(curve, slope)
    return found


def main(*given: str) -> None:
    rows = list(judged())
    names = sorted({sign for row in rows for sign in row.signs})
    new = np.array([row.source in NEW for row in rows])
    numbers = [[*(name in row.signs for name in names), row.size / 100, row.score - USUAL] for row in rows]
    table = np.c_[np.array(numbers, dtype=float), np.ones(len(rows))]
    table[~new, -2] = 0
    useful = np.array([row.verdict == "useful" for row in rows], dtype=float)
    weight = np.array([row.weight for row in rows])
    authors = np.array([row.author for row in rows])
    values = np.zeros(len(rows))
    for author in np.unique(authors[new]):
        out = authors == author
        values[out] = table[out] @ fitted(table[~out], useful[~out], weight[~out])
    if given:
        for place in np.argsort(-values):
            if new[place]:
                row = rows[place]
                print(
                    f"{values[place]:.1f}\t{row.score:.1f}\t{row.verdict}\t{row.author}\t{row.fact}\t{chr(32).join(sorted(row.signs))}"
                )
        return
    sources = np.array([row.source for row in rows])
    for limit in LIMITS:
        cells = []
        for source in (*NEW, ""):
            kept = new & (values >= limit) & ((sources == source) | (not source))
            cells.append(f"{source or 'all'} {useful[kept].sum():.0f} of {kept.sum()} ({useful[kept].mean():.0%})")
        print(f"from {limit} on: {', '.join(cells)}")
    found = fitted(table, useful, weight)
    print(
        f"[useful]\nbase = {found[-1] - USUAL * found[-2]:.2f}\nscore = {found[-2]:.2f}\nbyte = {found[-3] / 100:.4f}"
    )
    print("\n[useful.weights]")
    for name, value in zip(names, found, strict=False):
        print(f"{name} = {value:.2f}  # {sum(name in row.signs for row in rows)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
