"""Made-up exports of chats, as the programs write them: file name → content, the same for the same seed.

Each holds exactly `n` messages that an import takes, and now and then what it leaves (system lines, other branches, bots).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

START = datetime(2026, 1, 12, 8, 0, tzinfo=UTC)
PEOPLE = ("Robin", "Sam", "Mika", "Ines", "Tariq", "Yuki", "Lena", "Ousmane")
_TURNS = 40  # messages of one conversation with an assistant
_PLACES = ("general", "kitchen", "garden")
_MODEL = "gpt-4o"
_WORDS = (
    "the train was late again and I walked the last bit",
    "does anyone have the list from Tuesday?",
    "I moved to Leeds in spring and still find new streets",
    "we need {count} chairs, the rest is in the shed",
    "my sister keeps bees, {count} hives this year",
    "that worked, thank you!",
    "ich komme um {count} Uhr, wenn der Zug fährt",
    "明日は{count}時に会いましょう",
    "no idea, ask again on Friday 🙂",
    "the soup needs {count} onions and a long evening",
)


@dataclass(frozen=True, slots=True)
class _Said:
    number: int
    who: int
    text: str
    at: datetime


def _talk(n: int, seed: int) -> Iterator[_Said]:
    chance = random.Random(seed)
    at = START
    for number in range(n):
        at += timedelta(seconds=chance.randint(1, 900))
        text = chance.choice(_WORDS).format(count=chance.randint(2, 900))
        if chance.random() < 0.05:
            text += "\nand one more line"
        yield _Said(number, chance.randrange(len(PEOPLE)), text, at)


def _uuid(chance: random.Random) -> str:
    return str(UUID(int=chance.getrandbits(128), version=4))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _array(items: Iterator[dict[str, Any]]) -> bytes:
    """Written item by item: a large one is never there as objects."""
    return b"[" + b",\n".join(_json(item) for item in items) + b"]"


def _conversations(n: int, seed: int) -> Iterator[list[_Said]]:
    turns: list[_Said] = []
    for said in _talk(n, seed):
        turns.append(said)
        if len(turns) == _TURNS:
            yield turns
            turns = []
    if turns:
        yield turns


def chatgpt(n: int, seed: int = 7) -> dict[str, bytes]:
    chance = random.Random(seed + 1)
    conversations = (_chatgpt_conversation(turns, chance) for turns in _conversations(n, seed))
    return {
        "conversations.json": _array(conversations),
        "user.json": _json({"id": "user-7Robin", "email": "robin@example.com", "chatgpt_plus_user": False}),
        "message_feedback.json": b"[]",
    }


def _chatgpt_conversation(turns: list[_Said], chance: random.Random) -> dict[str, Any]:
    """A root without a message, a hidden system message, the turns, and one answer that was made again."""
    root, system = "client-created-root", _uuid(chance)
    mapping: dict[str, Any] = {
        root: {"id": root, "message": None, "parent": None, "children": [system]},
        system: _node(system, root, _chatgpt_message(system, "system", "", None)),
    }
    mapping[system]["message"]["metadata"] = {"is_visually_hidden_from_conversation": True}
    above = system
    for turn, said in enumerate(turns):
        here, role = _uuid(chance), ("user", "assistant")[turn % 2]
        mapping[here] = _node(here, above, _chatgpt_message(here, role, said.text, said.at.timestamp()))
        if role == "assistant" and turn == 1:
            other = _uuid(chance)
            mapping[other] = _node(
                other, above, _chatgpt_message(other, role, "Said another way.", said.at.timestamp())
            )
            mapping[above]["children"].append(other)
        mapping[above]["children"].append(here)
        above = here
    id = _uuid(chance)
    return {
        "title": turns[0].text[:30],
        "create_time": turns[0].at.timestamp(),
        "update_time": turns[-1].at.timestamp(),
        "mapping": mapping,
        "current_node": above,
        "conversation_id": id,
        "id": id,
        "default_model_slug": _MODEL,
    }


def _node(id: str, parent: str, message: dict[str, Any]) -> dict[str, Any]:
    return {"id": id, "message": message, "parent": parent, "children": []}


def _chatgpt_message(id: str, role: str, text: str, at: float | None) -> dict[str, Any]:
    return {
        "id": id,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "update_time": None,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "end_turn": role == "assistant" or None,
        "weight": 1.0,
        "metadata": {"model_slug": _MODEL} if role == "assistant" else {},
        "recipient": "all",
        "channel": None,
    }


def claude(n: int, seed: int = 7) -> dict[str, bytes]:
    chance = random.Random(seed + 2)
    account = _uuid(chance)
    conversations = (_claude_conversation(turns, account, chance) for turns in _conversations(n, seed))
    return {
        "conversations.json": _array(conversations),
        "projects.json": b"[]",
        "users.json": _json([{"uuid": account, "full_name": "Robin", "email_address": "robin@example.com"}]),
    }


def _claude_conversation(turns: list[_Said], account: str, chance: random.Random) -> dict[str, Any]:
    return {
        "uuid": _uuid(chance),
        "name": turns[0].text[:30],
        "created_at": _zulu(turns[0].at),
        "updated_at": _zulu(turns[-1].at),
        "account": {"uuid": account},
        "chat_messages": [
            {
                "uuid": _uuid(chance),
                "text": said.text,
                "content": [{"type": "text", "text": said.text, "citations": []}],
                "sender": ("human", "assistant")[turn % 2],
                "created_at": _zulu(said.at),
                "updated_at": _zulu(said.at),
                "attachments": [],
                "files": [],
            }
            for turn, said in enumerate(turns)
        ],
    }


def _zulu(at: datetime) -> str:
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def slack(n: int, seed: int = 7) -> dict[str, bytes]:
    """Three channels, one of them private; every twentieth message answers in a thread of the one before it in its channel."""
    files: dict[str, bytes] = {
        "users.json": _json(
            [
                {"id": f"U{who:03}", "name": name.lower(), "deleted": False, "profile": {"display_name": name}}
                for who, name in enumerate(PEOPLE)
            ]
        ),
        "channels.json": _json([_slack_channel(number, name) for number, name in enumerate(_PLACES[:2])]),
        "groups.json": _json([_slack_channel(2, _PLACES[2])]),
    }
    days: dict[str, list[dict[str, Any]]] = {}
    before: dict[str, dict[str, Any]] = {}
    for said in _talk(n, seed):
        place = _PLACES[said.number % len(_PLACES)]
        day = days.setdefault(f"{place}/{said.at:%Y-%m-%d}.json", [])
        if not day:
            day.append(
                _slack_message(said, f"<@U{said.who:03}> has joined the channel", 1) | {"subtype": "channel_join"}
            )
        message = _slack_message(said, said.text, 2)
        if said.number % 20 == 19 and place in before:
            parent = before[place]
            message["thread_ts"] = parent["thread_ts"] = parent["ts"]
            message["parent_user_id"] = parent["user"]
        else:
            before[place] = message
        day.append(message)
    return files | {name: _json(day) for name, day in days.items()}


def _slack_channel(number: int, name: str) -> dict[str, Any]:
    return {"id": f"C{number:03}", "name": name, "is_archived": False, "members": [f"U{who:03}" for who in range(8)]}


def _slack_message(said: _Said, text: str, part: int) -> dict[str, Any]:
    for sign, written in (("&", "&amp;"), ("<@", "\0"), ("<", "&lt;"), ("\0", "<@")):
        text = text.replace(sign, written)
    return {
        "type": "message",
        "user": f"U{said.who:03}",
        "text": text,
        "ts": f"{int(said.at.timestamp())}.{said.number % 100000:05}{part}",
        "team": "T001",
    }


def whatsapp(n: int, seed: int = 7) -> dict[str, bytes]:
    """As an Android phone set to British English writes it."""
    lines = [f"{START:%d/%m/%Y, %H:%M} - Messages and calls are end-to-end encrypted. Learn more."]
    lines += [f"{said.at:%d/%m/%Y, %H:%M} - {PEOPLE[said.who]}: {said.text}" for said in _talk(n, seed)]
    return {"WhatsApp Chat with Allotment.txt": "\n".join([*lines, ""]).encode()}


def telegram(n: int, seed: int = 7) -> dict[str, bytes]:
    """One group, with formatted words in some messages."""
    head = json.dumps({"name": "Allotment", "type": "private_supergroup", "id": 1234567})
    start = {"id": 1, "type": "service", "date": "2026-01-12T08:00:00", "date_unixtime": f"{START.timestamp():.0f}"}
    service = start | {"actor": "Robin", "actor_id": "user1000", "action": "create_group", "text": ""}
    messages = b",\n".join([_json(service), *(_json(_telegram_message(said)) for said in _talk(n, seed))])
    return {"result.json": head[:-1].encode() + b', "messages": [' + messages + b"]}"}


def _telegram_message(said: _Said) -> dict[str, Any]:
    text: Any = said.text
    if said.number % 10 == 3:
        first, _, rest = said.text.partition(" ")
        text = [{"type": "bold", "text": first}, f" {rest}"] if rest else [first]
    return {
        "id": said.number + 2,
        "type": "message",
        "date": f"{said.at:%Y-%m-%dT%H:%M:%S}",
        "date_unixtime": f"{said.at.timestamp():.0f}",
        "from": PEOPLE[said.who],
        "from_id": f"user{1000 + said.who}",
        "text": text,
        "text_entities": [],
    }


def discord(n: int, seed: int = 7) -> dict[str, bytes]:
    """As DiscordChatExporter writes it, a file per channel."""
    rows: dict[str, list[bytes]] = {place: [] for place in _PLACES}
    for said in _talk(n, seed):
        place = _PLACES[said.number % len(_PLACES)]
        rows[place].append(_json(_discord_message(said)))
        if said.number % 50 == 49:
            pin = {"id": f"{_snowflake(said) + 1}", "type": "ChannelPinnedMessage", "content": "Pinned a message."}
            rows[place].append(_json(_discord_message(said) | pin))
    files: dict[str, bytes] = {}
    for number, (place, messages) in enumerate(rows.items()):
        if not messages:
            continue
        channel = {
            "id": f"{800 + number}",
            "type": "GuildTextChat",
            "categoryId": "7",
            "category": "Text",
            "name": place,
        }
        head = {"guild": {"id": "700", "name": "Allotment", "iconUrl": ""}, "channel": channel | {"topic": None}}
        head |= {"dateRange": {"after": None, "before": None}, "exportedAt": "2026-06-01T00:00:00+00:00"}
        files[f"Allotment - Text - {place} [{channel['id']}].json"] = (
            json.dumps(head)[:-1].encode()
            + b', "messages": ['
            + b",\n".join(messages)
            + f'], "messageCount": {len(messages)}}}'.encode()
        )
    return files


def _snowflake(said: _Said) -> int:
    return (int(said.at.timestamp() * 1000) - 1420070400000 << 22) + 2 * (said.number % 100000)


def _discord_message(said: _Said) -> dict[str, Any]:
    return {
        "id": f"{_snowflake(said)}",
        "type": "Default",
        "timestamp": said.at.isoformat(timespec="milliseconds"),
        "timestampEdited": None,
        "callEndedTimestamp": None,
        "isPinned": False,
        "content": said.text,
        "author": {
            "id": f"{500 + said.who}",
            "name": PEOPLE[said.who].lower(),
            "discriminator": "0000",
            "nickname": PEOPLE[said.who],
            "color": None,
            "isBot": False,
            "roles": [],
            "avatarUrl": "",
        },
        "attachments": [],
        "embeds": [],
        "stickers": [],
        "reactions": [],
        "mentions": [],
        "inlineEmojis": [],
    }


def jsonl(n: int, seed: int = 7) -> dict[str, bytes]:
    lines = (
        {
            "channel": _PLACES[said.number % len(_PLACES)],
            "role": "user",
            "person": PEOPLE[said.who].lower(),
            "name": PEOPLE[said.who],
            "text": said.text,
            "at": said.at.isoformat(),
            "key": f"made-{said.number}",
        }
        for said in _talk(n, seed)
    )
    return {"messages.jsonl": b"".join(_json(line) + b"\n" for line in lines)}
