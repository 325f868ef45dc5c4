"""The commands for people, channels and spaces."""

from __future__ import annotations

import json

from test_cli import Shell, conversation, shell  # noqa: F401 - a fixture


def test_people_are_listed_blocked_unblocked_and_share(shell: Shell) -> None:  # noqa: F811
    assert "Nobody has spoken here" in shell.run("people", "list").stderr
    shell.run("add", "hall", "user", "Hello", "--person", "mina", "--name", "Mina")
    [known] = shell.json("people", "list")
    assert (known["person"], known["name"], known["messages"]) == ("mina", "Mina", 1)
    assert (known["blocked"], known["shares"]) == (False, False)
    assert "Mina is blocked" in shell.run("people", "block", "mina").stderr
    assert shell.json("people", "block", "mina")["blocked"] is True
    assert "yes" in shell.run("people", "list").stdout

    assert "Nothing was stored: 'mina' is blocked" in shell.run("add", "hall", "user", "Hm", "--person", "mina").stderr
    assert shell.json("add", "hall", "user", "Hm", "--person", "mina") == {"id": None, "seq": 0}

    assert "not blocked" in shell.run("people", "unblock", "mina").stderr
    assert shell.json("add", "hall", "user", "Hm", "--person", "mina")["seq"] == 2
    assert shell.json("people", "share", "mina")["shares"] is True
    assert "does not share" in shell.run("people", "share", "mina", "--no").stderr
    assert shell.json("people", "list")[0]["shares"] is False
    shell.run("people", "block", "", code=2)


def test_an_import_counts_what_is_not_kept_and_says_why(shell: Shell) -> None:  # noqa: F811
    file = conversation(shell.folder / "c.jsonl", 3)
    with file.open("a") as lines:
        lines.write("\n" + json.dumps({"channel": "c", "role": "user", "person": "eve", "text": "Psst"}))
        lines.write("\n" + json.dumps({"channel": "c", "role": "user", "person": "ann", "text": "Hi"}))
        lines.write("\nnot json")
    shell.run("people", "block", "eve")
    report = shell.json("import", str(file))
    assert (report["messages"], report["skipped"]) == (4, 2)
    assert [problem["where"] for problem in report["problems"]] == ["line 4", "line 6"]
    assert report["problems"][0]["reason"] == "not kept: 'eve' is blocked in space 'default'"
    again = shell.json("import", str(file))
    assert (again["messages"], again["skipped"]) == (0, 6)


def test_a_space_that_is_not_remembered_says_so(shell: Shell) -> None:  # noqa: F811
    shell.environment["ERSTWHILE_SPACES"] = '["home"]'
    assert "'default' is not among" in shell.run("add", "hall", "user", "Hello").stderr
    assert shell.json("add", "hall", "user", "Hello", "--space", "home")["seq"] == 1
    report = shell.json("import", str(conversation(shell.folder / "c.jsonl", 2)), "--space", "home")
    assert report["messages"] == 2


def test_a_channel_is_declared(shell: Shell) -> None:  # noqa: F811
    declared = shell.json("channels", "privacy", "hall", "private", "--person", "mina", "--person", "jun")
    assert declared == {"channel": "hall", "privacy": "private", "people": ["mina", "jun"]}
    assert "hall is open" in shell.run("channels", "privacy", "hall", "open").stderr
    assert "open, private, direct" in shell.run("channels", "privacy", "hall", "secret", code=2).stderr


def test_a_channel_is_listened_to_and_no_longer(shell: Shell) -> None:  # noqa: F811
    assert "No channel was chosen" in shell.run("channels", "listen").stderr
    [chosen] = shell.json("channels", "listen", "hall", "--since", "2026-03-01T00:00:00+00:00")
    assert (chosen["channel"], chosen["on"], chosen["since"]) == ("hall", True, "2026-03-01T00:00:00+00:00")
    assert "its beginning" in shell.run("channels", "listen", "hall").stdout
    assert [each["on"] for each in shell.json("channels", "listen", "hall", "--off")] == [False]


def test_a_space_has_its_own_privacy_and_retention(shell: Shell) -> None:  # noqa: F811
    assert shell.json("spaces", "set", "privacy", "open") == {"name": "privacy", "value": "open", "whose": "space"}
    assert "strict, open" in shell.run("spaces", "set", "privacy", "lax", code=2).stderr
    assert shell.json("spaces", "reset", "privacy")["value"] == "strict"
    assert shell.json("spaces", "set", "retention", "message=30,day=90")["value"] == "message=30,day=90"
    assert "only for message" in shell.run("spaces", "set", "retention", "mail=3", code=2).stderr


def test_what_was_kept_long_enough_expires(shell: Shell) -> None:  # noqa: F811
    shell.run("import", str(conversation(shell.folder / "c.jsonl", 40, at="2020-01-01T00:00:00Z")))
    shell.run("settle")
    assert "Nothing has expired" in shell.run("archive", "expire").stderr
    shell.environment["ERSTWHILE_RETENTION"] = '{"message": 30}'
    assert shell.json("archive", "expire") == {"message": 20, "day": 0, "note": 0, "topic": 0, "told": 0, "profile": 0}
    fact = shell.json("memories", "facts", "c")[0]["id"]
    assert "10 of its messages have expired" in shell.run("memories", "sources", fact).stdout
    assert "have expired" in shell.run("memories", "regenerate", "c", "1", "10", code=1).stderr
    shell.environment["ERSTWHILE_RETENTION"] = '{"mail": 30}'
    assert "no retention for 'mail'" in shell.run("archive", "expire", code=2).stderr
