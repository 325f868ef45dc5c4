"""The text of a Discord message, with readable mentions and a line in brackets per attachment.

An import makes the same text, so that neither changes what the other has stored.
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
# Types that people write. Discord writes the others, such as "Kim joined".
_PERSON_TYPES = frozenset({discord.MessageType.default, discord.MessageType.reply})


def message_text(message: discord.Message) -> str:
    lines = [readable(message.content, message.guild), *_attachments(message)]
    for snapshot in message.message_snapshots:
        forwarded = [readable(snapshot.content, message.guild), *_files(snapshot.attachments)]
        lines.append("[forwarded] " + "\n".join(filter(None, forwarded)) if any(forwarded) else "")
    if not any(lines):  # use a link preview only when there is nothing else
        lines += [f"[embed: {each.title}]" for each in message.embeds if each.title]
    return "\n".join(filter(None, lines))


def readable(text: str, guild: discord.Guild | None) -> str:
    """Replace ids by current names for roles, channels, commands and emoji. People stay `<@id>`,
    because their names change."""
    text = _PERSON.sub(r"<@\1>", text)
    text = _ROLE.sub(lambda found: "@" + _name(found, guild.get_role if guild else None), text)
    text = _CHANNEL.sub(lambda found: "#" + _name(found, guild.get_channel_or_thread if guild else None), text)
    return _EMOJI.sub(r":\1:", _COMMAND.sub(r"/\1", text))


def _name(found: re.Match[str], get: Callable[[int], Any] | None) -> str:
    named = get(int(found[1])) if get else None
    return str(named.name) if named else found[1]


def _attachments(message: discord.Message) -> Iterator[str]:
    yield from _files(message.attachments)
    yield from (f"[sticker: {each.name}]" for each in message.stickers)
    if message.poll is not None:
        answers = " / ".join(each.text for each in message.poll.answers)
        yield f"[poll: {message.poll.question}: {answers}]"


def _files(attachments: Sequence[discord.Attachment]) -> Iterator[str]:
    return (f"[file: {each.filename}]" for each in attachments)


def is_by_person(message: discord.Message) -> bool:
    return not message.author.bot and message.webhook_id is None and message.type in _PERSON_TYPES
