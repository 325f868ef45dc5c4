"""Ways to keep an index on disk, beside the one that is filled in memory: `python -m bench.index_choices [--sizes 10000,100000]`.

`memory` is filled from rows, as every process does today. `mapped` has the same arrays in files, mapped copy-on-write, and the
same ranking. `tantivy` (`pip install tantivy`) finds candidates by words alone, with its own BM25. Each is built in one process and
asked in a new one. "held" is what the process itself allocated; "resident" counts the pages of mapped files too, which the system
may take back at any time.
"""

from __future__ import annotations

import argparse
import json
import pickle
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench import sayings
from erstwhile.index.documents import Scope
from erstwhile.index.postings import Block
from erstwhile.index.segment import Segment
from erstwhile.index.space_index import SpaceIndex
from erstwhile.search.question import Question
from erstwhile.search.rank import RankingOptions, rank
from erstwhile.storage import Row
from erstwhile.text import analyse

DIMENSIONS = 256
PAGE = 4096
START = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1_000_000)
FIGURES = ("opened", "first", "p50", "p95", "held", "resident")
HEAD = "| kept as | messages | built, s | on disk MB | opened ms | first answer ms | p50 ms | p95 ms | held MB | resident MB |"


def rows(size: int) -> Iterator[list[Row]]:
    """Messages as the index reads them, by pages."""
    dice = np.random.default_rng(7)
    page: list[Row] = []
    for number in range(size):
        channel, place = divmod(number, sayings.CHANNEL)
        if place == 0:
            texts = sayings.channel(channel)
        page.append(
            {
                "doc": number + 1, "kind": "message", "channel": f"c{channel}", "person": f"p{number % 7}",
                "writer": None, "at": START + number * 60_000_000, "seq": place + 1, "until": place + 1,
                "question": texts[place].endswith("?"), "terms": " ".join(analyse.terms(texts[place])),
                "vector": dice.integers(-127, 127, DIMENSIONS, np.int8).tobytes(),
            }
        )  # fmt: skip
        if len(page) == PAGE:
            yield page
            page = []
    yield page


def question(text: str) -> Question:
    terms = tuple(analyse.query_terms(text))
    return Question(text, terms, frozenset(), (), text, (), "", "", asks=True)


def filled(size: int) -> SpaceIndex:
    index = SpaceIndex()
    pair = index.begin(index.marks, "bench")
    for page in rows(size):
        index.fill(pair, page)
    index.filled(pair, index.marks)
    return index


# Kept as files


def save(segment: Segment, folder: Path) -> None:
    """Every array as a file; names, words and numbers of values as one more."""
    columns, matrix = segment.columns, segment.matrix
    arrays = {f"column-{name}": columns[name] for name in columns._arrays}
    arrays |= {"bytes": matrix._bytes, "scale": matrix._scale, "signs": matrix._signs}
    for number, block in enumerate(segment.postings._blocks):
        for name in ("keys", "starts", "places", "counts"):
            arrays[f"block-{number}-{name}"] = getattr(block, name)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    rest = {
        "codes": segment._codes, "spelt": segment._spelt, "alive": segment.alive, "words": segment.words,
        "sessions": segment._sessions, "filled": matrix.filled, "open": segment.postings._open,
        "blocks": len(segment.postings._blocks), "waiting": segment.postings._waiting,
    }  # fmt: skip
    (folder / "rest").write_bytes(pickle.dumps(rest))


def mapped(folder: Path) -> Segment:
    def open_(name: str) -> Any:
        return np.load(folder / f"{name}.npy", mmap_mode="c")

    rest = pickle.loads((folder / "rest").read_bytes())
    segment = Segment(talk=True)
    for name in list(segment.columns._arrays):
        segment.columns._arrays[name] = open_(f"column-{name}")
    segment.columns.length = len(segment.columns._arrays["doc"])
    segment.matrix._bytes, segment.matrix._scale = open_("bytes"), open_("scale")
    segment.matrix._signs, segment.matrix.filled = open_("signs"), rest["filled"]
    segment._codes, segment._spelt = rest["codes"], rest["spelt"]
    segment.alive, segment.words, segment._sessions = rest["alive"], rest["words"], rest["sessions"]
    segment.postings._open, segment.postings._waiting = rest["open"], rest["waiting"]
    segment.postings._blocks = [
        Block(*(open_(f"block-{number}-{name}") for name in ("keys", "starts", "places", "counts")), words=(), size=1)
        for number in range(rest["blocks"])
    ]
    return segment


# What is asked


def ours(index: SpaceIndex) -> Callable[[str], object]:
    dice = np.random.default_rng(3)

    def ask(text: str) -> object:
        vector = dice.standard_normal(DIMENSIONS).astype(np.float32)
        options = RankingOptions(10, vector=vector / np.linalg.norm(vector))
        return rank(index, question(text), Scope(kinds=("message",)), options)

    return ask


def opened(how: str, folder: Path, size: int) -> Callable[[str], object]:
    if how == "memory":
        return ours(filled(size))
    if how == "mapped":
        index = SpaceIndex()
        index._shown.messages = mapped(folder)
        return ours(index)
    import tantivy

    searcher = tantivy.Index.open(str(folder)).searcher()
    schema = _schema()

    def ask(text: str) -> object:
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "terms", term))
            for term in analyse.query_terms(text)
        ]
        return searcher.search(tantivy.Query.boolean_query(terms), 200)

    return ask


def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("doc", fast=True)
    builder.add_text_field("terms", index_option="freq")
    return builder.build()


def build(how: str, folder: Path, size: int) -> None:
    if how == "mapped":
        save(filled(size).messages, folder)
    elif how == "tantivy":
        import tantivy

        index = tantivy.Index(_schema(), path=str(folder))
        writer = index.writer(128_000_000, 1)
        for page in rows(size):
            for row in page:
                writer.add_document(tantivy.Document(doc=row["doc"], terms=row["terms"]))
        writer.commit()
        writer.wait_merging_threads()


def memory() -> tuple[float, float]:
    """Megabytes that this process allocated, and that are resident for it."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    held, resident = (int(lines[name].split()[0]) / 1000 for name in ("Anonymous", "Rss"))
    return held, resident


def ask(how: str, folder: Path, size: int) -> dict[str, Any]:
    asked = sayings.questions(220)
    analyse.query_terms("warm")
    before = memory()
    started = time.perf_counter()
    answer = opened(how, folder, size)
    ready = time.perf_counter()
    answer(asked[0])
    first = time.perf_counter()
    taken = []
    for text in asked[1:]:
        begun = time.perf_counter()
        answer(text)
        taken.append((time.perf_counter() - begun) * 1000)
    after = memory()
    cuts = statistics.quantiles(taken, n=20, method="inclusive")
    return {
        "opened": (ready - started) * 1000, "first": (first - started) * 1000, "p50": cuts[9], "p95": cuts[18],
        "held": after[0] - before[0], "resident": after[1] - before[1],
    }  # fmt: skip


def child(*words: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "bench.index_choices", *words], stdout=subprocess.PIPE, check=True, text=True
    ).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000", type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--ways", default="memory,mapped,tantivy", type=lambda text: text.split(","))
    parser.add_argument("inside", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        what, how, folder, size = given.inside
        if what == "build":
            build(how, Path(folder), int(size))
        else:
            print(json.dumps(ask(how, Path(folder), int(size))))
        return
    print(f"{HEAD}\n{'|---' * 10}|")
    for size in given.sizes:
        for how in given.ways:
            folder = Path(tempfile.mkdtemp(prefix="erstwhile-index-"))
            started = time.perf_counter()
            child("build", how, str(folder), str(size))
            built = time.perf_counter() - started
            disk = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) / 1e6
            found = json.loads(child("ask", how, str(folder), str(size)))
            shutil.rmtree(folder)
            figures = [f"{found[name]:,.1f}" for name in FIGURES]
            cells = [how, f"{size:,}", f"{built:.1f}", f"{disk:,.0f}", *figures]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
