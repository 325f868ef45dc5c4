"""Ways to keep an index on disk: `python -m bench.index_choices [--sizes 10000,100000]`.

`ours` are the product's own files, with its whole ranking. The others find candidates to rank: `tantivy` (`pip install tantivy`) by words
alone, with its own BM25; `qdrant-edge` (`pip install qdrant-edge-py`) by words as sparse vectors and by meaning, in two queries. Each is
built in one process and asked in a new one. "held" is what the process itself allocated; "resident" counts the pages of mapped files
too, which the system may take back at any time.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench import sayings
from erstwhile.index import part_file, storing
from erstwhile.index.documents import Scope
from erstwhile.index.part_file import PartFile
from erstwhile.index.space_index import SpaceIndex
from erstwhile.search.question import Question
from erstwhile.search.rank import RankingOptions, rank
from erstwhile.storage import Row
from erstwhile.text import analyse

Ask = Callable[[str], object]

DIMENSIONS = 256
CANDIDATES = 200
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


# Ours: the product's own files and ranking


def build_ours(folder: Path, size: int) -> None:
    parts = []
    for page in rows(size):
        feed = [{"what": storing._NEW, **row} for row in page] + [{"what": storing._VECTOR, **row} for row in page]
        parts.append(storing._part_file(feed))
    with (folder / "index").open("wb") as file:
        checksum = part_file.write(file, storing._joined(parts))
    (folder / "checksum").write_text(checksum)


def open_ours(folder: Path) -> Ask:
    index, dice = SpaceIndex(), np.random.default_rng(3)
    for segment, part in zip(index._shown.both, _read(folder).parts, strict=True):
        segment.use(part)

    def ask(text: str) -> object:
        vector = dice.standard_normal(DIMENSIONS).astype(np.float32)
        options = RankingOptions(10, vector=vector / np.linalg.norm(vector))
        return rank(index, question(text), Scope(kinds=("message",)), options)

    return ask


def _read(folder: Path) -> PartFile:
    return part_file.read(folder / "index", (folder / "checksum").read_text())


# Words alone, by tantivy


def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("doc", fast=True)
    builder.add_text_field("terms", index_option="freq")
    return builder.build()


def build_tantivy(folder: Path, size: int) -> None:
    import tantivy

    writer = tantivy.Index(_schema(), path=str(folder)).writer(128_000_000, 1)
    for page in rows(size):
        for row in page:
            writer.add_document(tantivy.Document(doc=row["doc"], terms=row["terms"]))
    writer.commit()
    writer.wait_merging_threads()


def open_tantivy(folder: Path) -> Ask:
    import tantivy

    searcher, schema = tantivy.Index.open(str(folder)).searcher(), _schema()

    def ask(text: str) -> object:
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "terms", term))
            for term in analyse.query_terms(text)
        ]
        return searcher.search(tantivy.Query.boolean_query(terms), CANDIDATES)

    return ask


# Words as sparse vectors, and vectors, by qdrant-edge


def _words(terms: Sequence[str]) -> Any:
    from qdrant_edge import SparseVector

    counts = Counter(zlib.crc32(term.encode()) for term in terms)
    return SparseVector(list(counts), [float(count) for count in counts.values()])


def build_qdrant(folder: Path, size: int) -> None:
    import qdrant_edge as qdrant

    config = qdrant.EdgeConfig(
        vectors={"meaning": qdrant.EdgeVectorParams(DIMENSIONS, qdrant.Distance.Cosine, on_disk=True)},
        sparse_vectors={"words": qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf, on_disk=True)},
    )
    shard = qdrant.EdgeShard.create(str(folder), config)
    for page in rows(size):
        points = []
        for row in page:
            meaning = np.frombuffer(row["vector"], np.int8).astype(float).tolist()
            points.append(qdrant.Point(row["doc"], {"meaning": meaning, "words": _words(row["terms"].split())}))
        shard.update(qdrant.UpdateOperation.upsert_points(points))
    shard.optimize()
    shard.close()


def open_qdrant(folder: Path) -> Ask:
    import qdrant_edge as qdrant

    shard, dice = qdrant.EdgeShard.load(str(folder)), np.random.default_rng(3)

    def ask(text: str) -> object:
        meaning = dice.standard_normal(DIMENSIONS).tolist()
        terms = _words(analyse.query_terms(text))
        return [
            shard.query(qdrant.QueryRequest(CANDIDATES, query=qdrant.Query.Nearest(each, using=using)))
            for each, using in ((terms, "words"), (meaning, "meaning"))
        ]

    return ask


WAYS: dict[str, tuple[Callable[[Path, int], None], Callable[[Path], Ask]]] = {
    "ours": (build_ours, open_ours),
    "tantivy": (build_tantivy, open_tantivy),
    "qdrant-edge": (build_qdrant, open_qdrant),
}


def memory() -> tuple[float, float]:
    """Megabytes that this process allocated, and that are resident for it."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    held, resident = (int(lines[name].split()[0]) / 1000 for name in ("Anonymous", "Rss"))
    return held, resident


def measure(how: str, folder: Path) -> dict[str, Any]:
    asked = sayings.questions(220)
    analyse.query_terms("warm")
    before = memory()
    started = time.perf_counter()
    answer = WAYS[how][1](folder)
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
    parser.add_argument("--ways", default="ours,tantivy,qdrant-edge", type=lambda text: text.split(","))
    parser.add_argument("inside", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        what, how, folder, size = given.inside
        if what == "build":
            WAYS[how][0](Path(folder), int(size))
        else:
            print(json.dumps(measure(how, Path(folder))))
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
