"""A Slack workspace as state: people, channels, messages and threads, in the shapes the Web API has them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(slots=True)
class User:
    id: str
    name: str
    admin: bool = False
    guest: bool = False  # is_restricted: sees the channels they are in, and nothing else
    bot: bool = False

    def shown(self) -> Json:
        profile = {"display_name": self.name, "real_name": self.name}
        return {
            "id": self.id,
            "name": self.name.lower(),
            "real_name": self.name,
            "profile": profile,
            "is_admin": self.admin,
            "is_owner": False,
            "is_restricted": self.guest,
            "is_ultra_restricted": False,
            "is_bot": self.bot,
            "deleted": False,
        }


@dataclass(slots=True)
class Conversation:
    """`kind`: channel (public), group (private), mpim or im. `messages` by their ts, replies too."""

    id: str
    name: str
    kind: str
    members: set[str]
    creator: str = ""
    messages: dict[str, Json] = field(default_factory=dict)
    archived: bool = False

    def shown(self, us: str) -> Json:
        found: Json = {"id": self.id, "is_archived": self.archived}
        if self.kind == "im":
            return {**found, "is_im": True, "user": next(iter(self.members - {us}), us)}
        return {
            **found,
            "name": self.name,
            "creator": self.creator,
            "is_channel": self.kind == "channel",
            "is_group": self.kind == "group",
            "is_mpim": self.kind == "mpim",
            "is_im": False,
            "is_private": self.kind != "channel",
            "is_member": us in self.members,
        }

    def replies(self, thread: str) -> list[Json]:
        return [each for each in self.ordered() if each.get("thread_ts") == thread and each["ts"] != thread]

    def ordered(self) -> list[Json]:
        return sorted(self.messages.values(), key=lambda each: moment(each["ts"]))

    def timeline(self) -> Iterator[Json]:
        """What stands in the channel itself: no replies but those that were sent to the channel as well."""
        for message in self.ordered():
            if message.get("thread_ts", message["ts"]) == message["ts"] or message.get("subtype") == "thread_broadcast":
                yield self.as_read(message)

    def as_read(self, message: Json) -> Json:
        """Slack tells of a thread on its first message."""
        found = self.replies(message["ts"])
        if not found:
            return message
        return {**message, "thread_ts": message["ts"], "reply_count": len(found), "latest_reply": found[-1]["ts"]}


def moment(ts: str) -> int:
    seconds, _, micros = ts.partition(".")
    return int(seconds) * 1_000_000 + int((micros or "0").ljust(6, "0")[:6])


class Workspace:
    """What is so now. Each verb changes it and gives back the events that Slack would send about it."""

    def __init__(self, team: str = "T0TEAM", us: str = "U0BOT") -> None:
        self.team, self.us = team, us
        self.users: dict[str, User] = {}
        self.conversations: dict[str, Conversation] = {}
        self._last = int(time.time() * 1_000_000)
        self._made = 0
        self.person("erstwhile", id=us, bot=True)

    def person(self, name: str, *, id: str = "", admin: bool = False, guest: bool = False, bot: bool = False) -> str:
        user = User(id or self._id("U"), name, admin=admin, guest=guest, bot=bot)
        self.users[user.id] = user
        return user.id

    def conversation(self, name: str, kind: str, members: set[str], creator: str = "") -> str:
        made = Conversation(self._id({"im": "D", "channel": "C"}.get(kind, "G")), name, kind, set(members), creator)
        self.conversations[made.id] = made
        return made.id

    def direct(self, person: str) -> str:
        for each in self.conversations.values():
            if each.kind == "im" and each.members == {person, self.us}:
                return each.id
        return self.conversation("", "im", {person, self.us})

    def tick(self) -> str:
        """The ts of what happens next: later than all before it."""
        self._last = max(self._last + 1, int(time.time() * 1_000_000))
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06}"

    def post(self, channel: str, person: str, text: str, more: Json | None = None) -> tuple[str, Json]:
        where, ts = self.conversations[channel], self.tick()
        message: Json = {"type": "message", "user": person, "text": text, "ts": ts, "team": self.team, **(more or {})}
        thread = message.get("thread_ts")
        if thread and thread in where.messages:
            message["parent_user_id"] = where.messages[thread].get("user", "")
        if self.users.get(person) and self.users[person].bot:
            message.setdefault("bot_id", f"B{person}")
        where.messages[ts] = message
        return ts, self._event(where, message)

    def edit(self, channel: str, ts: str, text: str) -> Json:
        where, at = self.conversations[channel], self.tick()
        before = where.messages[ts]
        after = {**before, "text": text, "edited": {"user": before.get("user", ""), "ts": at}}
        where.messages[ts] = after
        return self._changed(where, after, before, at)

    def delete(self, channel: str, ts: str) -> Json:
        """A message with replies leaves a stone in its place."""
        where, at = self.conversations[channel], self.tick()
        before = where.messages[ts]
        if where.replies(ts):
            stone = {"type": "message", "subtype": "tombstone", "text": "This message was deleted.", "ts": ts}
            where.messages[ts] = {**stone, "user": "USLACKBOT", "thread_ts": ts, "hidden": True}
            return self._changed(where, where.messages[ts], before, at)
        del where.messages[ts]
        body = {"type": "message", "subtype": "message_deleted", "hidden": True, "deleted_ts": ts, "ts": at}
        return self._event(where, {**body, "previous_message": before}, at)

    def visible(self, user: str) -> list[Conversation]:
        """What a user is in, as far as the bot may know of it."""
        return [
            each
            for each in self.conversations.values()
            if user in each.members and (each.kind == "channel" or self.us in each.members)
        ]

    def _changed(self, where: Conversation, after: Json, before: Json, at: str) -> Json:
        body = {"type": "message", "subtype": "message_changed", "hidden": True, "ts": at}
        return self._event(where, {**body, "message": after, "previous_message": before}, at)

    def _event(self, where: Conversation, message: Json, at: str = "") -> Json:
        return {**message, "channel": where.id, "channel_type": where.kind, "event_ts": at or message["ts"]}

    def _id(self, head: str) -> str:
        self._made += 1
        return f"{head}{self._made:03}SLACK"
