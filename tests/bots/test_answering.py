"""Whoever addresses the bot is answered, with what all who read it there could have read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from pretend import Pretend, Server
from running import SPACE, at_work, quiet, stored

import erstwhile
from erstwhile.bots import replies
from erstwhile.bots.bot import Bot
from erstwhile.bots.port import ChatPlace, Post, SlashCommand
from erstwhile.bots.responder import RateLimit
from erstwhile.testing import Call, Fault, ModelServer, Reply
from erstwhile.testing.answers import sensible, step
from inserted import Rows


class Guild:
    """A server with an open channel, two private ones and a bot that listens everywhere."""

    def __init__(self, memory: erstwhile.Memory) -> None:
        self.memory = memory
        self.server = Server()
        for channel in ("general", "council", "cellar"):
            self.server.open(channel, open=channel == "general")
        self.server.readers = {"council": {"ann", "bob"}, "cellar": {"ann"}}
        self.platform = Pretend(self.server)

    async def listen(self) -> None:
        for channel in ("general", "council", "cellar"):
            await self.memory.channels.listen(self.memory.channel(channel, SPACE))

    def ask(self, channel: str, person: str, text: str) -> Post:
        return self.server.post(channel, person, f"<@bot> {text}", to_us=True)


@pytest.fixture
def answers() -> list[str | Reply | Fault]:
    return ["In May."]


@pytest.fixture
async def talking(answers: list[str | Reply | Fault]) -> AsyncIterator[ModelServer]:
    def script(call: Call) -> str | Reply | Fault:
        return answers[0] if "group chat" in call.system else "talk" if step(call.system) == "" else sensible(call)

    async with ModelServer(answer=script) as server:
        yield server


@pytest.fixture
async def guild(database_url: str, talking: ModelServer) -> AsyncIterator[Guild]:
    async with erstwhile.open(
        database_url,
        worker=False,
        model="extractive",
        chat_model="openai-compatible:chatty",
        base_url=talking.base_url,
        api_key="k",
        model_timeout_seconds=60,
    ) as memory:
        guild = Guild(memory)
        await guild.listen()
        yield guild


def asked(server: ModelServer) -> str:
    """All that the model was shown for the last answer."""
    call = server.calls[-1]
    return f"{call.system}\n{call.user}"


async def test_s32_a_private_channel_is_told_of_nowhere_else(guild: Guild, talking: ModelServer) -> None:
    rows = Rows(guild.memory, SPACE)
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        for channel, word in (("general", "market"), ("council", "treasure"), ("cellar", "barrel")):
            for _ in range(3):
                guild.server.post(channel, "ann", f"The {word} is where we meet.")
            await rows.note(f"The {word}", f"All met at the {word}.", channel, (1, 3), people=["ann"])
        await quiet(bot)
        for channel, person, told in (
            ("general", "ann", {"market"}),
            ("council", "ann", {"market", "treasure"}),
            ("council", "bob", {"market", "treasure"}),
            ("cellar", "ann", {"market", "barrel"}),
        ):
            guild.ask(channel, person, "Where do we meet: market, barrel, treasure?")
            await quiet(bot)
            shown = asked(talking).replace("market, barrel, treasure", "")
            assert {word for word in ("market", "treasure", "barrel") if word in shown} == told, (channel, person)
    assert all(text == "In May." for _, text, _ in guild.platform.out)
    assert "In May." not in str(await stored(guild.memory, "general")), "what we say is not memory"
    assert len(await guild.memory.requests.list(space=SPACE, op="ask")) == 4, "and on record all the same"


class Slow(Pretend):
    """One that takes a while to say what stands there, and never gets to what was said."""

    async def places(self) -> list[ChatPlace]:
        await asyncio.sleep(0.3)
        return [each for each in self.server.places.values() if each.channel not in self.unreadable]

    async def history(self, place: ChatPlace, after: str) -> AsyncIterator[list[Post]]:
        await asyncio.sleep(60)
        yield []


@pytest.mark.parametrize("hidden", [False, True], ids=["we are in it", "we are not"])
async def test_s32_what_turned_private_while_nobody_watched_is_not_told_even_at_once(
    guild: Guild, talking: ModelServer, hidden: bool
) -> None:
    """Not by its words, nor by what was made of them for everyone to hear."""
    guild.server.open("plans")
    await guild.memory.channels.listen(guild.memory.channel("plans", SPACE))
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        for _ in range(3):
            guild.server.post("plans", "ann", "The treasure is where we meet.")
        await quiet(bot)
        await guild.memory.remember("ann", "Ann guards the treasure.", space=SPACE, by="ann", channel="plans")
    guild.server.places["plans"] = replace(guild.server.places["plans"], open=False)
    guild.server.readers["plans"] = {"ann"}
    platform = Slow(guild.server)
    platform.unreadable = {"plans"} if hidden else set()
    bot = Bot(guild.memory, platform, clock=guild.server.now)
    running = asyncio.create_task(bot.run())
    await asyncio.sleep(0)
    guild.ask("general", "ann", "What do we guard?")
    await platform.spoken.wait()
    assert "treasure" not in asked(talking)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_why_shows_the_asker_what_came_to_mind_as_far_as_they_can_read_it(guild: Guild) -> None:
    rows, seen = Rows(guild.memory, SPACE), list[str]()

    async def answer(text: str) -> None:
        seen.append(text)

    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        guild.server.post("general", "ann", "We meet at the market.")
        await quiet(bot)
        await rows.note("The market", "All met at the market.", "general", (1, 1), people=["ann"])
        guild.ask("general", "ann", "Where is the market?")
        await quiet(bot)
        for person, manages in (("ann", False), ("bob", False), ("bob", True)):
            bot.handle(
                SlashCommand(guild.server.places["general"], person, person, "memory", "explain", None, manages, answer)
            )
            await quiet(bot)
    assert "All met at the market." in seen[0]
    assert seen[1] == "Only whoever asked, or those who manage this channel, can see that."
    assert seen[2] == seen[0]


async def test_what_the_answer_replies_to_goes_along(guild: Guild, talking: ModelServer) -> None:
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        place = guild.server.places["general"]
        said = Post(
            place,
            "pretend:900",
            "ann",
            "Ann",
            "<@bot> and why?",
            guild.server.now(),
            addressed=True,
            answers="Go north.",
        )
        bot.handle(said)
        await quiet(bot)
    assert "> Go north." in asked(talking)
    assert guild.platform.out == [("general", "In May.", "pretend:900")]


@pytest.mark.parametrize("answers", [["@everyone <@42> " + "A sentence of some length. " * 30]])
async def test_a_long_answer_comes_in_pieces_and_calls_nobody(guild: Guild) -> None:
    async with at_work(guild.memory, guild.server, guild.platform):
        guild.ask("general", "ann", "When?")
    texts = [text for _, text, _ in guild.platform.out]
    assert len(texts) > 3
    assert all(text.endswith(".") for text in texts)
    assert "@everyone" not in texts[0]
    assert "<@42>" not in texts[0]


@pytest.mark.parametrize("answers", [[Fault.server_error()], [Reply("late", delay=30)]])
async def test_a_model_that_fails_gives_one_short_line_and_delays_no_storing(
    guild: Guild, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        bot._responder._timeout = 0.5
        guild.ask("general", "ann", "When?")
        guild.server.post("general", "bob", "Said meanwhile.")
        while "Said meanwhile." not in (await stored(guild.memory, "general")).values():
            assert not guild.platform.out
            await asyncio.sleep(0.01)
    assert [text for _, text, _ in guild.platform.out] == [replies.FAILED]


SAID = "It was in May, I think, when the roses bloomed, and all who had a garden were out in it from dawn to dusk."


@pytest.mark.parametrize(
    ("answers", "silence", "sent"),
    [([Reply(SAID, pause=0.4)], 2.5, SAID), ([Reply(SAID, pause=1.0)], 0.2, "It was in…")],
)
async def test_a_slow_answer_is_waited_for_until_it_falls_silent(
    guild: Guild, talking: ModelServer, silence: float, sent: str
) -> None:
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        guild.ask("general", "ann", "When?")
        while not talking.calls:  # noqa: ASYNC110 - the server is another thread
            await asyncio.sleep(0.01)
        bot._responder._timeout = silence  # from the first word on
        await quiet(bot)
    assert [text for _, text, _ in guild.platform.out] == [sent]


async def test_natural_commands_are_done_and_what_is_personal_is_whispered(guild: Guild) -> None:
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        guild.ask("general", "ann", "remember that I am allergic to nuts")
        await quiet(bot)
        guild.ask("general", "bob", "what do you know about ann?")
        await quiet(bot)
        guild.platform.whispering = False
        guild.ask("general", "bob", "what do you know about ann?")
        await quiet(bot)
        guild.ask("general", "ann", "forget that I am allergic to nuts")
        await quiet(bot)
    assert [text for _, text, _ in guild.platform.out] == [
        replies.NOTED,
        replies.SENT,
        replies.UNSENT,
        replies.FORGOTTEN,
    ]
    [(person, text)] = guild.platform.whispers
    assert person == "bob"
    assert "nuts" in text


async def test_what_is_known_of_someone_has_facts_that_are_older_than_a_week(guild: Guild) -> None:
    await Rows(guild.memory, SPACE).fact("ann", "interests", "Ann keeps bees.", channel="general", seq=1)
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        guild.server.post("general", "ann", "Good morning")
        await quiet(bot)
        guild.ask("general", "bob", "what do you know about ann?")
        await quiet(bot)
    assert [text for _, text, _ in guild.platform.out] == [replies.SENT]
    [(person, text)] = guild.platform.whispers
    assert person == "bob"
    assert "- Ann keeps bees." in text


async def test_too_much_is_told_once_and_the_blocked_are_not_answered(guild: Guild) -> None:
    await guild.memory.people.block("mallory", space=SPACE)
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        for number in range(9):
            guild.ask("general", "ann", f"Question {number}?")
            await quiet(bot)
        guild.ask("general", "mallory", "And me?")
        guild.server.post("general", "robot", "<@bot> hello", bot=True, to_us=True)
    texts = [text for _, text, _ in guild.platform.out]
    assert texts == ["In May."] * 6 + [replies.SLOW_DOWN]


async def test_where_nobody_chose_the_bot_says_so_to_the_asker_alone(guild: Guild) -> None:
    guild.server.open("lounge")
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        for _ in range(3):
            guild.ask("lounge", "ann", "When?")
            await quiet(bot)
    assert not guild.platform.out
    [(person, told)] = guild.platform.whispers
    assert person == "ann"
    assert "in #lounge" in told, "which is read elsewhere"
    assert not await stored(guild.memory, "lounge")


async def test_where_nobody_can_be_told_alone_it_is_said_in_the_channel(guild: Guild) -> None:
    guild.server.open("lounge")
    guild.platform.whispering = False
    async with at_work(guild.memory, guild.server, guild.platform):
        guild.ask("lounge", "ann", "When?")
    assert [(channel, "/memory on" in text) for channel, text, _ in guild.platform.out] == [("lounge", True)]


async def test_whoever_talks_to_the_bot_alone_has_chosen_to(guild: Guild) -> None:
    guild.server.open("ann-and-bot", open=False, direct=True)
    async with at_work(guild.memory, guild.server, guild.platform) as bot:
        guild.server.post("ann-and-bot", "ann", "I moved to Busan.", to_us=True)
        await quiet(bot)
    assert guild.platform.out == [("ann-and-bot", "In May.", "pretend:1")]
    assert list((await stored(guild.memory, "ann-and-bot", "pretend:direct")).values()) == ["I moved to Busan."]
    [shown] = await guild.memory.channels.list(space="pretend:direct")
    assert shown.privacy == "direct"


@pytest.mark.parametrize("person", ["ann", "bob"])
async def test_without_a_model_i_is_who_asks(memory: erstwhile.Memory, person: str) -> None:
    guild = Guild(memory)
    await guild.listen()
    async with at_work(memory, guild.server, guild.platform) as bot:
        for who, city in (("ann", "Lisbon"), ("bob", "Busan"), ("bob", "Busan"), ("ann", "Lisbon")):
            guild.server.post("general", who, f"I live in {city} these days, and I like it there.")
        await quiet(bot)
        guild.ask("general", person, "Where do I live?")
        await quiet(bot)
    [(_, text, _)] = guild.platform.out
    assert ("Lisbon" if person == "ann" else "Busan") in text.splitlines()[1]


async def test_without_a_model_the_lines_that_are_about_it_are_shown(memory: erstwhile.Memory) -> None:
    guild = Guild(memory)
    await guild.listen()
    async with at_work(memory, guild.server, guild.platform) as bot:
        guild.server.post("general", "ann", "The summer party is in the old mill.")
        guild.server.post("cellar", "ann", "The summer party is cancelled, but hush.")
        guild.server.post("general", "bob", "I like trains.")
        guild.server.post("general", "bob", "<@ann> brings cake to the summer party, says <@nobody>.")
        await quiet(bot)
        guild.ask("general", "ann", "What about the summer party?")
        await quiet(bot)
        guild.platform.out.clear()
        guild.ask("general", "bob", "Where is the summer party?")
        await quiet(bot)
    text = "\n".join(piece for _, piece, _ in guild.platform.out)
    assert text.startswith(replies.NO_MODEL)
    assert "- The summer party is in the old mill. (Ann, Mar 1, 2026)" in text
    assert "- @Ann brings cake to the summer party, says @someone. (Bob, Mar 1, 2026)" in text
    assert "hush" not in text
    assert "What about" not in text, "what others asked is no answer"


# Words


@pytest.mark.parametrize("max_length", [40, 90, 200])
def test_pieces_fit_lose_nothing_and_keep_code_in_blocks(max_length: int) -> None:
    code = "```py\n" + "\n".join(f"line_{number} = {number}" for number in range(12)) + "\n```"
    text = f"First some words. Then more of them, and a list:\n\n- one\n- two\n\n{code}\n\nAnd the end of it all."
    cut = replies.split(text, max_length)
    assert all(len(piece) <= max_length for piece in cut)
    assert all(piece.count("```") % 2 == 0 for piece in cut)
    for number in range(12):
        assert sum(f"line_{number} = {number}\n" in piece + "\n" for piece in cut) == 1
    assert replies.split("x" * 95, 40) == ["x" * 36, "x" * 36, "x" * 23]


def test_a_pace_is_told_once_and_then_is_over() -> None:
    now = [0.0]
    clock: Callable[[], float] = lambda: now[0]  # noqa: E731
    pace: Any = RateLimit(2, 60, clock)
    assert [pace.check("ann") for _ in range(4)] == ["go", "go", "tell", "silent"]
    assert pace.check("bob") == "go"
    now[0] = 61
    assert pace.check("ann") == "go"
