"""The Discord bot's side of the port."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime

import aiohttp
import discord

from erstwhile.base.errors import Error, Forbidden, Unauthorized
from erstwhile.base.logs import Log
from erstwhile.bots.discord import commands
from erstwhile.bots.discord.client import Client, Pace, relayed
from erstwhile.bots.discord.hearing import Hearing, key_of
from erstwhile.bots.discord.places import DIRECT, guild_of, manages_threads, place_of, reads, space, speaking
from erstwhile.bots.port import Asked, Hear, Place, Platform, Said, Unreadable

log = Log(__name__)

_PAGE = 100
_WRONG_TOKEN = 4004  # Discord's code for it
# Only this says that a channel is gone, whereupon it is erased: any other 404 may be a proxy's.
_UNKNOWN_CHANNEL = 10003
_LONGEST_WAIT = 60.0
_GOODBYE = 5.0  # seconds for closing the connection
_TYPING = 8.0  # seconds; Discord shows it for ten
_INVITED = discord.Permissions(
    view_channel=True, send_messages=True, send_messages_in_threads=True, read_message_history=True
)
WRONG_TOKEN = (
    "Discord does not know this token. Copy it again from https://discord.com/developers/applications (your application, "
    "Bot, Reset Token) and set DISCORD_TOKEN."
)
NO_INTENT = (
    "Discord does not let this bot read messages. Turn on MESSAGE CONTENT INTENT at "
    "https://discord.com/developers/applications (your application, Bot, Privileged Gateway Intents) and start again."
)


class DiscordPlatform(Platform):
    """`api` takes the place of https://discord.com/api/v10."""

    name = "discord"
    longest = 2000

    def __init__(self, token: str, api: str | None = None, *, pace: Pace | None = None) -> None:
        self._token = token
        self._api = api.rstrip("/") if api else None
        self._pace = pace or Pace()
        self._ready = asyncio.Event()
        self._client: Client | None = None
        self._hearing: Hearing | None = None
        self._deferring: set[asyncio.Task[None]] = set()

    @property
    def me(self) -> str:
        return str(self._hearing.me) if self._hearing and self._hearing.me else ""

    # the connection

    async def run(self, hear: Hear) -> None:
        with relayed():
            wait = 1.0
            while True:
                self._hearing = Hearing(hear, self._ready.set, self._ready.clear)
                began = time.monotonic()
                try:
                    await self._connect(Client(self._hearing.happened, self._api, self._pace))
                finally:
                    self._ready.clear()
                wait = 1.0 if time.monotonic() - began > _LONGEST_WAIT else min(wait * 2, _LONGEST_WAIT)
                log.warning("discord.unreachable", again_in=wait)
                await asyncio.sleep(wait)

    async def _connect(self, client: Client) -> None:
        """In a task of its own, told to end until it does: while it connects, discord.py may miss that it was told so (in Python 3.11,
        `wait_for` does)."""
        connecting = asyncio.create_task(self._attempt(client), name="discord")
        try:
            await asyncio.wait([connecting])
        finally:
            while not connecting.done():
                connecting.cancel()
                await asyncio.wait([connecting], timeout=0.5)
            with suppress(TimeoutError, aiohttp.ClientError, OSError):
                async with asyncio.timeout(_GOODBYE):
                    await client.close()
        connecting.result()

    async def _attempt(self, client: Client) -> None:
        """discord.py reconnects by itself once it was connected; it ends only where that is no use, or before it ever was."""
        self._client = client
        tree = commands.tree(client, self._given)

        async def prepared() -> None:
            assert self._hearing is not None
            assert client.user is not None
            self._hearing.me = client.user.id
            await commands.register(tree)

        client.before_connecting = prepared
        try:
            await client.start(self._token)
        except discord.LoginFailure:
            raise Unauthorized(WRONG_TOKEN) from None
        except discord.PrivilegedIntentsRequired:
            raise Forbidden(NO_INTENT) from None
        except discord.ConnectionClosed as closed:
            if closed.code == _WRONG_TOKEN:
                raise Unauthorized(WRONG_TOKEN) from None
            raise Error(f"Discord closed the connection for good (code {closed.code}).") from None
        except (OSError, TimeoutError, aiohttp.ClientError, discord.HTTPException, discord.GatewayNotFound) as trouble:
            log.warning("discord.no_connection", error=type(trouble).__name__)
        except AttributeError:
            # discord.py 2.7 asks a connection that it never had for its session.
            if client.ws is not None:
                raise

    async def _connected(self) -> tuple[Client, Hearing]:
        await self._ready.wait()
        assert self._client is not None
        assert self._hearing is not None
        return self._client, self._hearing

    async def invitation(self) -> str:
        """The link by which someone who manages a server lets the bot in."""
        client, _ = await self._connected()
        assert client.application_id is not None
        return discord.utils.oauth_url(
            client.application_id, permissions=_INVITED, scopes=("bot", "applications.commands")
        )

    async def servers(self) -> dict[str, str]:
        """Names of the servers that the bot is in, by their spaces."""
        client, _ = await self._connected()
        return {space(each.id): each.name for each in client.guilds}

    # reading

    async def places(self) -> list[Place]:
        client, hearing = await self._connected()
        before = dict(hearing.places)
        found: dict[str, Place] = {}
        for guild in client.guilds:
            await hearing.threads.look_up(guild)
            for channel in (*speaking(guild), *hearing.threads.of(guild)):
                if reads(guild.me, channel):
                    found[str(channel.id)] = hearing.learn(place_of(channel))
        for place in before.values():
            if place.direct:
                found[place.channel] = place
            elif place.channel not in found:
                await self._look_for(client, hearing, place)
        return list(found.values())

    async def _look_for(self, client: Client, hearing: Hearing, place: Place) -> None:
        """Either it is gone, or we can't see it any longer."""
        try:
            await client.fetch_channel(int(place.channel))
        except discord.HTTPException as refused:
            if refused.code == _UNKNOWN_CHANNEL:
                hearing.gone(place)
            else:
                hearing.places.pop(place.channel, None)
        except discord.InvalidData:
            hearing.places.pop(place.channel, None)

    async def history(self, place: Place, after: str) -> AsyncIterator[list[Said]]:
        client, hearing = await self._connected()
        start = discord.Object(self.place_in_time(after) or 0)
        page: list[discord.Message] = []
        try:
            async for message in self._channel(client, place).history(limit=None, after=start, oldest_first=True):
                page.append(message)
                if len(page) == _PAGE:
                    yield await self._named(client, hearing, place, page)
                    page = []
        except (discord.Forbidden, discord.NotFound) as refused:
            if refused.code == _UNKNOWN_CHANNEL:
                hearing.gone(place)
            raise Unreadable(place.channel) from None
        if page:
            yield await self._named(client, hearing, place, page)

    async def _named(self, client: Client, hearing: Hearing, place: Place, page: list[discord.Message]) -> list[Said]:
        guild = client.get_guild(guild_of(place.space) or 0)
        people = [each.author for each in page if not each.author.bot and each.webhook_id is None]
        if guild is not None:
            await hearing.members.name(guild, list(people))
        number = guild.id if guild else None
        return [hearing.said(place, each, hearing.members.name_of(number, each.author)) for each in page]

    async def readable(self, space: str, person: str) -> frozenset[str]:
        client, hearing = await self._connected()
        if not person.isdigit():
            return frozenset()
        if space == DIRECT:
            return await self._direct_with(client, int(person))
        guild = client.get_guild(guild_of(space) or 0)
        member = await hearing.members.get(guild, int(person)) if guild else None
        if guild is None or member is None:
            return frozenset()
        found = {str(each.id) for each in speaking(guild) if reads(member, each)}
        for thread in hearing.threads.of(guild):
            if reads(member, thread) and await self._in_thread(member, thread):
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

    async def _direct_with(self, client: Client, person: int) -> frozenset[str]:
        try:
            channel = await client.create_dm(discord.Object(person))
        except discord.HTTPException:
            return frozenset()
        return frozenset({str(channel.id)})

    def place_in_time(self, key: str) -> int | None:
        number = key.removeprefix("discord:")
        return int(number) if key.startswith("discord:") and number.isdigit() else None

    def key_at(self, place: Place, at: datetime) -> str:  # noqa: ARG002 - the same in every channel
        return key_of(discord.utils.time_snowflake(at))

    def unlisted(self, space: str, channel: str) -> Place | None:
        """Every place that we can read was named, so this one is closed to us, and who else can read it we can't tell."""
        return None if space == DIRECT else Place(space, channel, "", open=False)

    # speaking

    def _channel(self, client: Client, place: Place) -> discord.PartialMessageable:
        return client.get_partial_messageable(int(place.channel), guild_id=guild_of(place.space))

    async def say(self, place: Place, text: str, reply_to: str) -> None:
        client, _ = await self._connected()
        channel, answered = self._channel(client, place), self.place_in_time(reply_to)
        reference = answered and discord.MessageReference(
            message_id=answered, channel_id=channel.id, fail_if_not_exists=False
        )
        nonce = secrets.token_hex(8)  # so what was taken in though the answer to it was lost isn't written twice
        if reference:
            await channel.send(text, reference=reference, mention_author=False, nonce=nonce)
        else:
            await channel.send(text, nonce=nonce)

    async def whisper(self, place: Place, person: str, text: str) -> bool:  # noqa: ARG002 - a direct message, wherever it was asked
        client, _ = await self._connected()
        if not person.isdigit():
            return False
        try:
            channel = await client.create_dm(discord.Object(int(person)))
            await channel.send(text, nonce=secrets.token_hex(8))
        except (discord.Forbidden, discord.NotFound):
            return False
        return True

    @asynccontextmanager
    async def typing(self, place: Place) -> AsyncIterator[None]:
        """In the background: an answer doesn't wait for the sign that it is being written."""
        showing = asyncio.create_task(self._type(place))
        try:
            yield
        finally:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing

    async def _type(self, place: Place) -> None:
        client, _ = await self._connected()
        channel = self._channel(client, place)
        with suppress(discord.HTTPException, aiohttp.ClientError, OSError):
            while True:
                await channel.typing()
                await asyncio.sleep(_TYPING)

    # slash commands

    async def _given(self, interaction: discord.Interaction, verb: str, words: str, whom: str | None) -> None:
        """Discord waits three seconds for a sign, so the sign comes before the answer."""
        client, hearing = self._client, self._hearing
        assert client is not None
        assert hearing is not None
        deferred = asyncio.create_task(self._defer(client, interaction))
        self._deferring.add(deferred)
        deferred.add_done_callback(self._deferring.discard)

        async def answer(text: str) -> None:
            await asyncio.shield(deferred)
            with client.answering():
                await interaction.followup.send(text, ephemeral=True)

        place, manages = self._asked_in(hearing, interaction)
        user = interaction.user
        if isinstance(user, discord.Member):
            hearing.members.saw(user)
        asked = Asked(place, str(user.id), user.display_name, verb, words, whom, manages, answer)
        hearing.hear(asked)

    def _asked_in(self, hearing: Hearing, interaction: discord.Interaction) -> tuple[Place, bool]:
        channel = interaction.channel
        if isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            rights = interaction.permissions
            return hearing.learn(place_of(channel)), rights.manage_channels or rights.manage_guild
        number = interaction.channel_id or 0
        if interaction.guild_id is None:
            return hearing.direct(number, interaction.user), True
        return hearing.known(number, interaction.guild_id), False

    async def _defer(self, client: Client, interaction: discord.Interaction) -> None:
        with client.answering():
            try:
                await interaction.response.defer(ephemeral=True, thinking=True)
            except (discord.HTTPException, aiohttp.ClientError, OSError) as trouble:
                # The asker sees that the command failed. What it asked for is done nevertheless.
                log.warning("discord.not_acknowledged", error=type(trouble).__name__)
