"""The options of a chat request, from its headers, else from its body, and the context built with them."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from starlette.datastructures import Headers

from erstwhile.api import context_builder
from erstwhile.api.context_builder import RequestRecord
from erstwhile.api.memory import Memory
from erstwhile.base.errors import InvalidInput, StorageError
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.context import recipes
from erstwhile.context.model import NOTHING, PREFACE, Context, ContextPart, joined
from erstwhile.context.recipes import STEADY
from erstwhile.http.caller import Caller
from erstwhile.http.chat.protocol import ChatInput, JsonBody, Recollection, mapping, role_of
from erstwhile.http.problems import Problem
from erstwhile.log import check
from erstwhile.requests.model import ASK, RETRIEVAL
from erstwhile.writers.chat import alternating

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
        context_builder.checked_scope(scope)
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
        wanted = f"a number of tokens, at least {_LEAST_BUDGET}."
        raise InvalidInput(f"X-Erstwhile-Budget must be {wanted}")
    return int(given)


def _floor(given: str) -> float | None:
    try:
        return context_builder.checked_floor(float(given))
    except ValueError:
        raise InvalidInput("X-Erstwhile-Floor must be a number from 0 to 1.") from None


def _key(given: str | None) -> str | None:
    if given and len(given.encode()) > _LONGEST_KEY:  # the reply's key is derived from it
        raise InvalidInput(f"The Idempotency-Key is longer than {_LONGEST_KEY} bytes.")
    return check.identifier("Idempotency-Key", given) if given else None


def _text(value: object) -> str:
    return value if isinstance(value, str) and value.strip() else ""


log = Log(__name__)

_CHAT = ("recent", "turns")
_HALF = 2000  # characters used from either end of a long question


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The context of a chat. `asked` is the request's record; `is_logged` is None if it is unknown
    whether this person's messages are stored."""

    context: Context
    asked: RequestRecord | None
    is_logged: bool | None
    reason: str = ""


OFF = RecallResult(NOTHING, None, False)


async def recall(
    memory: Memory, asking: ChatOptions, said: ChatInput, before: asyncio.Future[None] | None = None
) -> RecallResult:
    """Build the context. Never raises: on failure or timeout it is empty, with a reason. `before`
    is the previous turn, which is waited for so that it is included."""
    if asking.mode == "off":
        return OFF
    if asking.unnamed:  # anyone may have begun a conversation with the same words
        return RecallResult(NOTHING, _asked(memory, asking, said), None)
    if before is not None:
        await asyncio.wait({before}, timeout=memory.settings.limits.memory_seconds / 2)
    asked = _asked(memory, asking, said)
    building = asyncio.create_task(_built(memory, asking, asked), name="erstwhile-context")
    done, _ = await asyncio.wait({building}, timeout=memory.settings.limits.memory_seconds)
    if not done:
        # It continues in the background: an index that is loading will be ready for the next
        # question.
        building.add_done_callback(_log_failure)
        asked.unrecorded()
        reason = f"the memory took longer than {memory.settings.limits.memory_seconds:g} s"
        log.warning("chat.degraded", space=asking.space, channel=asking.channel, reason=reason)
        late = _asked(memory, asking, said)
        late.request = replace(late.request, error_stage=RETRIEVAL)
        return RecallResult(NOTHING, late, None, reason)
    error = building.exception()
    if error is not None:
        reason = "the database failed" if isinstance(error, StorageError) else "the memory failed"
        place = {"space": asking.space, "channel": asking.channel}
        log.warning("chat.degraded", **place, reason=type(error).__name__)
        return RecallResult(NOTHING, asked, None, reason)
    context, is_logged = building.result()
    return RecallResult(context, asked, is_logged)


async def is_logged(memory: Memory, asking: ChatOptions) -> bool:
    return await memory.people.kept(asking.person, space=asking.space)


def arrange(context: Context, said: ChatInput) -> Recollection:
    """Arrange a context for the prompt, without what the client sent itself."""
    steady = [part.text for part in context.parts if part.name in STEADY]
    others = [part for part in context.parts if part.name not in STEADY and part.name not in _CHAT]
    found = joined(list(filter(None, (_untold(part, said.texts) for part in others))))
    head = "\n\n".join([PREFACE, *steady]) if steady else ""
    found = f"{PREFACE}\n\n{found}" if found else ""  # it stands in the question's message
    turns = [] if said.history else alternating(_turns(context, said.question))
    if (
        turns and turns[-1]["role"] == "user"
    ):  # nobody replied: it is of one piece with the question
        found = "\n\n".join(filter(None, [turns.pop()["content"], found]))
    return Recollection(head, found, turns)


def _asked(memory: Memory, asking: ChatOptions, said: ChatInput) -> RequestRecord:
    query = said.question
    if len(query) > 2 * _HALF:
        query = f"{query[:_HALF]}\n{query[-_HALF:]}"
    return context_builder.start_request(
        memory.channel(asking.channel, asking.space), ASK, query, asking.person
    )


async def _built(
    memory: Memory, asking: ChatOptions, record: RequestRecord
) -> tuple[Context, bool]:
    chat = memory.channel(asking.channel, asking.space)
    shape = asking.budget, asking.recipe, asking.scope, None, asking.floor
    building = context_builder.build(chat, record, context_builder.ContextOptions(*shape))
    kept, context = await asyncio.gather(is_logged(memory, asking), building)
    return (context, True) if kept else (record.unrecorded(), False)


def _log_failure(task: asyncio.Task[tuple[Context, bool]]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.warning("chat.memory_failed_late", reason=type(task.exception()).__name__)


def _untold(part: ContextPart, texts: frozenset[str]) -> ContextPart | None:
    if part.body:
        return part
    kept = tuple(
        item for item in part.items if item.said is None or item.said.text.strip() not in texts
    )
    return replace(part, items=kept) if kept else None


def _turns(context: Context, question: str) -> Sequence[dict[str, str]]:
    """Return the latest turns, without failed attempts of this question."""
    items = (item for part in context.parts if part.name in _CHAT for item in part.items)
    said = [item.said for item in items if item.said is not None and not item.said.is_failure]
    turns = [message for message in context.messages if message["role"] != "system"]
    while said and turns and said[-1].meta.get("debug", {}).get("error"):
        said.pop()
        turns.pop()
    while said and turns and said[-1].role == "user" and said[-1].text == question:
        said.pop()
        turns.pop()
    return turns
