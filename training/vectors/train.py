"""Train the table: contrastively on pairs, and to see texts as near as its teachers see them.

A text is the weighted sum of the rows of its words. The row of a word is its starting features times
one matrix for all words, plus a difference of its own; so words that no pair has move along too.
Needs PyTorch; with a GPU, minutes become seconds. README.md has the commands.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[2] / "packages" / "erstwhile-vectors" / "src"))
from erstwhile_vectors.words import Words

_MOST_WORDS: Final = 96
_DIMENSIONS: Final = 256
_TOGETHER: Final = 16  # texts of one conversation or document
_COMMON: Final = 1e-3  # a word as frequent as this has half the weight of a rare one
_words: Words


def _start(words: list[str], simplified: dict[int, int]) -> None:
    global _words
    _words = Words("\n".join(words).encode(), lambda: simplified)


def _read(text: str) -> np.ndarray:
    return np.array(_words.numbers(text)[:_MOST_WORDS], dtype=np.int32)


class Texts:
    """The words of texts, one after another."""

    def __init__(self, texts: list[str], vocabulary: dict[str, Any], processes: int) -> None:
        simplified = {int(one): two for one, two in vocabulary["simp"].items()}
        if processes > 1:
            with multiprocessing.Pool(processes, _start, (vocabulary["words"], simplified)) as pool:
                read = pool.map(_read, texts, chunksize=2000)
        else:
            _start(vocabulary["words"], simplified)
            read = [_read(each) for each in texts]
        lengths = torch.tensor([len(each) for each in read])
        self.words = torch.tensor(np.concatenate(read))
        self.starts = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)[:-1]])
        self.lengths = lengths

    def bags(self, chosen: Tensor) -> tuple[Tensor, Tensor]:
        """The words of the chosen texts, and where each text begins."""
        lengths = self.lengths[chosen]
        begins = lengths.cumsum(0) - lengths
        inside = torch.arange(int(lengths.sum())) - begins.repeat_interleave(lengths)
        return self.words[self.starts[chosen].repeat_interleave(lengths) + inside].long(), begins


class Table(nn.Module):
    def __init__(self, features: Tensor, frequency: Tensor) -> None:
        super().__init__()
        self.features = features
        self.rarity = (_COMMON / (_COMMON + frequency)).log()
        self.matrix = nn.Parameter(torch.eye(features.shape[1], _DIMENSIONS))
        self.direction = nn.Parameter(torch.zeros(features.shape[1]))
        # Changed only where a batch has the word: the optimiser of all rows would take most of the time.
        self.difference = torch.zeros(len(features), _DIMENSIONS)
        self.weight = torch.zeros(len(features))

    def rows(self, words: Tensor | None = None, own: tuple[Tensor, Tensor] | None = None) -> Tensor:
        """The rows of some words, or of all."""
        words = torch.arange(len(self.features)) if words is None else words
        difference, weight = own or (self.difference[words], self.weight[words])
        features = self.features[words]
        weights = (self.rarity[words] + features @ self.direction + weight).exp()
        return (features @ self.matrix + difference) * weights[:, None]


def pool_all(rows: Tensor, texts: Texts, chosen: Tensor) -> Tensor:
    """Embed texts with the rows of all words."""
    return _pool(rows, *texts.bags(chosen))


def _pool(rows: Tensor, words: Tensor, begins: Tensor, kept: Tensor | None = None) -> Tensor:
    summed = nn.functional.embedding_bag(words, rows, begins, mode="sum", per_sample_weights=kept)
    return nn.functional.normalize(summed, dim=1, eps=1e-6)


class RowAdam:
    """Adam for the rows of a batch. The others keep their values and their moments."""

    def __init__(self, held: Tensor) -> None:
        self.held, self.first, self.second = held, torch.zeros_like(held), torch.zeros_like(held)

    def step(self, words: Tensor, gradient: Tensor, rate: float) -> None:
        first = self.first[words].lerp_(gradient, 0.1)
        second = self.second[words].lerp_(gradient.square(), 0.02)
        self.first[words], self.second[words] = first, second
        self.held[words] -= rate * first / (second.sqrt() + 1e-6)


def contrast(one: Tensor, two: Tensor, same: Tensor, temperature: float) -> Tensor:
    """Each text should be nearest to its partner, both ways. `same` marks others that are as good."""
    scores = (one @ two.T / temperature).masked_fill(same, -1e4)
    target = torch.arange(len(one))
    return (nn.functional.cross_entropy(scores, target) + nn.functional.cross_entropy(scores.T, target)) / 2


def imitate(pupil: Tensor, teacher: Tensor, temperature: float) -> Tensor:
    """Texts should be as near each other as the teacher has them."""
    itself = torch.eye(len(pupil), dtype=torch.bool)
    wanted = (teacher @ teacher.T / temperature).masked_fill(itself, -1e4).softmax(1)
    given = (pupil @ pupil.T / temperature).masked_fill(itself, -1e4).log_softmax(1)
    return nn.functional.kl_div(given, wanted, reduction="batchmean")


class Pairs:
    """Draw batches: mostly from one source, so that the others in a batch are hard to tell apart."""

    def __init__(self, keys: list[list[str]], pairs: list[list[int]], power: float) -> None:
        held = np.array(pairs, dtype=np.int64)
        self.groups = [torch.tensor(held[held[:, 0] == at, 1:]) for at in range(len(keys))]
        sizes = np.array([float(len(each)) for each in self.groups])
        self.odds = sizes**power / (sizes**power).sum()
        self.random = np.random.default_rng(1)

    def batch(self, size: int, mixed: float) -> Tensor:
        if self.random.random() >= mixed:
            group = self.groups[self.random.choice(len(self.groups), p=self.odds)]
            return self._some(group, size)
        counts = self.random.multinomial(size, self.odds)
        return torch.cat(
            [self._some(group, int(count)) for group, count in zip(self.groups, counts, strict=False) if count]
        )

    def _some(self, group: Tensor, size: int) -> Tensor:
        return group[torch.randint(len(group), (min(size, len(group)),))]


def evaluate(embed: Any, sets: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """Share of the answers among the first five and ten, per set."""
    results = {}
    for each in sets:
        nearest = (embed(each["asked"]) @ embed(each["texts"]).T).topk(10, dim=1).indices.cpu().numpy()
        shares = []
        for found, right in zip(nearest, each["answers"], strict=True):
            shares.append([len(set(found[:k].tolist()) & set(right)) / len(right) for k in (5, 10)])
        results[each["name"]] = tuple(100 * np.mean(shares, axis=0))
    return results


def show(title: str, results: dict[str, tuple[float, float]], sets: list[dict[str, Any]]) -> None:
    by: dict[str, list[float]] = {}
    for each in sets:
        by.setdefault(each["language"], []).append(results[each["name"]][1])
    print(title, "R@10", {key: round(float(np.mean(value)), 1) for key, value in by.items()}, flush=True)


def quantised(rows: Tensor) -> tuple[np.ndarray, np.ndarray]:
    scales = (rows.abs().amax(1, keepdim=True) / 127).clamp_min(1e-12).half().float()
    return (rows / scales).round().clamp(-127, 127).to(torch.int8).cpu().numpy(), scales[:, 0].half().cpu().numpy()


def train(table: Table, texts: Texts, pairs: Pairs, teachers: list[tuple[Tensor, Tensor]], given: Any) -> None:
    shared = torch.optim.Adam([table.matrix, table.direction])
    differences, weights = RowAdam(table.difference), RowAdam(table.weight)
    for step in range(given.steps):
        rate = given.rate * min(1.0, step / 100) * (1 - step / given.steps)
        chosen = pairs.batch(given.batch, given.mixed)
        lessons = [_neighbours(len(numbers), given.batch // 2) for numbers, _ in teachers]
        asked = [chosen[:, 0], chosen[:, 1], *(held[0][some] for held, some in zip(teachers, lessons, strict=False))]
        words, begins = texts.bags(torch.cat(asked))
        known, places = words.unique(return_inverse=True)
        difference = table.difference[known].requires_grad_()
        weight = table.weight[known].requires_grad_()
        kept = (torch.rand(len(places)) >= given.dropped).float()
        vectors = _pool(table.rows(known, (difference, weight)), places, begins, kept)
        one, two, *taught = vectors.split([len(each) for each in asked])
        loss = contrast(one, two, _alike(chosen), given.temperature)
        for share, pupil, (_, held), some in zip(given.teaching, taught, teachers, lessons, strict=False):
            loss = loss + share * imitate(pupil, held[some].float(), given.temperature)
        loss = loss + given.hold * difference.square().sum(1).mean()
        shared.zero_grad()
        loss.backward()
        for group in shared.param_groups:
            group["lr"] = rate * 0.3
        shared.step()
        differences.step(known, difference.grad, rate)
        weights.step(known, weight.grad, rate)
        if given.verbose and step % 100 == 0:
            print(step, round(loss.item(), 4), flush=True)


def _neighbours(texts: int, size: int) -> Tensor:
    """Draw texts, some that stand together each time: only there is much to learn about what is near."""
    starts = torch.randint(texts - _TOGETHER, (size // _TOGETHER, 1))
    return (starts + torch.arange(_TOGETHER)).flatten()


def _alike(chosen: Tensor) -> Tensor:
    """Mark pairs of a batch that share a text: neither is wrong for the other."""
    first, second = chosen[:, 0], chosen[:, 1]
    same = (second[:, None] == second[None]) | (first[:, None] == first[None])
    return same.fill_diagonal_(False)


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("folder", type=Path, help="with train.json.xz, evalsets.jsonl.xz, vocab.json, features.npy")
    reader.add_argument("out", type=Path)
    reader.add_argument("--steps", type=int, default=12000)
    reader.add_argument("--batch", type=int, default=1024)
    reader.add_argument("--rate", type=float, default=2e-3)
    reader.add_argument("--temperature", type=float, default=0.05)
    reader.add_argument("--mixed", type=float, default=0.3)
    reader.add_argument("--dropped", type=float, default=0.1)
    reader.add_argument("--hold", type=float, default=0.0)
    reader.add_argument("--power", type=float, default=0.6)
    reader.add_argument("--teaching", type=float, nargs="*", default=[])
    reader.add_argument("--verbose", action="store_true")
    reader.add_argument("--device", default="cpu")
    given = reader.parse_args()
    torch.set_default_device(given.device)
    run(given)


def run(given: Any) -> None:
    from runs import load

    loaded = load(given.folder)
    table = Table(loaded.features, loaded.frequency)
    began = time.time()
    train(table, loaded.texts, Pairs(loaded.keys, loaded.pairs, given.power), loaded.teachers, given)
    print("seconds", round(time.time() - began, 1))
    loaded.report("trained", table)
    loaded.save(table, given.out)


if __name__ == "__main__":
    main()
