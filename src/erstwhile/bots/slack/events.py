"""People and places, and what Slack sends as events. Each is reported once; the latest change of a
message wins, in whatever order changes arrive."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime

from slack_sdk.errors import SlackApiError

from erstwhile.base.recent import RecentItems
from erstwhile.bots import port
from erstwhile.bots.slack.web_api import Json, SlackApi, error_name
from erstwhile.text import slack as markup

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
    name, _, rest = key.partition(":")
    channel, _, ts = rest.partition(":")
    ours = name == "slack" and channel and ts.replace(".", "", 1).isdigit()
    return (channel, ts) if ours else None


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
        self._known: RecentItems[str, tuple[port.ChatPlace, str]] = (
            RecentItems()
        )  # with its creator
        self._threads: RecentItems[tuple[str, str], None] = RecentItems()
        self._listed: tuple[float, list[port.ChatPlace]] | None = None

    async def get(self, channel: str, thread: str = "") -> port.ChatPlace:
        """Return a channel, or the thread that begins with the message `thread`."""
        if channel not in self._known:
            answer = await self._api.client.conversations_info(channel=channel)
            await self._add(answer["channel"])
        place = self._known[channel][0]
        return self.thread(place, thread) if thread else place

    def last(self, channel: str) -> port.ChatPlace:
        known = self._known.get(channel)
        return known[0] if known else port.ChatPlace(self.space, channel, channel, open=False)

    def title(self, channel: str) -> str:
        return self.last(channel).title

    async def creator(self, channel: str) -> str:
        await self.get(channel)
        return self._known[channel][1]

    def thread(self, place: port.ChatPlace, ts: str) -> port.ChatPlace:
        self._threads.put((place.channel, ts), None)
        title = f"{place.title}, thread of {to_datetime(ts):%Y-%m-%d %H:%M}"
        channel, readers = f"{place.channel}:{ts}", (place.open, place.direct)
        return port.ChatPlace(place.space, channel, title, *readers, place.channel)

    def threads(self, channel: str) -> list[port.ChatPlace]:
        known = [ts for where, ts in self._threads if where == channel]
        return [self.thread(self.last(channel), ts) for ts in known]

    def known_threads(self, channels: Iterable[str]) -> set[str]:
        wanted = set(channels)
        return {f"{channel}:{ts}" for channel, ts in self._threads if channel in wanted}

    async def own_channels(self, *, fresh: bool = False) -> list[port.ChatPlace]:
        at, known = self._listed or (-_FRESH_SECONDS, [])
        if not fresh and self._listed is not None and time.monotonic() - at < _FRESH_SECONDS:
            return known
        pages = self._api.pages("users.conversations", {"types": KINDS}, "channels")
        listed = [await self._add(each) async for page in pages for each in page]
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

    async def _add(self, found: Json) -> port.ChatPlace:
        channel, direct = str(found["id"]), bool(found.get("is_im"))
        title = str(found.get("name") or channel)
        if direct:
            title = await self._people.name(str(found.get("user")))
        public = not direct and not found.get("is_private") and not found.get("is_mpim")
        place = port.ChatPlace(self.space, channel, title, public, direct=direct)
        self._known.put(channel, (place, str(found.get("creator") or "")))
        return place


_NOT_POSTS = frozenset({"tombstone", "message_replied", "ekm_access_denied"})
_CONVERTED = frozenset({"channel_convert_to_private", "channel_convert_to_public"})
_RENAMED = ("channel_rename", "group_rename", "channel_unarchive", "group_unarchive")
_CHANGED = frozenset((*_RENAMED, "channel_shared", "channel_unshared"))
_DELETED = frozenset({"channel_deleted", "group_deleted"})
_LEFT = frozenset({"channel_left", "group_left"})


class PostReader:
    """Translates a Slack message, live or from history, into a post."""

    def __init__(self, api: SlackApi, people: SlackPeople, places: SlackPlaces) -> None:
        self.bot_user = ""
        self._api, self._people, self._places = api, people, places
        self._ours: RecentItems[str, str] = RecentItems()  # the bot's own texts by key

    def remember_own(self, channel: str, ts: str, text: str) -> None:
        self._ours.put(key_of(channel, ts), text)

    async def to_post(self, place: port.ChatPlace, message: Json) -> port.Post | None:
        """Return None for a message without text."""
        text, subtype = markup.words(message, self._places.title), str(message.get("subtype") or "")
        if not text or subtype in _NOT_POSTS:
            return None
        channel = place.parent or place.channel
        ts = str(message["ts"])
        person = str(message.get("user") or "")
        known = await self._people.get(person) if person else {}
        by_bot = bool(known.get("bot") or message.get("bot_id"))
        bot = not person or by_bot or subtype not in markup.SAID
        names = known.get("name"), message.get("username"), person, message.get("bot_id"), "bot"
        who = person or "bot", str(next(filter(None, names)))
        answers = "" if bot else await self._own_message(channel, message)
        named = self.bot_user in markup.mentioned(str(message.get("text") or ""))
        addressed = (place.direct or bool(answers) or named) and not bot
        key, at = key_of(channel, ts), to_datetime(ts)
        return port.Post(place, key, *who, text, at, bot, addressed, answers)

    async def _own_message(self, channel: str, message: Json) -> str:
        """Return the bot's own text if the thread began with it."""
        thread = str(message.get("thread_ts") or "")
        if not thread or thread == message["ts"] or message.get("parent_user_id") != self.bot_user:
            return ""
        key = key_of(channel, thread)
        if key not in self._ours:
            arguments = {"channel": channel, "ts": thread, "limit": 1}
            method = "conversations.replies"
            found = await self._api.find(
                method, arguments, "messages", lambda each: each["ts"] == thread
            )
            self._ours.put(key, markup.words(found) if found else "")
        return self._ours[key]


class SlackEvents:
    """Reads events in the order in which Slack sent them."""

    def __init__(
        self, api: SlackApi, reader: PostReader, people: SlackPeople, places: SlackPlaces
    ) -> None:
        self._api, self._reader, self._people, self._places = api, reader, people, places
        self._seen: RecentItems[str, None] = RecentItems()  # ids of events and keys of posts
        # Time of the change, and the new message; None: deleted.
        self._changed: RecentItems[str, tuple[int, Json | None]] = RecentItems()

    async def read(self, envelope: Json) -> AsyncIterator[port.PlatformEvent]:
        payload = envelope.get("payload") or {}
        event, name = payload.get("event") or {}, str(payload.get("event_id") or "")
        if not event or (name and name in self._seen):
            return
        again = bool(envelope.get("retry_attempt"))
        if event.get("type") in ("message", "app_mention"):
            async for each in self._message(event, again=again):
                yield each
        else:
            async for each in self._other(event):
                yield each
        self._seen.put(name, None)  # last: if this failed, Slack may send it again

    async def _message(self, event: Json, *, again: bool) -> AsyncIterator[port.PlatformEvent]:
        subtype, channel = str(event.get("subtype") or ""), str(event["channel"])
        if subtype == "message_changed":
            found = await self._change(channel, event["message"], event, again=again)
        elif subtype == "message_deleted":
            before = event.get("previous_message") or {}
            message = {**before, "ts": str(event["deleted_ts"])}
            key = key_of(channel, message["ts"])
            self._changed.put(key, (to_micros(str(event.get("event_ts") or event["ts"])), None))
            found = port.Deletion(await self._place(channel, message), (key,))
        elif subtype in _CONVERTED:
            async for each in self._place_changes(channel):
                yield each
            return
        else:
            found = await self._said(channel, event)
        if found is not None:
            yield found

    async def _said(self, channel: str, event: Json) -> port.Post | None:
        key = key_of(channel, str(event["ts"]))
        if key in self._seen:
            return None
        _, now = self._changed.get(key, (0, event))
        post: port.Post | None = None
        if now:
            place = await self._place(channel, event)
            post = await self._reader.to_post(place, {**event, **now})
        self._seen.put(key, None)
        return post

    async def _change(
        self, channel: str, message: Json, event: Json, *, again: bool
    ) -> port.PlatformEvent | None:
        """Apply a change. A repeated one may be old, so the current message is read."""
        key = key_of(channel, str(message["ts"]))
        at = to_micros(str(event.get("event_ts") or event["ts"]))
        if at <= self._changed.get(key, (0, None))[0]:
            return None
        place = await self._place(channel, message)
        if again:
            current = await self._current_message(place, str(message["ts"]))
            message = current or {**message, "subtype": "tombstone"}
        text = markup.words(message, self._places.title)
        gone = not text or message.get("subtype") == "tombstone"
        self._changed.put(key, (at, None if gone else message))
        return port.Deletion(place, (key,)) if gone else port.Edit(place, key, text)

    async def _current_message(self, place: port.ChatPlace, ts: str) -> Json | None:
        arguments = {"oldest": ts, "latest": ts, "inclusive": True}
        arguments["channel"] = place.parent or place.channel
        method = "conversations.history"
        if place.parent:
            method = "conversations.replies"
            arguments = {**arguments, "ts": place.channel.partition(":")[2]}
        return await self._api.find(method, arguments, "messages", lambda each: each["ts"] == ts)

    async def _place(self, channel: str, message: Json) -> port.ChatPlace:
        thread = str(message.get("thread_ts") or "")
        return await self._places.get(channel, thread if thread != message["ts"] else "")

    async def _other(self, event: Json) -> AsyncIterator[port.PlatformEvent]:
        kind, where = event.get("type"), event.get("channel")
        channel = str(where.get("id") if isinstance(where, dict) else where or "")
        if kind == "user_change":
            self._people.changed(event.get("user") or {})
        elif kind in _DELETED:
            for gone in (*self._places.threads(channel), self._places.last(channel)):
                yield port.PlaceDeletion(gone)
            self._places.forget(channel)
        elif kind in _LEFT:
            self._places.forget(channel)
        elif kind in _CHANGED or (
            kind == "member_joined_channel" and event.get("user") == self._reader.bot_user
        ):
            async for each in self._place_changes(channel):
                yield each

    async def _place_changes(self, channel: str) -> AsyncIterator[port.PlatformEvent]:
        self._places.forget(channel)
        yield port.PlaceChange(await self._places.get(channel))
        for each in self._places.threads(channel):
            yield port.PlaceChange(each)
