"""JSON of DiscordChatExporter: a file per channel or thread, large ones in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from erstwhile.base import clock
from erstwhile.base.errors import InvalidInput
from erstwhile.importers import model, scan
from erstwhile.importers.scan import filled, mapping, mappings, text
from erstwhile.log.model import NewMessage

_HEAD: Final = 4096
_KEYS: Final = (re.compile(r'"guild"\s*:'), re.compile(r'"channel"\s*:'))
_PART: Final = re.compile(r"^(.*?)(?: \[part (\d+)\])?\.json$", re.IGNORECASE | re.DOTALL)
_SAID: Final = ("Default", "Reply")
_THREADS: Final = ("GuildNewsThread", "GuildPublicThread", "GuildPrivateThread")
_REVERSED: Final = (
    "Its messages run from the newest to the oldest, and were stored so. To have them as they were said, erase this "
    "import and export the channel again without reversing it."
)
_FIRST_SNOWFLAKE: Final = datetime(2015, 1, 1, tzinfo=UTC)


def _recognises(source: model.ImportSource) -> bool:
    return any(_is_one(entry) for entry in scan.json_files(source)[:50])


def _read(source: model.ImportSource) -> model.ReadItems:
    others, found = 0, False
    for entry in sorted(scan.json_files(source), key=_part):
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
        yield model.SkippedItems("JSON files of another kind", others)


FORMAT = model.Format("discord", _recognises, _read)


def _part(entry: model.SourceFile) -> tuple[str, int]:
    """Order parts by number. The first has none, and the tenth comes after the second."""
    found = _PART.match(entry.name)
    assert found is not None
    return found[1], int((found[2] or "1")[:9])


def _is_one(entry: model.SourceFile) -> bool:
    head = scan.head(entry)[:_HEAD]
    return all(key.search(head) for key in _KEYS)


def _file(entry: model.SourceFile, given: str | None) -> model.ReadItems:
    number, times = 0, list[datetime]()
    channel: tuple[str, dict[str, Any]] = given or "", {}
    try:
        with entry.open() as stream:
            whole = scan.JsonScanner(stream)
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
                            yield model.ImportProblem(entry.name, _REVERSED)
    except scan.DamagedFile as damage:
        yield scan.damage_problem(entry, damage, f"message {number:,}" if number else "")


def _reversed(times: list[datetime], read: model.ReadItem) -> bool:
    at = read.message.at if isinstance(read, model.ImportedMessage) else None
    if len(times) == 2 or not isinstance(at, datetime):
        return False
    times.append(at)
    return times[-1] < times[0]


def _channel(value: object, given: str | None) -> tuple[str, dict[str, Any]]:
    """Return the id and what is known of it. The "category" of a thread is its channel."""
    told = mapping(value)
    thread = told.get("type") in _THREADS
    meta = filled(title=text(told.get("name")), thread_of=thread and _id(told.get("categoryId")))
    return _id(told.get("id")) or given or "", meta


def _message(channel: tuple[str, dict[str, Any]], value: object, where: str) -> model.ReadItem:
    if not isinstance(value, dict):
        return scan.skipped_problem(where, value)
    author = mapping(value.get("author"))
    if author.get("isBot") is True:
        return model.SkippedItems("bots and webhooks")
    if value.get("type", "Default") not in _SAID:
        return model.SkippedItems("system messages (joins, pins, calls)")
    id, person = _id(value.get("id")), _id(author.get("id"))
    needed = {"id": id, "author": person, "channel": channel[0]}
    if lacking := [name for name, each in needed.items() if not each]:
        return model.ImportProblem(where, f"It has no good {lacking[0]}. It was left out.")
    words = _words(value)
    if not words:
        return model.SkippedItems("messages without words or files")
    called = text(author.get("nickname")) or text(author.get("name")) or None
    at, meta = _when(value.get("timestamp"), id), {**channel[1], **_about(value)}
    said = NewMessage("user", words, person, called, at, f"discord:{id}", meta=meta)
    return model.ImportedMessage(channel[0], said, where)


def _words(message: Mapping[str, Any]) -> str:
    lines = [text(message.get("content")), *_enclosed(message)]
    forwarded = message.get("forwardedMessage")
    if isinstance(forwarded, dict):
        inner = "\n".join(filter(None, [text(forwarded.get("content")), *_enclosed(forwarded)]))
        lines.append(f"[forwarded] {inner}" if inner else "")
    if not any(lines):  # use a link preview only when there is nothing else
        titles = (text(each.get("title")) for each in mappings(message.get("embeds")))
        lines += [f"[embed: {title}]" for title in titles if title]
    return "\n".join(filter(None, lines))


def _enclosed(message: Mapping[str, Any]) -> Iterator[str]:
    lists = (("file", "attachments", "fileName"), ("sticker", "stickers", "name"))
    for kind, list_name, title in lists:
        for each in mappings(message.get(list_name)):
            yield f"[{kind}: {text(each.get(title)) or 'without a name'}]"


def _about(message: Mapping[str, Any]) -> dict[str, Any]:
    reference = mapping(message.get("reference"))
    to = _id(reference.get("messageId")) if reference.get("type") != "Forward" else ""
    return filled(reply_to=to and f"discord:{to}", edited_at=text(message.get("timestampEdited")))


def _when(timestamp: object, id: str) -> datetime:
    """Return the time, or that of the id: milliseconds since 2015."""
    try:
        return clock.parse(text(timestamp))
    except InvalidInput:
        return _FIRST_SNOWFLAKE + timedelta(milliseconds=int(id) >> 22)


def _id(value: object) -> str:
    """Return an id of at most 20 digits; some tools write ids as numbers."""
    number = isinstance(value, int) and not isinstance(value, bool) and value < 2**64
    told = str(value) if number else value
    return told if isinstance(told, str) and re.fullmatch(r"[0-9]{1,20}", told) else ""
