"""What stands in a channel or thread now, oldest first. Slack gives the history of a channel from its end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from slack_sdk.errors import SlackApiError

from erstwhile.bots.port import Place, Unreadable
from erstwhile.bots.slack.calls import Calls, Json, error_name
from erstwhile.bots.slack.known import moment

# The first walk to the beginning keeps this many pages; those after them are read a second time. A catching up of 4,000 messages takes one
# walk, and a channel of any length no more memory than that.
HELD = 20
LOOK_BACK = (
    90 * 86_400
)  # seconds: threads whose first message is older are caught up with when someone writes in them again
_UNREADABLE = ("not_in_channel", "channel_not_found", "is_archived", "missing_scope", "access_denied", "no_permission")


@contextmanager
def readable() -> Iterator[None]:
    try:
        yield
    except SlackApiError as refused:
        if error_name(refused) in _UNREADABLE:
            raise Unreadable(error_name(refused)) from None
        raise


async def pages(calls: Calls, place: Place, after: str) -> AsyncIterator[list[Json]]:
    """`after` is a ts, or "" for the beginning."""
    with readable():
        walk = _thread(calls, place, after) if place.parent else _channel(calls, place.channel, after)
        async for page in walk:
            yield page


async def _channel(calls: Calls, channel: str, after: str) -> AsyncIterator[list[Json]]:
    """Windows from the oldest to the newest: each is walked once backwards; what doesn't fit is the next window's."""
    end = f"{int(time.time()) + 86_400}.000000"
    bounds: list[str] = [end]  # where windows end, the newest first
    oldest = {"oldest": after} if after else {}
    while bounds:
        held: deque[list[Json]] = deque(maxlen=HELD)
        asked = {"channel": channel, "latest": bounds.pop(), **oldest}
        async for page in calls.pages("conversations.history", asked, "messages"):
            if len(held) == HELD and held[0]:
                bounds.append(_next(held[0][0]["ts"]))
            if page:
                held.append(page)
        for page in reversed(held):
            yield [each for each in reversed(page) if _stands_here(each)]
        if held:
            oldest = {"oldest": held[0][0]["ts"]}


def _next(ts: str) -> str:
    """The moment after it: `latest` leaves out the message that it names."""
    micros = moment(ts) + 1
    return f"{micros // 1_000_000}.{micros % 1_000_000:06}"


def _stands_here(message: Json) -> bool:
    """A reply that was sent to the channel as well is the thread's."""
    return bool((message.get("thread_ts") or message["ts"]) == message["ts"])


async def _thread(calls: Calls, place: Place, after: str) -> AsyncIterator[list[Json]]:
    _, _, thread = place.channel.partition(":")
    asked = {"channel": place.parent, "ts": thread, **({"oldest": after} if after else {})}
    since = moment(after) if after else 0
    try:
        async for page in calls.pages("conversations.replies", asked, "messages"):
            yield [each for each in page if each["ts"] != thread and moment(each["ts"]) > since]
    except SlackApiError as refused:
        if error_name(refused) != "thread_not_found":  # nothing stands there any longer
            raise


def recent(ts: str) -> bool:
    return ts.replace(".", "", 1).isdigit() and moment(ts) > (time.time() - LOOK_BACK) * 1_000_000


async def threads(calls: Calls, channel: str) -> AsyncIterator[str]:
    """The threads that may have been written in lately: those whose first message is not too old."""
    asked = {"channel": channel, "oldest": f"{int(time.time()) - LOOK_BACK}.000000"}
    with readable():
        async for page in calls.pages("conversations.history", asked, "messages"):
            for each in page:
                if each.get("reply_count") and _stands_here(each):
                    yield str(each["ts"])
