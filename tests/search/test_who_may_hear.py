"""What was said in private is told only where everyone who listens heard it; P9: nothing is recalled of those who are blocked."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.configuration.visibility import Visibility
from erstwhile.testing import FixedClock
from inserted import Rows
from inside import runtime

SECRET = "The safe combination is 4711."
QUESTION = "What is the safe combination?"


def says(who: str, text: str) -> dict[str, str]:
    return {"role": "user", "person": who.lower(), "name": who, "text": text}


async def talk(memory: erstwhile.Memory, channel: str, *people: str, text: str = "Good morning everyone.") -> None:
    await memory.channel(channel).add_many([says(who, text) for who in people])


async def told(memory: erstwhile.Memory, channel: str, person: str | None, scope: str | None = "person") -> bool:
    context = await memory.channel(channel).context(QUESTION, person=person, scope=scope)
    return "4711" in context.text


@pytest.fixture
async def town(memory: erstwhile.Memory) -> erstwhile.Memory:
    """Alice tells her assistant a secret, alone. The square is everyone's."""
    await talk(memory, "alice-dm", "Alice", text=SECRET)
    await talk(memory, "square", "Alice", "Bob")
    return memory


# The rule


@pytest.mark.parametrize("scope", [None, "person"])
async def test_what_was_said_alone_is_not_told_in_the_open(town: erstwhile.Memory, scope: str | None) -> None:
    assert not await told(town, "square", "alice", scope)
    assert not await told(town, "square", "bob", scope)
    assert not await told(town, "square", None, scope)


async def test_the_record_says_that_nothing_was_widened(town: erstwhile.Memory) -> None:
    context = await town.channel("square").context(QUESTION, person="alice")
    request = (await town.requests.explain(context.request)).request
    assert (request.scope, request.widened) == ("channel", "")
    assert not any(each.candidate.channel == "alice-dm" for each in (await town.requests.explain(context.request)).seen)


async def test_what_was_said_alone_is_told_to_the_same_person_alone(town: erstwhile.Memory) -> None:
    await talk(town, "alice-phone", "Alice")
    assert await told(town, "alice-phone", "alice")
    assert not await told(town, "alice-phone", "bob"), "Bob listens there too, if he asks"
    await talk(town, "bob-dm", "Bob")
    assert not await told(town, "bob-dm", "bob")
    assert not await told(town, "bob-dm", "alice"), "Bob listens there"


async def test_a_brand_new_channel_is_private_to_whoever_asks(town: erstwhile.Memory) -> None:
    assert await told(town, "new", "alice")
    assert not await told(town, "new", "bob")
    assert not await told(town, "new", None)


async def test_what_was_said_in_the_open_is_told_wherever_the_asker_is(memory: erstwhile.Memory) -> None:
    await talk(memory, "square", "Alice", "Bob")
    await talk(memory, "square", "Alice", text=SECRET)
    await talk(memory, "alice-dm", "Alice")
    await talk(memory, "garden", "Alice", "Carol")
    assert await told(memory, "alice-dm", "alice")
    assert await told(memory, "garden", "alice")
    assert not await told(memory, "garden", "carol"), "she never was there, and recall goes where the asker has been"


async def test_what_a_group_said_is_told_among_those_who_were_in_it(memory: erstwhile.Memory) -> None:
    group, pair, three = (memory.channel(name) for name in ("group", "pair", "three"))
    await talk(memory, "group", "Alice", "Bob", "Carol", text=SECRET)
    await memory.channels.set_privacy(group, "private")
    await talk(memory, "pair", "Alice", "Bob")
    await memory.channels.set_privacy(pair, "private")
    await talk(memory, "three", "Alice", "Dave")
    await memory.channels.set_privacy(three, "private")
    await talk(memory, "alice-dm", "Alice")
    assert await told(memory, "pair", "alice")
    assert await told(memory, "alice-dm", "alice")
    assert not await told(memory, "three", "alice"), "Dave was not in the group"
    assert not await told(memory, "pair", "dave"), "and he listens when he asks"
    await talk(memory, "square", "Alice", "Bob")
    assert not await told(memory, "square", "alice"), "anyone may come by"


async def test_who_was_declared_to_hear_a_channel_hears_it(town: erstwhile.Memory) -> None:
    pair = town.channel("pair")
    await talk(town, "pair", "Alice")
    await town.channels.set_privacy(pair, "private", people=["bob"])
    assert not await told(town, "pair", "alice"), "Bob reads along"
    await town.channels.set_privacy(town.channel("alice-dm"), "direct", people=["bob"])
    assert await told(town, "pair", "alice")
    assert await told(town, "pair", "bob")


async def test_what_is_declared_counts_more_than_who_has_spoken(memory: erstwhile.Memory) -> None:
    await talk(memory, "council", "Alice", "Bob", text=SECRET)
    await talk(memory, "square", "Alice", "Carol")
    assert await told(memory, "square", "alice")
    await memory.channels.set_privacy(memory.channel("council"), "private")
    assert not await told(memory, "square", "alice")
    await memory.channels.set_privacy(memory.channel("council"), "open")
    assert await told(memory, "square", "alice")


async def test_a_channel_declared_open_is_open_before_a_second_person_speaks(town: erstwhile.Memory) -> None:
    await talk(town, "lobby", "Alice")
    assert await told(town, "lobby", "alice"), "so far only she is there"
    await town.channels.set_privacy(town.channel("lobby"), "open")
    assert not await told(town, "lobby", "alice")
    await town.channels.set_privacy(town.channel("hall"), "open")
    assert not await told(town, "hall", "alice"), "nobody has spoken there at all"


async def test_who_shares_lets_it_be_told(town: erstwhile.Memory) -> None:
    await town.people.share("alice")
    assert await told(town, "square", "alice")
    assert not await told(town, "square", "bob"), "he never was in it"
    await town.people.share("alice", False)
    assert not await told(town, "square", "alice")


async def test_all_of_a_channel_must_share(memory: erstwhile.Memory) -> None:
    await talk(memory, "pair", "Alice", "Bob", text=SECRET)
    await memory.channels.set_privacy(memory.channel("pair"), "private")
    await talk(memory, "square", "Alice", "Carol")
    await memory.people.share("alice")
    assert not await told(memory, "square", "alice")
    await memory.people.share("bob")
    assert await told(memory, "square", "alice")


async def test_where_everything_is_open_the_asker_hears_all_of_their_channels(
    database_url: str, clock: FixedClock
) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, privacy="open") as memory:
        await talk(memory, "alice-dm", "Alice", text=SECRET)
        await talk(memory, "square", "Alice", "Bob")
        assert await told(memory, "square", "alice")
        assert not await told(memory, "square", "bob")


async def test_someone_without_a_name_is_nobody_in_particular(town: erstwhile.Memory) -> None:
    await town.channel("booth").add_many([says("Alice", "hello"), {"role": "user", "text": "hi"}])
    assert not await told(town, "booth", "alice"), "who knows who else listens"
    await town.channel("confession").add_many([says("Alice", SECRET), {"role": "user", "text": "I see"}])
    await town.people.share("alice")
    await talk(town, "garden", "Alice", "Carol")
    heard = await runtime(town).database.read(
        "default", lambda tx: runtime(town).visibility.visible(tx, "garden", ["confession", "alice-dm"], "alice")
    )
    assert heard == {"alice-dm"}, "whoever was not named did not say that they share"


async def test_an_asker_who_never_spoke_has_no_channels_to_look_into(town: erstwhile.Memory) -> None:
    assert not await told(town, "square", "mallory")
    assert await hears(town, "square", ["alice-dm"], "mallory") == set()


async def test_in_its_own_channel_it_is_told_to_whoever_is_let_in(town: erstwhile.Memory) -> None:
    """Who may read a channel is the app's to say; recall is about what leaves it."""
    assert await told(town, "alice-dm", None)
    assert await told(town, "alice-dm", "alice")


async def test_facts_and_memories_keep_to_the_same_rule(town: erstwhile.Memory) -> None:
    await town.facts.add(town.channel("alice-dm"), "Alice's safe holds a 4711 medal.", by="alice", person="alice")
    assert not await told(town, "square", "alice")
    assert await told(town, "alice-phone", "alice")


async def test_what_changed_in_private_is_not_told_as_what_came_after(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, chunk_size=2) as memory:
        await memory.channel("square").add_many([says("Alice", "I live in Busan."), says("Bob", "I live in Daegu.")])
        clock.advance(days=30)
        await memory.channel("alice-dm").add_many([says("Alice", "I moved to Jeju."), says("Alice", "I live in Jeju.")])
        await memory.settle()
        assert [change.after.channel for change in await memory.facts.changes(person="alice")] == ["alice-dm"]
        for person in ("alice", "bob"):
            assert "Jeju" not in (await memory.channel("square").context("Where does Alice live?", person=person)).text
        mine = await memory.channel("alice-dm").context("Where did I live before?", person="alice", scope="person")
        assert "Jeju" in mine.text
        assert "Busan" in mine.text


async def test_search_is_the_owners_view(town: erstwhile.Memory) -> None:
    assert [hit.channel for hit in await town.search(QUESTION, kinds=["message"])] == ["alice-dm"]
    assert await town.search(QUESTION, channel="square", kinds=["message"]) == []


# Hearing itself


async def hears(memory: erstwhile.Memory, here: str | None, channels: list[str], asker: str | None = None) -> set[str]:
    hearing = runtime(memory).visibility
    return set(await runtime(memory).database.read("default", lambda tx: hearing.visible(tx, here, channels, asker)))


async def test_the_owner_hears_all_and_everyones_is_always_heard(town: erstwhile.Memory) -> None:
    assert await hears(town, None, ["alice-dm", "square", "", "nowhere"]) == {"alice-dm", "square", "", "nowhere"}
    assert await hears(town, "square", ["alice-dm", "", "nowhere"]) == {""}
    assert await hears(town, "alice-dm", ["alice-dm"]) == {"alice-dm"}
    assert await hears(town, "alice-dm", []) == set()


async def test_without_an_asker_those_who_have_spoken_here_are_who_listens(town: erstwhile.Memory) -> None:
    await talk(town, "alice-phone", "Alice")
    assert await hears(town, "alice-phone", ["alice-dm", "square"]) == {"alice-dm", "square"}
    assert await hears(town, "never-used", ["alice-dm", "square"]) == {"square"}


async def test_a_channel_in_which_only_the_assistant_spoke_is_nobodys(town: erstwhile.Memory) -> None:
    await town.channel("log").add("assistant", "Backup done.")
    assert await hears(town, "square", ["log"], "alice") == set()
    assert await hears(town, "alice-dm", ["log"], "alice") == set()


async def test_the_audience_of_what_is_said(town: erstwhile.Memory) -> None:
    async def audience(channel: str | None) -> str:
        return await runtime(town).database.read("default", lambda tx: runtime(town).visibility.audience(tx, channel))

    assert [await audience(channel) for channel in ("square", "alice-dm", None, "", "never-used")] == [
        "", "alice-dm", "", "", "never-used",
    ]  # fmt: skip
    hearing = runtime(town).visibility
    many = await runtime(town).database.read(
        "default", lambda tx: hearing.audiences(tx, ["square", "alice-dm", "never-used"])
    )
    assert many == {"square": "", "alice-dm": "alice-dm", "never-used": "never-used"}
    lax = await runtime(town).database.read("default", lambda tx: Visibility("open").audiences(tx, ["alice-dm"]))
    assert lax == {"alice-dm": ""}


async def test_spaces_do_not_hear_each_other(town: erstwhile.Memory) -> None:
    await town.channel("alice-phone", space="other").add_many([says("Alice", "hello")])
    context = await town.channel("alice-phone", space="other").context(QUESTION, person="alice", scope="person")
    assert "4711" not in context.text


async def test_an_unknown_privacy_is_refused(town: erstwhile.Memory) -> None:
    with pytest.raises(erstwhile.InvalidInput, match="open, private, direct"):
        await town.channels.set_privacy(town.channel("square"), "secret")


# Blocked people


@pytest.fixture
async def village(memory: erstwhile.Memory) -> erstwhile.Memory:
    await talk(memory, "square", "Alice", text="The fair is on Sunday.")
    await talk(memory, "square", "Mallory", text="The fair is cancelled, the fair is a fraud.")
    await talk(memory, "square", "Alice", text="Bring cake to the fair.")
    await memory.settle()
    rows = Rows(memory)
    await rows.told("mallory", "Mallory runs the fair.")
    await rows.fact("mallory", "bio", "Owns the fair")
    await rows.fact("alice", "bio", "Fears the fair", said_by="mallory")
    return memory


@pytest.mark.parametrize("recipe", ["full", "dual", "recall", "brief", "community"])
async def test_nothing_of_a_blocked_person_is_recalled(village: erstwhile.Memory, recipe: str) -> None:
    chat = village.channel("square")
    before = await chat.context("Is the fair cancelled?", person="alice", recipe=recipe)
    assert "fraud" in before.text
    await village.people.block("mallory")
    after = await chat.context("Is the fair cancelled?", person="alice", recipe=recipe)
    assert "fraud" not in "\n".join(part.text for part in after.parts if part.name not in ("brief", "metas", "chunks"))
    assert "fraud" not in str([each for each in after.messages if each["role"] != "system"])
    assert "cake" in after.text
    assert not any(words in after.text for words in ("runs the fair", "Owns", "Fears"))
    await village.people.unblock("mallory")
    assert (await chat.context("Is the fair cancelled?", person="alice", recipe=recipe)).text == before.text


async def test_search_leaves_blocked_people_out(village: erstwhile.Memory) -> None:
    assert "mallory" in {hit.person for hit in await village.search("fair")}
    await village.people.block("mallory")
    assert "mallory" not in {hit.person for hit in await village.search("fair", limit=50)}
    assert await village.search("fair", person="mallory") == []
    await village.people.unblock("mallory")
    assert {hit.kind for hit in await village.search("fair", person="mallory")} >= {"message", "told", "profile"}


async def test_to_be_blocked_in_one_space_is_not_to_be_blocked_in_another(village: erstwhile.Memory) -> None:
    await village.channel("square", space="other").add_many([says("Mallory", "The fair is on.")])
    await village.people.block("mallory")
    assert len(await village.search("fair", space="other")) == 1


# Spaces that are not remembered


async def test_a_space_that_is_not_remembered_recalls_nothing(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        await memory.channel("square", space="left").add_many([says("Alice", SECRET)])
    async with erstwhile.open(database_url, clock=clock, worker=False, spaces=["kept"]) as memory:
        assert await memory.search(QUESTION, space="left") == []
        context = await memory.channel("square", space="left").context(QUESTION, person="alice")
        assert (context.text, context.messages, context.parts, context.sources, context.request) == ("", (), (), (), "")
        assert await memory.requests.list(space="left") == [], "not even that something was asked"
        await memory.channel("square", space="kept").add_many([says("Alice", SECRET)])
        assert len(await memory.search(QUESTION, space="kept", kinds=["message"])) == 1
