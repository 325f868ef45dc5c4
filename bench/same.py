"""Everything that is derived without a model, as text, to compare two versions:
`python -m bench.same FILE`, once with each, then `diff`.

The demo, the chats of `bench/keyless` in six languages, and 500 messages of each case of `bench.derive`, on SQLite. All
rows that a layer wrote are listed, with ids of messages replaced by their places, so that equal files mean equal
memories, versions, flags, links, documents and search terms.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

import erstwhile
from bench import derive, languages
from erstwhile import demo
from erstwhile.testing import FixedClock

_MESSAGE = re.compile(r"msg_\w+")
_TERMS = "LEFT JOIN document_terms t ON t.doc = d.doc AND t.space = d.space"
_LISTED = {
    "memories": "SELECT * FROM memories",
    "versions": "SELECT * FROM versions",
    "sources": "SELECT * FROM memory_sources",
    "flags": "SELECT * FROM flags",
    "links": "SELECT * FROM fact_links",
    "chunks": "SELECT * FROM chunks",
    "readings": "SELECT * FROM readings",
    "threads": "SELECT * FROM structured_threads",
    "told": "SELECT * FROM told",
    "tellings": "SELECT * FROM tellings",
    "people of notes": "SELECT * FROM note_people",
    "profiles": "SELECT * FROM profiles",
    "documents": f"SELECT d.*, t.terms FROM documents d {_TERMS}",
    "messages": f"SELECT d.id, d.channel, d.person, d.at, d.seq, d.traits, t.terms FROM messages d {_TERMS}",
}
_LEFT_OUT = {"doc", "stamp", "position_at"}  # numbers that depend on the order in which jobs ran


async def derived(url: str, talk: Iterable[tuple[str, list[dict[str, Any]]]], until: datetime) -> None:
    clock = FixedClock(until)
    async with erstwhile.open(url, clock=clock, worker=False, model="extractive") as memory:
        for channel, said in talk:
            for start in range(0, len(said), derive.BATCH):
                await memory.channel(channel).add_many(said[start : start + derive.BATCH])
        for hours in (0, 3, 24):
            clock.now = until + timedelta(hours=hours)
            settled = await memory.settle()
            assert settled.waiting == settled.parked == 0


def samples() -> list[tuple[str, list[dict[str, Any]]]]:
    """The labelled chats of each language, each chat a channel."""
    found = []
    for code in languages.codes():
        chats = [chat for part in languages.SETS for chat in languages.chats(code, part)]
        for number, chat in enumerate(chats):
            lines = [each.line for each in chat if each.line.text]
            said = [_said(line.speaker, line.text, place) for place, line in enumerate(lines)]
            found.append((f"{code}-{number}", said))
    return found


def _said(speaker: str, text: str, place: int) -> dict[str, Any]:
    at = derive.START + timedelta(minutes=place)
    return {"role": "user", "text": text, "person": speaker.lower(), "name": speaker, "at": at}


def listing(file: Path) -> list[str]:
    connection = apsw.Connection(str(file))
    places = {
        str(id): f"{channel}/{seq}" for channel, seq, id in connection.execute("SELECT channel, seq, id FROM messages")
    }

    def placed(value: object) -> str:
        return _MESSAGE.sub(lambda found: places.get(found[0], found[0]), str(value))

    lines = []
    for name, query in _LISTED.items():
        cursor = connection.execute(query)
        rows = []
        for row in cursor:
            columns = [column for column, _ in cursor.get_description()]
            pairs = zip(columns, row, strict=True)
            given = {column: placed(value) for column, value in pairs if column not in _LEFT_OUT and value is not None}
            rows.append(json.dumps(given, ensure_ascii=False, sort_keys=True))
        lines += [f"{name} {row}" for row in sorted(rows)]
    connection.close()
    return lines


async def main(target: Path) -> None:
    talks = {"demo": list(demo.conversation().items()), "samples": samples()}
    talks |= {case: derive.batches(case, 500) for case in derive.CASES}
    found = []
    for name, talk in talks.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "same.db"
            await derived(str(file), talk, max(_at(each) for _, said in talk for each in said))
            found += [f"{name} {line}" for line in listing(file)]
    target.write_text("\n".join(found) + "\n", encoding="utf-8")
    print(f"{len(found):,} rows")


def _at(message: dict[str, Any]) -> datetime:
    at = message["at"]
    return at if isinstance(at, datetime) else datetime.fromisoformat(at)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
