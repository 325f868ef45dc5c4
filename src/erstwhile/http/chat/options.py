"""The options of a chat request, from its headers, else from its body."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Literal, TypeVar

from starlette.datastructures import Headers

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.context import build, recipes
from erstwhile.http.caller import Caller
from erstwhile.http.chat.json_body import JsonBody
from erstwhile.http.chat.protocol import mapping, role_of
from erstwhile.http.problems import Problem
from erstwhile.log import check

T = TypeVar("T")
Mode = Literal["on", "read", "off"]
_MODES: dict[str, Mode] = {"": "on", "on": "on", "read": "read", "off": "off"}
_LEAST_BUDGET = 100
_LONGEST_KEY = 400


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Who asks, in which channel, and how to use memory. `key` is the client's own id of the
    question; `again`: the client is retrying. `unnamed`: the request names neither a channel nor a
    person, so that anyone may have sent it."""

    space: str
    channel: str
    person: str | None
    mode: Mode
    recipe: str | None = None
    budget: int | None = None
    scope: str | None = None
    floor: float | None = None
    key: str | None = None
    again: bool = False
    unnamed: bool = False


def space_of(caller: Caller, headers: Headers, default: str) -> str:
    """Return the key's space. An admin key may name any; others only their own."""
    named = _named(headers, "space")
    return check.identifier("space", caller.reads(named) if named else caller.space or default)


def read(caller: Caller, headers: Headers, body: JsonBody, default: str) -> ChatOptions:
    """Read the options. Without a channel it is the person's own; without a person either, that of
    the conversation, which its first messages tell."""
    try:
        person, named = _person(headers, body), _channel(headers, body)
        recipe, scope = _named(headers, "recipe"), _named(headers, "scope")
        build.checked_scope(scope)
        if recipe is not None:
            recipes.recipe(recipe)
        return ChatOptions(
            space=space_of(caller, headers, default),
            channel=check.identifier("channel", named or person or _conversation(caller, body)),
            person=person,
            unnamed=not (named or person),
            mode=_mode(caller, headers),
            recipe=recipe,
            budget=_option(headers, "budget", _budget),
            scope=scope,
            floor=_option(headers, "floor", _floor),
            key=_key(headers.get("idempotency-key")),
            again=headers.get("x-stainless-retry-count", "0") not in ("", "0"),
        )
    except InvalidInput as error:
        raise Problem(400, str(error)) from None


def _named(headers: Headers, name: str) -> str | None:
    """Return a header, decoded as UTF-8."""
    given = headers.get(f"x-erstwhile-{name}")
    if not given:
        return None
    try:
        return given.encode("latin-1").decode()
    except UnicodeDecodeError:
        return given


def _channel(headers: Headers, body: JsonBody) -> str:
    """Return the channel. `metadata.channel` is removed: providers restrict metadata."""
    named, metadata = _named(headers, "channel"), mapping(body.get("metadata"))
    if named is None and isinstance(metadata.get("channel"), str):
        named = metadata.pop("channel")
        body.drop("metadata")
        if metadata:
            body.put("metadata", metadata)
    return named or _text(body.get("user"))


def _conversation(caller: Caller, body: JsonBody) -> str:
    """Return a channel by the hash of the first messages, up to the first of the user."""
    given = body.get("messages") or body.get("input") or ""
    messages = given if isinstance(given, list) else [given]
    asked = (
        number for number, each in enumerate(messages, start=1) if role_of(each) in ("", "user")
    )
    begun = [body.get("system"), body.get("instructions"), messages[: next(asked, len(messages))]]
    text = json.dumps([caller.key, *begun], default=str, sort_keys=True)
    return f"unnamed-{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:24]}"


def _person(headers: Headers, body: JsonBody) -> str | None:
    given = [_named(headers, "person"), body.get("user"), body.get("safety_identifier")]
    given.append(mapping(body.get("metadata")).get("user_id"))
    named = next(filter(None, map(_text, given)), None)
    return None if named is None else check.identifier("person", named)


def _mode(caller: Caller, headers: Headers) -> Mode:
    wanted = headers.get("x-erstwhile-memory", "").strip().lower()
    if wanted not in _MODES:
        raise InvalidInput("X-Erstwhile-Memory must be on, read (use memory, log nothing) or off.")
    return "read" if caller.read_only and _MODES[wanted] == "on" else _MODES[wanted]


def _option(headers: Headers, name: str, read: Callable[[str], T]) -> T | None:
    given = _named(headers, name)
    return None if given is None else read(given)


def _budget(given: str) -> int:
    if not given.isascii() or not given.isdigit() or len(given) > 9 or int(given) < _LEAST_BUDGET:
        raise InvalidInput(
            f"X-Erstwhile-Budget must be a number of tokens, at least {_LEAST_BUDGET}."
        )
    return int(given)


def _floor(given: str) -> float | None:
    try:
        return build.checked_floor(float(given))
    except ValueError:
        raise InvalidInput("X-Erstwhile-Floor must be a number from 0 to 1.") from None


def _key(given: str | None) -> str | None:
    if given and len(given.encode()) > _LONGEST_KEY:  # the reply's key is derived from it
        raise InvalidInput(f"The Idempotency-Key is longer than {_LONGEST_KEY} bytes.")
    return check.identifier("Idempotency-Key", given) if given else None


def _text(value: object) -> str:
    return value if isinstance(value, str) and value.strip() else ""
