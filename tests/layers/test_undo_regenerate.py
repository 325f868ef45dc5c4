"""Having back what making a range again has replaced: exactly as it was, or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stored_rows import rows
from test_regenerate import SMALL, counting, filled, modelled

import erstwhile
from erstwhile.testing import FixedClock

pytestmark = pytest.mark.usefixtures("unchecked")
TABLES = ("chunks", "facts", "structured", "extracts", "documents")


async def everything(memory: erstwhile.Memory) -> dict[str, object]:
    found: dict[str, object] = {}
    for table in TABLES:
        each = await rows(memory, table)
        found[table] = sorted(
            str({name: value for name, value in row.items() if table != "extracts" or name != "created_at"})
            for row in each
        )
    return found


@pytest.mark.parametrize("what", ["chunk", "facts", "structured"])
async def test_everything_is_as_it_was(database_url: str, clock: FixedClock, what: str) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server, recipe="full", **SMALL) as memory:
            chat = await filled(memory, 8)
            homes = ("Busan", "Seoul", "Daegu", "Jeju")
            await chat.add_many([{"role": "user", "text": f"I live in {home}.", "person": "alice"} for home in homes])
            await memory.settle()
            before = await everything(memory)
            assert before["structured"]
            made = await memory.memories.regenerate(chat, 9, 12, what)
            assert made.undo
            assert bool(made.gone) == (what != "structured")
            assert await memory.memories.undo(chat, made, by="carol") > 0
            assert await everything(memory) == before
            for id in made.gone:
                assert [each.action for each in await memory.memories.history(id)][-1] == "restored"


async def test_again_and_undone_and_again_finds_as_much_as_the_first_time(database_url: str, clock: FixedClock) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = await filled(memory, 8)
            count = len(await memory.facts.list(chat, first=1, last=4))
            for _ in range(2):
                made = await memory.memories.regenerate(chat, 1, 4, "facts")
                assert len(await memory.facts.list(chat, first=1, last=4)) == count
                await memory.memories.undo(chat, made, by="carol")
            assert len(await memory.facts.list(chat, first=1, last=4)) == count


async def test_metas_that_were_right_are_right_again(database_url: str, clock: FixedClock) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = await filled(memory, 16)
            before = await everything(memory)
            made = await memory.memories.regenerate(chat, 1, 4)
            assert (await memory.channels.get(chat)).made != erstwhile.MemoryCounts()
            assert any(each.stale for each in await memory.channels.summaries(chat, level=1))
            await memory.memories.undo(chat, made, by="carol")
            assert await everything(memory) == before
            again = await memory.memories.regenerate(chat, 1, 8, "meta")
            await memory.memories.undo(chat, again, by="carol")
            assert await everything(memory) == before


async def test_what_people_had_written_comes_back_as_theirs(database_url: str, clock: FixedClock) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = await filled(memory, 8)
            chunk = (await memory.channels.summaries(chat, level=0))[0]
            fact = (await memory.facts.list(chat, first=1, last=4))[0]
            await memory.memories.edit(chunk.id, "They flew kites.", by="alice")
            await memory.memories.edit(fact.id, "Bob bought one kite.", by="alice")
            before = await everything(memory)
            left = await memory.memories.regenerate(chat, 1, 4)
            assert chunk.id in left.kept
            assert fact.id in left.kept
            await memory.memories.undo(chat, left, by="carol")
            assert await everything(memory) == before
            made = await memory.memories.regenerate(chat, 1, 4, overwrite=True)
            assert (await memory.memories.get(chunk.id)).text != "They flew kites."
            await memory.memories.undo(chat, made, by="carol")
            assert await everything(memory) == before


async def test_not_over_what_was_changed_since_nor_twice(database_url: str, clock: FixedClock) -> None:
    with counting() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = await filled(memory, 8)
            made = await memory.memories.regenerate(chat, 1, 4)
            fact = (await memory.facts.list(chat, first=1, last=4))[0]
            await memory.memories.edit(fact.id, "Bob bought one kite.", by="alice")
            before = await everything(memory)
            with pytest.raises(erstwhile.ConflictError):
                await memory.memories.undo(chat, made, by="carol")
            assert await everything(memory) == before
            again = await memory.memories.regenerate(chat, 5, 8)
            later = await memory.memories.regenerate(chat, 5, 8)
            with pytest.raises(erstwhile.ConflictError):
                await memory.memories.undo(chat, again, by="carol")
            await memory.memories.undo(chat, later, by="carol")
            with pytest.raises(erstwhile.ConflictError):
                await memory.memories.undo(chat, later, by="carol")
            nothing = await memory.memories.regenerate(chat, 5, 8, "embeddings")
            with pytest.raises(erstwhile.InvalidInput):
                await memory.memories.undo(chat, nothing, by="carol")


async def test_only_all_of_it_and_where_it_was(database_url: str, clock: FixedClock) -> None:
    """Whoever asks names what is to come back: not less than all of it, nothing else besides, and not from another channel."""
    with counting() as server:
        async with modelled(database_url, clock, server, **SMALL) as memory:
            chat = await filled(memory, 8)
            first, made = await memory.memories.regenerate(chat, 1, 4), await memory.memories.regenerate(chat, 5, 8)
            before = await everything(memory)
            forged = (
                replace(made, replaced=made.replaced[:1], gone=()),
                replace(made, replaced=made.replaced[1:]),
                replace(made, replaced=(*made.replaced, *first.replaced)),
                replace(made, replaced=(*made.replaced, "fct_0123456789abcdefghjkmnpqrs")),
            )
            for each in forged:
                with pytest.raises(erstwhile.ConflictError):
                    await memory.memories.undo(chat, each, by="mallory")
            for elsewhere in (memory.channel("elsewhere"), memory.channel(chat.channel, space="elsewhere")):
                with pytest.raises(erstwhile.ConflictError):
                    await memory.memories.undo(elsewhere, made, by="mallory")
            assert await everything(memory) == before
            assert await memory.memories.undo(chat, made, by="carol") > 0
