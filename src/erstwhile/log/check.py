"""Check input. It is stored exactly as given, or refused with a reason; nothing is changed
silently.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar, cast

from erstwhile.base import clock, trust
from erstwhile.base.errors import InvalidInput
from erstwhile.log.model import ROLES, NewMessage
from erstwhile.text import labels

T = TypeVar("T")
LONGEST_ID = 512  # bytes
DEEPEST_META = 32  # objects and lists inside each other
LONGEST_MEMORY = 65_536  # bytes of a memory that someone writes or edits
_FIELDS = tuple(field.name for field in fields(NewMessage))
_TAKEN = frozenset({*_FIELDS, "channel"})
_NEEDED = ("role", "text")


def identifier(what: str, value: object) -> str:
    """Check an id of a space, channel, person or key: any text without NUL, up to 512 bytes. The id of
    a person is normalised (NFC), so that the same letters are the same person."""
    if not isinstance(value, str):
        raise InvalidInput(f"The {what} must be text, not {type(value).__name__}.")
    return (_identifier if what == "key" else _known)(what, value)


def _identifier(what: str, value: str) -> str:
    if not value.strip():
        raise InvalidInput(f"The {what} is empty. Give it a name.")
    if _size(what, value) > LONGEST_ID:
        raise InvalidInput(
            f"The {what} is longer than {LONGEST_ID} bytes. Use a shorter id, for example a hash of it."
        )
    return unicodedata.normalize("NFC", value) if what == "person" else value


_known = lru_cache(4096)(_identifier)  # the same few people speak in the same few channels


@lru_cache(4096)  # the same few people speak
def folded(person: str) -> str:
    """Return what ids have in common that differ only in case, width or invisible characters."""
    return labels.folded(person) or person


def not_a_twin(person: str, known: str | None) -> None:
    """Refuse an id that differs from a known one only in case or invisible characters."""
    if known is not None and known != person:
        raise InvalidInput(
            f"There is a person {known!r} already, and {person!r} differs only in case or invisible characters. "
            "Use the id as it was given first, or one that differs more."
        )


def words(what: str, value: object) -> str:
    """Check text of any length."""
    if not isinstance(value, str):
        raise InvalidInput(f"The {what} must be text, not {type(value).__name__}.")
    _size(what, value)
    return value


def channels(within: Sequence[str] | None) -> tuple[str, ...] | None:
    """Check a list of channels. "" is dropped, so that a URL can express an empty list."""
    if within is None:
        return None
    if isinstance(within, str):
        raise InvalidInput("`within` is a list of channels, not one.")
    return tuple(sorted({identifier("channel", each) for each in within if each != ""}))


def _size(what: str, value: str) -> int:
    if "\0" in value:
        why = f"The {what} contains a NUL character, which no database stores as text."
        raise InvalidInput(f"{why} Remove it.")
    try:
        return len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"The {what} contains half of a surrogate pair at position {error.start}: it is not valid Unicode. "
            "Decode it properly, or replace it, for example with text.encode('utf-8', 'replace').decode()."
        ) from None


def message(
    given: NewMessage | Mapping[str, Any], *, largest: int, channel: str | None = None
) -> NewMessage:
    new = given if isinstance(given, NewMessage) else _from_mapping(given, channel)
    if new.role not in ROLES:
        raise InvalidInput(f"Unknown role {new.role!r}. Use one of {', '.join(ROLES)}.")
    said(new.text, largest)
    if new.role == "user" and trust.is_declared(new.meta):
        raise InvalidInput(
            "Text of a third party has the role tool: whoever adds it did not say it. `name` may say whose it is."
        )
    for what, value in (("name", new.name), ("key", new.key), ("model", new.model)):
        if value is not None:
            identifier(what, value)
    person = None if new.person is None else identifier("person", new.person)
    at, meta = _time(new.at), _meta(new.meta, largest)
    return NewMessage(new.role, new.text, person, new.name, at, new.key, new.model, meta)


def said(text: object, largest: int) -> str:
    """Check the text of a message."""
    if text is not None and not isinstance(text, str):
        raise InvalidInput(f"The text of a message must be text, not {type(text).__name__}.")
    if not text:
        how = "Leave it out, or store a placeholder such as [image]."
        raise InvalidInput(f"The message has no text. {how}")
    size = _size("text", text)
    if size > largest:
        raise InvalidInput(
            f"The message has {size:,} bytes; the largest taken is {largest:,}. Split it, or raise ERSTWHILE_LIMITS__MESSAGE_BYTES."
        )
    return text


def places(after: int, limit: int | None) -> None:
    """Check where a listing begins, and how long it is."""
    given = (after, 0 if limit is None else limit)
    if not all(isinstance(each, int) and each >= 0 for each in given):
        raise InvalidInput("`after` and `limit` are whole numbers and can't be negative.")


def memory_text(text: object, largest: int = LONGEST_MEMORY) -> str:
    """Check the text of a memory and strip the whitespace around it."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput("The memory has no text. Use `delete` to delete it.")
    size = _size("text", text)
    if size > largest:
        why = f"The memory has {size:,} bytes; the largest taken is {largest:,}."
        raise InvalidInput(f"{why} Add it as a message.")
    return text.strip()


def listed(name: str, given: Iterable[T]) -> Iterable[T]:
    """Refuse one message or fact where a list of them is meant."""
    if isinstance(given, str | Mapping | NewMessage):
        raise InvalidInput(f"`{name}` is a list of {name}. For one, give a list of one.")
    return given


def _from_mapping(given: Mapping[str, Any], channel: str | None) -> NewMessage:
    """Convert a dict to a NewMessage. It may name its channel if it is this one."""
    if type(given) is not dict and not isinstance(given, Mapping):
        raise InvalidInput(f"A message is a dict or NewMessage, not {type(given).__name__}.")
    if given.get("channel", channel) != channel:
        raise InvalidInput(
            f"The message belongs to channel {given['channel']!r}, not to {channel!r}. Add it there."
        )
    if not _TAKEN.issuperset(given):
        unknown = sorted(map(str, set(given) - _TAKEN))
        raise InvalidInput(
            f"A message has no field {unknown[0]!r}. Its fields are {', '.join(_FIELDS)}; put the rest into meta."
        )
    for name in _NEEDED:
        if name not in given:
            raise InvalidInput(f"The message has no {name}.")
    told = {name: given[name] for name in _FIELDS if name in given}
    return NewMessage(**told | {"meta": {} if given.get("meta") is None else given["meta"]})


def _time(at: object) -> datetime | None:
    if at is None:
        return None
    if isinstance(at, str):
        return clock.parse(at)
    if not isinstance(at, datetime):
        kind = type(at).__name__
        raise InvalidInput(f"`at` must be a datetime with a zone or ISO text, not {kind}.")
    clock.micros(at)
    return at


def is_deeper(value: object, most: int) -> bool:
    """Return whether more than `most` objects and lists of JSON are inside each other."""
    level: list[Any] = [value]
    for _ in range(most + 1):
        level = [each for each in level if isinstance(each, dict | list)]
        if not level:
            return False
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = list(chain.from_iterable(inside))
    return True


def _meta(meta: object, largest: int) -> Mapping[str, Any]:
    if type(meta) is not dict and not isinstance(meta, Mapping):
        raise InvalidInput(f"`meta` must be a dict, not {type(meta).__name__}.")
    if not meta:
        return {}
    try:
        stored = json.dumps(meta, allow_nan=False, ensure_ascii=False)
        kept = json.loads(stored)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"`meta` can't be stored as JSON: {error}.") from None
    if is_deeper(kept, DEEPEST_META):
        raise InvalidInput(
            f"`meta` is nested more than {DEEPEST_META} levels deep. Flatten it, or store it as text."
        )
    size = _size("meta", stored)
    if size > largest:
        raise InvalidInput(f"`meta` has {size:,} bytes; the largest taken is {largest:,}.")
    # As it will be read back: JSON has no tuples, and keys are text.
    return cast(Mapping[str, Any], kept)


def one_of(**given: str | None) -> tuple[str, str]:
    """Return the one argument that was given, with its kind."""
    named = [(kind, identifier(kind, name)) for kind, name in given.items() if name is not None]
    if len(named) != 1:
        kinds = [f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}" for kind in given]
        raise InvalidInput(f"Name exactly one of them: {', '.join(kinds[:-1])} or {kinds[-1]}.")
    return named[0]
