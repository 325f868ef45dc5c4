"""What each installed embedder costs: `python -m bench.embed [NAME …] [--texts 2000]`.

Texts are 5 to 40 words of Python's own documentation (real sentences, so that words come as often as they do), none of them seen before.
Each embedder runs in a process of its own; CPU time counts all of its threads. Loading includes the imports; the time of
one text is that of a question whose words are known. Those that ask a server are left out: what they cost is the server's affair.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import time
from datetime import date
from pydoc_data.topics import topics

from erstwhile.base.errors import Error
from erstwhile.base.settings import load
from erstwhile.embedders.choose import choose

NAMES = ("vectors", "use", "minilm", "fastembed")


def texts(number: int) -> list[str]:
    words, chance = " ".join(topics.values()).split(), random.Random(7)
    cut: list[str] = []
    while words:
        size = chance.randint(5, 40)
        cut.append(" ".join(words[:size]))
        del words[:size]
    chance.shuffle(cut)
    return cut[:number]


async def cost(name: str, number: int) -> str:
    embedder = choose(load(embedder=name))
    assert embedder is not None
    started = time.perf_counter()
    vectors = await embedder.embed(["ready"])
    loading = time.perf_counter() - started
    enough = texts(number if embedder.cheap else number // 10)
    before = time.process_time()
    for at in range(0, len(enough), 64):
        await embedder.embed(enough[at : at + 64])
    rate = len(enough) / (time.process_time() - before)
    before, asked = time.perf_counter(), enough[:100]
    for question in asked:
        await embedder.embed([question])
    single = (time.perf_counter() - before) / len(asked)
    return f"| {embedder.name} | {loading * 1000:,.0f} | {rate:,.0f} | {single * 1000:.3f} | {vectors.shape[1]} |"


def measure(names: list[str], number: int) -> None:
    print(f"\n### Embedders, {date.today()}\n")  # noqa: DTZ011
    print(
        "| embedder | load ms | texts per CPU-second | one text, ms | dimensions |\n|---|---|---|---|---|", flush=True
    )
    for name in names:
        command = [sys.executable, "-m", "bench.embed", "--alone", name, "--texts", str(number)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.alone:
        measure(given.names, given.texts)
    else:
        try:
            print(asyncio.run(cost(given.alone, given.texts)), flush=True)
        except Error as missing:
            print(f"| {given.alone} | | | | | {missing}", file=sys.stderr)
