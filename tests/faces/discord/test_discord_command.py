"""`erstwhile discord`, the real command in a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import erstwhile
from erstwhile.base.errors import SettingsError
from erstwhile.cli.bots import discord
from support.discord import DiscordServer


@dataclass
class Command:
    process: asyncio.subprocess.Process
    lines: list[str] = field(default_factory=list)

    async def read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.lines.append(line.decode().rstrip())

    async def says(self, words: str) -> str:
        async with asyncio.timeout(120):
            while True:
                for line in self.lines:
                    if words in line:
                        return line
                if self.process.returncode is not None:
                    raise AssertionError("\n".join(self.lines))
                await asyncio.sleep(0.02)

    async def ends(self) -> int:
        return await asyncio.wait_for(self.process.wait(), 60)


@asynccontextmanager
async def command(*words: str, token: str | None) -> AsyncIterator[Command]:
    known = {name: value for name, value in os.environ.items() if name != "DISCORD_TOKEN"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "ignore", "-m", "erstwhile", "discord", *words),
        stderr=asyncio.subprocess.PIPE,
        env=known if token is None else {**known, "DISCORD_TOKEN": token},
    )
    running = Command(process)
    reading = asyncio.create_task(running.read())
    try:
        yield running
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await reading


async def kept(url: str, space: str, channel: str, texts: list[str]) -> None:
    found: list[str] = []
    async with erstwhile.open(url, worker=False) as memory:
        for _ in range(600):
            found = [each.text async for each in memory.channel(channel, space).messages()]
            if found == texts:
                return
            await asyncio.sleep(0.05)
    assert found == texts


async def test_killed_and_started_again_it_has_lost_nothing(tmp_path: Path) -> None:
    url = str(tmp_path / "killed.db")
    async with DiscordServer(token="canary.token.4711") as server:
        kim, general = server.person("Kim"), server.channel("general")
        space = f"discord:{server.world.guild}"
        server.post(general, kim, "before anybody listened")
        words = ("--api", server.api, "--database", url, "--listen", general)
        async with command(*words, "--listen", "12345", token=server.token) as bot:
            await bot.says("There is no channel 12345")
            await bot.says("listening to 1 of 1 channels: #general")
            assert f"client_id={server.bot}" in await bot.says("Invite the bot")
            one, two = server.post(general, kim, "one"), server.post(general, kim, "two")
            await kept(url, space, general, ["one", "two"])
            for number in range(20):
                server.post(general, kim, f"and {number}")
            bot.process.kill()
            await bot.ends()
        server.edit(general, one, "one, changed")
        server.delete(general, two)
        server.post(general, kim, "while it was dead")
        async with command("--api", server.api, "--database", url, token=server.token) as again:
            expected = ["one, changed", *(f"and {number}" for number in range(20)), "while it was dead"]
            await kept(url, space, general, expected)
            await again.says("listening to 1 of 1 channels")
            again.process.send_signal(signal.SIGTERM)
            assert await again.ends() == 0
        assert again.lines[-1] == "Stopped."
        assert "canary" not in "\n".join([*bot.lines, *again.lines])
        assert "while it was dead" not in "\n".join(again.lines)


async def test_a_wrong_token_is_said(tmp_path: Path) -> None:
    async with DiscordServer() as server:
        async with command("--api", server.api, "--database", str(tmp_path / "n.db"), token="canary.wrong") as bot:
            assert await bot.ends() == 1
        assert "does not know this token" in bot.lines[-1]
        assert "canary" not in "\n".join(bot.lines)


def test_what_it_needs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    with pytest.raises(SettingsError, match="Set DISCORD_TOKEN"):
        discord()
    for name in [each for each in sys.modules if each.startswith("erstwhile.bots.discord")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "discord", None)
    with pytest.raises(SettingsError, match="pip install 'erstwhile\\[discord\\]'"):
        discord()
