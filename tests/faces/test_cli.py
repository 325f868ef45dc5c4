"""The command line as scripts and people use it: a real process, data on stdout, the rest on stderr."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from support import forks

pytestmark = pytest.mark.usefixtures("quiet_never_comes")

ROBUST = {"PYTHONWARNINGS": "error", "NO_COLOR": "1", "COLUMNS": "120"}


class Shell:
    def __init__(self, url: str, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, **ROBUST, "ERSTWHILE_DATABASE": url}

    def run(self, *words: str, code: int = 0, text: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "erstwhile", *words]
        done = forks.run(command, env=self.environment, cwd=self.folder, input=text or "")
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json").stdout)


@pytest.fixture
def shell(database_url: str, tmp_path: Path) -> Shell:
    return Shell(database_url, tmp_path)


def conversation(file: Path, count: int = 20, **more: str) -> Path:
    lines = [
        {
            "channel": "c",
            "role": "user",
            "person": "mina",
            "name": "Mina",
            "text": f"I moved to Busan, flat {i}",
            "key": f"k{i}",
            **more,
        }
        for i in range(count)
    ]
    file.write_text("\n".join(json.dumps(line) for line in lines))
    return file


def test_the_shapes_scripts_rely_on(shell: Shell, tmp_path: Path) -> None:
    added = shell.json(
        "add",
        "support/42",
        "user",
        "I moved to Busan last week",
        "--person",
        "alice",
        "--at",
        "2026-03-01T09:00:00+09:00",
    )
    assert added == {"id": added["id"], "seq": 1}
    assert added["id"].startswith("msg_")

    imported = shell.json("import", str(conversation(tmp_path / "c.jsonl")))
    assert {name: imported[name] for name in ("messages", "skipped", "channels", "problems")} == {
        "messages": 20,
        "skipped": 0,
        "channels": 1,
        "problems": [],
    }
    assert (imported["format"], imported["source"], imported["people"]) == ("jsonl", "import:c.jsonl", 1)
    again = shell.json("import", str(tmp_path / "c.jsonl"))
    assert (again["messages"], again["skipped"]) == (0, 20)

    assert shell.json("settle") == {"done": 2, "waiting": 0, "parked": 0}

    context = shell.json(
        "context", "c", "Where does Mina live?", "--person", "mina", "--budget", "600", "--recipe", "dual"
    )
    named = {"text", "tokens", "parts", "sources", "request", "relevant", "relevance", "withheld"}
    assert set(context) == named
    assert context["tokens"] <= 600
    assert {"name", "tokens"} == set(context["parts"][0])
    assert all(set(source) == {"id", "kind", "messages"} and source["messages"] for source in context["sources"])

    hits = shell.json("search", "busan", "--limit", "3", "--kinds", "message,fact")
    assert 1 <= len(hits) <= 3
    assert {"id", "kind", "text", "channel", "seq", "at", "score"} <= set(hits[0])

    chunk = shell.json("search", "busan", "--kinds", "chunk")[0]
    tree = shell.json("memories", "sources", chunk["id"])
    assert [each["kind"] for each in tree["sources"]] == ["message"] * 10

    assert shell.json("jobs", "list", "--state", "done")[0]["state"] == "done"
    assert shell.json("jobs", "retry") == {"retried": 0}
    assert {each["level"] for each in shell.json("doctor")} <= {"ok", "note"}
    assert shell.json("config", "show")["chunk_size"]["value"] == 10
    assert shell.json("migrate") == {"applied": []}
    assert shell.json("spaces", "rebuild", "--yes")["parked"] == 0


def test_people_get_text_and_progress_stays_off_stdout(shell: Shell, tmp_path: Path) -> None:
    shell.run("import", str(conversation(tmp_path / "c.jsonl")))
    settled = shell.run("settle")
    assert settled.stdout == ""
    assert "2 jobs done" in settled.stderr
    assert "Busan" in shell.run("context", "c", "Busan?").stdout
    assert "message" in shell.run("search", "busan").stdout
    assert "✓" in shell.run("doctor").stdout
    assert "ERSTWHILE_CHUNK_SIZE" in shell.run("config", "show").stdout
    assert "Nothing found" in shell.run("search", "xylophone").stderr
    assert shell.json("search", "busan", "--since", "2999-01-01") == []
    looked = shell.json("memories", "browse", "busan", "--kinds", "message", "--limit", "1", "--since", "2020-01-01")
    assert (len(looked["hits"]), looked["counts"]["kinds"][0]["value"]) == (1, "message")
    assert looked["total"] >= 1
    shown = shell.run("memories", "browse", "busan", "--limit", "2")
    assert "There are more: --cursor " in shown.stderr
    assert "2 of " in shown.stderr
    assert "kinds: message" in shown.stderr


def test_wrong_usage_is_2_and_failure_is_1(shell: Shell) -> None:
    assert "user, assistant" in shell.run("add", "c", "boss", "hello", code=2).stderr
    assert "zone" in shell.run("add", "c", "user", "hello", "--at", "2026-03-01T09:00:00", code=2).stderr
    assert "no text" in shell.run("add", "c", "user", "", code=2).stderr
    shell.run("search", code=2)
    shell.run("no-such-command", code=2)
    shell.run("import", "missing.jsonl", code=2)
    assert "not a memory id" in shell.run("memories", "sources", "nonsense", code=2).stderr
    assert "There is no fact" in shell.run("memories", "sources", "fct_00000000000000000000000000", code=1).stderr
    assert "There is no waiting or parked job" in shell.run("jobs", "retry", "job_0", code=1).stderr
    assert (
        "Use one of dual, brief, recall, person, community, full"
        in shell.run("context", "c", "x", "--person", "mina", "--recipe", "soup", code=2).stderr
    )
    assert "chunk_size" in _with(shell, ERSTWHILE_CHUNK_SIZE="one").run("settle", code=2).stderr


def _with(shell: Shell, **environment: str) -> Shell:
    other = Shell(shell.environment["ERSTWHILE_DATABASE"], shell.folder)
    other.environment.update(environment)
    return other


def test_a_database_that_is_not_there_says_so(tmp_path: Path) -> None:
    assert "folder exists" in Shell(str(tmp_path / "no" / "such" / "x.db"), tmp_path).run("settle", code=1).stderr
    unreachable = Shell("postgresql://postgres:canary@127.0.0.1:1/none", tmp_path)
    unreachable.environment["PYTHONWARNINGS"] = "default"
    stderr = unreachable.run("settle", code=1).stderr
    assert "Can't reach Postgres" in stderr
    assert "canary" not in stderr


def test_a_command_that_reads_makes_no_database(tmp_path: Path) -> None:
    shell = Shell("wrong.db", tmp_path)
    for words in (("search", "x"), ("channels", "list"), ("doctor",), ("backup", "b.zip"), ("report",)):
        assert "There is no database wrong.db." in shell.run(*words, code=1).stderr, words
    assert list(tmp_path.iterdir()) == []
    shell.run("add", "hall", "user", "Hello")
    assert len(shell.json("search", "hello")) == 1


def test_an_import_names_the_lines_it_could_not_take(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "mixed.jsonl"
    good = json.dumps({"channel": "c", "role": "user", "text": "the same line twice"})
    bad = [
        "{not json",
        "[1, 2]",
        '{"channel": "c", "role": "user", "text": ""}',
        '{"channel": "c", "role": "boss", "text": "x"}',
        '"\\ud800"',
    ]
    file.write_bytes("\n".join([good, good, *bad, ""]).encode() + b'{"channel": "c", "role": "user", "text": "\xff"}\n')
    report = shell.json("import", str(file))
    assert (report["messages"], report["skipped"]) == (2, 6)
    assert [problem["where"] for problem in report["problems"]] == [f"line {number}" for number in range(3, 9)]
    assert shell.json("import", str(file))["messages"] == 0
    (tmp_path / "plain.jsonl").write_text('{"role": "user", "text": "no channel"}')
    shell.run("import", str(tmp_path / "plain.jsonl"))
    shell.run("import", str(tmp_path / "plain.jsonl"), "--channel", "other")
    assert {each["channel"] for each in shell.json("channels", "list")} == {"c", "other", "plain"}


def test_an_import_of_rubbish_fails(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "rubbish.jsonl").write_bytes(b"\x00\x01\x02\n" * 30)
    done = shell.run("import", str(tmp_path / "rubbish.jsonl"), code=1)
    assert "(and 29 more like it)" in done.stderr


def test_a_message_can_come_from_standard_input(shell: Shell) -> None:
    shell.run("add", "c", "user", "-", text="한국어 메시지")
    assert shell.json("search", "메시지")[0]["text"] == "한국어 메시지"


def test_a_worker_works_until_it_is_told_to_stop(shell: Shell, tmp_path: Path) -> None:
    worker = forks.Popen(
        [sys.executable, "-m", "erstwhile", "worker"],
        env=shell.environment,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        shell.run("import", str(conversation(tmp_path / "c.jsonl")))
        deadline = time.monotonic() + 120
        while len(shell.json("jobs", "list", "--state", "done")) < 4 or any(
            shell.json("jobs", "list", "--state", state) for state in ("waiting", "running")
        ):
            assert time.monotonic() < deadline
            assert worker.poll() is None
        worker.send_signal(signal.SIGTERM)
        _, stderr = worker.communicate(timeout=180)
        assert worker.returncode == 0, stderr
        assert "Busan" not in stderr
    finally:
        worker.kill()
        worker.wait()
    assert shell.json("settle") == {"done": 0, "waiting": 0, "parked": 0}


def test_the_demo_shows_memory_forming_and_answers_questions(tmp_path: Path) -> None:
    shell = Shell("unused.db", tmp_path)
    done = shell.run("demo", "--keep", "kept.db")
    assert "558 messages on disk" in done.stdout
    assert done.stdout.count("✓") >= 8
    assert "한국어" in done.stdout
    assert not (tmp_path / "unused.db").exists()
    assert shell.json("search", "boiler", "--space", "demo", "--database", "kept.db")
    assert "exists already" in shell.run("demo", "--keep", "kept.db", code=2).stderr


def test_output_cut_short_by_its_reader_is_no_failure(shell: Shell, tmp_path: Path) -> None:
    shell.run("import", str(conversation(tmp_path / "c.jsonl")))
    words = f"{sys.executable} -m erstwhile search busan --limit 20 | head -n 1"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, env=shell.environment, cwd=tmp_path)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_an_unknown_log_level_is_refused(shell: Shell, command: str) -> None:
    assert "Use debug, info, warning or error" in shell.run(command, "--log-level", "loud", code=2).stderr
