"""Compare embedders on the held-out sets: `python evaluate.py evalsets.jsonl ours wordllama bm25`.

`ours` is the installed table. Shares of the answers among the first five and ten, in percent.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Ranking = Callable[[list[str], list[str]], np.ndarray]


def _ours(questions: list[str], pool: list[str]) -> np.ndarray:
    from erstwhile_vectors import embed

    return embed(questions) @ embed(pool).T


def _wordllama(questions: list[str], pool: list[str]) -> np.ndarray:
    from wordllama import WordLlama

    model = WordLlama.load(dim=256)
    return model.embed(questions, norm=True) @ model.embed(pool, norm=True).T


def _bm25(questions: list[str], pool: list[str]) -> np.ndarray:
    """Plain BM25 over the terms of the product's own analysis."""
    from erstwhile.text.analyse import query_terms, terms

    held = [Counter(terms(each)) for each in pool]
    sizes = [sum(each.values()) for each in held]
    usual = sum(sizes) / len(sizes)
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at, (counted, size) in enumerate(zip(held, sizes, strict=True)):
        for term, count in counted.items():
            postings[term].append((at, count * 2.2 / (count + 1.2 * (0.25 + 0.75 * size / usual))))
    scores = np.zeros((len(questions), len(pool)), dtype=np.float32)
    for row, question in zip(scores, questions, strict=True):
        for term in set(query_terms(question)):
            found = postings.get(term, [])
            rarity = math.log(1 + (len(pool) - len(found) + 0.5) / (len(found) + 0.5))
            for at, share in found:
                row[at] += rarity * share
    return scores


KNOWN: dict[str, Ranking] = {"ours": _ours, "wordllama": _wordllama, "bm25": _bm25}


def recall(scores: np.ndarray, answers: list[list[int]]) -> tuple[float, float]:
    order = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    shares = [
        [len(set(found[:k].tolist()) & set(right)) / len(right) for k in (5, 10)]
        for found, right in zip(order, answers, strict=True)
    ]
    five, ten = 100 * np.mean(shares, axis=0)
    return float(five), float(ten)


def main() -> None:
    sets: list[dict[str, Any]] = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    names = sys.argv[2:]
    print("| set | questions | pool |", " | ".join(f"{name} R@5 / R@10" for name in names), "|")
    means: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in sets:
        cells = []
        for name in names:
            five, ten = recall(KNOWN[name](each["questions"], each["pool"]), each["answers"])
            cells.append(f"{five:.1f} / {ten:.1f}")
            means[each["language"]][name].append(ten)
        print(
            "|",
            each["name"],
            "|",
            len(each["questions"]),
            "|",
            len(each["pool"]),
            "|",
            " | ".join(cells),
            "|",
            flush=True,
        )
    for language, found in means.items():
        print("mean R@10", language, {name: round(sum(found[name]) / len(found[name]), 1) for name in names})


if __name__ == "__main__":
    main()
