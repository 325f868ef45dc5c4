"""How many titles without a model are noun phrases, by language: on the labelled conversations of `bench/titles`.

python -m bench.titles           prints the table
python -m bench.titles --wrong   and what is wrong

A conversation ends with a line of the phrases that may name it, after "= ". A title is right if each of its parts,
between commas, is one of them or words of one.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from erstwhile import language
from erstwhile.layers.notes import note
from erstwhile.log.model import Message
from erstwhile.writers.extractive import ExtractiveWriter

CHATS = Path(__file__).parent / "titles"
SETS = ("tuned", "held out")
AT = datetime(2026, 3, 4, 12, tzinfo=UTC)


def codes() -> list[str]:
    return sorted(each.stem for each in CHATS.glob("*.txt"))


def chats(code: str, which: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the messages of each conversation, and the phrases that may name it."""
    text = (CHATS / f"{code}.txt").read_text("utf-8").split(f"# {which}\n")[1].split("\n# ")[0]
    for block in text.strip().split("\n\n"):
        *said, phrases = block.splitlines()
        yield said, phrases.removeprefix("= ").split("; ")


def title(said: list[str]) -> str:
    rows = [row.split(": ", 1) for row in said]
    names = {name.casefold(): name for name, _ in rows}
    messages = tuple(
        Message(f"msg_{seq}", seq, "user", name.casefold(), name, text, AT, None, None, {})
        for seq, (name, text) in enumerate(rows, start=1)
    )
    return asyncio.run(note.draft(ExtractiveWriter(), note.NoteMaterial("s", "chat", messages, names))).title


def is_right(named: str, phrases: list[str]) -> bool:
    return all(any(_has(phrase, part) for phrase in phrases) for part in named.split(", "))


def _has(phrase: str, part: str) -> bool:
    """Return whether some words of a phrase, or of a script without spaces two letters, are a part of a title."""
    if part < "\u1100" or " " in phrase:
        return f" {part} ".casefold() in f" {phrase} ".casefold()
    return part == phrase or (len(part) > 1 and part in phrase)


def wrong(code: str, which: str) -> list[str]:
    made = [(title(said), said, phrases) for said, phrases in chats(code, which)]
    return [f"{named}  <- {' / '.join(said)}" for named, said, phrases in made if not is_right(named, phrases)]


def main(*given: str) -> None:
    print("| language | noun phrases, tuned | held out |\n|---|---|---|")
    for code in codes():
        found = [wrong(code, which) for which in SETS]
        counts = [len(list(chats(code, which))) for which in SETS]
        cells = [f"{count - len(bad)} of {count}" for bad, count in zip(found, counts, strict=True)]
        print(f"| {language.of(code).name} | {' | '.join(cells)} |")
        if given:
            print(*(f"  {each}" for each in found[0]), sep="\n")
            if "--all" in given:
                print(*(f"  held out: {each}" for each in found[1]), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
