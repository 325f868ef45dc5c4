"""People talk, edit, delete and open threads while the connection breaks again and again: in the end the store is what stands on Slack."""

from __future__ import annotations

import asyncio
import random

import pytest
from slack_workspace import SPACE, bot_on, until_same

import erstwhile
from soak.size import NUMBER, SOAK
from support.slack import SlackServer

STEPS = 3_000 if SOAK else 220


class Month:
    """A random schedule; the seed tells it all."""

    def __init__(self, slack: SlackServer, seed: int) -> None:
        self.slack, self.chance = slack, random.Random(seed)
        self.people = [slack.person(name) for name in ("Ann", "Bob", "Cleo")]
        self.robot = slack.person("Robot", bot=True)
        self.channels = [
            slack.channel("general", *self.people),
            slack.channel("random", *self.people),
            slack.channel("team", *self.people[:2], private=True),
        ]
        self.elsewhere = slack.channel("elsewhere", *self.people)
        self.said = 0

    async def step(self) -> None:
        happen = self.chance.choices(
            (self.talk, self.reply, self.edit, self.delete, self.trouble), weights=(50, 20, 15, 10, 5)
        )[0]
        await happen()

    async def talk(self) -> None:
        self.said += 1
        speaker = self.chance.choice([*self.people, self.robot])
        await self.slack.post(self.chance.choice([*self.channels, self.elsewhere]), speaker, f"message {self.said}")

    async def reply(self) -> None:
        found = self._some()
        if found:
            channel, message = found
            self.said += 1
            thread = message.get("thread_ts") or message["ts"]
            broadcast = self.chance.random() < 0.2
            await self.slack.reply(
                channel, thread, self.chance.choice(self.people), f"reply {self.said}", broadcast=broadcast
            )

    async def edit(self) -> None:
        found = self._some()
        if found:
            self.said += 1
            await self.slack.edit(found[0], found[1]["ts"], f"edited {self.said}")

    async def delete(self) -> None:
        found = self._some()
        if found:
            await self.slack.delete(found[0], found[1]["ts"])

    async def trouble(self) -> None:
        """The line breaks, is renewed, or the server is unwell."""
        slack = self.slack
        kind = self.chance.choice(("drop", "drop", "close", "renew", "limit", "broken", "deaf"))
        if kind in ("drop", "close"):
            failures = self.chance.randrange(3)
            if (
                slack.sockets.open
            ):  # else it is broken already, and failures would pile up faster than anyone tries again
                slack.fail(failures, 503, "apps.connections.open")
                await slack.drop(rudely=kind == "drop")
        elif kind == "renew":
            await slack.hand_over()
        elif kind == "limit":
            slack.limit(1, 1, "conversations.history")
        elif kind == "broken":
            slack.fail(1, 500, "conversations.replies")
        else:
            slack.sockets.deaf += 2

    def _some(self) -> tuple[str, dict[str, str]] | None:
        channel = self.chance.choice(self.channels)
        messages = self.slack.workspace.conversations[channel].messages.values()
        standing = [each for each in messages if each.get("subtype") != "tombstone"]
        return (channel, self.chance.choice(standing)) if standing else None


@pytest.mark.parametrize("seed", range(4 * NUMBER - 4, 4 * NUMBER) if SOAK else [7])
@pytest.mark.timeout(1800 if SOAK else 600)
async def test_the_store_ends_as_what_stands_on_slack(memory: erstwhile.Memory, slack: SlackServer, seed: int) -> None:
    month = Month(slack, seed)
    slack.sockets.lossy, slack.sockets.twice = month.chance.random() < 0.7, month.chance.random() < 0.5
    slack.web.largest = 15
    for channel in month.channels:
        await memory.channels.listen(memory.channel(channel, SPACE))
    for _ in range(3):  # the bot is started three times, and things happen while it is not running
        async with bot_on(memory, slack):
            for _ in range(STEPS // 3):
                await month.step()
                await asyncio.sleep(month.chance.choice((0, 0, 0.001, 0.01)))
        for _ in range(5):
            await month.talk()
            await month.edit()
            await month.delete()
        slack.restarted()
    async with bot_on(memory, slack):
        await until_same(memory, slack, *month.channels, seconds=600 if SOAK else 60)
