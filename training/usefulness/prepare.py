"""Gather what the network learns from into one file: texts as pieces, and readers' verdicts.

python prepare.py tokenizer.json own.jsonl public.jsonl prepared.npz      # pip install tokenizers

Verdicts are those of `verdicts.tsv` (one reader), of `statements` (by who wrote them) and of the sheets in
`bench/unseen` (up to three readers, who count more). The rest of the texts has none: the teacher judges them.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from bench import unseen  # noqa: E402

from erstwhile.text import detection  # noqa: E402
from erstwhile.writers.extractive import usefulness  # noqa: E402
from erstwhile.writers.extractive.judgement import Judgement, signals_of  # noqa: E402
from erstwhile_vectors import VERSION, rows  # noqa: E402

SETS: Final = ("first", "second", "third", "held", "fresh", "later", "strangers", "newcomers", "guests")
USEFUL: Final = {"useful": 0.9, "marginal": 0.04, "junk": 0.0}  # one reader may be wrong, or kinder than others
WEIGHT: Final = 3.0  # of what several readers said
PARTS: Final = 7  # of the statements, so that one can be left out
LONGEST: Final = 64  # pieces that the teacher reads

_FACT: Final = re.compile(r"^.*? \([^()]*20\d\d[^()]*\): (?P<text>.*?)(?: \((?P<aside>[^()]+: .+)\))?$", re.S)
_RESOLVED: Final = re.compile(
    r" ?[(（](?:\d{1,2} \w{3} \d{4}|\w{3} \d{4}|20\d\d|week of [^)]*|20\d\d[年년][^)）]*)[)）]"
)


def judged_by_several() -> Iterator[dict[str, Any]]:
    for name in SETS:
        for row in unseen.read_sheet(unseen.CHATS / f"{name}.tsv"):
            given = [row[reader] for reader in unseen.READERS if row[reader]]
            fact = _FACT.match(row["fact"])
            if given and fact:
                text = _RESOLVED.sub("", fact["text"])
                yield {
                    "source": name,
                    "text": text,
                    "aside": fact["aside"] or "",
                    "language": detection.dominant([text]),
                    "useful": given.count("useful") / len(given),
                    "weight": WEIGHT,
                }


def judged_by_one() -> Iterator[dict[str, Any]]:
    with (Path(__file__).parent / "verdicts.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield {**row, "useful": USEFUL[row["verdict"]], "weight": 1.0}


def written() -> Iterator[dict[str, Any]]:
    for file in sorted((Path(__file__).parent / "statements").glob("*.tsv")):
        for place, line in enumerate(_lines(str(file))):
            verdict, text = line.split("\t")
            source = f"statements {place % PARTS}"
            spoken = {"source": source, "language": file.stem, "text": text, "aside": ""}
            yield {**spoken, "useful": USEFUL[verdict], "weight": 1.0}


def gathered(*pools: str) -> list[dict[str, Any]]:
    """Return texts with a verdict first; each text once."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for each in (*judged_by_several(), *judged_by_one(), *written(), *map(json.loads, _lines(*pools))):
        found.setdefault((each["text"].strip().lower(), each["aside"]), each)
    return list(found.values())


def _lines(*files: str) -> Iterator[str]:
    for file in files:
        yield from Path(file).read_text("utf-8").splitlines()


def strength(text: dict[str, Any]) -> int:
    spoken = text["language"]
    return max(Judgement(spoken, signals_of(spoken).formal(text["text"])).weights, default=0)


def prepared(texts: list[dict[str, Any]], tokenizer: Tokenizer) -> dict[str, np.ndarray]:
    read = [usefulness.read(each["text"], each["aside"], strength(each)) for each in texts]
    numbers = np.array([number for text in read for number, _ in text])
    words = np.unique(numbers[numbers >= 0])
    shown = [each["text"] + f" ({each['aside'].partition(': ')[2]})" * bool(each["aside"]) for each in texts]
    encoded = [each.ids for each in tokenizer.encode_batch(shown)]
    vectors = rows(words)
    vectors *= 127 / np.abs(vectors).max(axis=1, keepdims=True)
    return {
        "table": np.array(VERSION),
        "pieces": numbers.astype(np.int32),
        "flags": np.array([flags for text in read for _, flags in text], dtype=np.float16),
        "lengths": np.array([len(text) for text in read]),
        "words": words,
        "vectors": np.rint(vectors).astype(np.int8),
        "tokens": np.concatenate([np.array(each, dtype=np.uint16) for each in encoded]),
        "token_lengths": np.array([len(each) for each in encoded]),
        "useful": np.array([each["useful"] for each in texts if "useful" in each], dtype=np.float32),
        "weight": np.array([each["weight"] for each in texts if "useful" in each], dtype=np.float32),
        "pattern": np.array([bool(each.get("pattern")) for each in texts]),
        "source": np.array([each["source"] for each in texts]),
        "language": np.array([each["language"] for each in texts]),
    }


def main(tokenizer: str, own: str, public: str, output: str) -> None:
    teacher = Tokenizer.from_file(tokenizer)
    teacher.no_padding()
    teacher.enable_truncation(LONGEST)
    found = prepared(gathered(own, public), teacher)
    np.savez_compressed(output, **found)
    print(len(found["useful"]), "with a verdict,", len(found["lengths"]), "in all")


if __name__ == "__main__":
    main(*sys.argv[1:])
