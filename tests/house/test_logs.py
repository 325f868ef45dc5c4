"""Secrets and what people said stay out of the logs."""

from __future__ import annotations

import json
import logging

import pytest

from erstwhile.base.logs import Log


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, logger="erstwhile")
    return caplog


def test_a_line_is_structured(lines: pytest.LogCaptureFixture) -> None:
    Log("erstwhile.test").info("job.parked", job="job_1", attempts=3)
    assert "event=job.parked" in lines.text
    assert "attempts=3" in lines.text
    assert "level=info" in lines.text


def test_a_line_can_be_read_by_machines(lines: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    log, fields = (
        Log("erstwhile.test"),
        {"why": 'two\n"words" \\', "path": "a\\b", "none": None, "yes": True, "no": False},
    )
    log.info("call", **fields)
    monkeypatch.setenv("ERSTWHILE_LOG_FORMAT", "json")
    log.info("call", **fields)
    plain, machine = (record.getMessage() for record in lines.records)
    assert plain.partition(" ")[2] == (
        r'level=info event=call why="two\n\"words\" \\" path=a\b none= yes no=false logger=erstwhile.test'
    )
    assert json.loads(machine).items() >= {**fields, "level": "info", "event": "call"}.items()


@pytest.mark.parametrize("level", ["debug", "info", "warning", "error"])
def test_secrets_are_never_written(lines: pytest.LogCaptureFixture, level: str) -> None:
    write = getattr(Log("erstwhile.test"), level)
    write(
        "call",
        api_key="canary-1",
        Authorization="canary-2",
        url="postgresql://me:canary-3@host/db",
        error="used sk-canary4canary4",
    )
    assert "canary" not in lines.text
    assert "host/db" in lines.text


def test_what_people_said_is_not_written(lines: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log("erstwhile.test")
    log.info("message", text="canary", query="canary")
    log.debug("message", text="canary")
    monkeypatch.setenv("ERSTWHILE_LOG_CONTENT", "1")
    log.info("message", text="canary")
    assert "canary" not in lines.text
    log.debug("message", text="visible when asked for")
    assert "visible when asked for" in lines.text


def test_a_quiet_library_stays_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    logging.getLogger("erstwhile").setLevel(logging.NOTSET)
    Log("erstwhile.test").info("nobody listens")
    assert capfd.readouterr() == ("", "")


def test_a_field_keeps_its_value(lines: pytest.LogCaptureFixture) -> None:
    Log("erstwhile.test").warning("x", reason=json.dumps({"a": 1}))
    assert "reason=" in lines.text
