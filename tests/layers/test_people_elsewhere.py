"""Commands and portraits name nobody who only shows up where the asker can't look: not by full name, not by number."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import erstwhile

SPACE = "s"


@pytest.fixture
async def here(memory: erstwhile.Memory) -> erstwhile.Channel:
    """Eve's own channel. Zelda and two people called Sam have each spoken in private; Mona in the open."""
    chat = memory.channel("eve", SPACE)
    await chat.add("user", "Hello", person="eve", name="Eve")
    for person, name in (("u2", "Zelda Quinn"), ("u3", "Sam"), ("u4", "Sam")):
        alone = memory.channel(f"of-{person}", SPACE)
        await alone.add("user", "I have lupus", person=person, name=name)
        await alone.command("remember that I have lupus", person=person, name=name)
    await memory.channels.set_privacy(memory.channel("hall", SPACE), "open")
    await memory.channel("hall", SPACE).add("user", "I play chess", person="u5", name="Mona Lind")
    return chat


@pytest.mark.parametrize(
    "asked",
    [
        "what do you know about {}?",
        "what do you know about @{}?",
        "remember that @{} owes me 5",
        "remember this about {}",
        "forget that {} has lupus",
        "forget that @{} has lupus",
        "forget everything about {}",
    ],
)
@pytest.mark.parametrize("named", ["Zelda Quinn", "Zelda", "u2", "<@u2>", "Sam"])
async def test_someone_elsewhere_is_answered_of_like_someone_unknown(
    here: erstwhile.Channel, asked: str, named: str
) -> None:
    unknown = {"Zelda Quinn": "Zorro Quill", "Zelda": "Zorro", "u2": "u9", "<@u2>": "<@u9>", "Sam": "Tim"}[named]
    done = await here.command(asked.format(named), person="eve", name="Eve")
    other = await here.command(asked.format(unknown), person="eve", name="Eve")
    for one, another in zip(re.findall(r"\w+", named), re.findall(r"\w+", unknown), strict=True):
        assert one not in other.text
        other = replace(other, text=other.text.replace(another, one))
    assert done.text == other.text
    assert (done.intent, done.person, done.found) == (other.intent, other.person, other.found)


async def test_someone_who_spoke_in_the_open_is_known(memory: erstwhile.Memory, here: erstwhile.Channel) -> None:
    done = await here.command("remember that Mona plays Go", person="eve", name="Eve")
    assert (done.person, done.text) == ("u5", "Remembered about Mona Lind.")
    assert (await memory.about("Mona", asker="eve", space=SPACE)).person == "u5"
    both = memory.channel("of-u2", SPACE)  # whoever is there knows her
    assert (await both.command("what do you know about Zelda?", person="eve", name="Eve")).person == "u2"


async def test_whoever_spoke_before_a_channel_opened_is_not_known_for_that(memory: erstwhile.Memory) -> None:
    chat, elsewhere = memory.channel("c", SPACE), memory.channel("e", SPACE)
    await chat.add("user", "Hello", person="ann", name="Ann Lee")
    await chat.add("user", "Hello", person="ben", name="Ben Orr")
    await elsewhere.add("user", "Hello", person="eve", name="Eve")
    with pytest.raises(erstwhile.NotFound):
        await memory.about("Ann", asker="eve", space=SPACE)
    assert (await memory.about("Ben", asker="eve", space=SPACE)).name == "Ben Orr"
    await chat.add("user", "Hello again", person="ann", name="Ann Lee")
    assert (await memory.about("Ann", asker="eve", space=SPACE)).name == "Ann Lee"


async def test_an_asker_who_names_a_channel_sees_no_more_of_it(
    memory: erstwhile.Memory, here: erstwhile.Channel
) -> None:
    """A search in a channel was answered as if whoever asks were in it."""
    await memory.settle()

    async def found(**given: object) -> set[str]:
        return {hit.text for hit in await memory.search("who has lupus or plays chess?", space=SPACE, **given)}

    for channel in ("of-u2", "of-u3"):
        assert await found(channel=channel, asker="eve") == set()
        assert await found(channel=channel) != set()
    assert "I have lupus" in await found(channel="of-u2", asker="u2")
    assert "I play chess" in await found(channel="hall", asker="eve")
    assert "I have lupus" in await found(channel="of-u2", asker="eve", within=["of-u2"])  # the app says so


async def test_about_answers_of_someone_elsewhere_like_of_someone_unknown(
    memory: erstwhile.Memory, here: erstwhile.Channel
) -> None:
    for reader in ({"asker": "eve"}, {"asker": "eve", "within": [here.channel]}, {"channel": here.channel}):
        for named in ("Zelda Quinn", "Zelda", "u2", "Sam", "Tim"):
            with pytest.raises(erstwhile.NotFound, match="Unknown person"):
                await memory.about(named, space=SPACE, **reader)
    with pytest.raises(erstwhile.InvalidInput, match="u3, u4"):
        await memory.about("Sam", space=SPACE)  # the app itself sees everybody
    assert (await memory.about("u2", asker="u2", space=SPACE)).told == "Zelda Quinn has lupus."
