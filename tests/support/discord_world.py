"""What stands on a made-up Discord: one server with its people, roles, channels, threads and messages, in the shapes of the real API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Payload = dict[str, Any]
EPOCH = 1_420_070_400_000  # milliseconds: the year in which Discord began to count
TEXT, DIRECT, VOICE, CATEGORY, ANNOUNCEMENT, PUBLIC_THREAD, PRIVATE_THREAD, FORUM = 0, 1, 2, 4, 5, 11, 12, 15
THREADS = (PUBLIC_THREAD, PRIVATE_THREAD)
VIEW, SEND, HISTORY, MANAGE_CHANNELS, MANAGE_THREADS = 1 << 10, 1 << 11, 1 << 16, 1 << 4, 1 << 34
ADMINISTRATOR = 1 << 3
USUAL = VIEW | SEND | HISTORY


def at_of(snowflake: str) -> datetime:
    return datetime.fromtimestamp(((int(snowflake) >> 22) + EPOCH) / 1000, UTC)


@dataclass
class World:
    """`now` is the time of what happens next; ids never go backwards within one channel as long as time doesn't."""

    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    name: str = "A server"
    users: dict[str, Payload] = field(default_factory=dict)
    members: dict[str, Payload] = field(default_factory=dict)
    roles: dict[str, Payload] = field(default_factory=dict)
    channels: dict[str, Payload] = field(default_factory=dict)
    threads: dict[str, Payload] = field(default_factory=dict)
    thread_members: dict[str, set[str]] = field(default_factory=dict)
    direct: dict[str, Payload] = field(default_factory=dict)
    messages: dict[str, dict[str, Payload]] = field(default_factory=dict)
    closed_to_bots: set[str] = field(default_factory=set)
    _count: int = 0

    def __post_init__(self) -> None:
        self.guild = self.snowflake()
        self.roles[self.guild] = self._role(self.guild, "@everyone", USUAL)
        self.bot = self.person("Erstwhile", bot=True)
        self.bot_role = self.role("Erstwhile")
        self.roles[self.bot_role]["tags"] = {"bot_id": self.bot}
        self.members[self.bot]["roles"] = [self.bot_role]
        self.owner = self.person("Owner")

    def snowflake(self, at: datetime | None = None) -> str:
        self._count += 1
        milliseconds = int((at or self.now()).timestamp() * 1000) - EPOCH
        return str((milliseconds << 22) | (self._count & 0x3FFFFF))

    # people and roles

    def person(self, name: str, *, nick: str | None = None, bot: bool = False, roles: Sequence[str] = ()) -> str:
        who = self.snowflake()
        self.users[who] = {
            "id": who,
            "username": name.lower(),
            "global_name": None if bot else name,
            "discriminator": "0",
            "avatar": None,
            "bot": bot,
            "public_flags": 0,
        }
        self.members[who] = {
            "nick": nick,
            "roles": list(roles),
            "joined_at": self.now().isoformat(),
            "deaf": False,
            "mute": False,
            "flags": 0,
            "avatar": None,
        }
        return who

    def role(self, name: str, permissions: int = 0) -> str:
        role = self.snowflake()
        self.roles[role] = self._role(role, name, permissions)
        return role

    def _role(self, role: str, name: str, permissions: int) -> Payload:
        return {
            "id": role,
            "name": name,
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "position": len(self.roles),
            "permissions": str(permissions),
            "managed": False,
            "mentionable": True,
            "flags": 0,
        }

    def member(self, who: str) -> Payload:
        return {**self.members[who], "user": self.users[who]}

    # channels and threads

    def channel(self, name: str, kind: int = TEXT, *, only: Sequence[str] | None = None) -> Payload:
        """`only`: the roles and people that can see it; None is everyone."""
        channel = self.snowflake()
        self.channels[channel] = {
            "id": channel,
            "guild_id": self.guild,
            "type": kind,
            "name": name,
            "position": len(self.channels),
            "permission_overwrites": self.overwrites(only),
            "nsfw": False,
            "parent_id": None,
            "topic": None,
            "last_message_id": None,
            "rate_limit_per_user": 0,
            "flags": 0,
            "bitrate": 64000,
            "user_limit": 0,
            "rtc_region": None,
            "available_tags": [],
            "default_reaction_emoji": None,
            "default_sort_order": None,
        }
        self.messages[channel] = {}
        return self.channels[channel]

    def overwrites(self, only: Sequence[str] | None) -> list[Payload]:
        if only is None:
            return []
        hidden = {"id": self.guild, "type": 0, "allow": "0", "deny": str(VIEW)}
        shown = [
            {"id": each, "type": 0 if each in self.roles else 1, "allow": str(VIEW), "deny": "0"}
            for each in (self.bot_role, *only)
        ]
        return [hidden, *shown]

    def thread(self, parent: str, name: str, owner: str, *, private: bool = False, start: str | None = None) -> Payload:
        thread = start or self.snowflake()
        self.threads[thread] = {
            "id": thread,
            "guild_id": self.guild,
            "parent_id": parent,
            "owner_id": owner,
            "type": PRIVATE_THREAD if private else PUBLIC_THREAD,
            "name": name,
            "last_message_id": None,
            "message_count": 0,
            "member_count": 1,
            "rate_limit_per_user": 0,
            "flags": 0,
            "thread_metadata": {
                "archived": False,
                "auto_archive_duration": 1440,
                "archive_timestamp": self.now().isoformat(),
                "locked": False,
                "create_timestamp": self.now().isoformat(),
            },
        }
        self.thread_members[thread] = {owner}
        self.messages[thread] = {}
        return self.threads[thread]

    def archived(self, thread: str) -> bool:
        return bool(self.threads[thread]["thread_metadata"]["archived"])

    def direct_with(self, who: str) -> Payload:
        for each in self.direct.values():
            if each["recipients"][0]["id"] == who:
                return each
        channel = self.snowflake()
        self.direct[channel] = {"id": channel, "type": DIRECT, "last_message_id": None, "recipients": [self.users[who]]}
        self.messages[channel] = {}
        return self.direct[channel]

    def found(self, channel: str) -> Payload | None:
        return self.channels.get(channel) or self.threads.get(channel) or self.direct.get(channel)

    def gone(self, channel: str) -> list[Payload]:
        """The channel with its threads, each as it was."""
        below = [each for each in self.threads.values() if each["parent_id"] == channel]
        for each in [*below, {"id": channel}]:
            self.messages.pop(each["id"], None)
            self.threads.pop(each["id"], None)
        self.channels.pop(channel, None)
        return below

    # who can read what

    def permissions(self, who: str, channel: str) -> int:
        """Discord's own sum: everyone's, the roles', then the overwrites of everyone, roles and the person."""
        thread = self.threads.get(channel)
        place = self.channels[thread["parent_id"]] if thread else self.channels[channel]
        if who == self.owner:
            return ~0
        roles = [self.guild, *self.members[who]["roles"]]
        sum_ = 0
        for each in roles:
            sum_ |= int(self.roles[each]["permissions"])
        if sum_ & ADMINISTRATOR:
            return ~0
        stated = {each["id"]: each for each in place["permission_overwrites"]}
        for group in ([self.guild], [each for each in roles if each != self.guild], [who]):
            named = [stated[each] for each in group if each in stated]
            for each in named:
                sum_ &= ~int(each["deny"])
            for each in named:
                sum_ |= int(each["allow"])
        return sum_

    def reads(self, who: str, channel: str) -> bool:
        if channel in self.direct:
            return who in (self.bot, self.direct[channel]["recipients"][0]["id"])
        rights = self.permissions(who, channel)
        thread = self.threads.get(channel)
        if thread and thread["type"] == PRIVATE_THREAD and not rights & MANAGE_THREADS:
            return bool(rights & VIEW) and who in self.thread_members[channel]
        return bool(rights & VIEW) and bool(rights & HISTORY)

    # messages

    def message(self, channel: str, who: str, text: str, **more: Any) -> Payload:
        """`more` is whatever else a message has on Discord: `at` its time, `attachments`, `message_reference`, `type`, `webhook_id`…"""
        identity = self.snowflake(more.pop("at", None))
        payload = {
            "id": identity,
            "channel_id": channel,
            "author": self.users[who],
            "content": text,
            "timestamp": at_of(identity).isoformat(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [each for each in self.users.values() if f"<@{each['id']}>" in text.replace("<@!", "<@")],
            "mention_roles": [each for each in self.roles if f"<@&{each}>" in text],
            "attachments": [],
            "embeds": [],
            "components": [],
            "pinned": False,
            "type": 0,
            "flags": 0,
        }
        reference = more.get("message_reference")
        if reference:
            payload["type"] = 19
            more["message_reference"] = reference = {name: str(value) for name, value in reference.items()}
            answered = self.messages[channel].get(reference["message_id"])
            payload["referenced_message"] = answered and {**answered, "referenced_message": None}
        self.messages[channel][identity] = payload | more
        place = self.found(channel)
        if place is not None:
            place["last_message_id"] = identity
        return self.messages[channel][identity]

    def on_the_gateway(self, message: Payload) -> Payload:
        """As it is dispatched: with the member, which the REST API leaves out."""
        if message["channel_id"] in self.direct:
            return {**message, "channel_type": DIRECT}
        known = self.members.get(message["author"]["id"])
        with_member = {"member": known} if known and "webhook_id" not in message else {}
        return {**message, "guild_id": self.guild, **with_member}

    def as_guild(self, who: str) -> Payload:
        """GUILD_CREATE for this person or bot."""
        return {
            "id": self.guild,
            "name": self.name,
            "owner_id": self.owner,
            "unavailable": False,
            "large": False,
            "member_count": len(self.members),
            "joined_at": self.now().isoformat(),
            "roles": list(self.roles.values()),
            "emojis": [],
            "stickers": [],
            "features": [],
            "channels": list(self.channels.values()),
            "threads": [
                self.as_thread(each, who) for each in self.threads if not self.archived(each) and self.reads(who, each)
            ],
            "members": [self.member(who)],
            "presences": [],
            "voice_states": [],
            "preferred_locale": "en-US",
        }

    def as_thread(self, thread: str, who: str) -> Payload:
        payload = self.threads[thread]
        if who in self.thread_members[thread]:
            joined = {"id": thread, "user_id": who, "join_timestamp": self.now().isoformat(), "flags": 0}
            return {**payload, "member": joined}
        return payload
