"""JSON of DiscordChatExporter, as its versions write it."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from made import discord, discord_file, discord_message

import erstwhile
from erstwhile.base.errors import InvalidInput
from erstwhile.importers import load
from erstwhile.importers.loading import named
from erstwhile.importers.model import ImportedMessage, ImportProblem, ReadItem, SkippedItems
from erstwhile.importers.sources import open_source

GENERAL = {"id": "77", "type": "GuildTextChat", "categoryId": "5", "category": "Text", "name": "general"}


def read(path: Path) -> list[ReadItem]:
    with open_source(path) as source:
        assert named("discord").recognises(source.source)
        return list(named("discord").read(source.source))


def one(tmp_path: Path, **message: Any) -> ReadItem:
    (found,) = read(discord_file(tmp_path / "general.json", GENERAL, iter([discord_message(1, **message)])))
    return found


def text(tmp_path: Path, **message: Any) -> str:
    found = one(tmp_path, **message)
    assert isinstance(found, ImportedMessage)
    return found.message.text


def test_a_message_as_it_was_said(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        id="1187000000000000000",
        type="Reply",
        timestamp="2023-12-20T10:00:00.1234567+09:00",
        timestampEdited="2023-12-20T10:05:00+09:00",
        content="@Juno yes 👍",
        reference={"messageId": "1186", "channelId": "77", "guildId": "1"},
    )
    assert isinstance(found, ImportedMessage)
    said = found.message
    assert (found.channel, said.key, said.role) == ("77", "discord:1187000000000000000", "user")
    assert (said.person, said.name, said.text) == ("1001", "Juno", "@Juno yes 👍")
    assert said.at == datetime.fromisoformat("2023-12-20T10:00:00.123456+09:00")
    assert said.meta == {"title": "general", "reply_to": "discord:1186", "edited_at": "2023-12-20T10:05:00+09:00"}


def test_what_was_sent_with_it(tmp_path: Path) -> None:
    files = [{"id": "1", "url": "https://x/cat.png", "fileName": "cat.png", "fileSizeBytes": 5}]
    stickers = [{"id": "2", "name": "wave", "format": "Lottie"}]
    assert text(tmp_path, content="look", attachments=files) == "look\n[file: cat.png]"
    assert text(tmp_path, content="", attachments=files, stickers=stickers) == "[file: cat.png]\n[sticker: wave]"
    forwarded = {"timestamp": "2023-01-01T00:00:00Z", "content": "the plan", "attachments": files, "stickers": []}
    sent = {"content": "", "forwardedMessage": forwarded, "reference": {"type": "Forward", "messageId": "5"}}
    assert text(tmp_path, **sent) == "[forwarded] the plan\n[file: cat.png]"
    assert "reply_to" not in one(tmp_path, **sent).message.meta  # type: ignore[union-attr]
    assert text(tmp_path, content="", embeds=[{"title": "A page", "url": "https://x"}]) == "[embed: A page]"
    assert text(tmp_path, content="see https://x", embeds=[{"title": "A page"}]) == "see https://x"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"author": {"id": "9", "name": "helper", "isBot": True}}, "bots and webhooks"),
        ({"type": "GuildMemberJoin", "content": "Joined the server."}, "system messages (joins, pins, calls)"),
        ({"type": "ChannelPinnedMessage", "content": "Pinned a message."}, "system messages (joins, pins, calls)"),
        ({"type": "Call", "content": "Started a call."}, "system messages (joins, pins, calls)"),
        ({"type": "24"}, "system messages (joins, pins, calls)"),
        ({"content": ""}, "messages without words or files"),
    ],
)
def test_what_nobody_said_is_left_out(tmp_path: Path, message: dict[str, Any], reason: str) -> None:
    assert one(tmp_path, **message) == SkippedItems(reason)


def test_times_without_a_zone_are_taken_from_the_id(tmp_path: Path) -> None:
    for timestamp in ("2020-05-01T10:00:00", "yesterday", None, 5):
        found = one(tmp_path, id="1187000000000000000", timestamp=timestamp)
        assert isinstance(found, ImportedMessage)
        assert isinstance(found.message.at, datetime)
        assert f"{found.message.at.astimezone(UTC):%Y-%m-%d %H:%M}" == "2023-12-20 11:54"


def test_a_server_in_files_and_parts(tmp_path: Path) -> None:
    home = discord(tmp_path, 30)
    for number in (10, 11, 3):
        messages = [discord_message(100 + number)]
        discord_file(home / f"general [part {number}].json", GENERAL, iter(messages))
    (home / "notes.json").write_text('{"something": "else"}')
    (home / "general_Files").mkdir()
    (home / "general_Files" / "cat.png").write_bytes(b"\x89PNG")
    found = read(home)
    lines = [each for each in found if isinstance(each, ImportedMessage)]
    assert [each for each in found if not isinstance(each, ImportedMessage)] == [
        SkippedItems("JSON files of another kind", 1)
    ]
    general = [line.message.at for line in lines if line.channel == "77"]
    assert len(general) == 23
    assert general == sorted(general)  # type: ignore[type-var]
    tea = next(line for line in lines if line.channel == "78")
    assert tea.message.meta == {"title": "tea", "thread_of": "77"}
    assert tea.where == "general - tea.json, message 1"
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for file in home.rglob("*.json"):
            packed.write(file, file.relative_to(home))
    assert sorted(map(str, read(tmp_path / "all.zip"))) == sorted(map(str, found))


def test_a_file_from_the_newest_to_the_oldest_is_told_of(tmp_path: Path) -> None:
    found = read(discord_file(tmp_path / "general.json", GENERAL, map(discord_message, range(9, 0, -1))))
    assert [type(each) for each in found].count(ImportedMessage) == 9
    (problem,) = [each for each in found if isinstance(each, ImportProblem)]
    assert "newest to the oldest" in problem.reason


@pytest.mark.parametrize("damage", [b"", b"\xff\xff", b'",,', b'"'])
def test_what_came_before_a_damage_is_read(tmp_path: Path, damage: bytes) -> None:
    file = discord_file(tmp_path / "general.json", GENERAL, map(discord_message, range(900)))
    data = file.read_bytes()
    at = data.index(f'"{701 << 30}"'.encode())
    file.write_bytes(data[: at + 10] + damage + (data[at + 30 :] if damage else b""))
    *before, problem = read(file)
    assert [type(each) for each in before] == [ImportedMessage] * 700
    assert isinstance(problem, ImportProblem)
    assert problem.where == "general.json, after message 700"
    assert any(why in problem.reason for why in ("near byte", f"at byte {at + 10:,}", "ends in the middle"))


async def test_other_files_are_told_what_was_looked_for(memory_on_file: erstwhile.Memory, tmp_path: Path) -> None:
    (tmp_path / "page.json").write_text(json.dumps({"pages": []}))
    with pytest.raises(InvalidInput, match=r"(?s)in no known format.*discord: JSON of DiscordChatExporter.*jsonl"):
        await load(memory_on_file, tmp_path / "page.json")
    with pytest.raises(InvalidInput, match="has no JSON of DiscordChatExporter"):
        await load(memory_on_file, tmp_path / "page.json", format="discord")
    with pytest.raises(InvalidInput, match="no format 'soup'"):
        await load(memory_on_file, tmp_path / "page.json", format="soup")
