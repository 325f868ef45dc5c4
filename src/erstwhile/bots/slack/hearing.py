"""What Slack sends, as events. Each is handed on once; of two changes of a message the later one holds, in whatever order they come."""

from __future__ import annotations

from collections.abc import AsyncIterator

from erstwhile.bots.port import Event, Gone, Moved, Place, Retracted, Revised, Said
from erstwhile.bots.slack.calls import Calls, Json
from erstwhile.bots.slack.known import Lately, People, Places, key_of, moment, when
from erstwhile.text import slack as markup

_NOT_SAID = frozenset({"tombstone", "message_replied", "ekm_access_denied"})
_CONVERTED = frozenset({"channel_convert_to_private", "channel_convert_to_public"})
_MOVED = frozenset(
    {"channel_rename", "group_rename", "channel_unarchive", "group_unarchive", "channel_shared", "channel_unshared"}
)
_GONE = frozenset({"channel_deleted", "group_deleted"})
_LEFT = frozenset({"channel_left", "group_left"})


class Reader:
    """A message of Slack's, live or looked up, as something that was said."""

    def __init__(self, calls: Calls, people: People, places: Places) -> None:
        self.us = ""
        self._calls, self._people, self._places = calls, people, places
        self._ours: Lately[str, str] = Lately()  # our own words by key

    def said_by_us(self, channel: str, ts: str, text: str) -> None:
        self._ours.put(key_of(channel, ts), text)

    async def said(self, place: Place, message: Json) -> Said | None:
        """None for what has no words."""
        text, subtype = markup.words(message, self._places.title), str(message.get("subtype") or "")
        if not text or subtype in _NOT_SAID:
            return None
        channel, ts, person = place.parent or place.channel, str(message["ts"]), str(message.get("user") or "")
        known = await self._people.get(person) if person else {}
        bot = not person or bool(known.get("bot") or message.get("bot_id")) or subtype not in markup.SAID
        name = str(known.get("name") or message.get("username") or person or message.get("bot_id") or "bot")
        answers = "" if bot else await self._answered(channel, message)
        addressed = place.direct or bool(answers) or self.us in markup.mentioned(str(message.get("text") or ""))
        key = key_of(channel, ts)
        return Said(place, key, person or "bot", name, text, when(ts), bot, addressed and not bot, answers)

    async def _answered(self, channel: str, message: Json) -> str:
        """Our own words, where the thread is about them."""
        thread = str(message.get("thread_ts") or "")
        if not thread or thread == message["ts"] or message.get("parent_user_id") != self.us:
            return ""
        key = key_of(channel, thread)
        if key not in self._ours:
            asked = {"channel": channel, "ts": thread, "limit": 1}
            found = await self._calls.find(
                "conversations.replies", asked, "messages", lambda each: each["ts"] == thread
            )
            self._ours.put(key, markup.words(found) if found else "")
        return self._ours[key]


class Hearing:
    """`events` in the order in which Slack sent them."""

    def __init__(self, calls: Calls, reader: Reader, people: People, places: Places) -> None:
        self._calls, self._reader, self._people, self._places = calls, reader, people, places
        self._seen: Lately[str, None] = Lately()  # events, and what was said
        self._changed: Lately[str, tuple[int, Json | None]] = Lately()  # when, and what it says now; None: it is gone

    async def events(self, envelope: Json) -> AsyncIterator[Event]:
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
        self._seen.put(name, None)  # not before: if this failed, it may come again

    async def _message(self, event: Json, *, again: bool) -> AsyncIterator[Event]:
        subtype, channel = str(event.get("subtype") or ""), str(event["channel"])
        if subtype == "message_changed":
            found = await self._change(channel, event["message"], event, again=again)
        elif subtype == "message_deleted":
            before = event.get("previous_message") or {}
            found = await self._deletion(channel, {**before, "ts": str(event["deleted_ts"])}, event)
        elif subtype in _CONVERTED:
            async for each in self._moved(channel):
                yield each
            return
        else:
            found = await self._said(channel, event)
        if found is not None:
            yield found

    async def _said(self, channel: str, event: Json) -> Said | None:
        key = key_of(channel, str(event["ts"]))
        if key in self._seen:
            return None
        _, now = self._changed.get(key, (0, event))
        said = await self._reader.said(await self._place(channel, event), {**event, **now}) if now else None
        self._seen.put(key, None)
        return said

    async def _change(self, channel: str, message: Json, event: Json, *, again: bool) -> Event | None:
        """A change that is told again may be older than another one, of which we heard before we were started."""
        key, at = key_of(channel, str(message["ts"])), moment(str(event.get("event_ts") or event["ts"]))
        if at <= self._changed.get(key, (0, None))[0]:
            return None
        place = await self._place(channel, message)
        if again:
            message = await self._as_it_stands(place, str(message["ts"])) or {**message, "subtype": "tombstone"}
        text = markup.words(message, self._places.title)
        gone = not text or message.get("subtype") == "tombstone"
        self._changed.put(key, (at, None if gone else message))
        return Retracted(place, (key,)) if gone else Revised(place, key, text)

    async def _deletion(self, channel: str, message: Json, event: Json) -> Event:
        key = key_of(channel, message["ts"])
        self._changed.put(key, (moment(str(event.get("event_ts") or event["ts"])), None))
        return Retracted(await self._place(channel, message), (key,))

    async def _as_it_stands(self, place: Place, ts: str) -> Json | None:
        asked = {"channel": place.parent or place.channel, "oldest": ts, "latest": ts, "inclusive": True}
        method = "conversations.history"
        if place.parent:
            method, asked = "conversations.replies", {**asked, "ts": place.channel.partition(":")[2]}
        return await self._calls.find(method, asked, "messages", lambda each: each["ts"] == ts)

    async def _place(self, channel: str, message: Json) -> Place:
        thread = str(message.get("thread_ts") or "")
        return await self._places.get(channel, thread if thread != message["ts"] else "")

    async def _other(self, event: Json) -> AsyncIterator[Event]:
        kind, where = event.get("type"), event.get("channel")
        channel = str(where.get("id") if isinstance(where, dict) else where or "")
        if kind == "user_change":
            self._people.changed(event.get("user") or {})
        elif kind in _GONE:
            for gone in (*self._places.threads(channel), self._places.last(channel)):
                yield Gone(gone)
            self._places.forget(channel)
        elif kind in _LEFT:
            self._places.forget(channel)
        elif kind in _MOVED or (kind == "member_joined_channel" and event.get("user") == self._reader.us):
            async for each in self._moved(channel):
                yield each

    async def _moved(self, channel: str) -> AsyncIterator[Event]:
        """Its threads move with it."""
        self._places.forget(channel)
        yield Moved(await self._places.get(channel))
        for each in self._places.threads(channel):
            yield Moved(each)
