"""`erstwhile slack`, as someone starts it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from pathlib import Path

import pytest
from slack_workspace import stored, until, until_same

import erstwhile
from erstwhile.base.errors import SettingsError
from erstwhile.cli import bots as cli
from support.slack import SlackServer


async def _start(slack: SlackServer, database: Path, *words: str, **tokens: str) -> Process:
    settings = {"SLACK_BOT_TOKEN": slack.token, "SLACK_APP_TOKEN": slack.app_token, **tokens}
    command = ("-m", "erstwhile", "slack", "--api", slack.api, "--database", str(database), *words)
    return await asyncio.create_subprocess_exec(
        sys.executable, *command, env={**os.environ, **settings}, stderr=asyncio.subprocess.PIPE
    )


async def _ended(process: Process) -> tuple[int, str]:
    _, said = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, said.decode()


async def test_killed_and_started_again_nothing_is_lost(slack: SlackServer, tmp_path: Path) -> None:
    database = tmp_path / "slack.db"
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    slack.sockets.lossy = True
    before = await slack.post(general, ann, "before it was ever started")
    first = await _start(slack, database, "--listen", "#general", "--listen", "nowhere", "--past")
    await until(lambda: slack.sockets.open or first.returncode is not None)
    await slack.post(general, ann, "while it runs")
    async with erstwhile.open(str(database), worker=False) as memory:
        await until_same(memory, slack, general)
        for number in range(20):
            await slack.post(general, ann, f"right before the end {number}")
        first.kill()
        _, said = await _ended(first)
        assert "Listening to 1 of 1 channels that the bot is in: #general." in said
        assert "The bot is in no channel nowhere." in said
        await slack.post(general, ann, "while it is dead")
        await slack.edit(general, before, "edited while it is dead")
        second = await _start(slack, database)
        await until_same(memory, slack, general)
        assert await stored(memory)
    second.send_signal(signal.SIGTERM)
    code, said = await _ended(second)
    assert (code, said.splitlines()[-1]) == (0, "Stopped.")
    assert slack.token not in said
    assert "right before the end" not in said


@pytest.mark.parametrize(
    ("tokens", "scope", "words"),
    [
        ({"SLACK_APP_TOKEN": "xapp-wrong"}, "", "SLACK_APP_TOKEN: Slack doesn't know this token"),
        ({}, "im:read", "the scope im:read is missing"),
    ],
)
async def test_what_slack_refuses_is_said_and_ends_it(
    slack: SlackServer, tmp_path: Path, tokens: dict[str, str], scope: str, words: str
) -> None:
    slack.web.scopes.discard(scope)
    code, said = await _ended(await _start(slack, tmp_path / "slack.db", **tokens))
    assert code == 2
    assert words in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("bot", "app", "words"),
    [
        ("", "xapp-1", "Set SLACK_BOT_TOKEN. It is the Bot User OAuth Token"),
        ("xoxb-1", "", "Set SLACK_APP_TOKEN. It is an App-Level Token"),
        ("xoxb-1", "xoxb-1", "SLACK_APP_TOKEN begins with xapp-"),
    ],
)
def test_tokens_that_cannot_be_right_are_not_tried(
    monkeypatch: pytest.MonkeyPatch, bot: str, app: str, words: str
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", bot)
    monkeypatch.setenv("SLACK_APP_TOKEN", app)
    with pytest.raises(SettingsError, match=words):
        cli.slack()
