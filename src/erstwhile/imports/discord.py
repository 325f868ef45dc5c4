"""JSON of DiscordChatExporter: a file per channel or thread, large ones in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from erstwhile.base import clock
from erstwhile.base.errors import InvalidInput
from erstwhile.imports.json_stream import Window, keys_at_start
from erstwhile.imports.model import Entry, Left, Line, Problem, Read, Source
from erstwhile.imports.reading import Damaged
from erstwhile.log.model import NewMessage

_HEAD: Final = 4096
_PART: Final = re.compile(r"^(.*?)(?: \[part (\d+)\])?\.json$", re.IGNORECASE | re.DOTALL)
_SAID: Final = ("Default", "Reply")
_THREADS: Final = ("GuildNewsThread", "GuildPublicThread", "GuildPrivateThread")
_REVERSED: Final = (
    "its messages run from the newest to the oldest, and were stored so. To have them as they were said, erase this import and "
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
    try:
        with entry.open() as stream:
            return {"guild", "channel"} <= set(keys_at_start(stream.read(_HEAD)))
    except InvalidInput:
        return False


def _file(entry: Entry, given: str | None) -> Iterator[Read]:
    number, channel, times = 0, _Channel(given or ""), list[datetime]()
    try:
        with entry.open() as stream:
            for name, value in Window(stream, entry.name).members("messages"):
                if name == "channel":
                    channel = _channel(value, given)
                elif name == "messages":
                    number += 1
                    read = _message(channel, value, f"{entry.name}, message {number:,}")
                    yield read
                    if len(times) < 2 and isinstance(read, Line) and isinstance(read.message.at, datetime):
                        times.append(read.message.at)
                        if times[-1] < times[0]:
                            yield Problem(entry.name, _REVERSED)
    except Damaged as damage:
        yield Problem(f"{entry.name}, after message {number:,}" if number else entry.name, str(damage))


def _channel(value: object, given: str | None) -> _Channel:
    told = value if isinstance(value, dict) else {}
    meta = {"title": _text(told.get("name"))}
    if (
        told.get("type") in _THREADS
    ):  # the format had categories before there were threads: it is the channel of the thread
        meta["thread_of"] = _id(told.get("categoryId"))
    return _Channel(_id(told.get("id")) or given or "", {name: each for name, each in meta.items() if each})


def _message(channel: _Channel, value: object, where: str) -> Read:
    if not isinstance(value, dict):
        return Problem(where, "it is not an object")
    author = value.get("author") if isinstance(value.get("author"), dict) else {}
    assert isinstance(author, dict)
    if author.get("isBot") is True:
        return Left("bots and webhooks")
    if value.get("type", "Default") not in _SAID:
        return Left("system messages (joins, pins, calls)")
    id, person = _id(value.get("id")), _id(author.get("id"))
    lacking = [name for name, each in (("id", id), ("author", person), ("channel", channel.id)) if not each]
    if lacking:
        return Problem(where, f"it has no good {lacking[0]}")
    text = _words(value)
    if not text:
        return Left("messages without words or files")
    said = NewMessage(
        role="user",
        text=text,
        person=person,
        name=_text(author.get("nickname")) or _text(author.get("name")) or None,
        at=_when(value.get("timestamp"), id),
        key=f"discord:{id}",
        meta={**channel.meta, **_about(value)},
    )
    return Line(channel.id, said, where)


def _words(message: Mapping[str, Any]) -> str:
    """What was written, and a line for each thing that was sent with it."""
    lines = [_text(message.get("content")), *_enclosed(message)]
    forwarded = message.get("forwardedMessage")
    if isinstance(forwarded, dict):
        inner = "\n".join(filter(None, [_text(forwarded.get("content")), *_enclosed(forwarded)]))
        lines.append(f"[forwarded] {inner}" if inner else "")
    if not any(lines):  # a link's preview says nothing that the link doesn't, but here there is nothing else
        lines += [
            f"[embed: {title}]" for each in _objects(message.get("embeds")) if (title := _text(each.get("title")))
        ]
    return "\n".join(filter(None, lines))


def _enclosed(message: Mapping[str, Any]) -> Iterator[str]:
    for kind, list_name, title in (("file", "attachments", "fileName"), ("sticker", "stickers", "name")):
        for each in _objects(message.get(list_name)):
            yield f"[{kind}: {_text(each.get(title)) or 'without a name'}]"


def _about(message: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    reference = message.get("reference")
    if isinstance(reference, dict) and reference.get("type") != "Forward" and (to := _id(reference.get("messageId"))):
        found["reply_to"] = f"discord:{to}"
    if edited := _text(message.get("timestampEdited")):
        found["edited_at"] = edited
    return found


def _when(timestamp: object, id: str) -> datetime:
    """A time that can't be read, or has no zone, is in the id too: milliseconds since 2015."""
    try:
        return clock.parse(_text(timestamp))
    except InvalidInput:
        return _FIRST_SNOWFLAKE + timedelta(milliseconds=int(id) >> 22)


def _objects(value: object) -> Sequence[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _id(value: object) -> str:
    """Ids are numbers of at most 20 digits, as text; some tools rewrite them as numbers."""
    told = str(value) if isinstance(value, int) and not isinstance(value, bool) and value < 2**64 else value
    return told if isinstance(told, str) and re.fullmatch(r"[0-9]{1,20}", told) else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
