"""P1, P2, P5: of a note that was deleted nothing is left, neither in the profiles nor in the topics it was put into."""

from __future__ import annotations

from listening_layer import opened, say
from profiled import DAY, fact, facts, note, stated, take, texts
from profiled import say as say_three

import erstwhile
from community import dangling
from erstwhile.layers.notes.model import Note
from erstwhile.layers.profiles import merge
from erstwhile.layers.profiles.merge import FactSource
from erstwhile.storage import Transaction
from erstwhile.testing import FixedClock, ModelServer
from inside import runtime


async def talks(memory: erstwhile.Memory, clock: FixedClock, *said: str) -> list[Note]:
    """One conversation each, noted; in the order they were."""
    await memory.channels.set_privacy(memory.channel("hall"), "open")
    for text in said:
        await say(memory.channel("hall"), text)
        await say(memory.channel("hall"), "I see.", "juno")
        clock.advance(minutes=30)
    await memory.settle()
    return (await memory.notes.list(kind="note"))[::-1]


async def test_what_a_models_note_told_about_people_goes_with_it(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(database_url, clock, model_server) as memory:
        first, _, _ = await talks(memory, clock, "I live in Oslo.", "I like skiing.", "I think rain is fine.")
        assert await texts(memory, "mina") == ["Mina lives in Oslo.", "Mina likes skiing.", "Mina thinks rain is fine."]
        oslo = (await facts(memory, "mina"))[0]
        await memory.memories.delete(first.id, by="juno")
        assert await texts(memory, "mina", ended=True) == ["Mina likes skiing.", "Mina thinks rain is fine."]
        assert [(each.action, each.by) for each in await memory.memories.history(oslo.id)][1:] == [("deleted", "juno")]
        await memory.notes.nightly()
        await memory.spaces.rebuild()
        await memory.settle()
        assert await texts(memory, "mina", ended=True) == ["Mina likes skiing.", "Mina thinks rain is fine."]
        assert not [hit for hit in await memory.search("Oslo") if hit.kind != "message"]


async def test_a_topic_of_the_note_alone_goes_with_it(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(database_url, clock, model_server) as memory:
        (only,) = await talks(memory, clock, "I live in Oslo.")
        await memory.notes.nightly()
        assert len(await memory.notes.list(kind="topic")) == 1
        await memory.memories.delete(only.id, by="mina")
        assert await memory.notes.list(kind="topic") == []
        clock.advance(days=1)
        await memory.settle()
        assert await memory.notes.list() == []
        assert await dangling(memory) == {}


async def test_the_other_notes_of_its_topic_are_put_together_again_the_next_night(
    database_url: str, clock: FixedClock
) -> None:
    async with opened(database_url, clock) as memory:
        garden = ("The garden needs water today.", "The garden needs seeds and water.", "The garden needs water again.")
        notes = await talks(memory, clock, *garden, "Dinner is pasta.", "The train to Busan is late.")
        await memory.notes.nightly()
        large = max(await memory.notes.list(kind="topic"), key=lambda topic: len(topic.notes))
        assert set(large.notes) == {note.id for note in notes[:3]}
        await memory.memories.delete(notes[1].id, by="mina")
        assert large.id not in {topic.id for topic in await memory.notes.list(kind="topic")}
        assert not [hit for hit in await memory.search("seeds") if hit.kind != "message"]
        assert [note.topic for note in await memory.notes.list(kind="note")][-2:] == [None, None]
        clock.advance(days=1)
        await memory.settle()
        again = {id for topic in await memory.notes.list(kind="topic") for id in topic.notes}
        assert again == {note.id for note in notes} - {notes[1].id}
        assert not [topic for topic in await memory.notes.list(kind="topic") if "seeds" in topic.text]


async def test_a_topic_that_someone_edited_stays(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock) as memory:
        (only,) = await talks(memory, clock, "I live in Oslo.")
        await memory.notes.nightly()
        (topic,) = await memory.notes.list(kind="topic")
        await memory.memories.edit(topic.id, "A place was named.", by="mina")
        await memory.memories.delete(only.id, by="mina")
        (kept,) = await memory.notes.list()
        assert (kept.id, kept.text, kept.notes) == (topic.id, "A place was named.", ())


async def test_a_night_that_read_the_note_before_leaves_its_words_out(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(database_url, clock, model_server) as memory:
        first, *_ = await talks(memory, clock, "I live in Oslo.", "I like skiing.", "I think rain is fine.")
        nights = runtime(memory).layers.notes._nights
        writers = await runtime(memory).layers.notes._writers.for_space("default")
        work = await nights._work(writers, "default", first.day, redo=True)
        await memory.memories.delete(first.id, by="mina")
        await runtime(memory).database.write("default", lambda tx: nights._keep(tx, work, first.day, clock.now))
        assert await memory.notes.list(kind="topic") == []
        clock.advance(days=1)
        await memory.settle()
        assert len(await memory.notes.list(kind="topic")) == 2


# Facts that stand on several notes


async def delete(memory: erstwhile.Memory, noted: Note) -> None:
    await memory.memories.delete(noted.id, by="bob")


async def test_what_another_note_says_too_stands_on_that_one(memory: erstwhile.Memory) -> None:
    for channel in ("chat", "yard"):
        await say_three(memory, channel)
    await take(memory, note("old"), [stated("Alice likes tea.", 1), stated("Alice likes rain.", 2)])
    later = note("later", "yard")
    await take(memory, later, [stated("Alice likes tea.", 3)])
    (tea, _) = sorted(await facts(memory), key=lambda each: -len(each.notes))
    assert tea.notes == ("nte_old", "nte_later")
    await delete(memory, note("old"))
    (left,) = await facts(memory, ended=True)
    assert (left.id, left.note, left.notes, left.channel, left.seq) == (tea.id, "nte_later", ("nte_later",), "yard", 3)
    source = await memory.memories.sources(left.id)
    assert [each.id for each in source.sources] == ["nte_later"]
    assert left.at == DAY.replace(minute=3)
    assert await dangling(memory) == {}
    await delete(memory, later)
    assert await facts(memory, ended=True) == []


async def test_what_people_wrote_or_edited_stays_and_what_the_note_ended_comes_back(memory: erstwhile.Memory) -> None:
    await take(memory, note("old"), [stated("Alice lives in Oslo.", 1, slot="home", value="Oslo")])
    await take(
        memory,
        note("new"),
        [stated("Alice lives in Rome.", 2, slot="home", value="Rome"), stated("Alice likes tea.", 3)],
    )
    tea = next(each for each in await facts(memory) if each.text == "Alice likes tea.")
    await memory.memories.edit(tea.id, "Alice likes green tea.", by="alice")
    assert await texts(memory) == ["Alice lives in Rome.", "Alice likes green tea."]
    await delete(memory, note("new"))
    assert await texts(memory) == ["Alice lives in Oslo.", "Alice likes green tea."]
    green = (await facts(memory))[1]
    assert (green.note, green.notes, green.channel) == (None, (), "chat"), "and still only where it was said"
    assert await dangling(memory) == {}


async def test_a_further_source_goes_and_the_fact_stays(memory: erstwhile.Memory) -> None:
    for name in ("one", "two"):
        await take(memory, note(name), [stated("Alice likes tea.", 1)])
    await delete(memory, note("two"))
    (tea,) = await facts(memory)
    assert tea.notes == ("nte_one",)

    async def unit(tx: Transaction) -> None:
        await runtime(memory).layers.profiles.unnoted(tx, note("two").id, "bob", DAY)

    await runtime(memory).database.write("default", unit)
    assert await facts(memory) == [tea], "once more changes nothing"


def test_a_sentence_put_together_goes_with_any_of_its_parts_and_the_others_stand_again() -> None:
    oslo, ski = fact("Alice lives in Oslo.", 1), fact("Alice skis.", 2)
    both = fact("Alice lives in Oslo and skis.", 2, writer="night", notes=("nte_2", "nte_1"))
    facts = [merge.absorbed(oslo, both), merge.absorbed(ski, both), both]
    left = merge.settled(merge.without(facts, "nte_1", {}), {})
    assert [(each.text, each.standing) for each in left] == [("Alice skis.", True)]


def test_a_fact_that_took_in_another_stays_as_it_is() -> None:
    early, late = fact("Alice lives in Oslo now.", 1), fact("Alice lives in Oslo.", 2, notes=("nte_2", "nte_1"))
    left = merge.without([merge.absorbed(early, late), late], "nte_1", {})
    assert [(each.text, each.notes) for each in left] == [("Alice lives in Oslo.", ("nte_2",))]
    ground = FactSource("nte_1", "yard", 7, DAY)
    (moved,) = merge.without([late], "nte_2", {late.id: ground})
    assert (moved.note, moved.notes, moved.channel, moved.seq, moved.at) == ("nte_1", ("nte_1",), "yard", 7, DAY)


# Topics of one note


async def test_a_topic_of_one_note_repeats_it_only_where_topics_are_asked_for(
    database_url: str, clock: FixedClock
) -> None:
    async with opened(database_url, clock) as memory:
        (only,) = await talks(memory, clock, "The garden needs water.")
        await memory.notes.nightly()
        assert [each.id for each in await memory.notes.list()] == [only.id]
        (topic,) = await memory.notes.list(kind="topic")
        assert topic.notes == (only.id,)

        async def found() -> list[str]:
            return [hit.id for hit in await memory.search("garden", kinds=["note", "topic"])]

        assert await found() == [only.id]
        await memory.spaces.rebuild()
        await memory.settle()
        await memory.notes.nightly()
        assert await found() == [only.id]
        await memory.memories.edit(topic.id, "All about the garden.", by="mina")
        assert set(await found()) == {only.id, topic.id}
        assert {each.id for each in await memory.notes.list()} == {only.id, topic.id}


async def test_when_its_note_expires_the_topic_is_found_itself(database_url: str, clock: FixedClock) -> None:
    async with opened(database_url, clock, retention={"note": 5}) as memory:
        await talks(memory, clock, "The garden needs water.")
        await memory.notes.nightly()
        clock.advance(days=6)
        await memory.archive.expire()
        (topic,) = await memory.notes.list()
        assert topic.kind == "topic"
        assert [hit.id for hit in await memory.search("garden", kinds=["note", "topic"])] == [topic.id]
