"""JSON of DiscordChatExporter: a file per channel or thread, large ones in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from erstwhile.base import clock
from erstwhile.base.errors import InvalidInput
from erstwhile.importers import scan
from erstwhile.importers.fields import mapping, mappings, text
from erstwhile.importers.model import Entry, Left, Line, Problem, Read, Source
from erstwhile.log.model import NewMessage

_HEAD: Final = 4096
_KEYS: Final = (re.compile(r'"guild"\s*:'), re.compile(r'"channel"\s*:'))
_PART: Final = re.compile(r"^(.*?)(?: \[part (\d+)\])?\.json$", re.IGNORECASE | re.DOTALL)
_SAID: Final = ("Default", "Reply")
_THREADS: Final = ("GuildNewsThread", "GuildPublicThread", "GuildPrivateThread")
_REVERSED: Final = (
    "Its messages run from the newest to the oldest, and were stored so. To have them as they were said, erase this import and "
    "export the channel again without reversing it."
)
_FIRST_SNOWFLAKE: Final = datetime(2015, 1, 1, tzinfo=UTC)


class Discord:
    name = "discord"

    def recognises(self, source: Source) -> bool:
        return any(_is_one(entry) for entry in _json(source)[:50])

    def read(self, source: Source) -> Iterator[Read]:
        others, found = 0, False
        for entry in sorted(_json(source), key=_in_order):
            if _is_one(entry):
                found = True
                yield from _file(entry, source.channel)
            else:
                others += 1
        if not found:
            raise InvalidInput(
                f"{source.name} has no JSON of DiscordChatExporter: a file with `guild`, `channel` and `messages`. "
                "Export with the format JSON; HTML, TXT and CSV are not read."
            )
        if others:
            yield Left("JSON files of another kind", others)


FORMAT = Discord()


@dataclass(slots=True)
class _Channel:
    """What stands before the messages."""

    id: str = ""
    meta: dict[str, Any] = field(default_factory=dict)


def _json(source: Source) -> list[Entry]:
    return [entry for entry in source.entries if entry.name.lower().endswith(".json")]


def _in_order(entry: Entry) -> tuple[str, int]:
    """The first part has no number, and the tenth comes after the second."""
    found = _PART.match(entry.name)
    assert found is not None
    return found[1], int((found[2] or "1")[:9])


def _is_one(entry: Entry) -> bool:
    head = scan.head(entry)[:_HEAD]
    return all(key.search(head) for key in _KEYS)


def _file(entry: Entry, given: str | None) -> Iterator[Read]:
    number, channel, times = 0, _Channel(given or ""), list[datetime]()
    try:
        with entry.open() as stream:
            whole = scan.Scan(stream)
            for member in whole.members():
                if member == "channel":
                    channel = _channel(whole.value(), given)
                elif member != "messages" or whole.next() != "[":
                    whole.skip()
                else:
                    for value in whole.items():
                        number += 1
                        read = _message(channel, value, f"{entry.name}, message {number:,}")
                        yield read
                        if _reversed(times, read):
                            yield Problem(entry.name, _REVERSED)
    except scan.Damaged as damage:
        yield scan.rest_of(entry, damage, f"message {number:,}" if number else "")


def _reversed(times: list[datetime], read: Read) -> bool:
    """The first two tell."""
    if len(times) == 2 or not isinstance(read, Line) or not isinstance(read.message.at, datetime):
        return False
    times.append(read.message.at)
    return times[-1] < times[0]


def _channel(value: object, given: str | None) -> _Channel:
    told = mapping(value)
    meta = {"title": text(told.get("name"))}
    if told.get("type") in _THREADS:  # categories came before threads: for a thread it is its channel
        meta["thread_of"] = _id(told.get("categoryId"))
    return _Channel(_id(told.get("id")) or given or "", {name: each for name, each in meta.items() if each})


def _message(channel: _Channel, value: object, where: str) -> Read:
    if not isinstance(value, dict):
        return scan.left_out(where, value)
    author = mapping(value.get("author"))
    if author.get("isBot") is True:
        return Left("bots and webhooks")
    if value.get("type", "Default") not in _SAID:
        return Left("system messages (joins, pins, calls)")
    id, person = _id(value.get("id")), _id(author.get("id"))
    lacking = [name for name, each in (("id", id), ("author", person), ("channel", channel.id)) if not each]
    if lacking:
        return Problem(where, f"It has no good {lacking[0]}. It was left out.")
    words = _words(value)
    if not words:
        return Left("messages without words or files")
    said = NewMessage(
        role="user",
        text=words,
        person=person,
        name=text(author.get("nickname")) or text(author.get("name")) or None,
        at=_when(value.get("timestamp"), id),
        key=f"discord:{id}",
        meta={**channel.meta, **_about(value)},
    )
    return Line(channel.id, said, where)


def _words(message: Mapping[str, Any]) -> str:
    """What was written, and a line for each thing that was sent with it."""
    lines = [text(message.get("content")), *_enclosed(message)]
    forwarded = message.get("forwardedMessage")
    if isinstance(forwarded, dict):
        inner = "\n".join(filter(None, [text(forwarded.get("content")), *_enclosed(forwarded)]))
        lines.append(f"[forwarded] {inner}" if inner else "")
    if not any(lines):  # a link's preview says nothing that the link doesn't, but here there is nothing else
        lines += [f"[embed: {title}]" for each in mappings(message.get("embeds")) if (title := text(each.get("title")))]
    return "\n".join(filter(None, lines))


def _enclosed(message: Mapping[str, Any]) -> Iterator[str]:
    for kind, list_name, title in (("file", "attachments", "fileName"), ("sticker", "stickers", "name")):
        for each in mappings(message.get(list_name)):
            yield f"[{kind}: {text(each.get(title)) or 'without a name'}]"


def _about(message: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    reference = message.get("reference")
    if isinstance(reference, dict) and reference.get("type") != "Forward" and (to := _id(reference.get("messageId"))):
        found["reply_to"] = f"discord:{to}"
    if edited := text(message.get("timestampEdited")):
        found["edited_at"] = edited
    return found


def _when(timestamp: object, id: str) -> datetime:
    """A time that can't be read, or has no zone, is in the id too: milliseconds since 2015."""
    try:
        return clock.parse(text(timestamp))
    except InvalidInput:
        return _FIRST_SNOWFLAKE + timedelta(milliseconds=int(id) >> 22)


def _id(value: object) -> str:
    """Ids are numbers of at most 20 digits, as text; some tools rewrite them as numbers."""
    told = str(value) if isinstance(value, int) and not isinstance(value, bool) and value < 2**64 else value
    return told if isinstance(told, str) and re.fullmatch(r"[0-9]{1,20}", told) else ""
