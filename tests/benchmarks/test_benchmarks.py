"""Reading data sets and counting up what came back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.benchmarks import data_sets, run, score
from erstwhile.benchmarks.run import one_line, sample_evenly
from erstwhile.benchmarks.score import (
    BenchmarkOptions,
    BenchmarkQuestion,
    BenchmarkReport,
    BenchmarkRun,
    ContextCoverage,
    QuestionResult,
)
from erstwhile.importers import scan


def asked(category: str = "x", found: tuple[str, ...] = (), **more: Any) -> QuestionResult:
    evidence = more.pop("evidence", frozenset({"a", "b"}))
    question = BenchmarkQuestion("1", "?", "!", category, evidence, more.pop("wanted", frozenset()))
    hits = tuple(frozenset({each}) for each in found)
    values = {"found_all": hits, "sessions": (), "seen": {}, "search_ms": 1.0, "context_ms": (1.0,), **more}
    return QuestionResult(question, hits, **values)


def reported(*questions: QuestionResult) -> BenchmarkReport:
    return score.report(
        BenchmarkRun(
            "fake", "fake.json", "sqlite", BenchmarkOptions(), turns=10, ingest_seconds=2.0, asked=[*questions]
        )
    )


def test_recall_is_the_share_of_the_evidence_among_the_first_hits() -> None:
    hits = [{"x"}, {"a"}, {"a"}, {"b", "c"}]
    assert [score.recall({"a", "b"}, hits, depth) for depth in (1, 2, 3, 4, 50)] == [0, 0.5, 0.5, 1, 1]
    assert score.recall({"a"}, [], 5) == 0


def test_means_are_over_questions_and_by_category() -> None:
    report = reported(
        asked("one", ("a", "b")),
        asked("one", ("x", "y", "z", "w", "v", "a")),
        asked("two", ()),
        asked("two", ("a",), evidence=frozenset()),  # nothing to be found: not counted
    )
    table = report.tables["recall"]
    assert (table.overall.questions, report.questions) == (3, 4)
    assert table.overall.values == pytest.approx({"R@5": 100 / 3, "R@10": 50, "R@20": 50, "R@50": 50})
    assert table.categories["one"].values["R@5"] == 50
    assert table.categories["one"].values["R@10"] == 75
    assert table.categories["two"].values["R@50"] == 0
    assert report.times.ingest_per_second == 5
    assert set(report.tables) == {"recall", "recall_sources"}  # no sessions known, no contexts, nothing answered


def test_a_derived_hit_stands_for_its_sources_and_what_that_costs_is_shown() -> None:
    table = reported(asked(found_all=(frozenset("abcd"), frozenset("dx")))).tables["recall_sources"]
    assert table.overall.values["R@5"] == 100
    assert table.overall.values["turns in 10 hits"] == 5


def test_sessions_contexts_and_answers_have_their_tables() -> None:
    seen = {1000: ContextCoverage(0.5, 0.0, 900), 2000: ContextCoverage(1.0, 1.0, 1900)}
    one = asked(wanted=frozenset({"s1", "s9"}), sessions=("s0", "s1"), seen=seen, verdict="correct")
    other = asked(seen=seen, verdict="failed")
    tables = reported(one, other).tables
    assert tables["sessions"].overall.values["R@5"] == 50
    assert tables["sessions"].overall.questions == 1
    assert tables["context"].overall.values == {"1000": 50, "1000 source": 0, "2000": 100, "2000 source": 100}
    assert tables["answers"].overall.values == {"correct": 50, "failed": 50}


def test_percentiles_are_values_that_were_measured() -> None:
    assert score.percentile([3.0, 1.0, 2.0, 4.0], 50) == 2
    assert score.percentile([float(each) for each in range(1, 101)], 95) == 95
    assert score.percentile([7.0], 95) == 7
    assert score.percentile([], 50) == 0


def test_databases_are_compared_in_points() -> None:
    one, other = reported(asked(found=("a",))), reported(asked(found=("a", "b")))
    assert score.difference(one, other)["recall"].overall.values["R@5"] == 50
    assert score.difference(one, one)["recall"].categories["x"].values["R@50"] == 0


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["D1:3"], {"D1:3"}),
        (["D1:2; D3:4"], {"D1:2", "D3:4"}),
        (["D5:1 D6:2 D6:3"], {"D5:1", "D6:2", "D6:3"}),
        (["D:12:3", "D"], {"D12:3"}),
        (["D14:07", "D14:7"], {"D14:7"}),
        (["D2:1,", "(D2:2)"], {"D2:1", "D2:2"}),
        ([], set()),
    ],
)
def test_evidence_is_cleaned(written: list[str], meant: set[str]) -> None:
    assert data_sets.evidence(written) == meant


def test_locomo_is_read(tmp_path: Path) -> None:
    said = [{"speaker": "Ana", "dia_id": "D1:1", "text": "Look! ", "blip_caption": "a red kite"}]
    more = [{"speaker": "Bo", "dia_id": f"D2:{n}", "text": f"line {n}"} for n in (1, 2)]
    conversation = {
        "speaker_a": "Ana",
        "session_2": more,
        "session_2_date_time": "12:05 am on 3 January, 2024",
        "session_1": said,
        "session_1_date_time": "1:07 pm on 2 March, 2023",
        "session_3_date_time": "1:00 pm on 9 May, 2025",  # the file has dates of sessions that are not there
    }
    qa = [
        {"question": "first?", "answer": 2023, "evidence": ["D1:1", "D7:7"], "category": 4},
        {"question": "no evidence?", "answer": "x", "evidence": [], "category": 3},
        {"question": "gone?", "answer": "x", "evidence": ["D9:9"], "category": 1},
        {"question": "never said?", "adversarial_answer": "x", "evidence": ["D1:1"], "category": 5},
    ]
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([{"sample_id": "c-1", "conversation": conversation, "qa": qa}]))
    (case,) = data_sets.locomo(file)
    assert [turn.key for turn in case.turns] == ["D1:1", "D2:1", "D2:2"]
    assert case.turns[0].text == "Look! [shares a photo of a red kite]"
    assert case.turns[0].at == datetime(2023, 3, 2, 13, 7, tzinfo=UTC)
    assert case.turns[1].at < case.turns[2].at
    assert case.asked_at.date() == datetime(2024, 1, 4, tzinfo=UTC).date()
    assert [(each.text, each.answer, each.evidence) for each in case.questions] == [
        ("first?", "2023", frozenset({"D1:1"}))
    ]
    assert case.left_out == 2


def longmemeval_entry(number: int, **more: Any) -> dict[str, Any]:
    """A history of three sittings, of which the second holds the answer; the file has them in no order."""
    said = [
        [
            {"role": "user", "content": f"sitting {sitting} of {number}", "has_answer": sitting == 1},
            {"role": "assistant", "content": "Indeed."},
            {"role": "user", "content": ""},
        ]
        for sitting in (2, 1, 0)
    ]
    return {
        "question_id": f"q{number}",
        "question_type": "single-session-user",
        "question": "Which sitting?",
        "answer": "the second",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_session_ids": ["s2", "s1", "s0"],
        "haystack_dates": ["2023/05/22 (Mon) 02:21", "2023/05/21 (Sun) 02:21", "2023/05/20 (Sat) 02:21"],
        "haystack_sessions": said,
        "answer_session_ids": ["s1"],
        **more,
    }


def test_longmemeval_is_read(tmp_path: Path) -> None:
    file = tmp_path / "longmemeval.json"
    file.write_text(json.dumps([longmemeval_entry(1), longmemeval_entry(2, question_id="q2_abs")]))
    case, absent = data_sets.longmemeval(file)
    assert [turn.session for turn in case.turns] == ["s0", "s0", "s1", "s1", "s2", "s2"]
    assert [turn.channel for turn in case.turns][::2] == ["session-0", "session-1", "session-2"]
    assert case.turns[0].at < case.turns[2].at
    (question,) = case.questions
    assert (question.evidence, question.sessions) == ({"1:0"}, {"s1"})
    assert (case.asked_at, case.channel) == (datetime(2023, 6, 1, 10, tzinfo=UTC), "now")
    assert not question.never_said
    (question,) = absent.questions
    assert (question.never_said, question.evidence, question.sessions, absent.left_out) == (True, set(), set(), 0)
    one, _ = data_sets.longmemeval(file, one_channel=True)
    assert {turn.channel for turn in one.turns} == {one.channel} == {"conversation"}


TALKS = [
    ["I adopted a greyhound called Pixel last spring.", "Pixel needs a coat in winter, she is so thin."],
    ["I started a job at the harbour office in Ghent.", "The commute takes forty minutes by tram."],
    ["My sister Ines bakes sourdough every Sunday.", "I am learning the accordion with an online course."],
]
ASKED = [
    ("q1", "What is the name of my greyhound?", "Pixel", 0),
    ("q2", "Where is the harbour office I work at?", "Ghent", 1),
    ("q3", "Which instrument am I learning?", "the accordion", 2),
    ("q4_abs", "Which university did my cousin Bartholomew graduate from?", "It was never mentioned.", 0),
    ("q5_abs", "How much did I pay for the helicopter insurance?", "It was never mentioned.", 1),
    ("q6_abs", "What did the dermatologist prescribe against eczema?", "It was never mentioned.", 2),
]


async def test_longmemeval_counts_what_is_rightly_not_answered(tmp_path: Path) -> None:
    """A small file of the same form; the data set itself is never fetched."""
    sessions = [
        [
            turn
            for text in talk
            for turn in ({"role": "user", "content": text}, {"role": "assistant", "content": "Nice."})
        ]
        for talk in TALKS
    ]
    entries = [
        longmemeval_entry(
            0,
            question_id=id,
            question=question,
            answer=answer,
            haystack_sessions=sessions,
            answer_session_ids=[("s2", "s1", "s0")[place]],
        )
        for id, question, answer, place in ASKED
    ]
    file = tmp_path / "like-longmemeval.json"
    file.write_text(json.dumps(entries))

    class Watcher:
        def conversation(self, name: str, questions: int) -> None: ...
        def question(self) -> None: ...

    result = BenchmarkRun("longmemeval", file.name, "sqlite", BenchmarkOptions())
    report = score.report(await run.run(data_sets.longmemeval(file), str(tmp_path / "bench.db"), result, Watcher()))
    abstention, silenced = report.tables["abstention"], report.tables["silenced"]
    assert (abstention.overall.questions, silenced.overall.questions, report.questions) == (3, 3, 6)
    said_so = [each.question.key for each in result.asked if not each.relevant]
    assert set(said_so) < {"q4_abs", "q5_abs", "q6_abs"}, "of six lines even the nearest is near"
    assert abstention.overall.values["nothing relevant"] == pytest.approx(100 * len(said_so) / 3)
    assert len(said_so) > 0
    assert silenced.overall.values["nothing relevant"] == 0
    assert report.tables["sessions"].overall.questions == 3, "questions without an answer have no sessions to find"


def test_without_questions_of_that_kind_there_is_no_such_table() -> None:
    assert not {"abstention", "silenced"} & reported(asked("one", ("a", "b"))).tables.keys()


def test_a_large_file_is_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_AT_ONCE", 7)  # cuts words, numbers and characters of several bytes in two
    wanted = [{"text": '서울 \\ " ] } , é' * size, "number": -12.5e3} for size in range(12)]
    file = tmp_path / "large.json"
    for written in (json.dumps(wanted), json.dumps(wanted, ensure_ascii=False, indent=1), "\ufeff[]"):
        file.write_text(written, encoding="utf-8")
        assert list(data_sets.elements(file)) == (wanted if "text" in written else [])


@pytest.mark.parametrize(
    "written", [b"", b"hello", b'{"a": 1}', b"[1]", b'[{"a": 1}', b'[{"a": "', b"[\xff]", b"[" * 99999]
)
def test_a_file_that_is_no_data_set_is_refused(tmp_path: Path, written: bytes) -> None:
    file = tmp_path / "wrong.json"
    file.write_bytes(written)
    with pytest.raises(erstwhile.InvalidInput, match=r"wrong\.json"):
        list(data_sets.elements(file))


def test_another_format_says_what_was_expected(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text('[{"a": 1}]')
    with pytest.raises(erstwhile.InvalidInput, match=r"not LoCoMo's format .*sample_id"):
        list(data_sets.locomo(file))
    with pytest.raises(erstwhile.InvalidInput, match=r"not LongMemEval's format .*question_id"):
        list(data_sets.longmemeval(file))
    file.write_text(json.dumps([longmemeval_entry(1, haystack_dates=["yesterday"] * 3)]))
    with pytest.raises(erstwhile.InvalidInput, match="'yesterday' is not a time"):
        list(data_sets.longmemeval(file))


def test_questions_are_taken_from_the_whole_list() -> None:
    questions = [BenchmarkQuestion(str(number), "?", "!", "x", frozenset()) for number in range(10)]
    assert [each.key for each in sample_evenly(questions, 3)] == ["0", "3", "6"]
    assert len(sample_evenly(questions, None)) == len(sample_evenly(questions, 99)) == 10


def test_a_turn_is_found_in_a_context_that_indents_it() -> None:
    assert one_line("a\n  b") in one_line("[2024] Ana: a\n    b\n")


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("correct", "correct"),
        ("Incorrect.", "incorrect"),
        ("not correct", "incorrect"),
        ("CORRECT!", "correct"),
        ("hm", "failed"),
    ],
)
def test_a_verdict_is_read(reply: str, verdict: str) -> None:
    assert run.read_grade(reply) == verdict
