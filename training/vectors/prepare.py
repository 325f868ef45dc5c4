"""Write pairs and evaluation sets: `python prepare.py mirrors/ out/`.

`mirrors` has one git directory per repository, `owner+name/repo`. `pairs.jsonl` has everything, for the
vocabulary; `train.json.xz` has no held-out document and no text of an evaluation set.
"""

from __future__ import annotations

import json
import lzma
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from held_out import evaluation_sets, held_out
from repositories import Repositories
from sources import ALL, Pair

# At most so many pairs of a source, so that none outweighs a language.
_MOST: Final = {
    "RealPersonaChat": 70_000, "ASDC": 60_000, "SGD": 60_000, "MDN": 14_000, "Kubernetes": 6_000, "QMSum": 45_000,
}  # fmt: skip


def read_all(read: Repositories) -> Iterator[Pair]:
    seen = set()
    for source in ALL:
        for pair in source(read):
            if (pair.first, pair.second) not in seen:
                seen.add((pair.first, pair.second))
                yield pair


def main() -> None:
    read, out = Repositories(Path(sys.argv[1])), Path(sys.argv[2])
    pairs = list(read_all(read))
    with (out / "pairs.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
    evaluated: set[str] = set()
    lines = []
    for each in evaluation_sets(read, pairs):
        evaluated.update(each.pool)
        kept = {"name": each.name, "language": each.language, "questions": each.questions}
        lines.append(json.dumps(kept | {"pool": each.pool, "answers": each.answers}, ensure_ascii=False))
    (out / "evalsets.jsonl").write_text("\n".join(lines), "utf-8")
    (out / "evalsets.jsonl.xz").write_bytes(lzma.compress("\n".join(lines).encode(), preset=3))
    (out / "train.json.xz").write_bytes(lzma.compress(training(pairs, evaluated).encode(), preset=3))


def training(pairs: list[Pair], evaluated: set[str]) -> str:
    random.seed(1)
    groups: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for pair in pairs:
        one, two = pair.first[:300], pair.second[:400]
        empty = not one.strip() or not two.strip()
        if not (held_out(pair.source, pair.document) or one in evaluated or two in evaluated or empty):
            groups[pair.language, pair.source].append((one, two))
    texts: dict[str, int] = {}
    rows, keys = [], sorted(groups)
    for at, key in enumerate(keys):
        found = groups[key]
        found = random.sample(found, min(len(found), _MOST.get(key[1], len(found))))
        print(*key, len(found))
        rows += [(at, texts.setdefault(one, len(texts)), texts.setdefault(two, len(texts))) for one, two in found]
    return json.dumps({"keys": keys, "pairs": rows, "texts": list(texts)}, ensure_ascii=False)


if __name__ == "__main__":
    main()
