"""Current messages of a channel or thread, oldest first. Slack lists a channel from its end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from slack_sdk.errors import SlackApiError

from erstwhile.bots.port import ChatPlace, Unreadable
from erstwhile.bots.slack.directory import to_micros
from erstwhile.bots.slack.web_api import Json, WebApi, error_name

# Pages kept on the way back; later ones are read twice. So 4,000 messages take one walk, and a
# channel of any length no more memory than that.
PAGES_HELD = 20
LOOK_BACK = 90 * 86_400  # seconds; older threads catch up when someone writes in them again
_UNREADABLE = ("not_in_channel", "channel_not_found", "is_archived", "missing_scope", "access_denied", "no_permission")


@contextmanager
def readable() -> Iterator[None]:
    try:
        yield
    except SlackApiError as refused:
        if error_name(refused) in _UNREADABLE:
            raise Unreadable(error_name(refused)) from None
        raise


async def pages(api: WebApi, place: ChatPlace, after: str) -> AsyncIterator[list[Json]]:
    """Yield pages after a timestamp, or from the beginning for ""."""
    with readable():
        walk = _thread(api, place, after) if place.parent else _channel(api, place.channel, after)
        async for page in walk:
            yield page


async def _channel(api: WebApi, channel: str, after: str) -> AsyncIterator[list[Json]]:
    """Walk backwards through windows, oldest first. What does not fit belongs to the next window."""
    end = f"{int(time.time()) + 86_400}.000000"
    bounds: list[str] = [end]  # ends of windows, newest first
    oldest = {"oldest": after} if after else {}
    while bounds:
        held: deque[list[Json]] = deque(maxlen=PAGES_HELD)
        arguments = {"channel": channel, "latest": bounds.pop(), **oldest}
        async for page in api.pages("conversations.history", arguments, "messages"):
            if len(held) == PAGES_HELD and held[0]:
                bounds.append(_next(held[0][0]["ts"]))
            if page:
                held.append(page)
        for page in reversed(held):
            yield [each for each in reversed(page) if _is_top_level(each)]
        if held:
            oldest = {"oldest": held[0][0]["ts"]}


def _next(ts: str) -> str:
    """Return the next timestamp: `latest` excludes the message it names."""
    micros = to_micros(ts) + 1
    return f"{micros // 1_000_000}.{micros % 1_000_000:06}"


def _is_top_level(message: Json) -> bool:
    """Whether a message belongs to the channel. A reply that was also sent to the channel belongs
    to its thread."""
    return bool((message.get("thread_ts") or message["ts"]) == message["ts"])


async def _thread(api: WebApi, place: ChatPlace, after: str) -> AsyncIterator[list[Json]]:
    _, _, thread = place.channel.partition(":")
    arguments = {"channel": place.parent, "ts": thread, **({"oldest": after} if after else {})}
    since = to_micros(after) if after else 0
    try:
        async for page in api.pages("conversations.replies", arguments, "messages"):
            yield [each for each in page if each["ts"] != thread and to_micros(each["ts"]) > since]
    except SlackApiError as refused:
        if error_name(refused) != "thread_not_found":  # the thread has no messages left
            raise


def recent(ts: str) -> bool:
    return ts.replace(".", "", 1).isdigit() and to_micros(ts) > (time.time() - LOOK_BACK) * 1_000_000


async def threads(api: WebApi, channel: str) -> AsyncIterator[str]:
    """Yield the threads whose first message is recent enough."""
    arguments = {"channel": channel, "oldest": f"{int(time.time()) - LOOK_BACK}.000000"}
    with readable():
        async for page in api.pages("conversations.history", arguments, "messages"):
            for each in page:
                if each.get("reply_count") and _is_top_level(each):
                    yield str(each["ts"])
