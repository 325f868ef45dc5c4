"""The tools. Each calls the API for a caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from pydantic import BaseModel

from erstwhile.api.memory import Memory
from erstwhile.api.resource import in_space
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.base.page import every
from erstwhile.base.records import dataclass
from erstwhile.mcp import shapes

T = TypeVar("T", bound=BaseModel)
F = TypeVar("F", bound=Callable[..., Awaitable[Any]])

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
    takes: type[shapes.ToolArguments]
    gives: type[BaseModel]
    call: Callable[[MemoryTools, Any], Awaitable[ToolAnswer[Any]]]
    writes: bool = False
    destroys: bool = False


TOOLS: list[Tool] = []


def tool(title: str, *, writes: bool = False, destroys: bool = False) -> Callable[[F], F]:
    """Register a method as a tool. Its name, docstring and types are those of the tool."""

    def register(call: F) -> F:
        hints = get_type_hints(call)
        (gives,) = get_args(hints["return"])
        named = call.__name__, title, call.__doc__ or ""
        TOOLS.append(Tool(*named, hints["arguments"], gives, call, writes, destroys))
        return call

    return register


class MemoryTools:
    """The tools of one caller."""

    def __init__(self, memory: Memory, caller: ToolCaller) -> None:
        self._memory, self._person = in_space(memory, caller.space), caller.person
        self._by = caller.person or caller.name

    @tool("Search memory")
    async def search_memory(
        self, arguments: shapes.SearchArguments
    ) -> ToolAnswer[shapes.SearchToolResult]:
        """Search messages and memories. Returns quotes with id, author and date, best first."""
        timed = arguments.since is not None or arguments.until is not None
        hits = await self._memory.search(
            arguments.query,
            channel=arguments.channel,
            person=arguments.person,
            limit=_DEEP if timed else arguments.limit,
            kinds=arguments.kinds,
        )
        since, until = _zoned(arguments.since), _zoned(_whole_day(arguments.until))
        late = (hit for hit in hits if since is None or hit.at >= since)
        within = [hit for hit in late if until is None or hit.at <= until]
        found = [shapes.from_hit(hit) for hit in within[: arguments.limit]]
        text = shapes.format_list(found, "Nothing found.")
        return ToolAnswer(shapes.SearchToolResult(memories=found), text)

    @tool("Get context")
    async def get_context(
        self, arguments: shapes.ContextArguments
    ) -> ToolAnswer[shapes.ContextResult]:
        """Get what helps to answer a question: summaries, facts and messages, within a token
        limit."""
        chat = self._memory.channel(arguments.channel or CHANNEL)
        person = arguments.person or self._person
        scope = "person" if arguments.channel is None and person else None
        made = await chat.context(
            arguments.query, person=person, budget=arguments.max_tokens, scope=scope
        )
        data = shapes.ContextResult(
            text=made.text, tokens=made.tokens, sources=[each.id for each in made.sources]
        )
        quoted = f"{shapes.LABEL}\n\n{shapes.quote(made.text)}"
        return ToolAnswer(data, quoted if made.text else "Nothing is remembered yet.")

    @tool("Remember", writes=True)
    async def add_memory(self, arguments: shapes.AddArguments) -> ToolAnswer[shapes.AddResult]:
        """Remember a statement for later conversations. Repeating it changes nothing."""
        memory, words = self._memory, arguments.text.strip()
        if arguments.about is not None:
            said = {"by": self._person, "channel": arguments.channel}
            told = await memory.remember(arguments.about, arguments.text, **said)
            added = shapes.AddResult(id=told.id, kind="told", text=arguments.text)
            whom = shapes.name(told.person)
            return ToolAnswer(added, f"Remembered about {whom}. [told · {told.id}]")
        chat = memory.channel(arguments.channel or CHANNEL)
        # A repeated call finds the fact it added before, even after new messages.
        facts = await every(memory.facts.list, chat=chat) if await chat.size() else []
        id = next((fact.id for fact in facts if fact.text == words), "")
        if not id:  # the words are the model's, whoever it speaks for
            by, about = self._by, self._person
            fact = await memory.facts.add(chat, words, by=by, person=about, trust="assistant")
            id = fact.id
        added = shapes.AddResult(id=id, kind="fact", text=words)
        return ToolAnswer(added, f"Remembered. [fact · {id}]")

    @tool("List memories")
    async def list_memories(self, arguments: shapes.ListArguments) -> ToolAnswer[shapes.ListResult]:
        """List memories, newest first, in pages. Without `kinds`: all but messages."""
        hits = await self._memory.memories.list(
            person=arguments.person,
            kinds=arguments.kinds,
            cursor=arguments.cursor,
            limit=arguments.limit,
        )
        shown = shapes.ListResult(memories=[shapes.from_hit(hit) for hit in hits], next=hits.next)
        more = f"\n\nMore: cursor {hits.next}" if hits.next else ""
        text = shapes.format_list(shown.memories, "There are no memories here.")
        return ToolAnswer(shown, text + more)

    @tool("Get a memory")
    async def get_memory(self, arguments: shapes.GetArguments) -> ToolAnswer[shapes.GetResult]:
        """Get a memory or message in full, with its sources."""
        found = await self._memory.memories.get(arguments.id)
        sources = [shapes.from_source(each) for each in found.sources]
        whole = shapes.GetResult(memory=shapes.from_source(found), sources=sources)
        parts = [shapes.LABEL, shapes.format_item(whole.memory)]
        parts += ["Sources:", *map(shapes.format_item, sources)] if sources else []
        parts += [f"{found.expired} of its messages are no longer kept."] if found.expired else []
        return ToolAnswer(whole, "\n\n".join(parts))

    @tool("Edit a memory", writes=True, destroys=True)
    async def update_memory(
        self, arguments: shapes.UpdateArguments
    ) -> ToolAnswer[shapes.UpdateResult]:
        """Edit the text of a memory. Its history is kept. Messages never change."""
        words = arguments.text.strip()
        changed = (await self._memory.memories.get(arguments.id)).text != words
        if changed:
            await self._memory.memories.edit(arguments.id, words, by=self._by)
        said = f"Changed {arguments.id}." if changed else "Unchanged: it has this text already."
        return ToolAnswer(shapes.UpdateResult(id=arguments.id, text=words, changed=changed), said)

    @tool("Forget", writes=True, destroys=True)
    async def forget_memory(
        self, arguments: shapes.ForgetArguments
    ) -> ToolAnswer[shapes.ForgetToolResult]:
        """Delete memories by id, or forget what was remembered about a person, in words."""
        if arguments.person is not None and arguments.fact is not None:
            gone = await self._memory.forget(arguments.person, arguments.fact, by=self._person)
            removed = gone.removed.splitlines()
            text = gone.question or "Nothing like that was remembered."
            if removed:
                text = f"Forgotten:\n{shapes.quote(gone.removed)}"
            return ToolAnswer(shapes.ForgetToolResult(forgotten=removed), text)
        done = shapes.ForgetToolResult(forgotten=[])
        for id in dict.fromkeys(arguments.ids or ()):
            try:
                await self._memory.memories.delete(id, by=self._by)
                done.forgotten.append(id)
            except NotFound:
                done.missing.append(id)
            except InvalidInput as why:
                done.kept[id] = str(why)
        said = [
            f"Forgotten: {', '.join(done.forgotten) or 'nothing'}.",
            *([f"Unknown: {', '.join(map(shapes.name, done.missing))}."] if done.missing else []),
            *(f"Kept {shapes.name(id)}: {why}" for id, why in done.kept.items()),
        ]
        return ToolAnswer(done, "\n".join(said))

    @tool("About a person")
    async def about_person(
        self, arguments: shapes.AboutArguments
    ) -> ToolAnswer[shapes.AboutResult]:
        """Describe a person: what is remembered, their last days, their profile."""
        about = await self._memory.about(arguments.person, asker=self._person)
        portrait = shapes.from_about(about)
        return ToolAnswer(portrait, shapes.format_about(portrait))


def _whole_day(until: datetime | None) -> datetime | None:
    """Extend a date without a time to the end of its day."""
    alone = until is not None and until.tzinfo is None and until.time() == time()
    return until + timedelta(days=1, microseconds=-1) if until is not None and alone else until


def _zoned(at: datetime | None) -> datetime | None:
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)
