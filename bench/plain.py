"""Plain statements about oneself, one by one: which become facts without a model.

python -m bench.plain             counts both halves
python -m bench.plain --wrong     prints what of the tuned half is missed and what is wrongly kept

`bench/plain` holds one statement a line, as people type: `+` holds for months and must become a fact, `-` must not. The
rules were made with the first half of each file; of the other half, only the counts were read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from erstwhile.writers.extractive import facts
from erstwhile.writers.port import TranscriptLine

AT = datetime(2026, 3, 4, 12, tzinfo=UTC)
STATEMENTS = Path(__file__).parent / "plain"
HALVES = ("tuned", "kept")


def statements(file: Path, half: str) -> Iterator[tuple[bool, str]]:
    part = file.read_text("utf-8").split(f"# {half}\n")[1].split("\n# ")[0]
    yield from ((line[0] == "+", line[2:]) for line in part.splitlines())


def is_fact(text: str) -> bool:
    return bool(facts.extract([TranscriptLine("Mina", text, AT, "user")]))


def main(*given: str) -> None:
    for half in HALVES[:1] if given else HALVES:
        for file in sorted(STATEMENTS.glob("*.txt")):
            judged = [(wanted, is_fact(text), text) for wanted, text in statements(file, half)]
            for kind in dict.fromkeys(wanted for wanted, *_ in judged):
                kept = [found for wanted, found, _ in judged if wanted is kind]
                say = "facts kept" if kind else "chatter kept"
                print(f"{half} {file.stem}: {say} {sum(kept)} of {len(kept)}")
            for wanted, found, text in judged if given else ():
                if wanted is not found:
                    print("  missed" if wanted else "  wrong ", text)


if __name__ == "__main__":
    main(*sys.argv[1:])
