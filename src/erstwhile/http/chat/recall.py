"""Build the context of a chat, within a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from erstwhile.api import context_builder
from erstwhile.api.memory import Memory
from erstwhile.base.errors import StorageError
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.context.model import NOTHING, Context, ContextPart, joined
from erstwhile.context.recipes import STEADY
from erstwhile.context.render import PREFACE
from erstwhile.http.chat.options import ChatOptions
from erstwhile.http.chat.protocol import ChatInput, Recollection
from erstwhile.requests.model import ASK, RETRIEVAL
from erstwhile.requests.recorder import RequestRecord
from erstwhile.writers.chat import alternating

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


async def _built(memory: Memory, asking: ChatOptions, asked: RequestRecord) -> tuple[Context, bool]:
    chat = memory.channel(asking.channel, asking.space)
    shape = asking.budget, asking.recipe, asking.scope, None, asking.floor
    building = context_builder.build(chat, asked, context_builder.ContextOptions(*shape))
    kept, context = await asyncio.gather(is_logged(memory, asking), building)
    return (context, True) if kept else (asked.unrecorded(), False)


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
