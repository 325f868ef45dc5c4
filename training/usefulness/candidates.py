"""Print what the facts of chats are chosen from, one JSON object per line: candidates that the patterns
found, before the score, and the other statements of people.

python candidates.py own ../../bench/unseen/* chats/* > own.jsonl
python candidates.py public mirrors/ > public.jsonl
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
sys.path += [str(ROOT), str(ROOT / "training" / "vectors")]
from bench import unseen  # noqa: E402

from erstwhile.writers.extractive import facts  # noqa: E402
from erstwhile.writers.extractive.statements import Statement, read  # noqa: E402
from erstwhile.writers.port import TranscriptLine  # noqa: E402
from repositories import Repositories  # noqa: E402

CHUNK: Final = 10  # messages, as the layer of facts reads them
SHORTEST, LONGEST = 8, 170  # characters of a plain statement
TOPICAL: Final = ("valid_freq", "valid_rare", "test_freq", "test_rare")
NAMES: Final = ("Mia", "Tom")

Chat = tuple[str, list[TranscriptLine]]


def own(folders: list[str]) -> Iterator[Chat]:
    for folder in map(Path, folders):
        for said in unseen.chats(folder).values():
            lines = [
                TranscriptLine(each.get("name", "assistant"), each["text"], each["at"], each["role"]) for each in said
            ]
            yield folder.name, lines


def public(folder: str) -> Iterator[Chat]:
    repositories = Repositories(Path(folder))
    for part in TOPICAL:
        for talk in repositories.json("alexa/Topical-Chat", f"conversations/{part}.json").values():
            yield "topical", lines([(NAMES[each["agent"] == "agent_2"], each["message"]) for each in talk["content"]])
    irc = "jkkummerfeld/irc-disentanglement"
    for path in repositories.names(irc, under="data/", ending="ascii.txt"):
        said = re.findall(r"^\[\d\d:\d\d\] <([^>]+)> (.*)$", repositories.text(irc, path), re.M)
        yield "irc", lines(said[-500:])


def lines(said: list[tuple[str, str]]) -> list[TranscriptLine]:
    at = datetime(2026, 3, 2, 18, tzinfo=UTC)
    return [
        TranscriptLine(who, text, at + timedelta(minutes=place), "user")
        for place, (who, text) in enumerate(said)
        if text.strip()
    ]


def candidates(chat: list[TranscriptLine]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(chat), CHUNK):
        said = read(chat[start : start + CHUNK])
        people = frozenset(each.speaker.lower() for each in said if len(each.speaker) > 1)
        statements = [each for each in said if not each.filler]
        told = set[int]()
        found = facts.complete([*facts.found(statements, said), *facts.parts(statements, ())], people)
        for fact in found:
            if not fact.statement.assistant:
                told |= set(range(fact.first, fact.last + 1))
                yield row(fact.statement, fact.text, fact.aside, pattern=True)
        for place, each in enumerate(statements):
            plain = place not in told and not each.assistant and not each.question
            if plain and SHORTEST <= len(each.text) <= LONGEST:
                yield row(each, each.text)


def row(said: Statement, text: str, aside: str = "", pattern: bool = False) -> dict[str, Any]:
    spoken = {"speaker": said.speaker, "language": said.language}
    return {"text": text, "aside": aside, "pattern": pattern, **spoken}


def main(kind: str, *given: str) -> None:
    for source, chat in own(list(given)) if kind == "own" else public(*given):
        for each in candidates(chat):
            print(json.dumps({"source": source, **each}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
