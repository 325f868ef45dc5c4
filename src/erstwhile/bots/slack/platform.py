"""The Slack adapter."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from datetime import datetime

from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from erstwhile.base.logs import Log
from erstwhile.bots import port
from erstwhile.bots.slack import events
from erstwhile.bots.slack.web_api import (
    TRANSIENT,
    Json,
    RetryHandler,
    SlackApi,
    SocketConnections,
    error_name,
    library,
    permanent_error,
    retry,
)
from erstwhile.text import slack as markup

log = Log(__name__)
PING_SECONDS = 5.0  # a connection that is silent for four pings is closed
_PLAIN: Json = {"unfurl_links": False, "unfurl_media": False}
_NOT_VISIBLE = ("user_not_in_channel", "not_in_channel", "channel_not_found", "is_archived")


class SlackPlatform(port.Platform):
    """`api` replaces https://slack.com/api/ for tests and proxies. Slack's reply to the first call
    names the socket's address."""

    name = "slack"
    max_length = 4000  # Slack advises no more, and cuts at 40,000

    def __init__(
        self,
        token: str,
        app_token: str,
        api: str | None = None,
        *,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self._app_token, self._ping_seconds = app_token, ping_seconds
        self._api = SlackApi(token, api)
        self._people = events.SlackPeople(self._api)
        self._places = events.SlackPlaces(self._api, self._people)
        self._reader = events.PostReader(self._api, self._people, self._places)
        self._events = events.SlackEvents(self._api, self._reader, self._people, self._places)

    @property
    def me(self) -> str:
        return self._reader.bot_user

    async def run(self, handle: port.EventHandler) -> None:
        async with self._api.session():
            await self._identify()
            taken: asyncio.Queue[Json] = asyncio.Queue()
            take = taken.put_nowait
            connections = SocketConnections(self._app_token, self._api, take, self._ping_seconds)
            running = connections.run(), self._take(taken, handle)
            work = [asyncio.create_task(each) for each in running]
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
        ask, pause = self._api.client.auth_test, self._ping_seconds / 5
        us = await retry(ask, "SLACK_BOT_TOKEN", "slack.unreachable", pause)
        self._reader.bot_user = str(us["user_id"])
        self._places.space = f"slack:{us['team_id']}"

    async def channels(self) -> list[port.ChatPlace]:
        """Return the channels that the bot is in, without threads. Works before `run`."""
        if not self.me:
            await self._identify()
        try:
            return await self._places.own_channels(fresh=True)
        except SlackApiError as refused:
            raise permanent_error(refused, "SLACK_BOT_TOKEN") or refused from None

    async def _take(self, taken: asyncio.Queue[Json], handle: port.EventHandler) -> None:
        while True:
            envelope = await taken.get()
            try:
                await self._dispatch(envelope, handle)
            except TRANSIENT as trouble:  # the lookup failed; a gap makes the bot read it later
                log.warning("slack.lookup_failed", error=error_name(trouble))
                handle(port.Gap())
            except (KeyError, TypeError, ValueError, AttributeError) as shape:
                kind = envelope.get("type")
                log.error("slack.event_failed", error=type(shape).__name__, kind=kind)

    async def _dispatch(self, envelope: Json, handle: port.EventHandler) -> None:
        kind = envelope.get("type")
        if kind == "hello" and envelope["gap"]:
            self._people.forget()
            self._places.forget()
            handle(port.Gap())
        elif kind == "slash_commands":
            handle(await self._read_command(envelope["payload"]))
        elif kind == "events_api":
            async for event in self._events.read(envelope):
                handle(event)

    async def places(self) -> list[port.ChatPlace]:
        found = []
        for place in await self._places.own_channels(fresh=True):
            found.append(place)
            with suppress(port.UnreadablePlace):
                async for thread in threads(self._api, place.channel):
                    self._places.thread(place, thread)
            found += self._places.threads(place.channel)
        return found

    def unlisted(self, space: str, channel: str) -> port.ChatPlace | None:
        """Return a recent thread of a channel that the bot is in."""
        parent, _, ts = channel.partition(":")
        ours = space == self._places.space and self._places.is_member(parent)
        if not ours or not ts or not recent(ts):
            return None
        return self._places.thread(self._places.last(parent), ts)

    async def history(self, place: port.ChatPlace, after: str) -> AsyncIterator[list[port.Post]]:
        named = events.split_key(after) if after else None
        async for page in pages(self._api, place, named[1] if named else ""):
            post = [await self._reader.to_post(place, each) for each in page]
            yield [each for each in post if each is not None]

    async def send(self, place: port.ChatPlace, text: str, reply_to: str) -> None:  # noqa: ARG002
        """Post in the thread of the question, or as a new message."""
        thread = {"thread_ts": place.channel.partition(":")[2]} if place.parent else {}
        await self._post(place.parent or place.channel, text, thread)

    async def _post(self, channel: str, text: str, thread: Json) -> None:
        said = {"text": markup.written(text), "link_names": False, **_PLAIN, **thread}
        sent = await self._api.client.chat_postMessage(channel=channel, **said)
        self._reader.remember_own(channel, str(sent["ts"]), text)

    async def send_private(self, place: port.ChatPlace, person: str, text: str) -> bool:
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
        try:
            opened = await self._api.client.conversations_open(users=person)
            await self._post(str(opened["channel"]["id"]), text, {})
        except SlackApiError as refused:
            log.warning("slack.private_message_failed", error=error_name(refused))
            return False
        return True

    def typing(self, place: port.ChatPlace) -> AbstractAsyncContextManager[None]:  # noqa: ARG002
        """Slack shows no typing of apps."""
        return nullcontext()

    async def readable(self, space: str, person: str) -> frozenset[str]:
        """Return public channels, for guests only their own, and their private ones."""
        if space != self._places.space:
            return frozenset()
        channels = await self._places.channels_of(person)
        if not (await self._people.get(person)).get("guest", True):
            channels |= {each.channel for each in await self._places.own_channels() if each.open}
        return frozenset(channels | self._places.known_threads(channels))

    def key_at(self, place: port.ChatPlace, at: datetime) -> str:
        return events.key_of(place.parent or place.channel, events.ts_at(at))

    def key_order(self, key: str) -> int | None:
        named = events.split_key(key)
        return events.to_micros(named[1]) if named else None

    async def _read_command(self, payload: Json) -> port.SlashCommand:
        person, channel = str(payload["user_id"]), str(payload["channel_id"])
        said = str(payload.get("command") or ""), str(payload.get("text") or "")
        verb, words = parse_command(*said)
        named = markup.mentioned(words) if verb == "about" else []
        whom = named[0] if named else None
        words = markup.without_mentions(words) if named else markup.plain(words)
        place = await self._command_place(channel, str(payload.get("channel_name") or channel))
        who = person, await self._people.name(person)
        manages = await self._manages(place, person)
        answer = _reply_to(str(payload.get("response_url") or ""))
        return port.SlashCommand(place, *who, verb, words, whom, manages, answer)

    async def _command_place(self, channel: str, name: str) -> port.ChatPlace:
        """Return the place of a command. Commands can be given where the bot cannot read."""
        try:
            return await self._places.get(channel)
        except SlackApiError as refused:
            if error_name(refused) not in ("channel_not_found", "missing_scope"):
                raise
        direct = channel.startswith("D")
        return port.ChatPlace(self._places.space, channel, name, open=False, direct=direct)

    async def _manages(self, place: port.ChatPlace, person: str) -> bool:
        known = await self._people.get(person)
        if place.direct or known.get("admin"):
            return True
        try:
            return await self._places.creator(place.channel) == person
        except SlackApiError:
            return False


def parse_command(command: str, text: str) -> tuple[str, str]:
    """Return the verb and the words after it: `/erstwhile about @ann` is `/about @ann`. Without a
    verb it is `memory` (`/erstwhile explain`)."""
    name = command.lstrip("/").lower()
    if name in port.VERBS:
        return name, text.strip()
    first, _, rest = text.strip().partition(" ")
    verb = first.lower()
    return (verb, rest.strip()) if verb in port.VERBS else ("memory", text.strip())


def _reply_to(address: str) -> Callable[[str], Awaitable[None]]:
    """Return a function that replies to the asker alone, five times within half an hour."""

    async def answer(text: str) -> None:
        client = AsyncWebhookClient(address, logger=library, retry_handlers=[RetryHandler()])
        said: Json = {"text": markup.written(text), "response_type": "ephemeral"}
        sent = await client.send(**said, **_PLAIN)
        if sent.status_code != 200:
            log.warning("slack.reply_failed", status=sent.status_code)

    return answer


# Pages kept on the way back; later ones are read twice. So 4,000 messages take one walk, and a
# channel of any length no more memory than that.
PAGES_HELD = 20
LOOK_BACK = 90 * 86_400  # seconds; older threads catch up when someone writes in them again
_UNREADABLE = (
    *("not_in_channel", "channel_not_found", "is_archived"),
    *("missing_scope", "access_denied", "no_permission"),
)


@contextmanager
def readable() -> Iterator[None]:
    try:
        yield
    except SlackApiError as refused:
        if error_name(refused) in _UNREADABLE:
            raise port.UnreadablePlace(error_name(refused)) from None
        raise


async def pages(api: SlackApi, place: port.ChatPlace, after: str) -> AsyncIterator[list[Json]]:
    with readable():
        walk = _thread(api, place, after) if place.parent else _channel(api, place.channel, after)
        async for page in walk:
            yield page


async def _channel(api: SlackApi, channel: str, after: str) -> AsyncIterator[list[Json]]:
    """Walk backwards through windows, each oldest first."""
    end = f"{int(time.time()) + 86_400}.000000"
    bounds: list[str] = [end]  # ends of windows, newest first
    oldest = {"oldest": after} if after else {}
    while bounds:
        held: deque[list[Json]] = deque(maxlen=PAGES_HELD)
        arguments = {"channel": channel, "latest": bounds.pop(), **oldest}
        async for page in api.pages("conversations.history", arguments, "messages"):
            if len(held) == PAGES_HELD and held[0]:
                bounds.append(
                    events.from_micros(events.to_micros(held[0][0]["ts"]) + 1)
                )  # `latest` excludes what it names
            if page:
                held.append(page)
        for page in reversed(held):
            yield [each for each in reversed(page) if _is_top_level(each)]
        if held:
            oldest = {"oldest": held[0][0]["ts"]}


def _is_top_level(message: Json) -> bool:
    return bool((message.get("thread_ts") or message["ts"]) == message["ts"])


async def _thread(api: SlackApi, place: port.ChatPlace, after: str) -> AsyncIterator[list[Json]]:
    _, _, thread = place.channel.partition(":")
    arguments = {"channel": place.parent, "ts": thread, **({"oldest": after} if after else {})}
    since = events.to_micros(after) if after else 0
    try:
        async for page in api.pages("conversations.replies", arguments, "messages"):
            since_then = [each for each in page if events.to_micros(each["ts"]) > since]
            yield [each for each in since_then if each["ts"] != thread]
    except SlackApiError as refused:
        if error_name(refused) != "thread_not_found":  # the thread has no messages left
            raise


def recent(ts: str) -> bool:
    oldest = (time.time() - LOOK_BACK) * 1_000_000
    return ts.replace(".", "", 1).isdigit() and events.to_micros(ts) > oldest


async def threads(api: SlackApi, channel: str) -> AsyncIterator[str]:
    """Yield the threads whose first message is recent enough."""
    arguments = {"channel": channel, "oldest": f"{int(time.time()) - LOOK_BACK}.000000"}
    with readable():
        async for page in api.pages("conversations.history", arguments, "messages"):
            for each in page:
                if each.get("reply_count") and _is_top_level(each):
                    yield str(each["ts"])
