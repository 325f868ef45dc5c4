"""The published data sets, read one conversation at a time.

LoCoMo (Maharana et al., ACL 2024): ten long conversations of two people, and questions with the
turns that answer them. LongMemEval (Wu et al., ICLR 2025): each question has its own history of up
to hundreds of chats with an assistant.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.benchmarks.score import BenchmarkCase, BenchmarkQuestion, BenchmarkTurn
from erstwhile.importers.scan import DamagedFile, JsonScanner, SkippedValue

# Category 5 asks about what was never said and has no evidence.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
PERSON = "user"  # of LongMemEval

_CHANNEL = "conversation"
_NOW = "now"
_SESSION = re.compile(r"session_(\d+)")
# The file also has "D1:2; D3:4" and "D1:2 D3:4" in one string, "D:1:2" for D1:2, "D1:02" for D1:2,
# and a lone "D".
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_PAUSE = timedelta(seconds=5)
_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"  # such as "9:05 am on 1 March, 2024"
_TIME = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})\D*?(\d{1,2}):(\d{2})")  # "2023/05/20 (Sat) 02:21"
_ABSTAIN = "_abs"  # questions about what was never said
_LARGEST = 256 << 20  # characters of one element; a larger one means a broken file

Element = Mapping[str, Any]


def locomo(file: Path) -> Iterator[BenchmarkCase]:
    return _cases(
        file,
        of_locomo,
        "LoCoMo's format ({}). Expected are sample_id, conversation with session_N and session_N_date_time, and qa.",
    )


def longmemeval(file: Path, *, one_channel: bool = False) -> Iterator[BenchmarkCase]:
    """Yield cases: a channel per session and one for the question, or one for all."""
    return _cases(
        file,
        partial(_of_longmemeval, one_channel=one_channel),
        "LongMemEval's format ({}). Expected are question_id, question_type, question, answer, question_date, "
        "haystack_session_ids, haystack_dates, haystack_sessions, answer_session_ids.",
    )


def _cases(
    file: Path, read: Callable[[Element], BenchmarkCase], expected: str
) -> Iterator[BenchmarkCase]:
    for element in elements(file):
        try:
            yield read(element)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = expected.format(f"{type(error).__name__}: {error}")
            raise InvalidInput(f"{file.name} is not {why}") from None


def of_locomo(sample: Element) -> BenchmarkCase:
    talk = sample["conversation"]
    numbers = [int(match[1]) for name in talk if (match := _SESSION.fullmatch(name))]
    turns: list[BenchmarkTurn] = []
    for number in sorted(numbers):
        said_at = talk[f"session_{number}_date_time"]
        started = datetime.strptime(said_at, _LOCOMO_TIME).replace(tzinfo=UTC)
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
    found = [place for each in named for place in _EVIDENCE.findall(each)]
    return {f"D{int(session)}:{int(turn)}" for session, turn in found}


def _turns(said: list[Element], session: str, started: datetime) -> Iterator[BenchmarkTurn]:
    for place, each in enumerate(said):
        caption = each.get("blip_caption")
        photo = f"[shares a photo of {caption}]" if caption else ""
        text = " ".join(filter(None, [each["text"].strip(), photo]))
        at, by = started + place * _PAUSE, each["speaker"]
        yield BenchmarkTurn(each["dia_id"], _CHANNEL, session, "user", by, text, at)


def _of_longmemeval(entry: Element, *, one_channel: bool) -> BenchmarkCase:
    columns = ("haystack_session_ids", "haystack_dates", "haystack_sessions")
    history = zip(*(entry[name] for name in columns), strict=True)
    timed = [(_time(date), id, said) for id, date, said in history]
    sessions = sorted(timed, key=lambda each: each[0])
    turns: list[BenchmarkTurn] = []
    evidence: set[str] = set()
    for number, (at, id, said) in enumerate(sessions):
        channel = _CHANNEL if one_channel else f"session-{number}"
        for place, each in enumerate(said):
            said_at, role, text = at + place * _PAUSE, each["role"], each["content"]
            turn = BenchmarkTurn(f"{number}:{place}", channel, id, role, PERSON, text, said_at)
            if turn.text.strip():  # a few turns of the data set are empty
                turns.append(turn)
                evidence |= {turn.key} if each.get("has_answer") else set()
    if not turns:
        raise ValueError("a question without a history")
    id, kind = entry["question_id"], entry["question_type"]
    never_said = id.endswith(_ABSTAIN)
    # What comes near such a question is no evidence.
    answering = frozenset() if never_said else frozenset(entry["answer_session_ids"])
    known = answering & {turn.session for turn in turns}
    told = frozenset() if never_said else frozenset(evidence)
    asked = entry["question"], str(entry["answer"]), kind, told, known, never_said
    content = tuple(turns), (BenchmarkQuestion(id, *asked),), _time(entry["question_date"])
    channel = _CHANNEL if one_channel else _NOW
    return BenchmarkCase(id, *content, channel, PERSON, len(answering - known))


def _time(written: str) -> datetime:
    match = _TIME.match(written)
    if match is None:
        raise ValueError(f"{written!r} is not a time")
    year, month, day, hour, minute = map(int, match.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


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
