"""The adapter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from datetime import datetime

from slack_sdk.errors import SlackApiError

from erstwhile.base.logs import Log
from erstwhile.bots.port import Hear, Missed, Place, Platform, Said, Unreadable
from erstwhile.bots.slack import history
from erstwhile.bots.slack.calls import TROUBLE, Calls, Json, error_name, hopeless
from erstwhile.bots.slack.commands import Commands
from erstwhile.bots.slack.hearing import Hearing, Reader
from erstwhile.bots.slack.known import People, Places, key_of, moment, parts, ts_at
from erstwhile.bots.slack.line import Lines
from erstwhile.text import slack as markup

log = Log(__name__)
BEAT = 5.0  # seconds between two pings; a line that was silent for four of them is given up
_UNSHOWN = ("user_not_in_channel", "not_in_channel", "channel_not_found", "is_archived")


class SlackPlatform(Platform):
    """`api`: another address than https://slack.com/api/, for tests and proxies. That of the socket is Slack's answer to the first call."""

    name = "slack"
    longest = 4000  # Slack advises no more, and cuts at 40,000

    def __init__(self, token: str, app_token: str, api: str | None = None, *, beat: float = BEAT) -> None:
        self._app_token, self._beat = app_token, beat
        self._calls = Calls(token, api)
        self._people = People(self._calls)
        self._places = Places(self._calls, self._people)
        self._reader = Reader(self._calls, self._people, self._places)
        self._hearing = Hearing(self._calls, self._reader, self._people, self._places)
        self._commands = Commands(self._people, self._places)

    @property
    def me(self) -> str:
        """Our own id, by which we are mentioned; "" until it is known."""
        return self._reader.us

    async def run(self, hear: Hear) -> None:
        async with self._calls.session():
            await self._introduce()
            taken: asyncio.Queue[Json] = asyncio.Queue()
            lines = Lines(self._app_token, self._calls, taken.put_nowait, self._beat)
            work = [asyncio.create_task(lines.run()), asyncio.create_task(self._take(taken, hear))]
            try:
                done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                for task in work:
                    task.cancel()
                await asyncio.gather(*work, return_exceptions=True)

    async def _introduce(self) -> None:
        """Whose bot this is. Without a network it waits for one; with a wrong token it says so."""
        pause = self._beat / 5
        while True:
            try:
                us = await self._calls.client.auth_test()
            except TROUBLE as trouble:
                reason = hopeless(trouble, "SLACK_BOT_TOKEN") if isinstance(trouble, SlackApiError) else None
                if reason is not None:
                    raise reason from None
                log.warning("slack.not_reached", error=error_name(trouble))
                await asyncio.sleep(pause)
                pause = min(60.0, 2 * pause)
            else:
                self._reader.us, self._places.space = str(us["user_id"]), f"slack:{us['team_id']}"
                return

    async def channels(self) -> list[Place]:
        """Those that the bot is in, without their threads; also before it runs."""
        if not self.me:
            await self._introduce()
        try:
            return await self._places.ours(fresh=True)
        except SlackApiError as refused:
            raise hopeless(refused, "SLACK_BOT_TOKEN") or refused from None

    async def _take(self, taken: asyncio.Queue[Json], hear: Hear) -> None:
        while True:
            envelope = await taken.get()
            try:
                await self._hand_on(envelope, hear)
            except TROUBLE as trouble:  # what it was about could not be looked up; it will be when Slack answers again
                log.warning("slack.not_looked_up", error=error_name(trouble))
                hear(Missed())
            except (KeyError, TypeError, ValueError, AttributeError) as shape:
                log.error("slack.event_not_understood", error=type(shape).__name__, kind=envelope.get("type"))

    async def _hand_on(self, envelope: Json, hear: Hear) -> None:
        kind = envelope.get("type")
        if kind == "hello" and envelope["gap"]:
            self._people.forget()
            self._places.forget()
            hear(Missed())
        elif kind == "slash_commands":
            hear(await self._commands.asked(envelope["payload"]))
        elif kind == "events_api":
            async for event in self._hearing.events(envelope):
                hear(event)

    async def places(self) -> list[Place]:
        found = []
        for place in await self._places.ours(fresh=True):
            found.append(place)
            with suppress(Unreadable):
                async for thread in history.threads(self._calls, place.channel):
                    self._places.thread(place, thread)
            found += self._places.threads(place.channel)
        return found

    def unlisted(self, space: str, channel: str) -> Place | None:
        """A thread of a channel that we are in, and not too old to have been looked for."""
        parent, _, ts = channel.partition(":")
        if space != self._places.space or not ts or not self._places.in_it(parent) or not history.recent(ts):
            return None
        return self._places.thread(self._places.last(parent), ts)

    async def history(self, place: Place, after: str) -> AsyncIterator[list[Said]]:
        named = parts(after) if after else None
        async for page in history.pages(self._calls, place, named[1] if named else ""):
            said = [await self._reader.said(place, each) for each in page]
            yield [each for each in said if each is not None]

    async def say(self, place: Place, text: str, reply_to: str) -> None:  # noqa: ARG002
        """Where it was asked: in the thread, or as a message of its own."""
        thread = {"thread_ts": place.channel.partition(":")[2]} if place.parent else {}
        await self._post(place.parent or place.channel, text, thread)

    async def _post(self, channel: str, text: str, thread: Json) -> None:
        sent = await self._calls.client.chat_postMessage(
            channel=channel,
            text=markup.written(text),
            link_names=False,
            unfurl_links=False,
            unfurl_media=False,
            **thread,
        )
        self._reader.said_by_us(channel, str(sent["ts"]), text)

    async def whisper(self, place: Place, person: str, text: str) -> bool:
        channel, thread = place.parent or place.channel, place.channel.partition(":")[2]
        try:
            if place.direct:
                await self._post(channel, text, {"thread_ts": thread} if thread else {})
                return True
            await self._calls.client.chat_postEphemeral(
                channel=channel, user=person, text=markup.written(text), thread_ts=thread or None
            )
        except SlackApiError as refused:
            if error_name(refused) not in _UNSHOWN:
                raise
            return await self._tell_alone(person, text)
        return True

    async def _tell_alone(self, person: str, text: str) -> bool:
        """In a direct conversation, where the place has no way."""
        try:
            opened = await self._calls.client.conversations_open(users=person)
            await self._post(str(opened["channel"]["id"]), text, {})
        except SlackApiError as refused:
            log.warning("slack.not_whispered", error=error_name(refused))
            return False
        return True

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:  # noqa: ARG002
        """Slack shows no such thing of apps."""
        return nullcontext()

    async def readable(self, space: str, person: str) -> frozenset[str]:
        """Public channels are everyone's but guests', who see those that they are in."""
        if space != self._places.space:
            return frozenset()
        channels = await self._places.of(person)
        if not (await self._people.get(person)).get("guest", True):
            channels |= {each.channel for each in await self._places.ours() if each.open}
        return frozenset(channels | self._places.known_threads(channels))

    def key_at(self, place: Place, at: datetime) -> str:
        """The key of a message that was said there at this moment."""
        return key_of(place.parent or place.channel, ts_at(at))

    def place_in_time(self, key: str) -> int | None:
        named = parts(key)
        return moment(named[1]) if named else None
