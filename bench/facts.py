"""Print a random sample of the extractive writer's facts of the demo, to be judged by `bench/FACTS.md`.

python -m bench.facts [seed] [number]
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from datetime import datetime
from importlib.resources import files

from erstwhile.writers.extractive import facts
from erstwhile.writers.port import TranscriptLine

CHUNK = 10


def conversations() -> dict[str, list[TranscriptLine]]:
    """Read the demo's channels."""
    found: dict[str, list[TranscriptLine]] = {}
    for row in (files("erstwhile.demo") / "conversation.jsonl").read_text("utf-8").splitlines():
        said = json.loads(row)
        at = datetime.fromisoformat(said["at"])
        speaker = said.get("name") or said.get("person") or said["role"]
        found.setdefault(said["channel"], []).append(TranscriptLine(speaker, said["text"], at, said["role"]))
    return found


def extracted() -> Iterator[str]:
    for channel, lines in conversations().items():
        for start in range(0, len(lines), CHUNK):
            for fact in facts.extract(lines[start : start + CHUNK]).splitlines():
                yield f"{channel}\t{fact.removeprefix('- ')}"


def main(seed: int = 7, number: int = 60) -> None:
    found = list(extracted())
    random.Random(seed).shuffle(found)
    print(f"{len(found)} facts of {sum(map(len, conversations().values()))} messages", file=sys.stderr)
    print("\n".join(found[:number]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
