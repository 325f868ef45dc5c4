"""The adapter of Slack, against a server that speaks Slack's protocol."""

from __future__ import annotations

import asyncio

import pytest
from slack_workspace import listening, platform_of, until

from erstwhile.base.errors import SettingsError
from erstwhile.bots.port import (
    Deletion,
    Edit,
    Gap,
    PlaceChange,
    PlaceDeletion,
    PlatformEvent,
    Post,
    SlashCommand,
    UnreadablePlace,
)
from erstwhile.bots.slack import platform as slack_platform
from erstwhile.bots.slack.events import to_datetime
from support.slack import SlackServer


async def test_what_people_say_is_heard_as_people_see_it(slack: SlackServer) -> None:
    ann, bob = slack.person("Ann"), slack.person("Bob")
    robot = slack.person("Robot", bot=True)
    general, us = slack.channel("general", ann, bob), slack.workspace.us
    async with listening(slack) as ears:
        first = await slack.post(general, ann, f"hi <@{bob}>, see <https://a.example|this> &amp; <#C9|random>")
        await slack.post(general, robot, "beep")
        await slack.post(general, "USLACKBOT", f"<@{bob}> has joined the channel", subtype="channel_join")
        await slack.post(general, bob, "", files=[{"name": "plan.pdf"}], subtype="file_share")
        reply = await slack.reply(general, first, bob, "in the thread")
        await slack.reply(general, first, bob, "for all", broadcast=True)
        await slack.post(general, ann, f"<@{us}> are you there?")
        await slack.post(slack.direct(ann), ann, "between us")
        await slack.post(slack.group(ann, bob), bob, "the three of us")
        await until(lambda: len(ears.of(Post)) == 9)
    said = ears.of(Post)
    assert [each.text for each in said if not each.bot] == [
        f"hi <@{bob}>, see this (https://a.example) & #random",
        "[file: plan.pdf]",
        "in the thread",
        "for all",
        f"<@{us}> are you there?",
        "between us",
        "the three of us",
    ]
    assert isinstance(ears.events[0], Gap)
    opening, in_thread, asking, alone, three = said[0], said[4], said[6], said[7], said[8]
    assert (opening.place.channel, opening.place.title, opening.place.open) == (general, "general", True)
    assert (opening.person, opening.name, opening.key) == (ann, "Ann", f"slack:{general}:{first}")
    assert (in_thread.place.channel, in_thread.place.parent) == (f"{general}:{first}", general)
    assert in_thread.key == f"slack:{general}:{reply}"
    assert [each.addressed for each in said] == [False] * 6 + [True, True, False]
    assert asking.place.space == "slack:T0TEAM"
    assert (alone.place.direct, alone.place.title, alone.place.open) == (True, "Ann", False)
    assert (three.place.direct, three.place.open) == (False, False)


async def test_edits_and_deletions_are_followed_and_a_thread_outlives_its_first_message(slack: SlackServer) -> None:
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    async with listening(slack) as ears:
        one, two = await slack.post(general, ann, "one"), await slack.post(general, ann, "two")
        reply = await slack.reply(general, two, ann, "reply")
        await slack.edit(general, one, "one &lt;better&gt;")
        await slack.edit(general, reply, "better reply")
        await slack.delete(general, one)
        await slack.delete(general, two)
        await until(lambda: len(ears.of(Deletion)) == 2)
        revised, gone = ears.of(Edit), ears.of(Deletion)
        assert [(each.place.channel, each.text) for each in revised] == [
            (general, "one <better>"),
            (f"{general}:{two}", "better reply"),
        ]
        assert [each.keys for each in gone] == [(f"slack:{general}:{one}",), (f"slack:{general}:{two}",)]
        thread = await ears.place(f"{general}:{two}")
        pages = [page async for page in ears.platform.history(thread, "")]
        assert [each.text for page in pages for each in page] == ["better reply"]


async def test_an_event_is_handed_on_once_and_the_latest_words_hold_whatever_the_order(slack: SlackServer) -> None:
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    async with listening(slack) as ears:
        slack.sockets.twice = True
        slack.sockets.deaf = 3  # those will be sent again as well
        first = await slack.post(general, ann, "first")
        await slack.edit(general, first, "first, edited")
        await until(lambda: not slack.sockets.unacknowledged)
        slack.withhold()
        second = await slack.post(general, ann, "second")
        await slack.edit(general, second, "better")
        await slack.edit(general, second, "best")
        third = await slack.post(general, ann, "third")
        await slack.delete(general, third)
        await slack.release(lambda held: held[::-1])
        await until(lambda: not slack.sockets.unacknowledged)
        await until(lambda: "best" in ears.texts())
    assert ears.texts() == ["first", "best"]  # the third was gone before it came
    assert [each.text for each in ears.of(Edit)] == ["first, edited", "best"]


async def test_a_change_told_again_is_looked_up(slack: SlackServer) -> None:
    """It may be older than what was caught up with before."""
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    message = await slack.post(general, ann, "old")
    async with listening(slack) as ears:
        slack.sockets.lossy = True
        slack.sockets.unacknowledged.clear()
        slack.withhold()
        await slack.edit(general, message, "older edit")
        held = slack.sockets.withheld or []
        slack.sockets.withheld = []
        await slack.edit(general, message, "what it says")
        held[0].attempts = 1
        slack.sockets.withheld = held
        await slack.release()
        await until(lambda: ears.of(Edit))
    assert [each.text for each in ears.of(Edit)] == ["what it says"]


async def test_a_connection_that_slack_renews_leaves_no_gap_and_one_that_breaks_does(slack: SlackServer) -> None:
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    async with listening(slack) as ears:
        slack.sockets.lossy = True
        said = 0
        for reason in ("refresh_requested", "warning"):
            greeted = slack.sockets.greeted
            await slack.hand_over(reason)
            while slack.sockets.greeted == greeted:  # said on the old line, and while the new one is made
                await slack.post(general, ann, f"said {(said := said + 1)}")
                await asyncio.sleep(0.01)
            await slack.post(general, ann, f"said {(said := said + 1)}")
            await until(lambda: len(slack.sockets.open) == 1, "the old line to be closed")
        await until(lambda: len(ears.texts()) == said)
        assert ears.texts() == [f"said {number + 1}" for number in range(said)]
        assert len(ears.of(Gap)) == 1
        for rudely in (True, False):
            missed = len(ears.of(Gap))
            slack.fail(1, 502, "apps.connections.open")
            await slack.drop(rudely=rudely)
            await until(lambda: len(ears.of(Gap)) > missed)  # noqa: B023


async def test_what_was_not_acknowledged_comes_again_after_a_break(slack: SlackServer) -> None:
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    async with listening(slack) as ears:
        slack.sockets.deaf = 1
        await slack.post(general, ann, "heard, but the word of it got lost")
        await slack.drop()
        await slack.post(general, ann, "while away")
        await until(lambda: len(ears.texts()) == 2)
        await until(lambda: not slack.sockets.unacknowledged)
    assert ears.texts() == ["heard, but the word of it got lost", "while away"]
    kinds = [type(each).__name__ for each in ears.events]
    assert kinds == ["Gap", "Post", "Gap", "Post"]


@pytest.mark.parametrize("size", [3, 200])
async def test_history_is_read_oldest_first_in_bounded_memory(
    slack: SlackServer, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(slack_platform, "PAGES_HELD", 2)
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    stamps = [await slack.post(general, ann, f"message {number}") for number in range(40)]
    await slack.reply(general, stamps[3], ann, "aside")
    await slack.reply(general, stamps[3], ann, "aside for all", broadcast=True)
    slack.web.largest = size
    async with listening(slack) as ears:
        place, thread = await ears.place(general), await ears.place(f"{general}:{stamps[3]}")

        async def read(where: object, after: str) -> list[str]:
            return [each.text async for page in ears.platform.history(where, after) for each in page]  # type: ignore[arg-type]

        everything = [f"message {number}" for number in range(40)]
        assert await read(place, "") == everything
        assert await read(place, f"slack:{general}:{stamps[17]}") == everything[18:]
        assert await read(place, ears.platform.key_at(place, to_datetime(stamps[5]))) == everything[6:]
        assert await read(thread, "") == ["aside", "aside for all"]
        await slack.leave(general, slack.workspace.us)
        with pytest.raises(UnreadablePlace):
            await read(place, "")


async def test_limits_are_obeyed_and_a_broken_server_is_tried_again(slack: SlackServer) -> None:
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    await slack.post(general, ann, "hello")
    async with listening(slack) as ears:
        place = await ears.place(general)
        slack.limit(2, 1)
        assert [each.text async for page in ears.platform.history(place, "") for each in page] == ["hello"]
        slack.fail(1, 500)
        assert [each.text async for page in ears.platform.history(place, "") for each in page] == ["hello"]
        slack.limit(1, 1, "chat.postMessage")
        await ears.platform.send(place, "an answer", "")
    assert slack.impatient == []
    assert sum(method == "chat.postMessage" for method, _ in slack.calls) == 2


async def test_who_reads_what(slack: SlackServer) -> None:
    ann, guest = slack.person("Ann"), slack.person("Guest", guest=True)
    general, lobby = slack.channel("general", ann), slack.channel("lobby", ann, guest)
    secret = slack.channel("secret", ann, private=True)
    elsewhere = slack.channel("elsewhere", guest, private=True)
    opening = await slack.post(secret, ann, "x")
    await slack.reply(secret, opening, ann, "y")
    async with listening(slack) as ears:
        await ears.platform.places()
        space = "slack:T0TEAM"
        assert await ears.platform.readable(space, ann) == {general, lobby, secret, f"{secret}:{opening}"}
        assert await ears.platform.readable(space, guest) == {lobby, elsewhere}
        assert await ears.platform.readable("slack:TOTHER", ann) == frozenset()
        await slack.leave(secret, ann)
        assert await ears.platform.readable(space, ann) == {general, lobby}
        await slack.make_private(general)
        await until(lambda: ears.of(PlaceChange))
        assert ears.of(PlaceChange)[0].place.open is False
        await slack.leave(general, ann)
        assert general not in await ears.platform.readable(space, ann)
        await slack.rename(lobby, "foyer")
        await until(lambda: len(ears.of(PlaceChange)) == 2)
        await slack.remove(lobby)
        await until(lambda: ears.of(PlaceDeletion))
        assert ears.of(PlaceChange)[-1].place.title == "foyer"
        assert ears.of(PlaceDeletion)[0].place.channel == lobby


async def test_answers_go_where_they_were_asked_for_and_ping_nobody(slack: SlackServer) -> None:
    ann, bob = slack.person("Ann"), slack.person("Bob")
    general = slack.channel("general", ann)
    async with listening(slack) as ears:
        place = await ears.place(general)
        await ears.platform.send(place, f"<!channel> **ask** <@{ann}> & see", "")
        ours = slack.workspace.conversations[general].ordered()[-1]
        assert ours["text"] == f"&lt;!channel&gt; *ask* &lt;@{ann}&gt; &amp; see"
        await slack.reply(general, ours["ts"], ann, "why?")
        await until(lambda: ears.texts() == ["why?"])
        question = next(each for each in ears.of(Post) if each.text == "why?")
        assert question.addressed
        assert question.answers == f"<!channel> **ask** <@{ann}> & see"
        await ears.platform.send(question.place, "because", question.key)
        assert slack.workspace.conversations[general].ordered()[-1]["thread_ts"] == ours["ts"]
        assert await ears.platform.send_private(question.place, ann, "only you")
        assert (
            slack.web.ephemeral[-1] | {"text": "only you", "user": ann, "thread_ts": ours["ts"]}
            == slack.web.ephemeral[-1]
        )
        assert await ears.platform.send_private(place, bob, "not there, so alone")
        assert [each["text"] for each in slack.workspace.conversations[slack.direct(bob)].ordered()] == [
            "not there, so alone"
        ]
        posted = [arguments for method, arguments in slack.calls if method == "chat.postMessage"]
        assert all(not each["unfurl_links"] and not each["link_names"] for each in posted)


async def test_slash_commands(slack: SlackServer) -> None:
    ann, bob, boss = slack.person("Ann"), slack.person("Bob"), slack.person("Boss", admin=True)
    general = slack.channel("general", ann, bob, creator=ann)
    hidden = slack.channel("hidden", bob, private=True, us=False)
    async with listening(slack) as ears:
        await slack.command(general, ann, "/erstwhile", f"about <@{bob}|bob>")
        await slack.command(general, bob, "/remember", "tea &amp; biscuits")
        await slack.command(general, boss, "/erstwhile", "why that?")
        await slack.command(hidden, bob, "/privacy", "out")
        await slack.press(ann)
        await until(lambda: len(ears.of(SlashCommand)) == 4)
        asked = ears.of(SlashCommand)
        assert [(each.verb, each.words, each.whom, each.manages) for each in asked] == [
            ("about", "", bob, True),
            ("remember", "tea & biscuits", None, False),
            ("memory", "why that?", None, True),
            ("privacy", "out", None, False),
        ]
        assert asked[3].place.open is False
        await asked[0].answer("<@U1> likes tea")
        assert slack.answers[0] | {"response_type": "ephemeral", "text": "&lt;@U1&gt; likes tea"} == slack.answers[0]
        await until(lambda: not slack.sockets.unacknowledged)


async def test_names_are_those_of_now(slack: SlackServer) -> None:
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    async with listening(slack) as ears:
        await slack.post(general, ann, "one")
        await slack.post(general, ann, "two")
        await until(lambda: len(ears.texts()) == 2)
        await slack.call_oneself(ann, "Anna")
        await slack.post(general, ann, "three")
        await until(lambda: len(ears.texts()) == 3)
    assert [each.name for each in ears.of(Post)] == ["Ann", "Ann", "Anna"]
    assert sum(method == "users.info" for method, _ in slack.calls) == 1


@pytest.mark.parametrize(
    ("method", "error", "words"),
    [
        ("auth.test", "invalid_auth", "SLACK_BOT_TOKEN: Slack doesn't know this token"),
        ("apps.connections.open", "invalid_auth", "SLACK_APP_TOKEN: Slack doesn't know this token"),
        ("apps.connections.open", "not_allowed_token_type", "SLACK_APP_TOKEN with xapp-"),
        ("apps.connections.open", "missing_scope", "scope another one is missing"),
    ],
)
async def test_a_token_that_will_never_do_is_told_in_words(
    slack: SlackServer, method: str, error: str, words: str
) -> None:
    slack.refuse(method, error)
    with pytest.raises(SettingsError, match=words):
        await platform_of(slack).run(lambda _: None)


async def test_socket_mode_switched_off_ends_it(slack: SlackServer) -> None:
    heard: list[PlatformEvent] = []
    running = asyncio.create_task(platform_of(slack).run(heard.append))
    await until(lambda: heard)
    await slack.hand_over("link_disabled")
    with pytest.raises(SettingsError, match="Socket Mode is off"):
        await running


async def test_what_cannot_be_looked_up_is_missed_not_lost(slack: SlackServer) -> None:
    ann = slack.person("Ann")
    general = slack.channel("general", ann)
    async with listening(slack) as ears:
        slack.refuse("conversations.info", "internal_error")
        await slack.post(general, ann, "hello")
        await until(lambda: len(ears.of(Gap)) == 2)
        await slack.event(general, {"type": "message", "channel": None, "message": 7, "subtype": "message_changed"})
        await slack.post(general, ann, "again")
        await until(lambda: ears.texts() == ["again"])
