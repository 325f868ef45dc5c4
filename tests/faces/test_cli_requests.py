"""The commands for requests and the report."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from test_cli import Shell, conversation

import erstwhile

EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


@pytest.fixture
def shell(cli_url: str, tmp_path: Path) -> Shell:
    made = Shell(cli_url, tmp_path)
    made.run("import", str(conversation(tmp_path / "c.jsonl", 40)))
    made.run("settle")
    return made


def test_a_request_is_found_again_and_explained(shell: Shell) -> None:
    asked = shell.run("context", "c", "Where is flat 7?", "--budget", "150")
    id = asked.stderr.split("erstwhile requests explain ")[1].split()[0]
    assert shell.json("context", "c", "Where is flat 8?")["request"].startswith("req_")
    listed = shell.json("requests", "list")
    assert [each["query"] for each in listed] == ["Where is flat 8?", "Where is flat 7?"]
    assert listed[1]["id"] == id
    assert {"op", "hits", "path", "fallback", "scope", "widened", "when", "retrieval_ms", "error_stage"} <= listed[
        0
    ].keys()
    told = shell.json("requests", "explain", id)
    assert told["request"]["query"] == "Where is flat 7?"
    first = told["seen"][0]
    assert (first["rank"], first["candidate"]["fate"], first["text"]) == (1, "kept", "Mina: I moved to Busan, flat 7")
    drawn = shell.run("requests", "explain", id).stdout
    for part in (
        id,
        "Where is flat 7?",
        "Found by words",
        "of 150 tokens",
        "kept",
        "budget",
        "words ",
        "c #8",
        "related",
        "█",
    ):
        assert part in drawn
    with erstwhile.open_sync(shell.environment["ERSTWHILE_DATABASE"], worker=False) as memory:
        memory.search("Where is flat 9?", trial=True)  # as the dashboard does
    assert "Where is flat 8?" in shell.run("requests", "explain", "last").stdout
    assert "more: --limit" in shell.run("requests", "explain", id, "--limit", "2").stdout
    table = shell.run("requests", "list").stdout
    assert id[:18] in table
    assert "flat 7" in table


def test_something_forgotten_is_marked(shell: Shell) -> None:
    shell.run("context", "c", "Where do I live?")
    told = shell.json("requests", "feedback", "last", "she moved to Oslo")
    assert told["feedback"] == "she moved to Oslo"
    assert "Something was missed: she moved to Oslo" in shell.run("requests", "explain", "last").stdout
    assert "missed" in shell.run("requests", "list").stdout
    assert shell.json("report")["feedback"] == 1


def test_what_cannot_be_explained_says_what_to_do(shell: Shell) -> None:
    assert "Ask something first" in shell.run("requests", "explain", "last", code=1).stderr
    assert shell.run("requests", "list").stderr.startswith("No request is recorded")
    assert "requests list" in shell.run("requests", "explain", "req_unknown", code=1).stderr
    assert "requests list" in shell.run("requests", "feedback", "req_unknown", "x", code=1).stderr
    assert shell.run("requests", "explain", code=2).stdout == ""
    shell.run("report", "--days", "0", code=2)
    assert "can't write" in shell.run("report", "--html", "no/such/folder/x.html", code=2).stderr


def test_the_report_and_its_advice(shell: Shell) -> None:
    assert "0 requests" in shell.run("report").stdout
    for n in range(3):
        shell.run("context", "c", f"Where is flat {n}?")
    shell.run("search", "zeppelin")
    made = shell.json("report", "--days", "3")
    assert (made["requests"], made["days"], made["by_op"]) == (4, 3, {"context": 3, "ask": 0, "search": 1})
    assert (made["thin"], made["empty"]) == (0.25, 0.25)
    assert len(made["daily"]) == 3
    drawn = shell.run("report").stdout
    for part in ("4 requests: 3 context, 1 search", "fewer than 3 hits by words", "25%", "30%", "retrieval p95", "█"):
        assert part in drawn
    advice = shell.json("requests", "recommendations")
    assert [each["passed"] for each in advice] == [None] * 8
    assert advice[0].keys() == {"metric", "threshold", "value", "passed", "meaning", "action", "unit"}
    said = shell.run("requests", "recommendations")
    assert "20 are needed" in said.stderr
    assert "threshold 30%" in said.stdout


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {tag, *(name for name, _ in attrs)}


def test_the_page_is_one_file_in_which_nothing_runs(shell: Shell, tmp_path: Path) -> None:
    shell.run("context", "c", EVIL)
    shell.run("requests", "feedback", "last", EVIL)
    shell.run("search", "flat")
    told = shell.run("report", "--html", "report.html")
    assert told.stdout == ""
    assert "report.html" in told.stderr
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert tags.seen.isdisjoint({"script", "img", "link", "iframe", "src", "href", "onerror"})
    assert "//" not in text
    assert text.count("alert(1)") == 4, "twice in the question, twice in the feedback"
    assert shell.json("report", "--html", "again.html")["requests"] == 2
