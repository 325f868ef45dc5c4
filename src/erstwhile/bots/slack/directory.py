"""People and places: cached, and requested from Slack when unknown. Also keys and timestamps."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime

from slack_sdk.errors import SlackApiError

from erstwhile.base.recent import RecentItems
from erstwhile.bots.port import ChatPlace
from erstwhile.bots.slack.web_api import Json, SlackApi, error_name

KINDS = "public_channel,private_channel,mpim,im"
_FRESH_SECONDS = 30.0  # for the list of the bot's own channels
_GUESTS = ("is_restricted", "is_ultra_restricted", "is_stranger", "deleted")
_UNKNOWN = ("user_not_found", "user_not_visible", "users_not_found")


def to_micros(ts: str) -> int:
    """Convert a Slack timestamp, which is also a message's id, to microseconds."""
    seconds, _, rest = ts.partition(".")
    return int(seconds) * 1_000_000 + int((rest or "0").ljust(6, "0")[:6])


def to_datetime(ts: str) -> datetime:
    micros = to_micros(ts)
    return datetime.fromtimestamp(micros // 1_000_000, UTC).replace(microsecond=micros % 1_000_000)


def ts_at(at: datetime) -> str:
    return from_micros(max(0, int(at.timestamp()) * 1_000_000 + at.microsecond))


def from_micros(micros: int) -> str:
    return f"{micros // 1_000_000}.{micros % 1_000_000:06}"


def key_of(channel: str, ts: str) -> str:
    return f"slack:{channel}:{ts}"


def split_key(key: str) -> tuple[str, str] | None:
    """Return the channel and the timestamp of a key."""
    name, _, rest = key.partition(":")
    channel, _, ts = rest.partition(":")
    return (
        (channel, ts) if name == "slack" and channel and ts.replace(".", "", 1).isdigit() else None
    )


class SlackPeople:
    def __init__(self, api: SlackApi) -> None:
        self._api = api
        self._known: RecentItems[str, Json] = RecentItems()

    async def get(self, person: str) -> Json:
        if person not in self._known:
            try:
                answer = await self._api.client.users_info(user=person)
            except SlackApiError as refused:
                if error_name(refused) not in _UNKNOWN:
                    raise
                self._known.put(person, {"id": person})
            else:
                self._known.put(person, _person_fields(answer["user"]))
        return self._known[person]

    async def name(self, person: str) -> str:
        return str((await self.get(person)).get("name") or person)

    def changed(self, user: Json) -> None:
        if user.get("id") in self._known:
            self._known.put(str(user["id"]), _person_fields(user))

    def forget(self) -> None:
        """Clear the cache: after a gap, names and rights may have changed."""
        self._known.clear()


def _person_fields(user: Json) -> Json:
    """Return the fields of a Slack user that are needed here."""
    profile = user.get("profile") or {}
    names = [profile.get("display_name"), profile.get("real_name")]
    names += [user.get("real_name"), user.get("name")]
    return {
        "id": user.get("id"),
        "name": next((each for each in names if each), None),
        "bot": bool(user.get("is_bot")) or user.get("id") == "USLACKBOT",
        "guest": any(user.get(each) for each in _GUESTS),
        "admin": any(user.get(each) for each in ("is_admin", "is_owner", "is_primary_owner")),
    }


class SlackPlaces:
    """`space` is set once the bot knows its workspace."""

    def __init__(self, api: SlackApi, people: SlackPeople) -> None:
        self.space = ""
        self._api, self._people = api, people
        self._known: RecentItems[str, tuple[ChatPlace, str]] = RecentItems()  # with its creator
        self._threads: RecentItems[tuple[str, str], None] = RecentItems()
        self._listed: tuple[float, list[ChatPlace]] | None = None

    async def get(self, channel: str, thread: str = "") -> ChatPlace:
        """Return a channel, or the thread that begins with the message `thread`."""
        if channel not in self._known:
            answer = await self._api.client.conversations_info(channel=channel)
            await self._add(answer["channel"])
        place = self._known[channel][0]
        return self.thread(place, thread) if thread else place

    def last(self, channel: str) -> ChatPlace:
        """Return a channel as last seen."""
        known = self._known.get(channel)
        return known[0] if known else ChatPlace(self.space, channel, channel, open=False)

    def title(self, channel: str) -> str:
        """Return the title of a channel if cached, else its id."""
        return self.last(channel).title

    async def creator(self, channel: str) -> str:
        await self.get(channel)
        return self._known[channel][1]

    def thread(self, place: ChatPlace, ts: str) -> ChatPlace:
        self._threads.put((place.channel, ts), None)
        title = f"{place.title}, thread of {to_datetime(ts):%Y-%m-%d %H:%M}"
        channel, readers = f"{place.channel}:{ts}", (place.open, place.direct)
        return ChatPlace(place.space, channel, title, *readers, place.channel)

    def threads(self, channel: str) -> list[ChatPlace]:
        """Return the cached threads of a channel."""
        known = [ts for where, ts in self._threads if where == channel]
        return [self.thread(self.last(channel), ts) for ts in known]

    def known_threads(self, channels: Iterable[str]) -> set[str]:
        wanted = set(channels)
        return {f"{channel}:{ts}" for channel, ts in self._threads if channel in wanted}

    async def own_channels(self, *, fresh: bool = False) -> list[ChatPlace]:
        """Return all channels that the bot is in."""
        at, known = self._listed or (-_FRESH_SECONDS, [])
        if not fresh and self._listed is not None and time.monotonic() - at < _FRESH_SECONDS:
            return known
        listed = [
            await self._add(each)
            async for page in self._api.pages("users.conversations", {"types": KINDS}, "channels")
            for each in page
        ]
        self._listed = time.monotonic(), listed
        return listed

    def is_member(self, channel: str) -> bool:
        """Return whether the bot was in the channel at the last listing."""
        return self._listed is not None and any(each.channel == channel for each in self._listed[1])

    async def channels_of(self, person: str) -> set[str]:
        """Return the channels that a person is in, as far as the bot may know."""
        arguments = {"types": KINDS, "user": person}
        pages = self._api.pages("users.conversations", arguments, "channels")
        return {str(each["id"]) async for page in pages for each in page}

    def forget(self, channel: str = "") -> None:
        self._listed = None
        if channel:
            self._known.pop(channel, None)
        else:
            self._known.clear()

    async def _add(self, found: Json) -> ChatPlace:
        channel, direct = str(found["id"]), bool(found.get("is_im"))
        title = str(found.get("name") or channel)
        if direct:
            title = await self._people.name(str(found.get("user")))
        public = not direct and not found.get("is_private") and not found.get("is_mpim")
        place = ChatPlace(self.space, channel, title, public, direct=direct)
        self._known.put(channel, (place, str(found.get("creator") or "")))
        return place
