"""A Discord on loopback, for an unmodified discord.py: one server whose people talk when a test lets them, and every fault of the real one.

    async with DiscordServer() as discord:
        general, kim = discord.channel("general"), discord.person("Kim")
        discord.post(general, kim, "hello")

Point a client at `discord.api` with `discord.token`. Verbs change `discord.world` and tell whoever is connected.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any, Self

from aiohttp import web

from support.discord_gateway import DIRECT_MESSAGES, GUILDS, MESSAGES, Gateway
from support.discord_rest import Rest, Whisper
from support.discord_world import MANAGE_CHANNELS, PRIVATE_THREAD, TEXT, Payload, World

__all__ = ["DiscordServer", "Whisper"]


class DiscordServer:
    def __init__(self, *, token: str = "loopback.token.of-a-bot", now: Callable[[], datetime] | None = None) -> None:
        self.token = token
        self.world = World(now=now or (lambda: datetime.now(UTC)))
        self.gateway = Gateway(self.world, token)
        self.rest = Rest(self.world, self.gateway)
        self.limits = self.rest.limits
        self._interactions = count(1)
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        application = web.Application(middlewares=[self.rest.front])
        application.add_routes([*self.rest.routes(), web.get("/gateway", self.gateway.handle)])
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.api = f"http://{host}:{port}"
        self.gateway.address = f"ws://{host}:{port}/gateway"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.gateway.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def bot(self) -> str:
        return self.world.bot

    # people, channels, threads

    def person(self, name: str, *, nick: str | None = None, bot: bool = False, roles: Sequence[str] = ()) -> str:
        return self.world.person(name, nick=nick, bot=bot, roles=roles)

    def channel(self, name: str, kind: int = TEXT, *, only: Sequence[str] | None = None) -> str:
        payload = self.world.channel(name, kind, only=only)
        self.gateway.dispatch("CHANNEL_CREATE", payload)
        return str(payload["id"])

    def create_thread(
        self, parent: str, name: str, who: str, *, private: bool = False, start: str | None = None
    ) -> str:
        """`start`: the message it begins from. The bot is in a private one only if it is put there: `join`."""
        payload = self.world.thread(parent, name, who, private=private, start=start)
        if not private:
            self.gateway.dispatch("THREAD_CREATE", {**payload, "newly_created": True})
        return str(payload["id"])

    def join(self, thread: str, who: str) -> None:
        self.world.thread_members[thread].add(who)
        if who == self.bot:
            self.gateway.dispatch("THREAD_CREATE", self.world.as_thread(thread, who))

    def archive(self, thread: str, *, archived: bool = True) -> None:
        state = self.world.threads[thread]["thread_metadata"]
        state.update(archived=archived, archive_timestamp=self.world.now().isoformat())
        self.gateway.dispatch("THREAD_UPDATE", self.world.as_thread(thread, self.bot))

    def rename(self, channel: str, name: str) -> None:
        place = self.world.found(channel)
        assert place is not None
        place["name"] = name
        self.gateway.dispatch("THREAD_UPDATE" if channel in self.world.threads else "CHANNEL_UPDATE", place)

    def open_to(self, channel: str, only: Sequence[str] | None) -> None:
        """Only these roles and people see the channel from now on; None is everyone."""
        self.world.channels[channel]["permission_overwrites"] = self.world.overwrites(only)
        self.gateway.dispatch("CHANNEL_UPDATE", self.world.channels[channel])

    def everyone_may(self, permissions: int) -> None:
        role = self.world.roles[self.world.guild]
        role["permissions"] = str(permissions)
        self.gateway.dispatch("GUILD_ROLE_UPDATE", {"guild_id": self.world.guild, "role": role})

    def give(self, who: str, roles: Sequence[str]) -> None:
        self.world.members[who]["roles"] = list(roles)

    def delete_channel(self, channel: str) -> None:
        if channel in self.world.threads:
            thread = self.world.threads[channel]
            self.world.gone(channel)
            told = {name: thread[name] for name in ("id", "guild_id", "parent_id", "type")}
            self.gateway.dispatch("THREAD_DELETE", told)
        else:
            payload = self.world.channels[channel]
            self.world.gone(channel)
            self.gateway.dispatch("CHANNEL_DELETE", payload)

    # messages

    def post(self, channel: str, who: str, text: str, *, reply_to: str | None = None, **more: Any) -> str:
        """`more` is whatever else a message has on Discord; `at` is its time."""
        if channel in self.world.threads and self.world.archived(channel):
            self.archive(channel, archived=False)
        if reply_to is not None:
            more["message_reference"] = {"message_id": reply_to, "channel_id": channel, "guild_id": self.world.guild}
        message = self.world.message(channel, who, text, **more)
        self._tell(channel, "MESSAGE_CREATE", self.world.on_the_gateway(message))
        return str(message["id"])

    def edit(self, channel: str, message: str, text: str) -> None:
        payload = self.world.messages[channel][message]
        payload.update(content=text, edited_timestamp=self.world.now().isoformat())
        self._tell(channel, "MESSAGE_UPDATE", self.world.on_the_gateway(payload))

    def delete(self, channel: str, message: str) -> None:
        del self.world.messages[channel][message]
        self._tell(channel, "MESSAGE_DELETE", {"id": message, **self._where(channel)})

    def bulk_delete(self, channel: str, messages: Sequence[str]) -> None:
        for each in messages:
            del self.world.messages[channel][each]
        self._tell(channel, "MESSAGE_DELETE_BULK", {"ids": list(messages), **self._where(channel)})

    def direct(self, who: str, text: str, **more: Any) -> str:
        """Says it to the bot alone."""
        return self.post(str(self.world.direct_with(who)["id"]), who, text, **more)

    def _where(self, channel: str) -> Payload:
        return {"channel_id": channel} | ({} if channel in self.world.direct else {"guild_id": self.world.guild})

    def _tell(self, channel: str, event: str, data: Payload) -> None:
        if channel in self.world.direct or self.world.reads(self.bot, channel):
            self.gateway.dispatch(event, data, DIRECT_MESSAGES if channel in self.world.direct else MESSAGES)

    def texts(self, channel: str) -> list[str]:
        return [each["content"] for each in self.world.messages[channel].values()]

    def said_by_bot(self, channel: str) -> list[Payload]:
        return [each for each in self.world.messages[channel].values() if each["author"]["id"] == self.bot]

    # slash commands

    def command(self, channel: str, who: str, /, *path: str, **options: str) -> str:
        """`command(general, kim, "memory", "why", words="…")`; gives the token by which the answers are found."""
        token = f"interaction-{next(self._interactions)}"
        direct = channel in self.world.direct
        named = next(each for each in self.rest.commands if each["name"] == path[0])
        data: Payload = {"id": named["id"], "name": path[0], "type": 1, "options": self._options(named, path, options)}
        users = {value: self.world.users[value] for value in options.values() if value in self.world.users}
        if users:
            data["resolved"] = {
                "users": users,
                "members": {} if direct else {each: {**self.world.members[each], "permissions": "0"} for each in users},
            }
        place = self.world.found(channel)
        payload: Payload = {
            "id": self.world.snowflake(),
            "application_id": self.bot,
            "type": 2,
            "token": token,
            "version": 1,
            "channel_id": channel,
            "channel": place,
            "data": data,
            "attachment_size_limit": 10_485_760,
            "context": 1 if direct else 0,
            "locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {"0": self.world.guild},
        }
        if direct:
            payload["user"] = self.world.users[who]
        else:
            rights = self.world.permissions(who, channel) & ((1 << 53) - 1)
            payload |= {"guild_id": self.world.guild, "member": {**self.world.member(who), "permissions": str(rights)}}
        self.gateway.dispatch("INTERACTION_CREATE", payload, GUILDS)
        return token

    def _options(self, named: Payload, path: Sequence[str], options: dict[str, str]) -> list[Payload]:
        known = {each["name"]: each for each in named.get("options", [])}
        if len(path) > 1:
            return [{"name": path[1], "type": 1, "options": self._options(known[path[1]], path[1:], options)}]
        return [{"name": name, "type": known[name]["type"], "value": value} for name, value in options.items()]

    async def answer(self, token: str, timeout: float = 120) -> Whisper:
        """The answer to a slash command, as soon as it is there."""
        async with asyncio.timeout(timeout):
            while True:
                for each in self.rest.whispers:
                    if each.token == token:
                        return each
                await asyncio.sleep(0.01)

    # faults; more are at `gateway` (refusals, acknowledges) and `limits`

    async def drop(self, *, resumable: bool = True, code: int | None = None) -> None:
        """Cuts the connection. Not resumable: what happens from now on is lost to the bot, and it has to look it up."""
        await self.gateway.drop(resumable=resumable, code=code)

    def fail(self, number: int, status: int = 500) -> None:
        self.rest.failures += [status] * number

    def managing(self, who: str) -> None:
        """This person may decide about channels."""
        self.give(who, [*self.world.members[who]["roles"], self.world.role("moderators", MANAGE_CHANNELS)])

    def private(self, thread: str) -> bool:
        return bool(self.world.threads[thread]["type"] == PRIVATE_THREAD)
