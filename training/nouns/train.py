"""Make the weights by which `erstwhile.text.nouns` tells nouns: `python train.py MIRRORS nouns.npz`.

MIRRORS has one git directory per treebank: owner+name/repo. Needs torch.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import nn

from erstwhile.text import nouns

TREEBANKS: Final = {
    "en": ("UniversalDependencies+UD_English-EWT", "en_ewt"),
    "de": ("UniversalDependencies+UD_German-GSD", "de_gsd"),
    "fr": ("UniversalDependencies+UD_French-GSD", "fr_gsd"),
    "es": ("UniversalDependencies+UD_Spanish-GSD", "es_gsd"),
}
CLASSES: Final = {"NOUN": nouns.NOUN, "PROPN": nouns.NOUN, "ADJ": nouns.ADJECTIVE}
EPOCHS: Final = 6
BATCH: Final = 1024

Sentence = tuple[list[str], list[int]]


def stored(mirrors: Path, folder: str, file: str) -> str:
    show = ["git", "-C", str(mirrors / folder / "repo"), "show", f"HEAD:{file}"]
    return subprocess.run(show, capture_output=True, check=True, text=True).stdout


def files(mirrors: Path, language: str) -> list[str]:
    """The files to learn from. The whole training files are too large for some mirrors: of English
    its parts are read, of the others the development set."""
    folder, name = TREEBANKS[language]
    if language != "en":
        return [f"{name}-ud-dev.conllu"]
    listed = stored(mirrors, folder, "not-to-release/file-lists/files.train").split()
    return [f"not-to-release/sources/{each}" for each in listed]


def sentences(mirrors: Path, folder: str, file: str) -> Iterator[Sentence]:
    text = stored(mirrors, folder, file)
    for block in text.split("\n\n"):
        rows = [row.split("\t") for row in block.splitlines() if row and row[0] != "#"]
        rows = [row for row in rows if row[0].isdigit()]
        if rows:
            yield [row[1] for row in rows], [CLASSES.get(row[3], nouns.OTHER) for row in rows]


def as_typed(sentence: Sentence, rng: np.random.Generator) -> Sentence:
    """Half of them as people type in a chat: in lower case, without marks."""
    words, classes = sentence
    if rng.random() < 0.5:
        words = [word.lower() for word in words]
    if rng.random() < 0.5:
        kept = [place for place, word in enumerate(words) if word[0].isalnum()] or [0]
        words, classes = [words[place] for place in kept], [classes[place] for place in kept]
    return words, classes


def examples(found: list[Sentence]) -> tuple[torch.Tensor, torch.Tensor]:
    """A row per word: vector and flags of the word before, of the word, and of the word after."""
    rows = []
    for words, _ in found:
        read = nouns.vectors(words)
        lengths = np.linalg.norm(read, axis=1)
        own = np.zeros((len(words) + 2, read.shape[1] + nouns.FLAGS), np.float32)
        own[1:-1, : -nouns.FLAGS] = read / np.maximum(1e-6, lengths)[:, None]
        own[1:-1, -nouns.FLAGS :] = nouns.flags(words, lengths.tolist())
        rows.append(np.concatenate([own[:-2], own[1:-1], own[2:]], axis=1))
    return torch.tensor(np.concatenate(rows)), torch.tensor([each for _, classes in found for each in classes])


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("mirrors", type=Path)
    asked.add_argument("output", type=Path)
    given = asked.parse_args()
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    learnt: list[Sentence] = []
    for language, (folder, _) in TREEBANKS.items():
        for file in files(given.mirrors, language):
            learnt += [as_typed(each, rng) for each in sentences(given.mirrors, folder, file)]
    inputs, wanted = examples(learnt)
    model = nn.Sequential(
        nn.Linear(inputs.shape[1], nouns.HIDDEN), nn.ReLU(), nn.Dropout(0.1), nn.Linear(nouns.HIDDEN, nouns.CLASSES)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    steps = EPOCHS * -(-len(inputs) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(inputs)).split(BATCH):
            loss = nn.functional.cross_entropy(model(inputs[batch]), wanted[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    model.eval()
    for language, (folder, name) in TREEBANKS.items():
        held = [as_typed(each, rng) for each in sentences(given.mirrors, folder, f"{name}-ud-test.conllu")]
        inputs, wanted = examples(held)
        said = model(inputs).argmax(1)
        noun = said == nouns.NOUN
        right = (noun & (wanted == nouns.NOUN)).sum().item()
        precision, recall = right / noun.sum().item(), right / (wanted == nouns.NOUN).sum().item()
        same = (said == wanted).float().mean().item()
        print(f"{language}: nouns precision {precision:.3f}, recall {recall:.3f}; all three classes right {same:.3f}")
    first, last = model[0], model[3]
    with torch.inference_mode():
        arrays = {
            "first": torch.cat([first.weight.T, first.bias[None]]),
            "last": torch.cat([last.weight.T, last.bias[None]]),
        }
    np.savez_compressed(given.output, **{name: each.numpy().astype(np.float16) for name, each in arrays.items()})


if __name__ == "__main__":
    main()
