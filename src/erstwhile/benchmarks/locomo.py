"""LoCoMo (Maharana et al., ACL 2024): ten long conversations of two people, and questions with the
turns that answer them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.benchmarks.model import BenchmarkCase, BenchmarkQuestion, BenchmarkTurn
from erstwhile.importers.scan import DamagedFile, JsonScanner, SkippedValue

# Category 5 asks about what was never said and has no evidence.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}

_CHANNEL = "conversation"
_SESSION = re.compile(r"session_(\d+)")
# The file also has "D1:2; D3:4" and "D1:2 D3:4" in one string, "D:1:2" for D1:2, "D1:02" for D1:2,
# and a lone "D".
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_PAUSE = timedelta(seconds=5)
_TIME = "%I:%M %p on %d %B, %Y"  # such as "9:05 am on 1 March, 2024"


def cases(file: Path) -> Iterator[BenchmarkCase]:
    for sample in elements(file):
        try:
            yield _case(sample)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(
                f"{file.name} is not LoCoMo's format ({type(error).__name__}: {error}). Expected are sample_id, "
                "conversation with session_N and session_N_date_time, and qa."
            ) from None


def _case(sample: Mapping[str, Any]) -> BenchmarkCase:
    talk = sample["conversation"]
    numbers = [int(match[1]) for name in talk if (match := _SESSION.fullmatch(name))]
    turns: list[BenchmarkTurn] = []
    for number in sorted(numbers):
        started = datetime.strptime(talk[f"session_{number}_date_time"], _TIME).replace(tzinfo=UTC)
        turns += _turns(talk[f"session_{number}"], str(number), started)
    if not turns:
        raise ValueError("a conversation without turns")
    known = {turn.key for turn in turns}
    questions, left_out = [], 0
    for number, asked in enumerate(sample["qa"]):
        named = evidence(asked.get("evidence") or [])
        if asked["category"] not in CATEGORIES or not named:
            continue
        left_out += len(named - known)
        if named & known:
            category = CATEGORIES[asked["category"]]
            told = asked["question"], str(asked["answer"]), category, frozenset(named & known)
            questions.append(BenchmarkQuestion(str(number), *told))
    asked_at = max(turn.at for turn in turns) + timedelta(days=1)
    content = tuple(turns), tuple(questions), asked_at, _CHANNEL
    return BenchmarkCase(sample["sample_id"], *content, left_out=left_out)


def evidence(named: list[str]) -> set[str]:
    """Return the keys of the turns that a question names."""
    return {
        f"D{int(session)}:{int(turn)}"
        for each in named
        for session, turn in _EVIDENCE.findall(each)
    }


def _turns(
    said: list[Mapping[str, Any]], session: str, started: datetime
) -> Iterator[BenchmarkTurn]:
    for place, each in enumerate(said):
        caption = each.get("blip_caption")
        photo = f"[shares a photo of {caption}]" if caption else ""
        text = " ".join(filter(None, [each["text"].strip(), photo]))
        at, by = started + place * _PAUSE, each["speaker"]
        yield BenchmarkTurn(each["dia_id"], _CHANNEL, session, "user", by, text, at)


_LARGEST = 256 << 20  # characters of one element; a larger one means a broken file


def elements(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of the array in `file`, holding only one in memory."""
    try:
        with file.open("rb") as stream:
            if stream.read(3) != codecs.BOM_UTF8:
                stream.seek(0)
            scanner = JsonScanner(stream, _LARGEST)
            if scanner.next() != "[":
                raise InvalidInput(
                    f"{file.name} is not a JSON array. Give the data set's own .json file."
                )
            for element in scanner.items():
                if isinstance(element, SkippedValue):
                    raise InvalidInput(f"{file.name} is not a data set: {element.why} in it.")
                if not isinstance(element, dict):
                    raise InvalidInput(
                        f"{file.name} holds something other than objects. Give the data set's own .json file."
                    )
                yield element
    except DamagedFile as damage:
        raise InvalidInput(f"{file.name} is not valid JSON: {damage}. Download it again.") from None
