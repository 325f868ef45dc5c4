"""The Discord adapter."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, suppress
from datetime import datetime
from functools import partial

import aiohttp
import discord

from erstwhile.base.errors import AuthenticationError, Error, PermissionDenied
from erstwhile.base.logs import Log
from erstwhile.bots import port
from erstwhile.bots.discord.client import (
    ConnectionTiming,
    DiscordClient,
    command_tree,
    forward_library_logs,
    register_commands,
)
from erstwhile.bots.discord.events import (
    DIRECT,
    DiscordEvents,
    can_read,
    guild_of,
    key_of,
    manages_threads,
    message_channels,
    place_of,
    space,
)

log = Log(__name__)

_PAGE = 100
_WRONG_TOKEN = 4004  # Discord's close code
# The only code that means a channel was deleted, and so erases it. Other 404s may come from a
# proxy.
_UNKNOWN_CHANNEL = 10003
_UNREACHABLE = (
    *(OSError, TimeoutError, aiohttp.ClientError),
    *(discord.HTTPException, discord.GatewayNotFound),
)
_LONGEST_WAIT = 60.0
_CLOSE_SECONDS = 5.0  # for closing the connection
_TYPING_SECONDS = 8.0  # Discord shows it for ten seconds
_PERMISSIONS = discord.Permissions(
    view_channel=True, send_messages=True, send_messages_in_threads=True, read_message_history=True
)
WRONG_TOKEN = (
    "Discord does not know this token. Copy it again from https://discord.com/developers/applications (your "
    "application, Bot, Reset Token) and set DISCORD_TOKEN."
)
NO_INTENT = (
    "Discord does not let this bot read messages. Turn on MESSAGE CONTENT INTENT at "
    "https://discord.com/developers/applications (your application, Bot, Privileged Gateway Intents) and start again."
)


class DiscordPlatform(port.Platform):
    """`api` replaces https://discord.com/api/v10."""

    name = "discord"
    max_length = 2000

    def __init__(
        self, token: str, api: str | None = None, *, timing: ConnectionTiming | None = None
    ) -> None:
        self._token = token
        self._api = api.rstrip("/") if api else None
        self._timing = timing or ConnectionTiming()
        self._ready = asyncio.Event()
        self._client: DiscordClient | None = None
        self._events: DiscordEvents | None = None
        self._acknowledging: set[asyncio.Task[None]] = set()

    @property
    def me(self) -> str:
        return str(self._events.me) if self._events and self._events.me else ""

    # Connection

    async def run(self, handle: port.EventHandler) -> None:
        with forward_library_logs():
            wait = 1.0
            while True:
                self._events = DiscordEvents(handle, self._ready.set, self._ready.clear)
                began = time.monotonic()
                client = DiscordClient(self._events.on_event, self._api, self._timing)
                try:
                    await self._connect(client)
                finally:
                    self._ready.clear()
                lasted = time.monotonic() - began > _LONGEST_WAIT
                wait = 1.0 if lasted else min(wait * 2, _LONGEST_WAIT)
                log.warning("discord.unreachable", retry_seconds=wait)
                await asyncio.sleep(wait)

    async def _connect(self, client: DiscordClient) -> None:
        """In a task of its own: discord.py can miss a cancellation while it connects."""
        connecting = asyncio.create_task(self._attempt(client), name="discord")
        try:
            await asyncio.wait([connecting])
        finally:
            while not connecting.done():
                connecting.cancel()
                await asyncio.wait([connecting], timeout=0.5)
            with suppress(TimeoutError, aiohttp.ClientError, OSError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await client.close()
        connecting.result()

    async def _attempt(self, client: DiscordClient) -> None:
        """Run until discord.py gives up. It reconnects by itself once it was connected."""
        self._client = client
        commands = command_tree(client, self._on_command)

        async def prepare() -> None:
            assert self._events is not None
            assert client.user is not None
            self._events.me = client.user.id
            await register_commands(commands)

        client.before_connecting = prepare
        try:
            await client.start(self._token)
        except discord.LoginFailure:
            raise AuthenticationError(WRONG_TOKEN) from None
        except discord.PrivilegedIntentsRequired:
            raise PermissionDenied(NO_INTENT) from None
        except discord.ConnectionClosed as closed:
            if closed.code == _WRONG_TOKEN:
                raise AuthenticationError(WRONG_TOKEN) from None
            why = f"Discord closed the connection for good (code {closed.code})."
            check = "Check the bot at https://discord.com/developers/applications."
            raise Error(f"{why} {check}") from None
        except _UNREACHABLE as trouble:
            log.warning("discord.connection_failed", error=type(trouble).__name__)
        except AttributeError:
            # discord.py 2.7 reads the session of a connection that never existed.
            if client.ws is not None:
                raise

    async def _connected(self) -> tuple[DiscordClient, DiscordEvents]:
        await self._ready.wait()
        assert self._client is not None
        assert self._events is not None
        return self._client, self._events

    async def invitation(self) -> str:
        client, _ = await self._connected()
        assert client.application_id is not None
        return discord.utils.oauth_url(
            client.application_id, permissions=_PERMISSIONS, scopes=("bot", "applications.commands")
        )

    async def servers(self) -> dict[str, str]:
        client, _ = await self._connected()
        return {space(each.id): each.name for each in client.guilds}

    # Reading

    async def places(self) -> list[port.ChatPlace]:
        client, events = await self._connected()
        before = dict(events.places)
        found: dict[str, port.ChatPlace] = {}
        for guild in client.guilds:
            await events.threads.reload(guild)
            for channel in (*message_channels(guild), *events.threads.in_guild(guild)):
                if can_read(guild.me, channel):
                    found[str(channel.id)] = events.remember(place_of(channel))
        for place in before.values():
            if place.direct:
                found[place.channel] = place
            elif place.channel not in found:
                try:
                    await client.fetch_channel(int(place.channel))
                except discord.HTTPException as refused:
                    if refused.code == _UNKNOWN_CHANNEL:
                        events.deleted(place)
                    else:
                        events.places.pop(place.channel, None)
                except discord.InvalidData:
                    events.places.pop(place.channel, None)
        return list(found.values())

    async def history(self, place: port.ChatPlace, after: str) -> AsyncIterator[list[port.Post]]:
        client, events = await self._connected()
        start = discord.Object(self.key_order(after) or 0)
        page: list[discord.Message] = []
        try:
            async for message in self._channel(client, place).history(
                limit=None, after=start, oldest_first=True
            ):
                page.append(message)
                if len(page) == _PAGE:
                    yield await self._to_posts(place, page)
                    page = []
        except (discord.Forbidden, discord.NotFound) as refused:
            if refused.code == _UNKNOWN_CHANNEL:
                events.deleted(place)
            raise port.UnreadablePlace(place.channel) from None
        if page:
            yield await self._to_posts(place, page)

    async def _to_posts(
        self, place: port.ChatPlace, page: list[discord.Message]
    ) -> list[port.Post]:
        client, events = await self._connected()
        guild = client.get_guild(guild_of(place.space) or 0)
        people = [each.author for each in page if not each.author.bot and each.webhook_id is None]
        if guild is not None:
            await events.members.name(guild, list(people))
        number = guild.id if guild else None
        name = partial(events.members.name_of, number)
        return [events.to_post(place, each, name(each.author)) for each in page]

    async def readable(self, space: str, person: str) -> frozenset[str]:
        client, events = await self._connected()
        if not person.isdigit():
            return frozenset()
        if space == DIRECT:
            try:
                channel = await client.create_dm(discord.Object(int(person)))
            except discord.HTTPException:
                return frozenset()
            return frozenset({str(channel.id)})
        guild = client.get_guild(guild_of(space) or 0)
        member = await events.members.get(guild, int(person)) if guild else None
        if guild is None or member is None:
            return frozenset()
        found = {str(each.id) for each in message_channels(guild) if can_read(member, each)}
        for thread in events.threads.in_guild(guild):
            if can_read(member, thread) and await self._in_thread(member, thread):
                found.add(str(thread.id))
        return frozenset(found)

    async def _in_thread(self, member: discord.Member, thread: discord.Thread) -> bool:
        if not thread.is_private() or manages_threads(member, thread):
            return True
        try:
            await thread.fetch_member(member.id)
        except (discord.NotFound, discord.Forbidden):
            return False
        return True

    def key_order(self, key: str) -> int | None:
        number = key.removeprefix("discord:")
        return int(number) if key.startswith("discord:") and number.isdigit() else None

    def key_at(self, place: port.ChatPlace, at: datetime) -> str:  # noqa: ARG002 - the same in every channel
        return key_of(discord.utils.time_snowflake(at))

    def unlisted(self, space: str, channel: str) -> port.ChatPlace | None:
        """Return a private place: every place that the bot can read was listed."""
        return None if space == DIRECT else port.ChatPlace(space, channel, "", open=False)

    # Sending

    def _channel(self, client: DiscordClient, place: port.ChatPlace) -> discord.PartialMessageable:
        return client.get_partial_messageable(int(place.channel), guild_id=guild_of(place.space))

    async def send(self, place: port.ChatPlace, text: str, reply_to: str) -> None:
        client, _ = await self._connected()
        channel, answered = self._channel(client, place), self.key_order(reply_to)
        nonce = secrets.token_hex(8)  # so that a repeated request is not posted twice
        if answered:
            reference = discord.MessageReference(
                message_id=answered, channel_id=channel.id, fail_if_not_exists=False
            )
            await channel.send(text, reference=reference, mention_author=False, nonce=nonce)
        else:
            await channel.send(text, nonce=nonce)

    async def send_private(self, place: port.ChatPlace, person: str, text: str) -> bool:  # noqa: ARG002 - always a direct message
        client, _ = await self._connected()
        if not person.isdigit():
            return False
        try:
            channel = await client.create_dm(discord.Object(int(person)))
            await channel.send(text, nonce=secrets.token_hex(8))
        except (discord.Forbidden, discord.NotFound):
            return False
        return True

    def typing(self, place: port.ChatPlace) -> AbstractAsyncContextManager[None]:
        """Show typing in the background, so that the answer does not wait for it."""

        async def show() -> None:
            client, _ = await self._connected()
            await self._channel(client, place).typing()

        return port.repeated(show, _TYPING_SECONDS)

    # Slash commands

    async def _on_command(
        self, interaction: discord.Interaction, verb: str, words: str, whom: str | None
    ) -> None:
        """Handle a command. The acknowledgement comes first: Discord waits three seconds."""
        client, events = self._client, self._events
        assert client is not None
        assert events is not None
        deferred = asyncio.create_task(self._acknowledge(client, interaction))
        self._acknowledging.add(deferred)
        deferred.add_done_callback(self._acknowledging.discard)

        async def answer(text: str) -> None:
            await asyncio.shield(deferred)
            with client.answering():
                await interaction.followup.send(text, ephemeral=True)

        place, manages = self._command_place(events, interaction)
        user = interaction.user
        if isinstance(user, discord.Member):
            events.members.update(user)
        who = str(user.id), user.display_name
        events.handle(port.SlashCommand(place, *who, verb, words, whom, manages, answer))

    def _command_place(
        self, events: DiscordEvents, interaction: discord.Interaction
    ) -> tuple[port.ChatPlace, bool]:
        channel = interaction.channel
        if isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            rights = interaction.permissions
            return events.remember(place_of(channel)), rights.manage_channels or rights.manage_guild
        number = interaction.channel_id or 0
        if interaction.guild_id is None:
            return events.direct(number, interaction.user), True
        return events.last_known(number, interaction.guild_id), False

    async def _acknowledge(self, client: DiscordClient, interaction: discord.Interaction) -> None:
        with client.answering():
            try:
                await interaction.response.defer(ephemeral=True, thinking=True)
            except (discord.HTTPException, aiohttp.ClientError, OSError) as trouble:
                # The asker sees a failure, but the command still runs.
                log.warning("discord.acknowledge_failed", error=type(trouble).__name__)
