"""Groups that remember: the bot on Telegram, from what is said to what is answered."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import erstwhile
from erstwhile.base.errors import SettingsError, StorageError
from erstwhile.bots.bot import Bot
from erstwhile.bots.port import Gap, PlaceChange, Post, SlashCommand
from erstwhile.bots.telegram import TelegramPlatform
from erstwhile.bots.telegram.messages import plain_id
from erstwhile.cli import bots as cli
from support.telegram import TelegramServer, refusal

Json = dict[str, Any]


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        yield server


async def until(true: Callable[[], object | Awaitable[object]], what: str = "it to be so", seconds: int = 60) -> None:
    for _ in range(40 * seconds):
        found = true()
        if await found if isinstance(found, Awaitable) else found:
            return
        await asyncio.sleep(0.025)
    raise AssertionError(f"waited in vain for {what}")


@contextlib.asynccontextmanager
async def bot_on(memory: erstwhile.Memory, telegram: TelegramServer) -> AsyncIterator[Bot]:
    bot = Bot(memory, TelegramPlatform(telegram.token, telegram.api, pause=0.02))
    running = asyncio.create_task(bot.run())
    try:
        yield bot
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def channel_of(chat: Json, topic: int | None = None) -> str:
    return f"telegram:{plain_id(chat['id'])}" + (f":{topic}" if topic else "")


def space_of(chat: Json) -> str:
    return "telegram:direct" if chat["type"] == "private" else channel_of(chat)


async def listen(memory: erstwhile.Memory, chat: Json) -> None:
    await memory.channels.listen(memory.channel(channel_of(chat), space_of(chat)))


async def stored(memory: erstwhile.Memory, chat: Json, topic: int | None = None) -> list[str]:
    return [each.text async for each in memory.channel(channel_of(chat, topic), space_of(chat)).messages()]


async def until_stored(memory: erstwhile.Memory, chat: Json, texts: list[str], topic: int | None = None) -> None:
    found: list[str] = []

    async def same() -> bool:
        found[:] = await stored(memory, chat, topic)
        return found == texts

    try:
        await until(same)
    except AssertionError:
        assert found == texts


async def test_what_is_said_where_it_listens_is_kept_as_it_stands(
    memory: erstwhile.Memory, telegram: TelegramServer
) -> None:
    ann, bob, robot = telegram.person("Ann"), telegram.person("Bob"), telegram.person("Robot", bot=True)
    harbour, other = telegram.group("Harbour", ann, bob), telegram.group("Other", ann)
    await listen(memory, harbour)
    async with bot_on(memory, telegram):
        first = await telegram.post(harbour, ann, "The harbour opens at nine.")
        await telegram.post(harbour, robot, "beep")
        await telegram.post(other, ann, "nobody chose this group")
        await telegram.post(harbour, bob, "🦀🦀 thank you @ann and @nobody")
        await telegram.edit(first, "The harbour opens at ten.")
        wanted = ["The harbour opens at ten.", f"🦀🦀 thank you <@user{ann['id']}> and @nobody"]
        await until_stored(memory, harbour, wanted)
        await until(lambda: not telegram.updates, "everything to be confirmed")
    assert await stored(memory, other) == []
    (message,) = [
        each async for each in memory.channel(channel_of(harbour), space_of(harbour)).messages() if "ten" in each.text
    ]
    assert (message.person, message.key) == (f"user{ann['id']}", f"telegram:500:{first['message_id']}")
    found = await memory.channels.get(memory.channel(channel_of(harbour), space_of(harbour)))
    assert (found.title, found.privacy) == ("Harbour", "open")


async def test_topics_are_channels_and_follow_their_group(memory: erstwhile.Memory, telegram: TelegramServer) -> None:
    ann = telegram.person("Ann")
    forum = telegram.group("Boats", ann, forum=True)
    await listen(memory, forum)
    async with bot_on(memory, telegram):
        sails = await telegram.begin_topic(forum, ann, "Sails")
        await telegram.post(forum, ann, "In the general topic.")
        await telegram.post(forum, ann, "The red sail is torn.", topic=sails)
        await until_stored(memory, forum, ["The red sail is torn."], sails)
        await until_stored(memory, forum, ["In the general topic."])
    topic = await memory.channels.get(memory.channel(channel_of(forum, sails), space_of(forum)))
    assert topic.title == "Boats / Sails"


async def test_a_private_chat_is_private_and_remembered_from_the_first_message_on(
    memory: erstwhile.Memory, telegram: TelegramServer
) -> None:
    ann = telegram.person("Ann")
    chat = telegram.private(ann)
    await telegram.post(chat, ann, "My cat is called Mochi.")
    await telegram.post(chat, ann, "She is three.")  # both wait when the bot starts
    async with bot_on(memory, telegram):
        await until_stored(memory, chat, ["My cat is called Mochi.", "She is three."])
        await telegram.post(chat, ann, "What is my cat called?")
        await until(lambda: any("Mochi" in text for text in telegram.texts(chat)), "an answer")
    found = await memory.channels.get(memory.channel(channel_of(chat), "telegram:direct"))
    assert found.privacy == "direct"


async def test_a_group_turns_it_on_and_what_follows_in_the_same_breath_is_kept(
    memory: erstwhile.Memory, telegram: TelegramServer
) -> None:
    ann, bob = telegram.person("Ann"), telegram.person("Bob")
    group = telegram.group("Harbour", bob, admin=ann)
    telegram.private(ann)
    await telegram.membership(group, ann, "member")
    await telegram.post(group, bob, "said before")
    await telegram.post(group, bob, "/memory on")  # he may not
    await telegram.post(group, ann, "/memory@erstwhile_bot on")
    await telegram.post(group, bob, "The ferry leaves at seven.")
    await telegram.post(group, bob, "/memory@other_bot on")  # somebody else's
    async with bot_on(memory, telegram):
        await until_stored(memory, group, ["The ferry leaves at seven.", "/memory@other_bot on"])
        await until(lambda: telegram.texts({"id": ann["id"]}))
        assert "I listen here" in telegram.texts({"id": ann["id"]})[0]
        (told,) = telegram.texts(group)
        assert "open https://t.me/erstwhile_bot, press Start" in told, "Bob has not started a chat with it"
        await telegram.post(group, ann, "/memory off")
        await telegram.post(group, bob, "not for the record")
        await until(lambda: not telegram.updates)
    assert await stored(memory, group) == ["The ferry leaves at seven.", "/memory@other_bot on"]


async def test_it_answers_where_it_is_addressed_and_pings_nobody(
    memory: erstwhile.Memory, telegram: TelegramServer
) -> None:
    ann, bob = telegram.person("Ann"), telegram.person("Bob")
    forum = telegram.group("Boats", ann, bob, forum=True)
    await listen(memory, forum)
    async with bot_on(memory, telegram):
        topic = await telegram.begin_topic(forum, ann, "Ferries")
        await telegram.post(forum, bob, "The ferry leaves at seven, ask @ann.", topic=topic)
        await until_stored(memory, forum, [f"The ferry leaves at seven, ask <@user{ann['id']}>."], topic)
        asked = await telegram.post(forum, ann, "@erstwhile_bot when does the ferry leave?", topic=topic)
        await until(lambda: telegram.sent)
        (answer,) = telegram.sent
        assert "at seven" in answer["text"]
        assert "@Ann" not in answer["text"]
        assert "@ann" not in answer["text"]
        assert answer["message_thread_id"] == topic
        assert answer["reply_parameters"]["message_id"] == asked["message_id"]
        ours = {"message_id": 99, "from": telegram.us, "chat": forum, "date": 0, "text": answer["text"]}
        await telegram.post(forum, bob, "the ferry, from where?", reply_to_message=ours)
        await until(lambda: len(telegram.sent) == 2)


async def test_it_shows_nobody_what_they_could_not_have_read(
    memory: erstwhile.Memory, telegram: TelegramServer
) -> None:
    ann, bob = telegram.person("Ann"), telegram.person("Bob")
    one, two = telegram.group("One", ann, bob), telegram.group("Two", bob)
    telegram.private(bob)
    for group in (one, two):
        await listen(memory, group)
    async with bot_on(memory, telegram) as bot:
        await telegram.post(one, ann, "The spare key is under the blue pot.")
        await telegram.post(two, bob, "@erstwhile_bot where is the spare key?")
        await until(lambda: telegram.texts(two))
        assert "blue pot" not in telegram.texts(two)[0]
        platform = bot._platform
        assert await platform.readable(space_of(one), f"user{bob['id']}") == {channel_of(one)}
        telegram.leave(one, bob)
        assert await platform.readable(space_of(one), f"user{bob['id']}") == frozenset()
        assert await platform.readable("telegram:999", f"user{bob['id']}") == frozenset()


async def test_limits_are_obeyed_and_nothing_is_said_twice(memory: erstwhile.Memory, telegram: TelegramServer) -> None:
    ann = telegram.person("Ann")
    chat = telegram.private(ann)
    telegram.limits["sendMessage"] = [0.6, 0.3]
    telegram.limits["getUpdates"] = [0.2]
    async with bot_on(memory, telegram):
        await telegram.post(chat, ann, "My boat is called Ida.")
        await telegram.post(chat, ann, "What is my boat called?")
        await until(lambda: any("Ida" in text for text in telegram.texts(chat)))
        await until_stored(memory, chat, ["My boat is called Ida.", "What is my boat called?"])
    assert telegram.impatient == []
    assert len(telegram.sent) == len({each["text"] + str(each.get("reply_parameters")) for each in telegram.sent})


async def test_an_update_is_confirmed_only_when_it_is_on_disk(
    memory: erstwhile.Memory, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = telegram.person("Ann")
    group = telegram.group("Harbour", ann)
    await listen(memory, group)
    broken = asyncio.Event()
    add_many = erstwhile.Channel.add_many

    async def failing(self: erstwhile.Channel, *given: Any, **more: Any) -> Any:
        if broken.is_set():
            raise StorageError("the disk is away")
        return await add_many(self, *given, **more)

    monkeypatch.setattr(erstwhile.Channel, "add_many", failing)
    async with bot_on(memory, telegram):
        await telegram.post(group, ann, "one")
        await until_stored(memory, group, ["one"])
        await until(lambda: not telegram.updates)
        broken.set()
        await telegram.post(group, ann, "two")
        await asyncio.sleep(0.5)
        assert len(telegram.updates) == 1, "not stored, so not confirmed"
    broken.clear()
    async with bot_on(memory, telegram):  # another process, so to speak
        await until_stored(memory, group, ["one", "two"])
        await until(lambda: not telegram.updates)


async def test_a_first_private_message_waits_for_the_database(
    memory: erstwhile.Memory, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = telegram.person("Ann")
    chat = telegram.private(ann)
    attempts: list[str] = []
    kind = type(memory.channels)
    choose = kind.listen

    async def failing(self: Any, *given: Any, **more: Any) -> Any:
        attempts.append("once")
        if len(attempts) == 1:
            raise StorageError("the database is away")
        return await choose(self, *given, **more)

    monkeypatch.setattr(kind, "listen", failing)
    async with bot_on(memory, telegram):
        await telegram.post(chat, ann, "My cat is called Mochi.")
        await until(lambda: attempts)
        assert len(telegram.updates) == 1, "not stored, so not confirmed"
        await until_stored(memory, chat, ["My cat is called Mochi."])
        await until(lambda: not telegram.updates)


async def test_a_network_that_fails_is_waited_for(memory: erstwhile.Memory, telegram: TelegramServer) -> None:
    ann = telegram.person("Ann")
    group = telegram.group("Harbour", ann)
    await listen(memory, group)
    telegram.faults = [
        web.Response(status=502, text="<html>Bad Gateway</html>"),
        refusal(500, "Internal Server Error"),
        refusal(409, "Conflict: terminated by other getUpdates request"),
        web.json_response([]),
    ]
    async with bot_on(memory, telegram):
        await telegram.post(group, ann, "still here")
        await until_stored(memory, group, ["still here"])


@pytest.mark.parametrize(
    ("token", "fault", "words"),
    [
        ("1:wrong", None, "Telegram doesn't know this token"),
        ("", refusal(409, "Conflict: can't use getUpdates method while webhook is active"), "deleteWebhook"),
    ],
)
async def test_what_no_retry_helps_ends_it(
    telegram: TelegramServer, token: str, fault: web.Response | None, words: str
) -> None:
    telegram.faults = [fault] if fault else []
    with pytest.raises(SettingsError, match=words):
        await TelegramPlatform(token or telegram.token, telegram.api).run(lambda _event: None)


async def test_the_adapter_reports_what_happens(telegram: TelegramServer) -> None:
    ann, bob = telegram.person("Ann"), telegram.person("Bob")
    group = telegram.group("Harbour", bob, admin=ann)
    platform, events = TelegramPlatform(telegram.token, telegram.api), []
    running = asyncio.create_task(platform.run(events.append))
    await telegram.membership(group, ann, "member")
    said = await telegram.post(group, bob, "hello")
    await telegram.post(group, ann, "/about", reply_to_message=said)
    await telegram.post(group, ann, "/forget_me yes")
    await telegram.rename(group, ann, "Port")
    await telegram.post(group, ann, "", photo=[{"file_id": "x"}])
    await telegram.membership(group, ann, "kicked")
    await until(lambda: not telegram.updates)
    assert [type(each) for each in events] == [Gap, PlaceChange, Post, SlashCommand, SlashCommand, PlaceChange]
    about, forget = (each for each in events if isinstance(each, SlashCommand))
    assert (about.verb, about.whom, about.manages) == ("about", f"user{bob['id']}", True)
    assert (forget.verb, forget.words) == ("forget-me", "yes")
    assert events[-1].place.title == "Port"
    assert await platform.places() == []
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


# The command


async def start(telegram: TelegramServer, database: Path, *words: str, **environment: str) -> Process:
    settings = {"TELEGRAM_BOT_TOKEN": telegram.token, **environment}
    command = ("-m", "erstwhile", "telegram", "--api", telegram.api, "--database", str(database), *words)
    return await asyncio.create_subprocess_exec(
        sys.executable, *command, env={**os.environ, **settings}, stderr=asyncio.subprocess.PIPE
    )


async def ended(process: Process) -> tuple[int, str]:
    _, said = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, said.decode()


async def test_killed_and_started_again_nothing_is_lost(telegram: TelegramServer, tmp_path: Path) -> None:
    database = tmp_path / "telegram.db"
    ann = telegram.person("Ann")
    group = telegram.group("Harbour", ann)
    telegram.us["can_read_all_group_messages"] = False
    first = await start(telegram, database, "--listen", str(group["id"]), "--listen", "@nowhere")
    await until(lambda: any(name == "getUpdates" for name, _ in telegram.calls) or first.returncode is not None)
    texts = [f"line {number}" for number in range(30)]
    for text in texts[:15]:
        await telegram.post(group, ann, text)
    await until(lambda: len(telegram.updates) < 15)
    first.kill()  # in the middle
    _, said = await ended(first)
    assert "Listening to Harbour." in said
    assert "The bot is in no chat @nowhere." in said
    assert "/setprivacy" in said
    for text in texts[15:]:
        await telegram.post(group, ann, text)  # while it is dead
    second = await start(telegram, database)
    async with erstwhile.open(str(database), worker=False) as memory:
        await until_stored(memory, group, texts)
    await until(lambda: not telegram.updates)
    second.send_signal(signal.SIGTERM)
    code, told = await ended(second)
    assert (code, told.splitlines()[-1]) == (0, "Stopped.")
    for secret in (telegram.token, "line 3"):
        assert secret not in said + told


async def test_an_import_and_the_bot_name_the_same_message_alike(telegram: TelegramServer, tmp_path: Path) -> None:
    """As docs/howto/telegram.md says: an export is imported into the space of the group, and the bot goes on from there."""
    database, ann = tmp_path / "telegram.db", telegram.person("Ann")
    group = telegram.group("Harbour", ann)
    before = await telegram.post(group, ann, "The harbour opens at nine.")
    said = {
        "id": before["message_id"],
        "type": "message",
        "date_unixtime": str(before["date"]),
        "from": "Ann",
        "from_id": f"user{ann['id']}",
        "text": "The harbour opens at nine.",
    }
    export = {"name": "Harbour", "type": "private_supergroup", "id": int(plain_id(group["id"])), "messages": [said]}
    (tmp_path / "result.json").write_text(json.dumps(export))
    words = ("import", str(tmp_path / "result.json"), "--space", space_of(group), "--database", str(database))
    imported = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "erstwhile", *words, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    assert await imported.wait() == 0
    async with erstwhile.open(str(database), worker=False) as memory:
        await listen(memory, group)
        async with bot_on(memory, telegram):
            await telegram.post(group, ann, "And closes at five.")
            await until_stored(memory, group, ["The harbour opens at nine.", "And closes at five."])


async def test_a_wrong_token_ends_the_command_with_a_sentence(telegram: TelegramServer, tmp_path: Path) -> None:
    code, said = await ended(await start(telegram, tmp_path / "x.db", TELEGRAM_BOT_TOKEN="1:wrong"))
    assert code == 2
    assert "TELEGRAM_BOT_TOKEN: Telegram doesn't know this token" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(("token", "words"), [("", "Set TELEGRAM_BOT_TOKEN"), ("abc", "is a number, a colon")])
def test_tokens_that_cannot_be_right_are_not_tried(monkeypatch: pytest.MonkeyPatch, token: str, words: str) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", token)
    with pytest.raises(SettingsError, match=words):
        cli.telegram()
