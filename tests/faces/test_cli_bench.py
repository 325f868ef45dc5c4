"""`erstwhile bench`, on small data sets made up here."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from test_cli import Shell

from erstwhile.testing import Call, Fault, ModelServer

SPEAKERS = ("Ana", "Bo")
TALK = [
    "The boiler broke on Tuesday and the plumber wants nine hundred",
    "My sister Xiomara is moving to Valparaíso in the spring",
    "I finally bought the marimba from the shop on the corner",
    "We had soup again, nothing special",
    "The exam went well, I think",
    "It rained all day so we stayed in",
]


def locomo(file: Path, conversations: int = 2) -> Path:
    """Each conversation has three sessions of eight lines, most of them small talk."""
    samples = []
    for number in range(conversations):
        conversation: dict[str, Any] = {"speaker_a": SPEAKERS[0], "speaker_b": SPEAKERS[1]}
        for session in (1, 2, 3):
            said = [TALK[session - 1], *(TALK[3 + place % 3] for place in range(7))]
            conversation[f"session_{session}_date_time"] = f"1:5{session} pm on {session + 7} May, 2023"
            conversation[f"session_{session}"] = [
                {"speaker": SPEAKERS[place % 2], "dia_id": f"D{session}:{place + 1}", "text": text}
                for place, text in enumerate(said)
            ]
        qa = [
            {
                "question": "Who wants money for the boiler?",
                "answer": "the plumber",
                "evidence": ["D1:1"],
                "category": 4,
            },
            {"question": "Where is Xiomara moving?", "answer": "Valparaíso", "evidence": ["D2:01; "], "category": 2},
            {"question": "Who has a marimba and a sister?", "answer": "Ana", "evidence": ["D3:1 D2:1"], "category": 1},
            {"question": "What did nobody say?", "adversarial_answer": "x", "evidence": ["D1:2"], "category": 5},
        ]
        samples.append({"sample_id": f"conv-{number}", "conversation": conversation, "qa": qa})
    file.write_text(json.dumps(samples))
    return file


def longmemeval(file: Path, questions: int = 2) -> Path:
    entries = []
    for number in range(questions):
        said = [
            [{"role": "user", "content": TALK[place]}, {"role": "assistant", "content": "I see."}] for place in range(6)
        ]
        said[1][0]["has_answer"] = True  # type: ignore[assignment]
        entries.append(
            {
                "question_id": f"q{number}",
                "question_type": ("single-session-user", "temporal-reasoning")[number % 2],
                "question": "Where is Xiomara moving?",
                "answer": "Valparaíso",
                "question_date": "2023/06/01 (Thu) 10:00",
                "haystack_session_ids": [f"s{place}" for place in range(6)],
                "haystack_dates": [f"2023/05/2{place} (Sat) 02:21" for place in range(6)],
                "haystack_sessions": said,
                "answer_session_ids": ["s1"],
            }
        )
    file.write_text(json.dumps(entries))
    return file


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(str(tmp_path / "not-this-one.db"), tmp_path)


def test_locomo_as_scripts_read_it(database_url: str, tmp_path: Path) -> None:
    shell = Shell("unused.db", tmp_path)
    file = str(locomo(tmp_path / "l.json"))
    report = shell.json("bench", "locomo", "--data", file, "--database", database_url, "--budgets", "300,1000")
    assert (report["conversations"], report["turns"], report["questions"], report["left_out"]) == (2, 48, 6, 0)
    assert report["database"] == ("postgres" if database_url.startswith("postgres") else "sqlite")
    assert set(report["tables"]) == {"recall", "recall_sources", "context"}
    recall = report["tables"]["recall"]
    assert set(recall["categories"]) == {"multi-hop", "temporal", "single-hop"}
    assert recall["overall"]["questions"] == 6
    assert recall["categories"]["temporal"] == {
        "questions": 2,
        "values": dict.fromkeys(recall["overall"]["values"], 100),
    }
    assert list(recall["overall"]["values"]) == ["R@5", "R@10", "R@20", "R@50"]
    through = report["tables"]["recall_sources"]["overall"]["values"]
    assert through["R@50"] == 100
    assert through["turns in 10 hits"] > 1
    inside = report["tables"]["context"]["categories"]["temporal"]["values"]
    assert inside["1000"] == 100
    assert list(inside) == ["300", "300 source", "1000", "1000 source"]
    assert report["times"]["search_p50_ms"] <= report["times"]["search_p95_ms"]
    assert min(report["times"].values()) > 0
    assert report["parked"] == 0

    again = shell.json("bench", "locomo", "--data", file, "--database", database_url, "--questions", "1")
    assert (again["turns"], again["questions"]) == (48, 2)  # in spaces of its own
    assert not (tmp_path / "unused.db").exists()


def test_longmemeval_as_scripts_read_it(shell: Shell, tmp_path: Path) -> None:
    file = str(longmemeval(tmp_path / "l.json", 3))
    report = shell.json("bench", "longmemeval", "--data", file, "--limit-conversations", "2")
    assert (report["conversations"], report["turns"], report["questions"]) == (2, 24, 2)
    assert set(report["tables"]) == {"recall", "recall_sources", "sessions", "context"}
    assert report["tables"]["recall"]["overall"]["values"]["R@5"] == 100
    assert report["tables"]["sessions"]["overall"]["values"]["R@5"] == 100
    assert set(report["tables"]["sessions"]["categories"]) == {"single-session-user", "temporal-reasoning"}
    one = shell.json("bench", "longmemeval", "--data", file, "--one-channel")
    assert one["questions"] == 3
    assert one["tables"]["context"]["overall"]["values"]["1000"] == 100


def test_people_get_tables_and_nothing_is_left_behind(shell: Shell, tmp_path: Path) -> None:
    shell.environment["TMPDIR"] = str(tmp_path / "scratch")
    (tmp_path / "scratch").mkdir()
    done = shell.run("bench", "locomo", "--data", str(locomo(tmp_path / "l.json")), "--limit-conversations", "1")
    for shown in (
        "1 conversations, 24 turns, 3 questions",
        "evidence recall, kinds message",
        "R@50",
        "single-hop",
        "p95",
    ):
        assert shown in done.stdout
    assert os.listdir(tmp_path / "scratch") == []
    assert not (tmp_path / "not-this-one.db").exists()


def test_databases_are_compared(shell: Shell, bare_postgres: str, tmp_path: Path) -> None:
    words = ("bench", "locomo", "--data", str(locomo(tmp_path / "l.json", 1)), "--compare-databases")
    both = shell.json(*words, "--database", bare_postgres)
    assert (both["sqlite"]["database"], both["postgres"]["database"]) == ("sqlite", "postgres")
    for name, table in both["difference"].items():
        for value, points in table["overall"]["values"].items():
            one, other = (both[each]["tables"][name]["overall"]["values"][value] for each in ("sqlite", "postgres"))
            assert points == pytest.approx(other - one)
    assert "postgresql://" in shell.run(*words, code=2).stderr


def judged(call: Call) -> str | Fault:
    """Answers one of the questions right, one wrong, and fails on the third."""
    if "You grade an answer" in call.system:
        return "correct" if "the plumber, of course" in call.user else "incorrect"
    if "You answer a question" in call.system:
        assert "Today is Thursday, 11 May 2023." in call.system
        if "marimba and a sister" in call.user:
            return Fault.bad_key()
        assert "=== " in call.user  # the context
        return "the plumber, of course" if "for the boiler?" in call.user else "I don't know"
    return "No facts to record"


def test_a_model_answers_and_judges(shell: Shell, tmp_path: Path) -> None:
    words = ("bench", "locomo", "--data", str(locomo(tmp_path / "l.json", 1)), "--answer", "3")
    assert "ERSTWHILE_MODEL" in shell.run(*words, code=2).stderr
    with ModelServer(judged) as server:
        chat = {"ERSTWHILE_MODEL": "extractive", "ERSTWHILE_CHAT_MODEL": "openai-compatible:judge"}
        shell.environment |= {**chat, "ERSTWHILE_BASE_URL": server.base_url, "ERSTWHILE_API_KEY": "test-key"}
        report = shell.json(*words)
    table = report["tables"]["answers"]
    assert table["overall"]["questions"] == 3
    assert {name: group["values"] for name, group in table["categories"].items()} == {
        "single-hop": {"correct": 100, "failed": 0},
        "temporal": {"correct": 0, "failed": 0},
        "multi-hop": {"correct": 0, "failed": 100},
    }


def test_what_is_wrong_is_said(shell: Shell, tmp_path: Path) -> None:
    file = str(locomo(tmp_path / "l.json", 1))
    shell.run("bench", "locomo", "--data", "missing.json", code=2)
    (tmp_path / "text.json").write_text("hello")
    assert "not a JSON array" in shell.run("bench", "locomo", "--data", "text.json", code=2).stderr
    assert "not LongMemEval's format" in shell.run("bench", "longmemeval", "--data", file, code=2).stderr
    other = str(longmemeval(tmp_path / "m.json"))
    assert "not LoCoMo's format" in shell.run("bench", "locomo", "--data", other, code=2).stderr
    (tmp_path / "empty.json").write_text("[]")
    assert "no question" in shell.run("bench", "locomo", "--data", "empty.json", code=2).stderr
    assert "--budgets takes numbers" in shell.run("bench", "locomo", "--data", file, "--budgets", "many", code=2).stderr
    assert "Unknown kind 'gossip'" in shell.run("bench", "locomo", "--data", file, "--kinds", "gossip", code=2).stderr
