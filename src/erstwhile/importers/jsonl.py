"""The jsonl format: a message per line, {"channel", "role", "person"?, "name"?, "text", "at"?, "key"?, "model"?,
"meta"?}, or a line of another chat log: OpenAI's `{"role", "content"}`, or a whole conversation in `messages`
(fine-tuning files, request logs) or `conversations`. The same objects may also stand in one JSON array.

Our own shape is taken as it is. Of the others, fields that a message has no place for are kept in `meta["fields"]`.
A line that names no channel belongs to the channel of the import, else to one with the file's name; a conversation
that names none has a channel of its own there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import IO, Any, Final

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.importers import model, scan
from erstwhile.importers.sources import DamagedFile
from erstwhile.log import check

_LISTS: Final = ("messages", "conversations")
_CHANNELS: Final = ("channel", "conversation_id", "thread_id", "session_id", "chat_id")
_PEOPLE: Final = ("person", "user_id", "user")
_TEXTS: Final = ("text", "content", "value")
_ROLES: Final = ("role", "from")
_TIMES: Final = ("at", "timestamp", "created_at", "create_time", "created", "time")
_SAME_ROLE: Final = {
    "human": "user",
    "customer": "user",
    "ai": "assistant",
    "bot": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
}
# What says how a model was called or trained, not what was said.
_NOISE: Final = (
    *("weight", "tool_calls", "function_call", "tool_call_id", "refusal"),
    *("annotations", "audio", "id", "seq"),
)
_OWN: Final = ("name", "key", "model", "meta")
_KNOWN: Final = {*_LISTS, *_CHANNELS, *_PEOPLE, *_TEXTS, *_ROLES, *_TIMES, *_NOISE, *_OWN}
_PLACEHOLDERS: Final = {
    "image_url": "[image]",
    "input_image": "[image]",
    "image": "[image]",
    "input_audio": "[audio]",
}
_PARTS: Final = frozenset({"text", "input_text", "output_text"})


@dataclass(frozen=True, slots=True)
class LineMessage:
    """A message of a line. `number` is its place in the line's conversation, 0 if it is alone; `fields` is None if it
    has no text, such as a tool call."""

    channel: str | None
    number: int
    fields: dict[str, Any] | None


def looks_like_chat(told: object) -> bool:
    if not isinstance(told, dict):
        return False
    if "role" in told and ("text" in told or "content" in told):
        return True
    lists = (told[name] for name in _LISTS if isinstance(told.get(name), list))
    listed: list[Any] = next(lists, [])
    if not listed or not isinstance(listed[0], dict):
        return False
    return "role" in listed[0] or {"from", "value"} <= listed[0].keys()


def read_line(line: dict[str, Any]) -> Iterator[LineMessage]:
    """Yield the messages of a line. Ids of our own exports are left out: they are assigned again."""
    listed = next((name for name in _LISTS if name in line), None)
    if listed is not None:
        yield from _conversation(line, listed)
        return
    channel = _first(line, _CHANNELS)
    if "content" not in line and "value" not in line:
        unknown = line.keys() - {"channel", "id", "seq"}
        fields = {name: value for name, value in line.items() if name in unknown}
        yield LineMessage(channel if "channel" in line else None, 0, fields)
        return
    yield LineMessage(channel, 0, _fields(line, {}))


def _conversation(line: Mapping[str, Any], listed: str) -> Iterator[LineMessage]:
    if not isinstance(line[listed], list):
        raise InvalidInput(f"`{listed}` is not a list of messages")
    shared = {name: line[name] for name in ("model",) if isinstance(line.get(name), str)}
    person = _first(line, _PEOPLE)
    channel = _first(line, _CHANNELS)
    for number, each in enumerate(line[listed], start=1):
        if not isinstance(each, dict):
            raise InvalidInput(f"message {number} is not a JSON object")
        fields = _fields(each, shared)
        if fields is not None and person is not None and fields["role"] == "user":
            fields.setdefault("person", person)
        yield LineMessage(channel, number, fields)


def _fields(given: Mapping[str, Any], shared: Mapping[str, str]) -> dict[str, Any] | None:
    text = _text(next((given[name] for name in _TEXTS if given.get(name) is not None), None))
    if not text:
        return None
    role = _first(given, _ROLES) or ""
    made: dict[str, Any] = {"role": _SAME_ROLE.get(role.lower(), role), "text": text}
    if made["role"] == "assistant":
        made |= shared
    person = _first(given, _PEOPLE)
    if person is not None and made["role"] == "user":
        made["person"] = person
    at = next((given[name] for name in _TIMES if given.get(name) is not None), None)
    if at is not None:
        made["at"] = _time(at)
    for name in ("name", "key", "model"):
        if given.get(name) is not None:
            made[name] = given[name]
    others = ((name, value) for name, value in given.items() if name not in _KNOWN)
    rest = {name: value for name, value in others if value is not None}
    meta = given.get("meta") if isinstance(given.get("meta"), dict) else {}
    if rest or meta:
        made["meta"] = {**(meta or {}), **({"fields": rest} if rest else {})}
    return made


def _text(content: object) -> str:
    """Return text, or the texts of the parts that OpenAI's content may have; pictures become placeholders."""
    if not isinstance(content, list):
        if content is None or isinstance(content, str):
            return content or ""
        raise InvalidInput(f"the content is {type(content).__name__}, not text")
    found = []
    for part in content:
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, dict) and part.get("type") in _PARTS:
            found.append(str(part.get("text") or ""))
        elif isinstance(part, dict) and part.get("type") in _PLACEHOLDERS:
            found.append(_PLACEHOLDERS[part["type"]])
    return "\n".join(filter(None, found))


def _time(at: object) -> object:
    """Read seconds since 1970, or milliseconds, as other programs write times; anything else as it is."""
    if isinstance(at, bool) or not isinstance(at, int | float):
        return at
    try:
        return datetime.fromtimestamp(at / 1000 if at > 1e11 else at, UTC)
    except (OverflowError, OSError, ValueError):
        raise InvalidInput(f"{at} is not a time in seconds since 1970") from None


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    found = next((given[name] for name in names if given.get(name) not in (None, "")), None)
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else None


_ENDINGS: Final = (".jsonl", ".ndjson")
_LONGEST: Final = 32 * 2**20  # bytes of a line
_HEAD: Final = 65536
_ANY_SIZE: Final = 1 << 62  # the size is checked when it is stored


def _recognises(source: model.ImportSource) -> bool:
    alone = len(source.entries) == 1
    return any(map(_named, source.entries)) or (alone and _looks(source.entries[0]))


def _read(source: model.ImportSource) -> model.ReadItems:
    alone = len(source.entries) == 1
    chosen = [entry for entry in source.entries if alone or _named(entry) or _looks(entry)]
    if not chosen:
        raise InvalidInput(f"{source.name} has no file that ends in {' or '.join(_ENDINGS)}.")
    rest = [entry.name for entry in source.entries if entry not in chosen]
    others = sum(name.lower().endswith(".json") for name in rest)
    if others:
        yield model.SkippedItems("JSON files of another kind", others)
    seen = model.DigestCounts()
    for entry in chosen:
        yield from lines(entry, source.channel, seen, "" if alone else f"{entry.name}, ")


FORMAT = model.Format("jsonl", _recognises, _read)


def _named(entry: model.SourceFile) -> bool:
    return entry.name.lower().endswith(_ENDINGS)


def _looks(entry: model.SourceFile) -> bool:
    """Return whether the first line, or the first object of an array, is a message."""
    if not _is_array(entry):
        return looks_like_chat(_start(entry, lambda stream: stream.readline(_HEAD)))
    try:
        first, _ = json.JSONDecoder().raw_decode(scan.head(entry).lstrip()[1:].lstrip())
    except (ValueError, RecursionError):
        return False
    return looks_like_chat(first)


def _is_array(entry: model.SourceFile) -> bool:
    return scan.head(entry).lstrip().startswith("[")


def _start(entry: model.SourceFile, read: Callable[[IO[bytes]], bytes]) -> object:
    try:
        with entry.open() as stream:
            return json.loads(read(stream))
    except (InvalidInput, ValueError, RecursionError):
        return None


def lines(
    entry: model.SourceFile, channel: str | None, seen: model.DigestCounts, within: str
) -> model.ReadItems:
    stem = entry.name.replace("\\", "/").rpartition("/")[2].partition(".")[0].strip()
    named = channel or stem or "imported"
    number = 0
    if _is_array(entry):
        for number, each in enumerate(scan.read_objects(entry, "message"), 1):
            if isinstance(each, model.ImportProblem):
                yield each
            else:
                yield from _messages(each[1], named, number, seen, each[0])
        return
    try:
        with entry.open() as stream:
            for raw in _raw(stream):
                number += 1
                if raw is None:
                    why = f"it is longer than {_LONGEST:,} bytes; split its message"
                    yield model.ImportProblem(f"{within}line {number}", why)
                elif raw.strip():
                    yield from _line(raw, named, number, seen, within)
    except DamagedFile as damage:
        yield model.ImportProblem(f"{within}line {number + 1}", str(damage))


def _raw(stream: IO[bytes]) -> Iterator[bytes | None]:
    """Yield lines; None for one that is too long."""
    while raw := stream.readline(_LONGEST + 1):
        if len(raw) <= _LONGEST:
            yield raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(_HEAD)
        yield None


def _line(
    raw: bytes, named: str, number: int, seen: model.DigestCounts, within: str
) -> model.ReadItems:
    where = f"{within}line {number}"
    try:
        told = _parse(raw)
    except InvalidInput as error:
        yield model.ImportProblem(where, str(error))
    else:
        yield from _messages(told, named, number, seen, where)


def _messages(
    told: dict[str, Any], named: str, number: int, seen: model.DigestCounts, where: str
) -> model.ReadItems:
    try:
        for each in read_line(told):
            at = f"{where}, message {each.number}" if each.number else where
            alone = f"{named}:{number}" if each.number else named
            if each.fields is None:
                yield model.SkippedItems("messages without text, such as tool calls")
            else:
                yield _message(each.channel or alone, each.fields, seen, at)
    except InvalidInput as error:
        yield model.ImportProblem(where, str(error))


def _message(
    channel: str, told: dict[str, Any], seen: model.DigestCounts, where: str
) -> model.ReadItem:
    try:
        name = check.identifier("channel", channel)
        if told.get("key") is None:
            told["key"] = _key(name, told, seen)
        return model.ImportedMessage(name, check.message(told, largest=_ANY_SIZE), where)
    except InvalidInput as error:
        return model.ImportProblem(where, str(error))


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        line = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"not UTF-8 at its byte {error.start + 1:,}; convert the file first, for example with iconv"
        ) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"not JSON ({error})") from None
    if not isinstance(line, dict):
        raise InvalidInput("not a JSON object")
    return line


def _key(channel: str, told: dict[str, Any], seen: model.DigestCounts) -> str:
    written = json.dumps([channel, told], sort_keys=True, ensure_ascii=False, default=str)
    digest = hashlib.sha256(written.encode("utf-8", "replace")).digest()
    return f"jsonl:{digest.hex()[:32]}:{seen.count(digest)}"


def _own_recognises(source: model.ImportSource) -> bool:
    return any(entry.name == "manifest.json" and _is_ours(entry) for entry in source.entries)


def _own_read(source: model.ImportSource) -> model.ReadItems:
    found = [entry for entry in source.entries if entry.name == "messages.jsonl"]
    if not found:
        raise InvalidInput(
            f"{source.name} has no messages.jsonl. Give a zip made by `erstwhile export`; "
            "a backup is restored with `erstwhile backup FILE --restore`."
        )
    yield from lines(found[0], source.channel, model.DigestCounts(), "messages.jsonl, ")


OWN_FORMAT = model.Format("erstwhile", _own_recognises, _own_read)


def _is_ours(entry: model.SourceFile) -> bool:
    told = _start(entry, lambda stream: stream.read(_HEAD))
    return isinstance(told, dict) and told.get("format") in ("erstwhile-export", "erstwhile-backup")
