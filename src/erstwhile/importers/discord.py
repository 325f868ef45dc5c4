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
from erstwhile.importers.model import ImportedMessage, ImportProblem, ImportSource, ReadItem, SkippedItems, SourceFile
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

    def recognises(self, source: ImportSource) -> bool:
        return any(_is_one(entry) for entry in scan.json_files(source)[:50])

    def read(self, source: ImportSource) -> Iterator[ReadItem]:
        others, found = 0, False
        for entry in sorted(scan.json_files(source), key=_in_order):
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
            yield SkippedItems("JSON files of another kind", others)


FORMAT = Discord()


@dataclass(slots=True)
class _Channel:
    """The fields before the messages."""

    id: str = ""
    meta: dict[str, Any] = field(default_factory=dict)


def _in_order(entry: SourceFile) -> tuple[str, int]:
    """Order parts by number. The first has none, and the tenth comes after the second."""
    found = _PART.match(entry.name)
    assert found is not None
    return found[1], int((found[2] or "1")[:9])


def _is_one(entry: SourceFile) -> bool:
    head = scan.head(entry)[:_HEAD]
    return all(key.search(head) for key in _KEYS)


def _file(entry: SourceFile, given: str | None) -> Iterator[ReadItem]:
    number, channel, times = 0, _Channel(given or ""), list[datetime]()
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
                            yield ImportProblem(entry.name, _REVERSED)
    except scan.DamagedFile as damage:
        yield scan.damage_problem(entry, damage, f"message {number:,}" if number else "")


def _reversed(times: list[datetime], read: ReadItem) -> bool:
    """Whether the first two messages are newest first."""
    if len(times) == 2 or not isinstance(read, ImportedMessage) or not isinstance(read.message.at, datetime):
        return False
    times.append(read.message.at)
    return times[-1] < times[0]


def _channel(value: object, given: str | None) -> _Channel:
    told = mapping(value)
    meta = {"title": text(told.get("name"))}
    if told.get("type") in _THREADS:  # the "category" of a thread is its channel
        meta["thread_of"] = _id(told.get("categoryId"))
    return _Channel(_id(told.get("id")) or given or "", {name: each for name, each in meta.items() if each})


def _message(channel: _Channel, value: object, where: str) -> ReadItem:
    if not isinstance(value, dict):
        return scan.skipped_problem(where, value)
    author = mapping(value.get("author"))
    if author.get("isBot") is True:
        return SkippedItems("bots and webhooks")
    if value.get("type", "Default") not in _SAID:
        return SkippedItems("system messages (joins, pins, calls)")
    id, person = _id(value.get("id")), _id(author.get("id"))
    lacking = [name for name, each in (("id", id), ("author", person), ("channel", channel.id)) if not each]
    if lacking:
        return ImportProblem(where, f"It has no good {lacking[0]}. It was left out.")
    words = _words(value)
    if not words:
        return SkippedItems("messages without words or files")
    said = NewMessage(
        role="user",
        text=words,
        person=person,
        name=text(author.get("nickname")) or text(author.get("name")) or None,
        at=_when(value.get("timestamp"), id),
        key=f"discord:{id}",
        meta={**channel.meta, **_about(value)},
    )
    return ImportedMessage(channel.id, said, where)


def _words(message: Mapping[str, Any]) -> str:
    """Return the text and a line for each attachment."""
    lines = [text(message.get("content")), *_enclosed(message)]
    forwarded = message.get("forwardedMessage")
    if isinstance(forwarded, dict):
        inner = "\n".join(filter(None, [text(forwarded.get("content")), *_enclosed(forwarded)]))
        lines.append(f"[forwarded] {inner}" if inner else "")
    if not any(lines):  # use a link preview only when there is nothing else
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
    """Return the time, or that of the id: milliseconds since 2015."""
    try:
        return clock.parse(text(timestamp))
    except InvalidInput:
        return _FIRST_SNOWFLAKE + timedelta(milliseconds=int(id) >> 22)


def _id(value: object) -> str:
    """Return an id of at most 20 digits; some tools write ids as numbers."""
    told = str(value) if isinstance(value, int) and not isinstance(value, bool) and value < 2**64 else value
    return told if isinstance(told, str) and re.fullmatch(r"[0-9]{1,20}", told) else ""
