"""The tools. Each calls the API for a caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from pydantic import BaseModel

from erstwhile.api.memory import Memory
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.base.records import dataclass
from erstwhile.mcp import arguments, results

T = TypeVar("T", bound=BaseModel)
F = TypeVar("F", bound=Callable[..., Awaitable[Any]])
ToolFunction = Callable[[Memory, "ToolCaller", Any], Awaitable["ToolAnswer[Any]"]]

CHANNEL = "mcp"  # for memories without a conversation
_DEEP = 200  # hits read when a time is given


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """The caller's space, and the person they speak for, if known."""

    space: str
    person: str | None = None
    name: str = "mcp"
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class ToolAnswer(Generic[T]):
    data: T
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    title: str
    description: str
    takes: type[arguments.ToolArguments]
    gives: type[BaseModel]
    call: ToolFunction
    writes: bool = False
    destroys: bool = False


TOOLS: list[Tool] = []


def tool(title: str, *, writes: bool = False, destroys: bool = False) -> Callable[[F], F]:
    """Register a function as a tool. Its name, docstring and types are those of the tool."""

    def register(call: F) -> F:
        hints = get_type_hints(call)
        (gives,) = get_args(hints["return"])
        TOOLS.append(Tool(call.__name__, title, call.__doc__ or "", hints["given"], gives, call, writes, destroys))
        return call

    return register


@tool("Search memory")
async def search_memory(
    memory: Memory, caller: ToolCaller, given: arguments.SearchArguments
) -> ToolAnswer[results.SearchToolResult]:
    """Search messages and memories. Returns quotes with id, author and date, best first."""
    timed = given.since is not None or given.until is not None
    hits = await memory.search(
        given.query,
        space=caller.space,
        channel=given.channel,
        person=given.person,
        limit=_DEEP if timed else given.limit,
        kinds=given.kinds,
    )
    since, until = _zoned(given.since), _zoned(_whole_day(given.until))
    within = [hit for hit in hits if (since is None or hit.at >= since) and (until is None or hit.at <= until)]
    found = [results.from_hit(hit) for hit in within[: given.limit]]
    return ToolAnswer(results.SearchToolResult(memories=found), results.format_list(found, "Nothing found."))


@tool("Get context")
async def get_context(
    memory: Memory, caller: ToolCaller, given: arguments.ContextArguments
) -> ToolAnswer[results.ContextResult]:
    """Get what helps to answer a question: summaries, facts and messages, within a token limit."""
    chat = memory.channel(given.channel or CHANNEL, caller.space)
    person = given.person or caller.person
    scope = "person" if given.channel is None and person else None
    made = await chat.context(given.query, person=person, budget=given.max_tokens, scope=scope)
    data = results.ContextResult(text=made.text, tokens=made.tokens, sources=[each.id for each in made.sources])
    return ToolAnswer(
        data, f"{results.LABEL}\n\n{results.quote(made.text)}" if made.text else "Nothing is remembered yet."
    )


@tool("Remember", writes=True)
async def add_memory(
    memory: Memory, caller: ToolCaller, given: arguments.AddArguments
) -> ToolAnswer[results.AddResult]:
    """Remember a statement for later conversations. Repeating it changes nothing."""
    if given.about is not None:
        told = await memory.remember(
            given.about, given.text, space=caller.space, by=caller.person, channel=given.channel
        )
        added = results.AddResult(id=told.id, kind="told", text=given.text)
        return ToolAnswer(added, f"Remembered about {results.name(told.person)}. [told · {told.id}]")
    chat = memory.channel(given.channel or CHANNEL, caller.space)
    words = given.text.strip()
    # A repeated call finds the fact it added before, even after new messages.
    known = [fact.id for fact in await memory.facts.list(chat) if fact.text == words] if await chat.size() else []
    by = caller.person or caller.name
    # The words are the model's, whoever it speaks for.
    fact = None if known else await memory.facts.add(chat, words, by=by, person=caller.person, trust="assistant")
    id = fact.id if fact else known[0]
    return ToolAnswer(results.AddResult(id=id, kind="fact", text=words), f"Remembered. [fact · {id}]")


@tool("List memories")
async def list_memories(
    memory: Memory, caller: ToolCaller, given: arguments.ListArguments
) -> ToolAnswer[results.ListResult]:
    """List memories, newest first, in pages. Without `kinds`: all but messages."""
    hits = await memory.memories.list(
        space=caller.space, person=given.person, kinds=given.kinds, cursor=given.cursor, limit=given.limit
    )
    shown = [results.from_hit(hit) for hit in hits]
    after = hits.next
    more = f"\n\nMore: cursor {after}" if after else ""
    return ToolAnswer(
        results.ListResult(memories=shown, next=after), results.format_list(shown, "There are no memories here.") + more
    )


@tool("Get a memory")
async def get_memory(
    memory: Memory, caller: ToolCaller, given: arguments.GetArguments
) -> ToolAnswer[results.GetResult]:
    """Get a memory or message in full, with its sources."""
    found = await memory.memories.get(given.id, space=caller.space)
    whole = results.GetResult(
        memory=results.from_source(found), sources=[results.from_source(each) for each in found.sources]
    )
    parts = [results.LABEL, results.format_item(whole.memory)]
    parts += ["Sources:", *map(results.format_item, whole.sources)] if whole.sources else []
    parts += [f"{found.expired} of its messages are no longer kept."] if found.expired else []
    return ToolAnswer(whole, "\n\n".join(parts))


@tool("Edit a memory", writes=True, destroys=True)
async def update_memory(
    memory: Memory, caller: ToolCaller, given: arguments.UpdateArguments
) -> ToolAnswer[results.UpdateResult]:
    """Edit the text of a memory. Its history is kept. Messages never change."""
    words = given.text.strip()
    if (await memory.memories.get(given.id, space=caller.space)).text == words:
        return ToolAnswer(
            results.UpdateResult(id=given.id, text=words, changed=False), "Unchanged: it has this text already."
        )
    await memory.memories.edit(given.id, words, by=caller.person or caller.name, space=caller.space)
    return ToolAnswer(results.UpdateResult(id=given.id, text=words, changed=True), f"Changed {given.id}.")


@tool("Forget", writes=True, destroys=True)
async def forget_memory(
    memory: Memory, caller: ToolCaller, given: arguments.ForgetArguments
) -> ToolAnswer[results.ForgetResult]:
    """Delete memories by id, or forget what was remembered about a person, in words."""
    if given.person is not None and given.fact is not None:
        gone = await memory.forget(given.person, given.fact, space=caller.space, by=caller.person)
        removed = gone.removed.splitlines()
        text = (
            f"Forgotten:\n{results.quote(gone.removed)}"
            if removed
            else gone.question or "Nothing like that was remembered."
        )
        return ToolAnswer(results.ForgetResult(forgotten=removed), text)
    done = results.ForgetResult(forgotten=[])
    for id in dict.fromkeys(given.ids or ()):
        try:
            await memory.memories.delete(id, by=caller.person or caller.name, space=caller.space)
            done.forgotten.append(id)
        except NotFound:
            done.missing.append(id)
        except InvalidInput as why:
            done.kept[id] = str(why)
    said = [
        f"Forgotten: {', '.join(done.forgotten) or 'nothing'}.",
        *([f"Unknown: {', '.join(map(results.name, done.missing))}."] if done.missing else []),
        *(f"Kept {results.name(id)}: {why}" for id, why in done.kept.items()),
    ]
    return ToolAnswer(done, "\n".join(said))


@tool("About a person")
async def about_person(
    memory: Memory, caller: ToolCaller, given: arguments.AboutArguments
) -> ToolAnswer[results.AboutResult]:
    """Describe a person: what is remembered, their last days, their profile."""
    portrait = results.from_about(await memory.about(given.person, space=caller.space, asker=caller.person))
    return ToolAnswer(portrait, results.format_about(portrait))


def _whole_day(until: datetime | None) -> datetime | None:
    """Extend a date without a time to the end of its day."""
    alone = until is not None and until.tzinfo is None and until.time() == time()
    return until + timedelta(days=1, microseconds=-1) if until is not None and alone else until


def _zoned(at: datetime | None) -> datetime | None:
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)
