"""The words of a Discord message: what was typed, with mentions that can be read, and a line in brackets for what is not text.

The same as an import makes of them, so that neither changes what the other has stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import discord

_PERSON = re.compile(r"<@!(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_CHANNEL = re.compile(r"<#(\d+)>")
_EMOJI = re.compile(r"<a?:(\w+):\d+>")
_COMMAND = re.compile(r"</([^:>]+):\d+>")
# What people write. Everything else that stands in a channel, such as "Kim joined" or "Kim pinned a message", Discord itself wrote.
_BY_PEOPLE = frozenset({discord.MessageType.default, discord.MessageType.reply})


def words(message: discord.Message) -> str:
    lines = [readable(message.content, message.guild), *_beside(message)]
    for snapshot in message.message_snapshots:
        forwarded = [readable(snapshot.content, message.guild), *_files(snapshot.attachments)]
        lines.append("[forwarded] " + "\n".join(filter(None, forwarded)) if any(forwarded) else "")
    if not any(lines):  # a link's preview says nothing that the link doesn't, but here there is nothing else
        lines += [f"[embed: {each.title}]" for each in message.embeds if each.title]
    return "\n".join(filter(None, lines))


def readable(text: str, guild: discord.Guild | None) -> str:
    """People stay `<@id>`, because their names change; roles, channels, commands and emoji go by the name that they have now."""
    text = _PERSON.sub(r"<@\1>", text)
    text = _ROLE.sub(lambda found: "@" + _name(found, guild.get_role if guild else None), text)
    text = _CHANNEL.sub(lambda found: "#" + _name(found, guild.get_channel_or_thread if guild else None), text)
    return _EMOJI.sub(r":\1:", _COMMAND.sub(r"/\1", text))


def _name(found: re.Match[str], get: Callable[[int], Any] | None) -> str:
    named = get(int(found[1])) if get else None
    return str(named.name) if named else found[1]


def _beside(message: discord.Message) -> Iterator[str]:
    yield from _files(message.attachments)
    yield from (f"[sticker: {each.name}]" for each in message.stickers)
    if message.poll is not None:
        answers = " / ".join(each.text for each in message.poll.answers)
        yield f"[poll: {message.poll.question}: {answers}]"


def _files(attachments: Sequence[discord.Attachment]) -> Iterator[str]:
    return (f"[file: {each.filename}]" for each in attachments)


def by_a_person(message: discord.Message) -> bool:
    return not message.author.bot and message.webhook_id is None and message.type in _BY_PEOPLE
