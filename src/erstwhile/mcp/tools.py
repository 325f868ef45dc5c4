"""The tools: each calls the door for a visitor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from pydantic import BaseModel

from erstwhile.api.memory import Memory
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.mcp import arguments, shapes

CHANNEL = "mcp"  # where what is not of any conversation is kept
_DEEP = 200  # how far down a search looks for what was said within the time asked for


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who calls: the space that is open to them, and the person they speak for, if that is known."""

    space: str
    person: str | None = None
    name: str = "mcp"
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    data: BaseModel
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    title: str
    description: str
    takes: type[arguments.Arguments]
    gives: type[BaseModel]
    call: Callable[[Memory, Visitor, Any], Awaitable[Answer]]
    writes: bool = False
    destroys: bool = False


async def search(memory: Memory, visitor: Visitor, given: arguments.Search) -> Answer:
    timed = given.since is not None or given.until is not None
    hits = await memory.search(
        given.query,
        space=visitor.space,
        channel=given.channel,
        person=given.person,
        limit=_DEEP if timed else given.limit,
        kinds=given.kinds,
    )
    since, until = _zoned(given.since), _zoned(_whole_day(given.until))
    within = [hit for hit in hits if (since is None or hit.at >= since) and (until is None or hit.at <= until)]
    found = [shapes.of_hit(hit) for hit in within[: given.limit]]
    return Answer(shapes.Found(memories=found), shapes.listed(found, "Nothing was found."))


async def context(memory: Memory, visitor: Visitor, given: arguments.Context) -> Answer:
    chat = memory.channel(given.channel or CHANNEL, visitor.space)
    person = given.person or visitor.person
    scope = "person" if given.channel is None and person else None
    made = await chat.context(given.query, person=person, budget=given.max_tokens, scope=scope)
    data = shapes.Context(text=made.text, tokens=made.tokens, sources=[each.id for each in made.sources])
    return Answer(data, f"{shapes.LABEL}\n\n{shapes.quoted(made.text)}" if made.text else "Nothing is remembered yet.")


async def add(memory: Memory, visitor: Visitor, given: arguments.Add) -> Answer:
    if given.about is not None:
        told = await memory.remember(
            given.about, given.text, space=visitor.space, by=visitor.person, channel=given.channel
        )
        added = shapes.Added(id=told.id, kind="told", text=given.text)
        return Answer(added, f"Remembered of {shapes.name(told.person)}. [told · {told.id}]")
    chat = memory.channel(given.channel or CHANNEL, visitor.space)
    words = given.text.strip()
    # Where people talk, a fact's place moves on with them; a call that comes again finds what it has put there before.
    known = [fact.id for fact in await memory.facts.list(chat) if fact.text == words] if await chat.size() else []
    by = visitor.person or visitor.name
    id = known[0] if known else (await memory.facts.add(chat, words, by=by, person=visitor.person)).id
    return Answer(shapes.Added(id=id, kind="fact", text=words), f"Remembered. [fact · {id}]")


async def listing(memory: Memory, visitor: Visitor, given: arguments.Listing) -> Answer:
    hits = await memory.memories.list(
        space=visitor.space, person=given.person, kinds=given.kinds, cursor=given.cursor, limit=given.limit
    )
    shown = [shapes.of_hit(hit) for hit in hits]
    after = hits.next
    more = f"\n\nMore: cursor {after}" if after else ""
    return Answer(shapes.Page(memories=shown, next=after), shapes.listed(shown, "There are no memories here.") + more)


async def get(memory: Memory, visitor: Visitor, given: arguments.Get) -> Answer:
    found = await memory.memories.get(given.id, space=visitor.space)
    whole = shapes.Whole(memory=shapes.of_source(found), sources=[shapes.of_source(each) for each in found.sources])
    parts = [shapes.LABEL, shapes.line(whole.memory)]
    parts += ["It comes from:", *map(shapes.line, whole.sources)] if whole.sources else []
    parts += [f"{found.expired} of its messages are no longer kept."] if found.expired else []
    return Answer(whole, "\n\n".join(parts))


async def update(memory: Memory, visitor: Visitor, given: arguments.Update) -> Answer:
    words = given.text.strip()
    if (await memory.memories.get(given.id, space=visitor.space)).text == words:
        return Answer(shapes.Updated(id=given.id, text=words, changed=False), "It says so already.")
    await memory.memories.edit(given.id, words, by=visitor.person or visitor.name, space=visitor.space)
    return Answer(shapes.Updated(id=given.id, text=words, changed=True), f"Changed {given.id}.")


async def forget(memory: Memory, visitor: Visitor, given: arguments.Forget) -> Answer:
    if given.person is not None and given.fact is not None:
        gone = await memory.forget(given.person, given.fact, space=visitor.space, by=visitor.person)
        removed = gone.removed.splitlines()
        text = f"Forgotten:\n{shapes.quoted(gone.removed)}" if removed else "There was nothing of that kind to forget."
        return Answer(shapes.Gone(forgotten=removed), text)
    done = shapes.Gone(forgotten=[])
    for id in dict.fromkeys(given.ids or ()):
        try:
            await memory.memories.delete(id, by=visitor.person or visitor.name, space=visitor.space)
            done.forgotten.append(id)
        except NotFound:
            done.missing.append(id)
        except InvalidInput as why:
            done.kept[id] = str(why)
    said = [
        f"Forgotten: {', '.join(done.forgotten) or 'nothing'}.",
        *([f"Not there: {', '.join(map(shapes.name, done.missing))}."] if done.missing else []),
        *(f"Kept {shapes.name(id)}: {why}" for id, why in done.kept.items()),
    ]
    return Answer(done, "\n".join(said))


async def about(memory: Memory, visitor: Visitor, given: arguments.About) -> Answer:
    portrait = shapes.portrait(await memory.about(given.person, space=visitor.space, asker=visitor.person))
    return Answer(portrait, shapes.described(portrait))


def _whole_day(until: datetime | None) -> datetime | None:
    """A day alone is meant with all its hours."""
    alone = until is not None and until.tzinfo is None and until.time() == time()
    return until + timedelta(days=1, microseconds=-1) if until is not None and alone else until


def _zoned(at: datetime | None) -> datetime | None:
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


TOOLS = (
    Tool(
        "search_memory",
        "Search memory",
        "Finds what was said or noted, best first, as quotes with id, author and date.",
        arguments.Search,
        shapes.Found,
        search,
    ),
    Tool(
        "get_context",
        "Get context",
        "What is worth knowing to answer a question: summaries, facts and earlier messages, within a token limit.",
        arguments.Context,
        shapes.Context,
        context,
    ),
    Tool(
        "add_memory",
        "Remember",
        "Remembers a statement for later conversations. The same again changes nothing.",
        arguments.Add,
        shapes.Added,
        add,
        writes=True,
    ),
    Tool(
        "list_memories",
        "List memories",
        "Memories, newest first, in pages. Without `kinds`: all but messages.",
        arguments.Listing,
        shapes.Page,
        listing,
    ),
    Tool(
        "get_memory",
        "Get a memory",
        "A memory or message in full, and what it was made of.",
        arguments.Get,
        shapes.Whole,
        get,
    ),
    Tool(
        "update_memory",
        "Correct a memory",
        "Puts new words in place of a memory's. Its history is kept. Messages never change.",
        arguments.Update,
        shapes.Updated,
        update,
        writes=True,
        destroys=True,
    ),
    Tool(
        "forget_memory",
        "Forget",
        "Takes memories away, by id, or what was told of a person, in words.",
        arguments.Forget,
        shapes.Gone,
        forget,
        writes=True,
        destroys=True,
    ),
    Tool(
        "about_person",
        "About a person",
        "What is known of a person: what was told, their last days, their profile.",
        arguments.About,
        shapes.Portrait,
        about,
    ),
)
