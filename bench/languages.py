"""What is kept without a model, by language: precision and recall on the labelled chats of `bench/keyless`.

python -m bench.languages           writes the table into docs/guide/languages.md
python -m bench.languages --wrong   prints what was wrongly kept and what was missed

A line of a chat is `Name: text ## words ## slot=value`. A reader would keep it as a fact with these words, in which a
relative time is a date, and as these memories. A line without labels must give nothing. What is held out was written
before anyone saw what the rules make of it. Once it was read to change them, it is tuned, and others must be written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from erstwhile import language
from erstwhile.writers.extractive import facts, structure
from erstwhile.writers.port import TranscriptLine, TypedNote

AT = datetime(2026, 3, 4, 12, tzinfo=UTC)
CHATS = Path(__file__).parent / "keyless"
PAGE = Path(__file__).parents[1] / "docs" / "guide" / "languages.md"
BEGIN, END = "<!-- python -m bench.languages -->\n", "<!-- end -->"
SETS = ("tuned", "held out")


@dataclass
class Count:
    """How much was kept, how much of that is right, and how much was to be kept."""

    kept: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    wanted: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, other: Count) -> None:
        self.kept += other.kept
        self.wrong += other.wrong
        self.wanted += other.wanted
        self.missed += other.missed

    @property
    def precision(self) -> float:
        return 1 - len(self.wrong) / len(self.kept) if self.kept else 1.0

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / self.wanted if self.wanted else 1.0


@dataclass
class Label:
    line: TranscriptLine
    words: list[str]
    memories: list[str]


def codes() -> list[str]:
    return sorted(each.stem for each in CHATS.glob("*.txt"))


def chats(code: str, which: str) -> Iterator[list[Label]]:
    text = (CHATS / f"{code}.txt").read_text("utf-8")
    part = text.split(f"# {which}\n")[1].split("\n# ")[0]
    for chat in part.strip().split("\n\n"):
        yield [_label(line) for line in chat.splitlines()]


def _label(line: str) -> Label:
    said, words, memories, *_ = [*line.split(" ## "), "", ""]
    speaker, _, text = said.partition(": ")
    return Label(TranscriptLine(speaker, text, AT, "user"), _split(words, "; "), _split(memories, ", "))


def _split(text: str, by: str) -> list[str]:
    return [each.strip() for each in text.split(by) if each.strip()]


def count(code: str, which: str) -> tuple[Count, Count]:
    """Count the facts and the structured memories of a set."""
    told, noted = Count(), Count()
    for chat in chats(code, which):
        lines = [each.line for each in chat]
        told.add(_facts(chat, facts.extract(lines).splitlines()))
        noted.add(_notes(chat, structure.note(lines)))
    return told, noted


def _facts(chat: list[Label], kept: list[str]) -> Count:
    wanted = [each for each in chat if each.words]
    wrong = [fact for fact in kept if not any(_tells(fact, each) for each in wanted)]
    missed = [each.line.text for each in wanted if not any(_tells(fact, each) for fact in kept)]
    return Count(kept, wrong, len(wanted), missed)


def _tells(fact: str, label: Label) -> bool:
    speaker, _, told = fact.partition(": ")
    return label.line.speaker in speaker and all(each in told for each in label.words)


def _notes(chat: list[Label], found: tuple[TypedNote, ...]) -> Count:
    kept = [f"{each.message} {each.slot or each.type}={each.value}" for each in found]
    wanted = [f"{number} {each}" for number, label in enumerate(chat, 1) for each in label.memories]
    return Count(kept, [e for e in kept if e not in wanted], len(wanted), [e for e in wanted if e not in kept])


def table() -> str:
    rows = [
        "| language | facts: precision, recall | held out | memories: precision, recall | held out |",
        "|---|---|---|---|---|",
    ]
    for code in codes():
        counts = [count(code, which) for which in SETS]
        cells = [_cell(each[kind]) for kind in (0, 1) for each in counts]
        rows.append(f"| {language.of(code).name} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _cell(found: Count) -> str:
    return f"{found.precision:.2f}, {found.recall:.2f} of {found.wanted}"


def page() -> str:
    """Return docs/guide/languages.md with the table as it is now."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


def main(*given: str) -> None:
    if not given:
        PAGE.write_text(page(), "utf-8")
        print(table())
    for code in codes() if given else ():
        for which in SETS[:1] if "--all" not in given else SETS:
            for kind in count(code, which):
                print(code, which, f"{kind.precision:.2f} {kind.recall:.2f}")
                print(
                    *(f"  wrong  {each}" for each in kind.wrong),
                    *(f"  missed {each}" for each in kind.missed),
                    sep="\n",
                )


if __name__ == "__main__":
    main(*sys.argv[1:])
