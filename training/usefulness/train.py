"""Teach MiniLM what readers find useful, then the student what MiniLM says about many more texts.

python train.py minilm.npz prepared.npz usefulness.npz --device cuda          # pip install torch
python train.py minilm.npz prepared.npz --without strangers newcomers guests   # tests on what it has not seen
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import numpy as np
import torch

import student
import teacher

TEACHERS: Final = 3
JUDGED: Final = 1.0  # how much a reader's verdict weighs against one of the teacher
WRITTEN: Final = 3.0  # how much the verdict on a statement that was written for it weighs
ENGLISH: Final = ("en", "de", "fr", "es")  # MiniLM reads others too badly to judge them
THRESHOLDS: Final = (0.0, 0.5, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("minilm", type=Path)
    asked.add_argument("prepared", type=Path)
    asked.add_argument("output", type=Path, nargs="?")
    asked.add_argument("--without", nargs="*", default=[])
    asked.add_argument("--device", default="cpu")
    given = asked.parse_args()
    stored = np.load(given.prepared)
    prepared = {name: stored[name] for name in stored.files}
    judged = np.arange(len(prepared["useful"]))
    every = np.arange(len(prepared["lengths"]))
    left_out = np.isin(prepared["source"], given.without)

    useful = torch.tensor(prepared["useful"]).to(given.device)
    weight = torch.tensor(prepared["weight"]).to(given.device)
    start, tokens = teacher.weights(given.minilm), teacher.Tokens(prepared, given.device)
    seen = judged[~left_out[judged]]
    taught = [teacher.taught(start, tokens, seen, useful, weight, seed) for seed in range(TEACHERS)]
    said = np.mean([teacher.judged(each, tokens) for each in taught], axis=0)
    report("teacher", said[judged], prepared, left_out)

    readable = np.isin(prepared["language"], ENGLISH)
    aim = 1 / (1 + np.exp(-said))
    own = prepared["useful"]
    aim[judged] = np.where(readable[judged], (own + aim[judged]) / 2, own)
    weights = np.ones(len(every), dtype=np.float32)
    weights[judged] = JUDGED * prepared["weight"]
    weights[np.char.startswith(prepared["source"], "statements")] = WRITTEN
    pieces = student.Pieces(prepared, given.device)
    chosen = every[~left_out & ((every < len(judged)) | readable)]
    aims, weighed = (torch.tensor(each, dtype=torch.float32).to(given.device) for each in (aim, weights))
    model = student.taught(pieces, chosen, aims, weighed)
    report("student", student.judged(model, pieces, judged), prepared, left_out)
    if given.output:
        np.savez_compressed(given.output, table=prepared["table"], **student.packed(model, pieces))


def report(who: str, scores: np.ndarray, prepared: dict[str, np.ndarray], left_out: np.ndarray) -> None:
    """Print what is useful of those kept, and kept of the useful, by threshold."""
    count = len(scores)
    useful, several = prepared["useful"] > 0.5, prepared["weight"] > 1
    english = prepared["language"][:count] == "en"
    groups = {"several readers": several, "one reader": ~several}
    groups |= {"one reader, English": ~several & english, "one reader, others": ~several & ~english}
    groups |= {"several, others": several & ~english}
    for name, group in groups.items():
        chosen = left_out[:count] & group
        if chosen.any():
            cells = [cell(useful[chosen], scores[chosen] >= least) for least in THRESHOLDS]
            print(f"{who}, {name}, {chosen.sum()}, useful {useful[chosen].mean():.0%}: {'; '.join(cells)}", flush=True)


def cell(useful: np.ndarray, kept: np.ndarray) -> str:
    return f"{kept.sum()} {useful[kept].mean() if kept.any() else 0:.0%} {useful[kept].sum() / useful.sum():.0%}"


if __name__ == "__main__":
    main()
