"""The Slack adapter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from datetime import datetime

from slack_sdk.errors import SlackApiError

from erstwhile.base.logs import Log
from erstwhile.bots.port import ChatPlace, EventHandler, Gap, Platform, Post, Unreadable
from erstwhile.bots.slack import history
from erstwhile.bots.slack.commands import SlackCommands
from erstwhile.bots.slack.connection import SocketConnections
from erstwhile.bots.slack.directory import SlackPeople, SlackPlaces, key_of, split_key, to_micros, ts_at
from erstwhile.bots.slack.events import PostReader, SlackEvents
from erstwhile.bots.slack.web_api import TRANSIENT, Json, WebApi, error_name, permanent_error
from erstwhile.text import slack as markup

log = Log(__name__)
PING_SECONDS = 5.0  # a connection that is silent for four pings is closed
_NOT_VISIBLE = ("user_not_in_channel", "not_in_channel", "channel_not_found", "is_archived")


class SlackPlatform(Platform):
    """`api` replaces https://slack.com/api/ for tests and proxies. Slack's reply to the first call
    names the socket's address."""

    name = "slack"
    max_length = 4000  # Slack advises no more, and cuts at 40,000

    def __init__(
        self, token: str, app_token: str, api: str | None = None, *, ping_seconds: float = PING_SECONDS
    ) -> None:
        self._app_token, self._ping_seconds = app_token, ping_seconds
        self._api = WebApi(token, api)
        self._people = SlackPeople(self._api)
        self._places = SlackPlaces(self._api, self._people)
        self._reader = PostReader(self._api, self._people, self._places)
        self._events = SlackEvents(self._api, self._reader, self._people, self._places)
        self._commands = SlackCommands(self._people, self._places)

    @property
    def me(self) -> str:
        """The bot's user id in mentions; "" until known."""
        return self._reader.bot_user

    async def run(self, handle: EventHandler) -> None:
        async with self._api.session():
            await self._identify()
            taken: asyncio.Queue[Json] = asyncio.Queue()
            connections = SocketConnections(self._app_token, self._api, taken.put_nowait, self._ping_seconds)
            work = [asyncio.create_task(connections.run()), asyncio.create_task(self._take(taken, handle))]
            try:
                done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                for task in work:
                    task.cancel()
                await asyncio.gather(*work, return_exceptions=True)

    async def _identify(self) -> None:
        """Find out which workspace and bot user the token belongs to. Waits for a network."""
        pause = self._ping_seconds / 5
        while True:
            try:
                bot_user = await self._api.client.auth_test()
            except TRANSIENT as trouble:
                reason = permanent_error(trouble, "SLACK_BOT_TOKEN") if isinstance(trouble, SlackApiError) else None
                if reason is not None:
                    raise reason from None
                log.warning("slack.unreachable", error=error_name(trouble))
                await asyncio.sleep(pause)
                pause = min(60.0, 2 * pause)
            else:
                self._reader.bot_user, self._places.space = str(bot_user["user_id"]), f"slack:{bot_user['team_id']}"
                return

    async def channels(self) -> list[ChatPlace]:
        """Return the channels that the bot is in, without threads. Works before `run`."""
        if not self.me:
            await self._identify()
        try:
            return await self._places.own_channels(fresh=True)
        except SlackApiError as refused:
            raise permanent_error(refused, "SLACK_BOT_TOKEN") or refused from None

    async def _take(self, taken: asyncio.Queue[Json], handle: EventHandler) -> None:
        while True:
            envelope = await taken.get()
            try:
                await self._dispatch(envelope, handle)
            except TRANSIENT as trouble:  # the lookup failed; a gap makes the bot read it later
                log.warning("slack.lookup_failed", error=error_name(trouble))
                handle(Gap())
            except (KeyError, TypeError, ValueError, AttributeError) as shape:
                log.error("slack.event_failed", error=type(shape).__name__, kind=envelope.get("type"))

    async def _dispatch(self, envelope: Json, handle: EventHandler) -> None:
        kind = envelope.get("type")
        if kind == "hello" and envelope["gap"]:
            self._people.forget()
            self._places.forget()
            handle(Gap())
        elif kind == "slash_commands":
            handle(await self._commands.read(envelope["payload"]))
        elif kind == "events_api":
            async for event in self._events.read(envelope):
                handle(event)

    async def places(self) -> list[ChatPlace]:
        found = []
        for place in await self._places.own_channels(fresh=True):
            found.append(place)
            with suppress(Unreadable):
                async for thread in history.threads(self._api, place.channel):
                    self._places.thread(place, thread)
            found += self._places.threads(place.channel)
        return found

    def unlisted(self, space: str, channel: str) -> ChatPlace | None:
        """Return a recent thread of a channel that the bot is in."""
        parent, _, ts = channel.partition(":")
        if space != self._places.space or not ts or not self._places.is_member(parent) or not history.recent(ts):
            return None
        return self._places.thread(self._places.last(parent), ts)

    async def history(self, place: ChatPlace, after: str) -> AsyncIterator[list[Post]]:
        named = split_key(after) if after else None
        async for page in history.pages(self._api, place, named[1] if named else ""):
            post = [await self._reader.to_post(place, each) for each in page]
            yield [each for each in post if each is not None]

    async def send(self, place: ChatPlace, text: str, reply_to: str) -> None:  # noqa: ARG002
        """Post in the thread of the question, or as a new message."""
        thread = {"thread_ts": place.channel.partition(":")[2]} if place.parent else {}
        await self._post(place.parent or place.channel, text, thread)

    async def _post(self, channel: str, text: str, thread: Json) -> None:
        sent = await self._api.client.chat_postMessage(
            channel=channel,
            text=markup.written(text),
            link_names=False,
            unfurl_links=False,
            unfurl_media=False,
            **thread,
        )
        self._reader.remember_own(channel, str(sent["ts"]), text)

    async def send_private(self, place: ChatPlace, person: str, text: str) -> bool:
        channel, thread = place.parent or place.channel, place.channel.partition(":")[2]
        try:
            if place.direct:
                await self._post(channel, text, {"thread_ts": thread} if thread else {})
                return True
            await self._api.client.chat_postEphemeral(
                channel=channel, user=person, text=markup.written(text), thread_ts=thread or None
            )
        except SlackApiError as refused:
            if error_name(refused) not in _NOT_VISIBLE:
                raise
            return await self._send_direct(person, text)
        return True

    async def _send_direct(self, person: str, text: str) -> bool:
        """Send in a direct conversation."""
        try:
            opened = await self._api.client.conversations_open(users=person)
            await self._post(str(opened["channel"]["id"]), text, {})
        except SlackApiError as refused:
            log.warning("slack.private_message_failed", error=error_name(refused))
            return False
        return True

    def typing(self, place: ChatPlace) -> AbstractAsyncContextManager[None]:  # noqa: ARG002
        """Slack shows no typing of apps."""
        return nullcontext()

    async def readable(self, space: str, person: str) -> frozenset[str]:
        """Return public channels, for guests only those they are in, and private ones they are in."""
        if space != self._places.space:
            return frozenset()
        channels = await self._places.channels_of(person)
        if not (await self._people.get(person)).get("guest", True):
            channels |= {each.channel for each in await self._places.own_channels() if each.open}
        return frozenset(channels | self._places.known_threads(channels))

    def key_at(self, place: ChatPlace, at: datetime) -> str:
        return key_of(place.parent or place.channel, ts_at(at))

    def key_order(self, key: str) -> int | None:
        named = split_key(key)
        return to_micros(named[1]) if named else None
