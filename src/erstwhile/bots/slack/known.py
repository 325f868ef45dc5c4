"""People and places, as far as they were met; what is not known is asked for."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TypeVar

from slack_sdk.errors import SlackApiError

from erstwhile.bots.port import Place
from erstwhile.bots.slack.calls import Calls, Json, error_name

K = TypeVar("K")
V = TypeVar("V")
KINDS = "public_channel,private_channel,mpim,im"
_KEPT = 10_000
_FRESH = 30.0  # seconds for which the list of the bot's own channels is good
_UNKNOWN = ("user_not_found", "user_not_visible", "users_not_found")


class Lately(OrderedDict[K, V]):
    """The last few thousand."""

    def put(self, key: K, value: V) -> None:
        self[key] = value
        self.move_to_end(key)
        while len(self) > _KEPT:
            self.popitem(last=False)


def moment(ts: str) -> int:
    """Slack's time of a message, which is also its name: seconds and six digits, here in microseconds."""
    seconds, _, rest = ts.partition(".")
    return int(seconds) * 1_000_000 + int((rest or "0").ljust(6, "0")[:6])


def when(ts: str) -> datetime:
    micros = moment(ts)
    return datetime.fromtimestamp(micros // 1_000_000, UTC).replace(microsecond=micros % 1_000_000)


def ts_at(at: datetime) -> str:
    micros = max(0, int(at.timestamp()) * 1_000_000 + at.microsecond)
    return f"{micros // 1_000_000}.{micros % 1_000_000:06}"


def key_of(channel: str, ts: str) -> str:
    return f"slack:{channel}:{ts}"


def parts(key: str) -> tuple[str, str] | None:
    """The channel and the ts of a message."""
    name, _, rest = key.partition(":")
    channel, _, ts = rest.partition(":")
    return (channel, ts) if name == "slack" and channel and ts.replace(".", "", 1).isdigit() else None


class People:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._known: Lately[str, Json] = Lately()

    async def get(self, person: str) -> Json:
        if person not in self._known:
            try:
                answer = await self._calls.client.users_info(user=person)
            except SlackApiError as refused:
                if error_name(refused) not in _UNKNOWN:
                    raise
                self._known.put(person, {"id": person})
            else:
                self._known.put(person, _kept(answer["user"]))
        return self._known[person]

    async def name(self, person: str) -> str:
        return str((await self.get(person)).get("name") or person)

    def changed(self, user: Json) -> None:
        if user.get("id") in self._known:
            self._known.put(str(user["id"]), _kept(user))

    def forget(self) -> None:
        """After a gap: who changed their name or their rights meanwhile was not told."""
        self._known.clear()


def _kept(user: Json) -> Json:
    """Of all that Slack says about someone, what we use."""
    profile = user.get("profile") or {}
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    return {
        "id": user.get("id"),
        "name": next((each for each in names if each), None),
        "bot": bool(user.get("is_bot")) or user.get("id") == "USLACKBOT",
        "guest": any(user.get(each) for each in ("is_restricted", "is_ultra_restricted", "is_stranger", "deleted")),
        "admin": any(user.get(each) for each in ("is_admin", "is_owner", "is_primary_owner")),
    }


class Places:
    """`space` is set as soon as it is known whose bot this is."""

    def __init__(self, calls: Calls, people: People) -> None:
        self.space = ""
        self._calls, self._people = calls, people
        self._known: Lately[str, tuple[Place, str]] = Lately()  # with who made it
        self._threads: Lately[tuple[str, str], None] = Lately()
        self._listed: tuple[float, list[Place]] | None = None

    async def get(self, channel: str, thread: str = "") -> Place:
        """`thread`: the ts of the message that the thread is about."""
        if channel not in self._known:
            answer = await self._calls.client.conversations_info(channel=channel)
            await self._put(answer["channel"])
        place = self._known[channel][0]
        return self.thread(place, thread) if thread else place

    def last(self, channel: str) -> Place:
        """As it was when it could still be looked at."""
        return self._known[channel][0] if channel in self._known else Place(self.space, channel, channel, open=False)

    def title(self, channel: str) -> str:
        """What people call it, where it was met; nobody is asked."""
        return self._known[channel][0].title if channel in self._known else channel

    async def creator(self, channel: str) -> str:
        await self.get(channel)
        return self._known[channel][1]

    def thread(self, place: Place, ts: str) -> Place:
        self._threads.put((place.channel, ts), None)
        title = f"{place.title}, thread of {when(ts):%Y-%m-%d %H:%M}"
        return Place(place.space, f"{place.channel}:{ts}", title, place.open, place.direct, place.channel)

    def threads(self, channel: str) -> list[Place]:
        """Those of a channel that were met."""
        return [self.thread(self.last(channel), ts) for where, ts in list(self._threads) if where == channel]

    def known_threads(self, channels: Iterable[str]) -> set[str]:
        wanted = set(channels)
        return {f"{channel}:{ts}" for channel, ts in self._threads if channel in wanted}

    async def ours(self, *, fresh: bool = False) -> list[Place]:
        """All channels that the bot is in."""
        if not fresh and self._listed is not None and time.monotonic() - self._listed[0] < _FRESH:
            return self._listed[1]
        listed = [
            await self._put(each)
            async for page in self._calls.pages("users.conversations", {"types": KINDS}, "channels")
            for each in page
        ]
        self._listed = time.monotonic(), listed
        return listed

    def in_it(self, channel: str) -> bool:
        """Whether the bot was in the channel when it last looked."""
        return self._listed is not None and any(each.channel == channel for each in self._listed[1])

    async def of(self, person: str) -> set[str]:
        """The channels that someone is in, of those that the bot may know."""
        asked = {"types": KINDS, "user": person}
        pages = self._calls.pages("users.conversations", asked, "channels")
        return {str(each["id"]) async for page in pages for each in page}

    def forget(self, channel: str = "") -> None:
        self._listed = None
        if channel:
            self._known.pop(channel, None)
        else:
            self._known.clear()

    async def _put(self, found: Json) -> Place:
        channel, direct = str(found["id"]), bool(found.get("is_im"))
        title = await self._people.name(str(found.get("user"))) if direct else str(found.get("name") or channel)
        public = not direct and not found.get("is_private") and not found.get("is_mpim")
        place = Place(self.space, channel, title, public, direct=direct)
        self._known.put(channel, (place, str(found.get("creator") or "")))
        return place
