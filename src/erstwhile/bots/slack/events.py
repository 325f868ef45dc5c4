"""Translate what Slack sends into events. Each is reported once; the latest change of a message
wins, in whatever order changes arrive."""

from __future__ import annotations

from collections.abc import AsyncIterator

from erstwhile.base.recent import RecentItems
from erstwhile.bots.port import (
    ChatPlace,
    Deletion,
    Edit,
    PlaceChange,
    PlaceDeletion,
    PlatformEvent,
    Post,
)
from erstwhile.bots.slack.directory import SlackPeople, SlackPlaces, key_of, to_datetime, to_micros
from erstwhile.bots.slack.web_api import Json, SlackApi
from erstwhile.text import slack as markup

_NOT_POSTS = frozenset({"tombstone", "message_replied", "ekm_access_denied"})
_CONVERTED = frozenset({"channel_convert_to_private", "channel_convert_to_public"})
_CHANGED = frozenset(
    (
        *("channel_rename", "group_rename", "channel_unarchive", "group_unarchive"),
        *("channel_shared", "channel_unshared"),
    )
)
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

    async def to_post(self, place: ChatPlace, message: Json) -> Post | None:
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
        return Post(place, key, *who, text, at, bot, addressed, answers)

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

    async def read(self, envelope: Json) -> AsyncIterator[PlatformEvent]:
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

    async def _message(self, event: Json, *, again: bool) -> AsyncIterator[PlatformEvent]:
        subtype, channel = str(event.get("subtype") or ""), str(event["channel"])
        if subtype == "message_changed":
            found = await self._change(channel, event["message"], event, again=again)
        elif subtype == "message_deleted":
            before = event.get("previous_message") or {}
            found = await self._deletion(channel, {**before, "ts": str(event["deleted_ts"])}, event)
        elif subtype in _CONVERTED:
            async for each in self._place_changes(channel):
                yield each
            return
        else:
            found = await self._said(channel, event)
        if found is not None:
            yield found

    async def _said(self, channel: str, event: Json) -> Post | None:
        key = key_of(channel, str(event["ts"]))
        if key in self._seen:
            return None
        _, now = self._changed.get(key, (0, event))
        post: Post | None = None
        if now:
            place = await self._place(channel, event)
            post = await self._reader.to_post(place, {**event, **now})
        self._seen.put(key, None)
        return post

    async def _change(
        self, channel: str, message: Json, event: Json, *, again: bool
    ) -> PlatformEvent | None:
        """Apply a change. A repeated one may be older than a change from before this start, so the
        current message is read."""
        key = key_of(channel, str(message["ts"]))
        at = to_micros(str(event.get("event_ts") or event["ts"]))
        if at <= self._changed.get(key, (0, None))[0]:
            return None
        place = await self._place(channel, message)
        if again:
            message = await self._current_message(place, str(message["ts"])) or {
                **message,
                "subtype": "tombstone",
            }
        text = markup.words(message, self._places.title)
        gone = not text or message.get("subtype") == "tombstone"
        self._changed.put(key, (at, None if gone else message))
        return Deletion(place, (key,)) if gone else Edit(place, key, text)

    async def _deletion(self, channel: str, message: Json, event: Json) -> PlatformEvent:
        key = key_of(channel, message["ts"])
        self._changed.put(key, (to_micros(str(event.get("event_ts") or event["ts"])), None))
        return Deletion(await self._place(channel, message), (key,))

    async def _current_message(self, place: ChatPlace, ts: str) -> Json | None:
        arguments = {"oldest": ts, "latest": ts, "inclusive": True}
        arguments["channel"] = place.parent or place.channel
        method = "conversations.history"
        if place.parent:
            method = "conversations.replies"
            arguments = {**arguments, "ts": place.channel.partition(":")[2]}
        return await self._api.find(method, arguments, "messages", lambda each: each["ts"] == ts)

    async def _place(self, channel: str, message: Json) -> ChatPlace:
        thread = str(message.get("thread_ts") or "")
        return await self._places.get(channel, thread if thread != message["ts"] else "")

    async def _other(self, event: Json) -> AsyncIterator[PlatformEvent]:
        kind, where = event.get("type"), event.get("channel")
        channel = str(where.get("id") if isinstance(where, dict) else where or "")
        if kind == "user_change":
            self._people.changed(event.get("user") or {})
        elif kind in _DELETED:
            for gone in (*self._places.threads(channel), self._places.last(channel)):
                yield PlaceDeletion(gone)
            self._places.forget(channel)
        elif kind in _LEFT:
            self._places.forget(channel)
        elif kind in _CHANGED or (
            kind == "member_joined_channel" and event.get("user") == self._reader.bot_user
        ):
            async for each in self._place_changes(channel):
                yield each

    async def _place_changes(self, channel: str) -> AsyncIterator[PlatformEvent]:
        """Report a channel and its threads."""
        self._places.forget(channel)
        yield PlaceChange(await self._places.get(channel))
        for each in self._places.threads(channel):
            yield PlaceChange(each)
