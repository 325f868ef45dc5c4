"""Facts without a model from chats that the rules were not made with: a sheet for readers, and its count.

python -m bench.unseen first                writes bench/unseen/first.tsv from the chats in bench/unseen/first
python -m bench.unseen first --count        counts the verdicts in it

A chat begins with `# name`; `@ 2026-03-04 18:20` says when the next message was written, each further one comes a
minute later; `agent Name` writes as a person, `assistant` as an assistant. A reader writes useful, marginal or junk
into a column of their own, by `bench/FACTS.md`. Making the sheet again keeps the verdicts of facts that are the same.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile.base.page import every

CHATS = Path(__file__).parent / "unseen"
READERS = ("reader 1", "reader 2", "reader 3")
COLUMNS = ("number", "chat", "fact", "messages", *READERS)
VERDICTS = ("useful", "marginal", "junk")
Chats = dict[str, list[dict[str, Any]]]


def chats(folder: Path) -> Chats:
    """Read the chats of a folder, by name."""
    found: Chats = {}
    for file in sorted(folder.glob("*.txt")):
        name, at = "", datetime.min.replace(tzinfo=UTC)
        for row in filter(None, file.read_text("utf-8").splitlines()):
            if row.startswith("# "):
                name = f"{file.stem}: {row[2:]}"
            elif row.startswith("@ "):
                at = datetime.fromisoformat(row[2:]).replace(tzinfo=UTC)
            else:
                found.setdefault(name, []).append(message(row, at))
                at += timedelta(minutes=1)
    return found


def message(row: str, at: datetime) -> dict[str, Any]:
    speaker, _, text = row.partition(": ")
    if speaker == "assistant":
        return {"role": "assistant", "text": text, "at": at}
    person = speaker.removeprefix("agent ")
    return {"role": "user", "text": text, "at": at, "person": person.casefold(), "name": person}


async def extracted(folder: Path) -> list[dict[str, str]]:
    """Return the rows of a sheet: every fact of the chats, with the messages it was made from."""
    rows: list[dict[str, str]] = []
    with tempfile.TemporaryDirectory() as place:
        async with erstwhile.open(str(Path(place) / "unseen.db"), model="none", worker=False, recipe="dual") as memory:
            for name, said in chats(folder).items():
                await memory.channel(name).add_many(said)
            await memory.settle()
            for name, said in chats(folder).items():
                for fact in await every(memory.facts.list, chat=memory.channel(name)):
                    around = said[max(0, (fact.seq or 1) - 3) : fact.seq]
                    shown = " / ".join(f"{each.get('name', each['role'])}: {each['text']}" for each in around)
                    rows.append({"number": str(len(rows) + 1), "chat": name, "fact": fact.text, "messages": shown})
    return rows


def read_sheet(file: Path) -> list[dict[str, str]]:
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as sheet:
        return list(csv.DictReader(sheet, delimiter="\t"))


def write_sheet(file: Path, rows: list[dict[str, str]]) -> None:
    known = {(each["chat"], each["fact"]): each for each in read_sheet(file)}
    with file.open("w", encoding="utf-8", newline="") as sheet:
        writer = csv.DictWriter(sheet, COLUMNS, delimiter="\t", lineterminator="\n", restval="")
        writer.writeheader()
        for row in rows:
            before = known.get((row["chat"], row["fact"]), {})
            writer.writerow(row | {reader: before.get(reader, "") for reader in READERS})


def counted(rows: list[dict[str, str]]) -> Iterator[str]:
    """Yield a table: the verdicts by reader, and of at least two of three."""
    yield "| reader | facts | useful | marginal | junk |\n|---|---|---|---|---|"
    for reader in READERS:
        given = Counter(row[reader] for row in rows if row[reader] in VERDICTS)
        yield line(reader, given)
    agreed = Counter(
        verdict
        for row in rows
        for verdict in VERDICTS
        if sum(row[reader] == verdict for reader in READERS) >= len(READERS) - 1
    )
    yield line("two of three agree", agreed)


def line(name: str, given: Counter[str]) -> str:
    total = given.total() or 1
    cells = " | ".join(f"{given[each]} ({given[each] / total:.0%})" for each in VERDICTS)
    return f"| {name} | {given.total()} | {cells} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", help="a folder in bench/unseen")
    parser.add_argument("--count", action="store_true", help="count the verdicts")
    given = parser.parse_args()
    file = CHATS / f"{given.set}.tsv"
    if not given.count:
        write_sheet(file, asyncio.run(extracted(CHATS / given.set)))
    print("\n".join(counted(read_sheet(file))))


if __name__ == "__main__":
    main()
