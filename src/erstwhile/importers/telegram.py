"""`result.json` of Telegram Desktop: one chat, or all chats of an account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from erstwhile.base.errors import InvalidInput
from erstwhile.importers import model, scan
from erstwhile.importers.scan import (
    file,
    filled,
    identity,
    iso,
    items,
    mapping,
    mappings,
    name,
    seconds,
    text,
)
from erstwhile.log.model import NewMessage

_LOOKED_AT: Final = 20
_NOT_THERE: Final = "(File "  # "(File not included. Change data exporting settings to download.)"
_MEDIA: Final = {
    "voice_message": "[voice message]",
    "video_message": "[video message]",
    "video_file": "[video]",
    "audio_file": "[audio]",
    "animation": "[animation]",
}
_OPEN: Final = ("public_group", "public_supergroup", "public_channel")
_DIRECT: Final = ("personal_chat", "bot_chat", "saved_messages", "verify_codes", "replies")


def _recognises(source: model.ImportSource) -> bool:
    return bool(_files(source))


def _read(source: model.ImportSource) -> model.ReadItems:
    found = _files(source)
    if not found:
        raise InvalidInput(
            f"{source.name} has no result.json of Telegram. Export in Telegram Desktop with the format "
            "“Machine-readable JSON”; HTML is not read."
        )
    for entry in found:
        try:
            with entry.open() as stream:
                yield from _root(scan.JsonScanner(stream), entry.name)
        except scan.DamagedFile as damage:
            yield scan.damage_problem(entry, damage)


FORMAT = model.Format("telegram", _recognises, _read)


def _files(source: model.ImportSource) -> list[model.SourceFile]:
    json = scan.json_files(source)
    named = [entry for entry in json if entry.name.rpartition("/")[2].lower() == "result.json"]
    return [entry for entry in named or json[:_LOOKED_AT] if _like(scan.head(entry))]


def _like(head: str) -> bool:
    if not head.lstrip().startswith("{") or '"guild"' in head:
        return False
    by_someone = '"from_id"' in head or '"actor_id"' in head
    of_one = by_someone and '"messages"' in head and '"type"' in head
    return of_one or '"personal_information"' in head or ('"chats"' in head and '"list"' in head)


def _root(whole: scan.JsonScanner, where: str, *, one: bool = False) -> model.ReadItems:
    """Read the file, or one chat of it. `chat` are the fields before the messages."""
    chat: dict[str, Any] = {}
    for member in whole.members():
        if not one and member in ("chats", "left_chats") and whole.next() == "{":
            yield from _chats(whole, f"{where}, {member}")
        elif member == "messages" and whole.next() == "[":
            yield from _messages(whole, chat, where)
        elif member in ("id", "name", "type"):
            chat[member] = whole.value()
        else:
            whole.skip()


def _chats(whole: scan.JsonScanner, where: str) -> model.ReadItems:
    for member in whole.members():
        if member != "list" or whole.next() != "[":
            whole.skip()
            continue
        for number, _ in enumerate(whole.places(), 1):
            if whole.next() == "{":
                yield from _root(whole, f"{where}, chat {number:,}", one=True)
            else:
                whole.skip()


def _messages(whole: scan.JsonScanner, chat: Mapping[str, Any], where: str) -> model.ReadItems:
    id, title, kind = identity(chat.get("id")), name(chat.get("name")), text(chat.get("type"))
    if not id:
        yield model.ImportProblem(where, "The chat has no id before its messages. It was left out.")
        whole.skip()
        return
    privacy = "direct" if kind in _DIRECT else None if kind in _OPEN or not kind else "private"
    meta, shown = filled(title=title, privacy=privacy), f"{where}, {title}" if title else where
    for number, value in enumerate(whole.items(), 1):
        yield _message(value, id, meta, f"{shown}, message {number:,}")


def _message(value: object, chat: str, meta: Mapping[str, Any], where: str) -> model.ReadItem:
    if not isinstance(value, dict):
        return scan.skipped_problem(where, value)
    if value.get("type") != "message":
        return model.SkippedItems("service messages (joins, calls, pins)")
    id = identity(value.get("id"))
    if not id:
        return model.ImportProblem(where, "It has no id. It was left out.")
    at = seconds(value.get("date_unixtime")) or iso(value.get("date"))
    if at is None:
        return model.ImportProblem(where, "It has no good time. It was left out.")
    person = identity(value.get("from_id"))
    if isinstance(value.get("from_id"), int) and person:
        person = f"user{person}"  # until 2021 only the number
    if not person:
        return model.ImportProblem(where, "It does not say who wrote it. It was left out.")
    words = "".join(_said(value.get("text"))).strip()
    said = "\n".join(filter(None, (*_sent(value), words)))  # attachments first
    if not said:
        return model.SkippedItems("messages without words or files")
    answered = identity(value.get("reply_to_message_id"))
    reply = answered and f"telegram:{chat}:{answered}"
    more = filled(edited=bool(value.get("edited")), reply_to=reply)
    if value.get("forwarded_from") or value.get("saved_from"):
        source = name(value.get("forwarded_from"), value.get("saved_from")) or "unknown"
        more["forwarded_from"] = source
        said = f"[forwarded from {source}]\n{said}"
    key, by = f"telegram:{chat}:{id}", name(value.get("from"))
    message = NewMessage("user", said, person, by, at, key, meta={**meta, **more})
    return model.ImportedMessage(f"telegram:{chat}", message, where)


def _said(given: object) -> Iterator[str]:
    for piece in [given] if isinstance(given, str) else items(given):
        parts = mapping(piece)
        words, address = text(parts.get("text")), text(parts.get("href"))
        if isinstance(piece, str):
            yield piece
        else:
            yield f"{words} ({address})" if parts.get("type") == "text_link" and address else words


def _sent(message: Mapping[str, Any]) -> Iterator[str]:
    kind = text(message.get("media_type"))
    if "photo" in message or kind == "photo":
        yield "[photo]"
    if kind == "sticker":
        yield f"[sticker {name(message.get('sticker_emoji')) or ''}".strip() + "]"
    elif kind in _MEDIA:
        yield _MEDIA[kind]
    elif "file" in message:
        path = text(message.get("file"))
        stored = "" if path.startswith(_NOT_THERE) else path.rpartition("/")[2]
        yield file(text(message.get("file_name")) or stored)
    if "location_information" in message:
        named = (name(message.get(each)) for each in ("place_name", "address"))
        yield " ".join(["[location]", *filter(None, named)])
    if "contact_information" in message:
        yield "[contact]"
    poll = mapping(message.get("poll"))
    if text(poll.get("question")):
        answers = ", ".join(text(each.get("text")) for each in mappings(poll.get("answers")))
        yield f"[poll] {text(poll.get('question'))}" + (f" ({answers})" if answers else "")
