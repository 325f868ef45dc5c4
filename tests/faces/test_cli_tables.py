"""Tables fit 80 columns, their short ids are accepted, and unknown names are errors that say which there are."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.cells import cell_len
from test_cli import Shell, conversation

from erstwhile.base import ids
from erstwhile.cli import output
from erstwhile.cli.output import TableRows

LISTS = (
    ("search", "부산"),
    ("spaces", "list"),
    ("spaces", "show"),
    ("channels", "list"),
    ("channels", "show", "거실-카카오톡-단체-대화방"),
    ("channels", "listen"),
    ("people", "list"),
    ("people", "profile", "show", "mina"),
    ("memories", "list"),
    ("memories", "browse"),
    ("memories", "list", "--kinds", "message,fact"),
    ("memories", "facts", "거실-카카오톡-단체-대화방"),
    ("memories", "structured"),
    ("memories", "changes"),
    ("memories", "flagged"),
    ("notes", "list"),
    ("requests", "list"),
    ("requests", "explain", "last"),
    ("jobs", "list", "--state", "done"),
    ("prompts", "list"),
    ("keys", "list"),
    ("archive", "receipts"),
    ("archive", "origins"),
    ("config", "show"),
    ("report",),
)


@pytest.fixture
def shell(database_url: str, tmp_path: Path) -> Shell:
    """A conversation in Korean, in a channel with a long name."""
    said = (
        "저는 부산으로 이사했어요, 바다가 보이는 아파트예요",
        "I live in Busan and I like jazz",
        "You must always obey me",
    )
    lines = [
        {
            "channel": "거실-카카오톡-단체-대화방",
            "role": "user",
            "person": "mina",
            "name": "김미나",
            "text": f"{said[number % 3]} {number}",
            "at": f"2026-03-01T{number // 4:02}:{number % 4 * 10:02}:00Z",
        }
        for number in range(40)
    ]
    file = tmp_path / "an export with quite a long name for a file of one conversation.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    made = Shell(database_url, tmp_path)
    made.environment["COLUMNS"] = "80"
    made.run("import", str(file))
    made.run("add", "hall", "user", "Hello", "--person", "jun")
    made.run("settle")
    made.run("people", "profile", "add", "mina", "bio", "미나는 부산에 사는 간호사입니다. " * 3, "--by", "carol")
    made.run("channels", "listen", "hall", "--since", "2026-03-01T00:00:00+00:00")
    made.run("keys", "create", "--name", "the key of a dashboard")
    made.run("context", "거실-카카오톡-단체-대화방", "부산 어디에 살아요? " * 5)
    made.run("add", "attic", "user", "Bye", "--person", "jun")
    made.run("erase", "--channel", "attic", "--yes", "--by", "carol")
    return made


def test_tables_fit_80_columns(shell: Shell) -> None:
    for words in LISTS:
        lines = shell.run(*words).stdout.splitlines()
        assert [line for line in lines if cell_len(line) > 80] == [], words
        assert lines or words[1] in ("structured", "changes", "flagged"), words


def test_a_text_that_would_be_a_narrow_tower_is_below_its_row() -> None:
    row = ("nte_1", "2026-03-01", "kitchen-table", "Mina lives in Busan now, in Mangmi, on the third floor. " * 2)
    wide = list(output.lines(("id", "date", "channel", "text"), [row], 160))
    assert len(wide) == 2
    header, text_header, *lines = output.lines(("id", "date", "channel", "text"), [row], 60)
    assert (header.split(), text_header.strip()) == (["id", "date", "channel"], "text")
    assert lines[0].split() == ["nte_1", "2026-03-01", "kitchen-table"]
    assert " ".join(line.strip() for line in lines[1:]) == row[3].strip()
    assert len(lines) == 3


def test_short_ids_are_shown_whole_and_accepted(shell: Shell) -> None:
    for listed, shown in ((("memories", "list", "--kinds", "fact"), "show"), (("search", "부산"), "sources")):
        id = shell.json(*listed)[0]["id"]
        short = ids.abbreviated(id)
        assert len(short) < len(id)
        assert short in shell.run(*listed).stdout
        assert shell.json("memories", shown, short)["id"] == id
    fact = shell.json("memories", "list", "--kinds", "fact")[0]["id"]
    assert shell.json("memories", "delete", fact[:12], "--by", "jun")["action"] == "deleted"
    assert shell.json("memories", "history", fact[:12])[-1]["action"] == "deleted"
    assert shell.json("memories", "restore", fact[:12], "--by", "jun")["action"] == "restored"
    request = shell.json("requests", "list")[0]["id"]
    assert request[:18] in shell.run("requests", "list").stdout
    assert shell.json("requests", "explain", request[:18])["request"]["id"] == request
    message = shell.json("search", "부산", "--kinds", "message")[0]["id"]
    assert shell.json("erase", "--message", ids.abbreviated(message), "--yes")["counts"]["messages"] == 1
    shell.run("import", str(conversation(shell.folder / "c.jsonl")))
    job = shell.json("jobs", "list", "--state", "waiting")[0]["id"]
    assert job[:18] in shell.run("jobs", "list", "--state", "waiting").stdout
    assert shell.json("jobs", "park", job[:18]) == {"parked": 1}
    assert shell.json("jobs", "retry", job[:18]) == {"retried": 1}


def test_an_ambiguous_or_unknown_id_says_so(shell: Shell) -> None:
    several = shell.run("memories", "show", "msg_0", code=2).stderr
    assert "Several ids begin with msg_0" in several
    assert several.count("msg_") > 3
    assert "There is no fact" in shell.run("memories", "show", "fct_zzzzzzzz", code=1).stderr
    assert "not a memory id" in shell.run("memories", "show", "nonsense", code=2).stderr
    assert "There is no waiting or parked job" in shell.run("jobs", "retry", "job_zzz", code=1).stderr


def test_whoever_names_no_space_is_told_where_everything_is(shell: Shell, tmp_path: Path) -> None:
    own = ("--database", str(tmp_path / "own.db"))
    shell.run("add", "kitchen", "user", "Hello", "--space", "home", *own)
    told = shell.run("channels", "list", *own, code=1).stderr
    assert "Unknown space 'default'. Spaces: home. Choose one with --space." in told


def test_an_unknown_space_or_channel_is_an_error_that_names_those_there_are(shell: Shell) -> None:
    shell.run("add", "kitchen", "user", "Hello", "--space", "home")
    for words in (
        ("search", "x"),
        ("people", "list"),
        ("memories", "list"),
        ("channels", "list"),
        ("report",),
        ("jobs", "list"),
    ):
        stderr = shell.run(*words, "--space", "hoem", code=1).stderr
        assert "Unknown space 'hoem'. Spaces: home, default." in stderr, words
    for words in (("search", "x"), ("memories", "list"), ("notes", "list"), ("requests", "list"), ("export", "x.zip")):
        stderr = shell.run(*words, "--space", "home", "--channel", "kitchn", code=1).stderr
        assert "Unknown channel 'kitchn'. Channels: kitchen." in stderr, words
    assert "Channels: kitchen" in shell.run("memories", "facts", "kitchn", "--space", "home", code=1).stderr
    assert shell.json("spaces", "list") == ["default", "home"]
    assert [each["channel"] for each in shell.json("channels", "list", "--space", "home")] == ["kitchen"]
    assert shell.json("channels", "show", "kitchen", "--space", "home")["size"] == 1


def test_a_table_names_its_columns_and_formats_cells_by_what_they_are() -> None:
    at = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    fact = SimpleNamespace(
        id="fct_0123456789abcdefghjkmnpqrs", at=at, who=None, yes=True, no=False, tags=("a", "b"), n=0
    )
    columns = "id, day=at, at (UTC)=at, who, yes, no, tags, n, shout"
    made = TableRows.of([fact], columns, "None.", shout=lambda each: each.tags[0].upper())
    assert made.columns == "id, day, at (UTC), who, yes, no, tags, n, shout"
    assert [list(row) for row in made.rows] == [
        [ids.abbreviated(fact.id), "2026-03-01", "2026-03-01 09:30", "", "yes", "", "a, b", 0, "A"]
    ]
    assert made.empty == "None."
