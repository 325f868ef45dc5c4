"""Read a line of a chat log in the shapes that people have: our own, OpenAI's `{"role", "content"}`, and whole
conversations in `messages` (fine-tuning files, request logs) or `conversations`.

Our own shape is taken as it is. Of the others, fields that a message has no place for are kept in `meta["fields"]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass

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
    """Return whether a JSON value is a message or a conversation in one of the shapes."""
    if not isinstance(told, dict):
        return False
    if "role" in told and ("text" in told or "content" in told):
        return True
    listed: list[Any] = next(
        (told[name] for name in _LISTS if isinstance(told.get(name), list)), []
    )
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
    yield LineMessage(channel, 0, _message(line, {}))


def _conversation(line: Mapping[str, Any], listed: str) -> Iterator[LineMessage]:
    if not isinstance(line[listed], list):
        raise InvalidInput(f"`{listed}` is not a list of messages")
    shared = {name: line[name] for name in ("model",) if isinstance(line.get(name), str)}
    person = _first(line, _PEOPLE)
    channel = _first(line, _CHANNELS)
    for number, each in enumerate(line[listed], start=1):
        if not isinstance(each, dict):
            raise InvalidInput(f"message {number} is not a JSON object")
        fields = _message(each, shared)
        if fields is not None and person is not None and fields["role"] == "user":
            fields.setdefault("person", person)
        yield LineMessage(channel, number, fields)


def _message(given: Mapping[str, Any], shared: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the fields that a message of ours has, or None if it has no text."""
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
