"""A made-up community on the Discord on loopback, day after day: people talk, think better of it, tidy up; and the line breaks."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from listening import HURRY, until

import erstwhile
from erstwhile.bots.bot import Bot
from erstwhile.bots.discord import DiscordPlatform
from support.discord import DiscordServer
from support.guild import START, Event, Guild

State = dict[str, list[tuple[str, str, str]]]  # by channel: key, person and text of each message, in order


@dataclass
class Running:
    """A bot, and what is open for it."""

    bot: Bot
    task: asyncio.Task[None]
    memory: erstwhile.Memory


@dataclass
class Month:
    discord: DiscordServer
    url: str
    guild: Guild
    days: int
    reconnects: int
    restarts: int = 0
    patience: int = 150  # tenths of a second without any change, until nothing more is expected
    breaks: int = 0
    platform: Callable[[str, str], DiscordPlatform] = lambda token, api: DiscordPlatform(token, api, timing=HURRY)
    now: datetime = START
    people: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    posted: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.discord.world.now = lambda: self.now
        self.chance = random.Random(self.guild.seed)
        for number in range(self.guild.people):
            identity, name = self.guild.person(number)
            nick = f"{name} the {number}th" if number % 3 == 0 else None
            self.people[identity] = self.discord.person(name, nick=nick)
        self.helper = self.discord.person("Helper", bot=True)
        for event in self.events():
            self._place(event.channel.partition("/")[0])
        self.space = f"discord:{self.discord.world.guild}"

    def events(self) -> list[Event]:
        return [event for day in range(self.days) for event in self.guild.day(day)]

    async def live(self) -> None:
        """Breaks the line so many times, at moments spread over the month; each time some of what follows happens while nobody listens."""
        events = self.events()
        step = max(1, len(events) // (self.reconnects + self.restarts + 1))
        breaks = list(range(step, len(events), step))[: self.reconnects + self.restarts]
        stops = set(self.chance.sample(breaks, self.restarts))
        running = await self._start()
        try:
            away = 0
            for number, event in enumerate(events):
                if number in stops:
                    await _stop(running)
                    self._unheard()
                    running = await self._start()
                elif number in breaks:
                    away = await self._break()
                self._happen(event)
                if away:
                    away -= 1
                elif number % 10 == 0:
                    await asyncio.sleep(0.002)
            await until(self.discord.gateway.connected)
            await self._settled(running.memory)
        finally:
            await _stop(running)

    def _unheard(self) -> None:
        """While no bot runs, people think better of what was said, and a thread goes."""
        for _ in range(5):
            self._second_thought()
        threads = [each for each in self.discord.world.threads if self.discord.world.messages[each]]
        if threads:
            self._count("gone")
            self._tidy(self.chance.choice(threads), gone=True)

    async def _break(self) -> int:
        """Every second time Discord repeats nothing. How many of the next events happen before the client is back."""
        await until(self.discord.gateway.connected)
        kind = ("resumable", "lost", "reconnect", "lost", "invalid")[self.breaks % 5]
        self.breaks += 1
        self._count(f"break: {kind}")
        if kind == "reconnect":
            self.discord.gateway.ask_to_reconnect()
        elif kind == "invalid":
            self.discord.gateway.invalidate()
        else:
            await self.discord.drop(resumable=kind == "resumable", code=self.chance.choice([None, 4000, 1001]))
        return self.chance.randint(5, 25)

    def _happen(self, event: Event) -> None:
        self.now = max(self.now, event.at)
        channel = self._place(event.channel)
        who = self.people[event.person] if event.person else self.helper
        self.posted.append((channel, self.discord.post(channel, who, event.text, at=event.at)))
        if self.chance.random() < 0.09:
            self._second_thought()

    def _second_thought(self) -> None:
        standing = [each for each in self.posted[-400:] if each[1] in self.discord.world.messages.get(each[0], {})]
        if not standing:
            return
        channel, message = self.chance.choice(standing)
        here = [each for where, each in standing if where == channel]
        what = self.chance.choices(
            ("edit", "delete", "bulk delete", "rename", "archive", "nick", "gone"), (50, 30, 4, 4, 4, 4, 1)
        )[0]
        self._count(what)
        if what == "edit":
            self.discord.edit(channel, message, f"I meant something else, number {self.done[what]}")
        elif what == "delete":
            self.discord.delete(channel, message)
        elif what == "bulk delete":
            self.discord.bulk_delete(channel, here[-8:])
        elif what == "rename":
            self.discord.rename(channel, f"renamed-{self.done[what]}")
        elif what == "nick":
            self.discord.world.members[self.chance.choice(list(self.people.values()))]["nick"] = (
                f"Nick {self.done[what]}"
            )
        else:
            self._tidy(channel, gone=what == "gone")

    def _tidy(self, channel: str, *, gone: bool) -> None:
        if channel not in self.discord.world.threads:
            return
        if gone:
            self.discord.delete_channel(channel)
            self.places = {name: each for name, each in self.places.items() if each != channel}
        else:
            self.discord.archive(channel)

    def _count(self, what: str) -> None:
        self.done[what] = self.done.get(what, 0) + 1

    def _place(self, name: str) -> str:
        if name not in self.places:
            parent, _, thread = name.partition("/")
            owner = next(iter(self.people.values()))
            self.places[name] = (
                self.discord.create_thread(self._place(parent), thread, owner) if thread else self.discord.channel(name)
            )
        return self.places[name]

    # the bot

    async def _start(self) -> Running:
        memory = await erstwhile.open(self.url, worker=False).__aenter__()
        for name, channel in self.places.items():
            if "/" not in name:
                await memory.listen(memory.channel(channel, self.space))
        bot = Bot(memory, self.platform(self.discord.token, self.discord.api), clock=lambda: self.now)
        task = asyncio.create_task(bot.run())
        await until(self.discord.gateway.connected)
        return Running(bot, task, memory)

    async def _settled(self, memory: erstwhile.Memory) -> None:
        """Until the store is as it should be, or doesn't change any more."""
        wanted, last, same = self.standing(), None, 0
        while same < self.patience:
            found = await self.stored(memory)
            if found == wanted:
                return
            same = same + 1 if found == last else 0
            last = found
            await asyncio.sleep(0.1)

    def standing(self) -> State:
        """What stands on the server, by people."""
        return {
            channel: [
                (f"discord:{each['id']}", each["author"]["id"], each["content"])
                for each in sorted(messages.values(), key=lambda each: int(each["id"]))
                if each["author"]["id"] in self.people.values()
            ]
            for channel, messages in self.discord.world.messages.items()
            if any(each["author"]["id"] in self.people.values() for each in messages.values())
        }

    async def stored(self, memory: erstwhile.Memory) -> State:
        found: State = {}
        for channel in await memory.channels(space=self.space):
            rows = [
                (each.key or "", each.person or "", each.text)
                async for each in memory.channel(channel.channel, self.space).messages()
            ]
            if rows:
                found[channel.channel] = rows
        return found


async def _stop(running: Running) -> None:
    running.task.cancel()
    await asyncio.gather(running.task, return_exceptions=True)
    await running.memory.__aexit__(None, None, None)
