"""From discord.py's events to those of the port, each at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import discord

from erstwhile.base.logs import Log
from erstwhile.bots.discord.places import DIRECT, Members, Threads, place_of, space, speaking
from erstwhile.bots.discord.words import by_a_person, words
from erstwhile.bots.port import Gone, Hear, Missed, Moved, Place, Retracted, Revised, Said

log = Log(__name__)


def key_of(message: int) -> str:
    return f"discord:{message}"


class Hearing:
    """`places` is every place as it was last told of. `ready` is called when the servers are known, `lost` when they are not any more."""

    def __init__(self, hear: Hear, ready: Callable[[], None], lost: Callable[[], None]) -> None:
        self.hear = hear
        self._ready = ready
        self._lost = lost
        self._settled = False
        self.me: int = 0
        self.places: dict[str, Place] = {}
        self.threads = Threads()
        self.members = Members()

    def happened(self, event: str, *args: Any) -> None:
        """Called for each event of discord.py; those without a method here are none of ours."""
        method = getattr(self, f"on_{event}", None)
        if method is not None:
            method(*args)

    # the connection

    def on_connect(self) -> None:
        """A new session: Discord repeats nothing of what was before it."""
        self._settled = False
        self.members.forget()
        self._lost()
        self.hear(Missed())

    def on_ready(self) -> None:
        self._settled = True
        log.info("discord.connected")
        self._ready()

    def on_resumed(self) -> None:
        log.info("discord.resumed")

    def on_guild_available(self, _guild: discord.Guild) -> None:
        if self._settled:  # it was away while we were not
            self.hear(Missed())

    on_guild_join = on_guild_available

    # messages

    def on_message(self, message: discord.Message) -> None:
        if isinstance(message.author, discord.Member):
            self.members.saw(message.author)
        place = self._where(message)
        self.hear(self.said(place, message, message.author.display_name))

    def said(self, place: Place, message: discord.Message, name: str) -> Said:
        answered = self._answered(message)
        return Said(
            place=place,
            key=key_of(message.id),
            person=str(message.author.id),
            name=name,
            text=words(message),
            at=message.created_at,
            bot=not by_a_person(message),
            addressed=place.direct or answered is not None or self._mentioned(message),
            answers=words(answered) if answered is not None else "",
        )

    def _answered(self, message: discord.Message) -> discord.Message | None:
        found = message.reference.resolved if message.reference else None
        ours = isinstance(found, discord.Message) and found.author.id == self.me
        return found if isinstance(found, discord.Message) and ours else None

    def _mentioned(self, message: discord.Message) -> bool:
        """By name, or by the role that Discord makes for each bot; not by @everyone."""
        if any(each.id == self.me for each in message.mentions):
            return True
        return any(role.tags is not None and role.tags.bot_id == self.me for role in message.role_mentions)

    def on_raw_message_edit(self, edit: discord.RawMessageUpdateEvent) -> None:
        message = edit.message
        if by_a_person(message):
            self.hear(Revised(self._where(message), key_of(message.id), words(message)))

    def on_raw_message_delete(self, gone: discord.RawMessageDeleteEvent) -> None:
        self.hear(Retracted(self.known(gone.channel_id, gone.guild_id), (key_of(gone.message_id),)))

    def on_raw_bulk_message_delete(self, gone: discord.RawBulkMessageDeleteEvent) -> None:
        keys = tuple(key_of(each) for each in sorted(gone.message_ids))
        self.hear(Retracted(self.known(gone.channel_id, gone.guild_id), keys))

    # places

    def _where(self, message: discord.Message) -> Place:
        channel = message.channel
        if isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return self.learn(place_of(channel))
        if message.guild is None:
            return self.direct(channel.id, message.author)
        return self.known(channel.id, message.guild.id)

    def direct(self, channel: int, other: discord.abc.User) -> Place:
        before = self.places.get(str(channel))
        if other.id == self.me and before is not None:
            return before
        title = "" if other.id == self.me else other.display_name
        return self.learn(Place(DIRECT, str(channel), title, open=False, direct=True))

    def known(self, channel: int, guild: int | None) -> Place:
        """Of one that was never told of nothing is known, so it counts as closed."""
        before = self.places.get(str(channel))
        if before is not None:
            return before
        return Place(space(guild) if guild else DIRECT, str(channel), "", open=False, direct=guild is None)

    def learn(self, place: Place) -> Place:
        self.places[place.channel] = place
        return place

    def _moved(self, channel: discord.abc.GuildChannel | discord.Thread) -> None:
        place = place_of(channel)
        if self.places.get(place.channel) != place:
            self.hear(Moved(self.learn(place)))

    def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        if isinstance(channel, discord.TextChannel | discord.VoiceChannel | discord.StageChannel):
            self._moved(channel)

    def on_guild_channel_update(self, _before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """Its threads are as open as it is."""
        self.on_guild_channel_create(after)
        for thread in self.threads.of(after.guild):
            if thread.parent_id == after.id:
                self._moved(thread)

    def on_guild_role_update(self, _before: discord.Role, after: discord.Role) -> None:
        if not after.is_default():
            return
        for channel in (*speaking(after.guild), *self.threads.of(after.guild)):
            self._moved(channel)

    def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """With all its threads, of which discord.py tells only those that were not archived."""
        below = [each for each in self.places.values() if each.parent == str(channel.id)]
        for place in (*below, self.known(channel.id, channel.guild.id)):
            self.gone(place)

    def on_raw_thread_delete(self, gone: discord.RawThreadDeleteEvent) -> None:
        if str(gone.thread_id) in self.places or gone.thread is None:
            self.gone(self.known(gone.thread_id, gone.guild_id))

    def gone(self, place: Place) -> None:
        self.threads.drop(int(place.channel))
        self.places.pop(place.channel, None)
        self.hear(Gone(place))

    def on_thread_create(self, thread: discord.Thread) -> None:
        self.threads.put(thread)
        self._moved(thread)

    on_thread_join = on_thread_create

    def on_thread_update(self, _before: discord.Thread, after: discord.Thread) -> None:
        self.on_thread_create(after)
