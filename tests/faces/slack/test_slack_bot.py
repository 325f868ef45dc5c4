"""A workspace that remembers: the bot on Slack, from what is said to what is answered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from slack_workspace import SPACE, bot_on, stands, stored, until, until_same

import erstwhile
from erstwhile.testing import Call, ModelServer
from erstwhile.testing.answers import sensible
from erstwhile.testing.model_server import Step
from support.slack import SlackServer

_CHATTING = "You answer in a group chat"


def _answers(call: Call) -> Step:
    """The memory's own prompts are answered sensibly, and people with what a test wants to see."""
    if _CHATTING not in call.prompt:
        return sensible(call)
    if "when does the ferry" in call.user:
        return "At **seven**. <!channel> go and ask <@U1>"
    return "From pier four." if "from where" in call.user else "Hello Ann."


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with ModelServer(_answers) as server:
        yield server


async def _listen(memory: erstwhile.Memory, *channels: str) -> None:
    for channel in channels:
        await memory.channels.listen(memory.channel(channel, SPACE))


async def test_what_is_said_where_it_listens_is_kept_as_it_stands(memory: erstwhile.Memory, slack: SlackServer) -> None:
    ann, bob, robot = slack.person("Ann"), slack.person("Bob"), slack.person("Robot", bot=True)
    general, other = slack.channel("general", ann, bob), slack.channel("other", ann)
    before = await slack.post(general, ann, "said before anyone listened")
    slack.sockets.unacknowledged.clear()
    await _listen(memory, general)
    async with bot_on(memory, slack):
        first = await slack.post(general, ann, "the harbour opens at nine")
        await slack.post(general, robot, "beep")
        reply = await slack.reply(general, first, bob, "until when?")
        await slack.reply(general, first, ann, "until five", broadcast=True)
        gone = await slack.post(general, bob, "not for the record")
        await slack.post(other, ann, "nobody chose this channel")
        await slack.edit(general, first, "the harbour opens at ten")
        await slack.edit(general, before, "said before, edited since")
        await slack.edit(general, reply, "until when, please?")
        await slack.delete(general, gone)
        await until_same(memory, slack, general)
        kept = [message async for message in memory.channel(f"{general}:{first}", SPACE).messages()]
        assert [(each.person, each.name, each.meta["source"]) for each in kept] == [
            (bob, "Bob", "slack"),
            (ann, "Ann", "slack"),
        ]
        titles = {each.channel: each.title for each in await memory.channels.list(space=SPACE)}
        assert titles[general] == "general"
        assert titles[f"{general}:{first}"].startswith("general, thread of ")


async def test_whatever_happened_meanwhile_is_found_after_a_break(memory: erstwhile.Memory, slack: SlackServer) -> None:
    ann, bob = slack.person("Ann"), slack.person("Bob")
    general = slack.channel("general", ann, bob)
    await _listen(memory, general)
    slack.sockets.lossy = True
    async with bot_on(memory, slack):
        stamps = [await slack.post(general, ann, f"line {number}") for number in range(6)]
        old = await slack.reply(general, stamps[0], bob, "an old thread")
        await until_same(memory, slack, general)
        for rudely in (True, False):
            slack.fail(1, 503, "apps.connections.open")  # away for a while
            await slack.drop(rudely=rudely)
            await slack.post(general, bob, "said while away")
            await slack.edit(general, stamps.pop(), "edited while away")
            await slack.delete(general, stamps.pop())
            await slack.edit(general, old, f"edited in the thread {rudely}")
            await slack.reply(general, stamps[0], ann, "a reply while away")
            await slack.reply(general, stamps[-1], ann, "a thread begun while away")
            await until_same(memory, slack, general)
    # away altogether, and its thread outlives a deleted beginning
    await slack.delete(general, stamps[0])
    await slack.delete(general, old)
    await slack.post(general, ann, "the bot is not even running")
    async with bot_on(memory, slack):
        await until_same(memory, slack, general)


async def test_envelopes_sent_again_are_one_message(memory: erstwhile.Memory, slack: SlackServer) -> None:
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    await _listen(memory, general)
    slack.sockets.twice = True
    async with bot_on(memory, slack):
        slack.sockets.deaf = 5
        stamps = [await slack.post(general, ann, f"line {number}") for number in range(5)]
        await slack.edit(general, stamps[1], "line one, edited")
        await slack.delete(general, stamps[2])
        await slack.hand_over()
        await slack.post(general, ann, "during the hand-over")
        await until(lambda: not slack.sockets.unacknowledged)
        await until_same(memory, slack, general)


async def test_whoever_addresses_it_is_answered_where_they_asked(
    prompted: erstwhile.Memory, model_server: ModelServer, slack: SlackServer
) -> None:
    us, ann, bob = slack.workspace.us, slack.person("Ann"), slack.person("Bob")
    general = slack.channel("general", ann, bob)
    await _listen(prompted, general)
    async with bot_on(prompted, slack):
        opening = await slack.post(general, bob, "The ferry leaves at seven from pier four.")
        await until_same(prompted, slack, general)
        await slack.post(general, ann, f"<@{us}> when does the ferry leave?")
        await until(lambda: _ours(slack, general))
        [answer] = _ours(slack, general)
        assert answer["text"].startswith("At *seven*. ")
        assert not {"<", ">"} & set(answer["text"])
        assert "thread_ts" not in answer
        asked = next(call.prompt for call in model_server.calls if _CHATTING in call.prompt)
        assert "pier four" in asked
        await slack.reply(general, opening, ann, f"<@{us}> and from where?")
        await until(lambda: len(_ours(slack, general)) == 2)
        assert _ours(slack, general)[1]["thread_ts"] == opening
        direct = slack.direct(ann)
        await slack.post(direct, ann, "hello there")
        await until(lambda: _ours(slack, direct))
        assert _ours(slack, direct)[0]["text"] == "Hello Ann."
        await until_same(prompted, slack, general, direct)


async def test_what_is_personal_is_whispered_and_a_private_channel_stays_one(
    memory: erstwhile.Memory, slack: SlackServer
) -> None:
    us, ann, bob, eve = slack.workspace.us, slack.person("Ann"), slack.person("Bob"), slack.person("Eve")
    general = slack.channel("general", ann, bob, eve)
    secret, den = slack.channel("secret", ann, bob, private=True), slack.channel("den", ann, eve, private=True)
    await _listen(memory, general, secret, den)
    async with bot_on(memory, slack):
        await slack.post(secret, bob, "the vault code is marzipan")
        await slack.post(general, bob, "the vault is in the cellar")

        async def heard() -> bool:
            return await stored(memory) == stands(slack, general, secret)

        await until(heard)
        for where in (general, den):
            await slack.post(where, eve, f"<@{us}> what is the vault code?")
            await until(lambda: _ours(slack, where))  # noqa: B023
        await slack.post(den, ann, f"<@{us}> what about the vault code?")  # she knows it, but Eve reads along
        await until(lambda: len(_ours(slack, den)) == 2)
        answers = [each["text"] for where in (general, den) for each in _ours(slack, where)]
        assert not [each for each in answers if "marzipan" in each]
        assert any("cellar" in each for each in answers)
        await slack.post(secret, ann, f"<@{us}> what is the vault code?")
        await until(lambda: _ours(slack, secret))
        assert "marzipan" in _ours(slack, secret)[0]["text"]

        await slack.post(general, bob, f"<@{us}> remember that I play the cello")
        await until(lambda: _ours(slack, general)[-1]["text"] == "Noted.")
        await slack.post(general, eve, f"<@{us}> what do you know about Bob?")
        await until(lambda: slack.web.ephemeral)
        assert slack.web.ephemeral[0]["user"] == eve
        assert "cello" in slack.web.ephemeral[0]["text"]
        assert "marzipan" not in str(slack.web.ephemeral)


async def test_a_channel_is_chosen_by_who_manages_it_and_left_again(
    memory: erstwhile.Memory, slack: SlackServer
) -> None:
    ann, bob = slack.person("Ann"), slack.person("Bob")
    general = slack.channel("general", ann, bob, creator=ann)

    async def told(person: str, text: str, command: str = "/erstwhile") -> str:
        count = len(slack.answers)
        await slack.command(general, person, command, text)
        await until(lambda: len(slack.answers) > count)
        return str(slack.answers[-1]["text"])

    async with bot_on(memory, slack):
        await slack.post(general, ann, "before")
        assert "manage" in await told(bob, "memory on")
        assert "I listen here" in await told(ann, "on")
        await slack.post(general, bob, "the tide is out")
        await until(lambda: stored(memory))
        assert "the tide is out" in await told(bob, "", "/what-do-you-know")
        assert "no longer" in await told(ann, "memory off")
        await slack.post(general, bob, "unheard")
        assert "If you are sure" in await told(bob, "", "/forget-me")
        assert "Erased" in await told(bob, "forget-me yes")
        assert await stored(memory) == {}
        assert {each["response_type"] for each in slack.answers} == {"ephemeral"}


async def test_a_channel_that_is_deleted_is_forgotten_with_its_threads(
    memory: erstwhile.Memory, slack: SlackServer
) -> None:
    ann = slack.person("Ann")
    general, other = slack.channel("general", ann), slack.channel("other", ann)
    await _listen(memory, general, other)
    async with bot_on(memory, slack):
        opening = await slack.post(general, ann, "one")
        await slack.reply(general, opening, ann, "two")
        await slack.post(other, ann, "three")

        async def kept() -> int:
            return len(await stored(memory))

        async def only_other() -> bool:
            return await stored(memory) == stands(slack, other)

        async def all_three() -> bool:
            return await kept() == 3

        await until(all_three)
        await slack.remove(general)
        await until(only_other)


def _ours(slack: SlackServer, channel: str) -> list[dict[str, str]]:
    us = slack.workspace.us
    return [each for each in slack.workspace.conversations[channel].ordered() if each["user"] == us]
