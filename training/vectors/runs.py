"""Load what training needs, report on the held-out sets, and save the table."""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from train import Table, Texts, evaluate, pool_all, quantised, show

_LIKE_TRAINING: Final = ("topical-chat-en", "qmsum-en")  # the next turn: learnt, and of little use elsewhere


@dataclass
class Loaded:
    features: Tensor
    frequency: Tensor
    keys: list[list[str]]
    pairs: list[list[int]]
    texts: Texts
    sets: list[dict[str, Any]]
    teachers: list[tuple[Tensor, Tensor]]
    raw: list[str]

    def report(self, title: str, table: Table) -> dict[str, tuple[float, float]]:
        with torch.no_grad():
            rows = table.rows()
            results = evaluate(lambda chosen: pool_all(rows, self.texts, chosen), self.sets)
        show(title, results, self.sets)
        return results

    def mean(self, results: dict[str, tuple[float, float]]) -> float:
        """The mean over the languages, English counted three times: most talk is English."""
        by: dict[str, list[float]] = {}
        for each in self.sets:
            if each["name"] not in _LIKE_TRAINING:
                by.setdefault(each["language"], []).append(results[each["name"]][1])
        means = [float(np.mean(found)) for found in by.values()]
        return float(np.mean([*means, np.mean(by["en"]), np.mean(by["en"])]))

    def save(self, table: Table, out: Path) -> None:
        """Write the rows in two files: some machines return no large ones."""
        with torch.no_grad():
            rows, scales = quantised(table.rows())
        half = len(rows) // 2
        np.save(out / "rows_1.npy", rows[:half])
        np.save(out / "rows_2.npy", rows[half:])
        np.save(out / "scales.npy", scales)


def load(folder: Path, processes: int = 1) -> Loaded:
    vocabulary = json.loads((folder / "vocab.json").read_text("utf-8"))
    found = json.loads(lzma.decompress((folder / "train.json.xz").read_bytes()))
    raw: list[str] = found["texts"]
    lines = lzma.decompress((folder / "evalsets.jsonl.xz").read_bytes()).decode().splitlines()
    sets = [json.loads(line) for line in lines]
    everything = list(raw)
    for each in sets:
        each["asked"] = torch.arange(len(everything), len(everything) + len(each["questions"]))
        everything += each["questions"]
        each["texts"] = torch.arange(len(everything), len(everything) + len(each["pool"]))
        everything += each["pool"]
    texts = Texts(everything, vocabulary, processes)
    features = torch.tensor(np.load(folder / "features.npy")).float()
    features = torch.nn.functional.normalize(features, dim=1)
    frequency = torch.tensor(vocabulary["p"]).float()
    teachers = []
    for file in sorted(folder.glob("teacher_*.npz")):
        held = np.load(file)
        vectors = torch.tensor(held["vectors"])
        teachers.append((torch.tensor(held["numbers"]), vectors))
    return Loaded(features, frequency, found["keys"], found["pairs"], texts, sets, teachers, raw)
