"""Exports of other products, as large as wanted: the same number of messages is the same export. They are written as they go.

Each holds exactly so many messages that an import takes, and now and then what it leaves (notices, other branches, joins)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import IO, Any

SAYINGS = (
    "I moved to Busan in {n}.",
    "저는 {n}년에 부산에서 일했어요.",
    "我{n}年搬到了首尔。 👩‍👩‍👧 ok",
    "אני גר בתל אביב מאז {n}",
    'Let\'s meet at the station at {n}, "the usual place".\nBring \\ tea.',
    "haha yes, number {n}",
)
PEOPLE = ("Mina", "Juno", "Ada 🦊")
_START = datetime(2024, 1, 20, tzinfo=UTC)
_LONG = 40  # messages of a conversation with an assistant
_DAY = 24 * 60  # one a minute

Json = dict[str, Any]
Maker = Callable[[Path, int], Path]


def saying(number: int) -> str:
    return SAYINGS[number % len(SAYINGS)].format(n=number)


def when(number: int) -> datetime:
    return _START + timedelta(minutes=number)


def jsonl(folder: Path, count: int) -> Path:
    """Every third line has no key, and some of those are like one before."""
    file = folder / "said.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for number in range(count):
            line: Json = {"channel": f"c{number % 3}", "role": "user", "text": saying(number)}
            line |= {"person": f"p{number % 3}", "name": PEOPLE[number % 3]}
            if number % 3:
                line |= {"key": f"k{number}", "at": when(number).isoformat()}
            elif number % 7 == 0:
                line["text"] = "the same again"
            lines.write(json.dumps(line, ensure_ascii=bool(number % 2)) + "\n")
    return file


def discord_message(number: int, **more: Any) -> Json:
    author: Json = {"id": str(1000 + number % 3), "name": f"user{number % 3}", "discriminator": "0000"}
    author |= {"nickname": PEOPLE[number % 3], "color": None, "isBot": False, "roles": [], "avatarUrl": "https://x/a"}
    lists: Json = {name: [] for name in ("attachments", "embeds", "stickers", "reactions", "mentions", "inlineEmojis")}
    return {
        "id": str((number + 1) << 30),
        "type": "Default",
        "timestamp": when(number).isoformat(),
        "timestampEdited": None,
        "callEndedTimestamp": None,
        "isPinned": False,
        "content": saying(number),
        "author": author,
        **lists,
        **more,
    }


def discord_file(file: Path, channel: Json, messages: Iterable[Json]) -> Path:
    """As DiscordChatExporter writes it: the channel before the messages, their count behind."""
    head = {"guild": {"id": "1", "name": "The house", "iconUrl": ""}, "channel": channel, "dateRange": {"after": None}}
    with file.open("w", encoding="utf-8") as written:
        written.write(json.dumps(head, indent=2)[:-2] + ',\n  "messages": ')
        count = _array(written, messages)
        written.write(f',\n  "messageCount": {count}\n}}')
    return file


def discord(folder: Path, count: int) -> Path:
    """A channel in two parts, and a thread of it."""
    home = folder / "discord"
    home.mkdir(exist_ok=True)
    general = {"id": "77", "type": "GuildTextChat", "categoryId": "5", "category": "Text", "name": "general"}
    thread = {"id": "78", "type": "GuildPublicThread", "categoryId": "77", "category": "general", "name": "tea"}
    third = count // 3
    parts = (("general.json", general, 0, third), ("general [part 2].json", general, third, 2 * third))
    for name, channel, first, last in (*parts, ("general - tea.json", thread, 2 * third, count)):
        discord_file(home / name, channel, map(discord_message, range(first, last)))
    return home


def chatgpt(folder: Path, count: int) -> Path:
    """Each conversation begins with a hidden message, and one answer in it was made again."""
    home = folder / "chatgpt"
    home.mkdir(exist_ok=True)
    (home / "user.json").write_text(json.dumps({"id": "user-7", "email": "m@x.example"}))
    with (home / "conversations.json").open("w", encoding="utf-8") as written:
        _array(written, (_tree(first, min(first + _LONG, count)) for first in range(0, count, _LONG)))
    return home


def _tree(first: int, last: int) -> Json:
    root, hidden = f"root-{first}", f"hidden-{first}"
    nodes: dict[str, Json] = {
        root: {"id": root, "message": None, "parent": None, "children": [hidden]},
        hidden: _node(hidden, root, _chatgpt_message(hidden, "system", "", None)),
    }
    parent = hidden
    for number in range(first, last):
        id, role = f"node-{number}", "assistant" if number % 2 else "user"
        nodes[id] = _node(id, parent, _chatgpt_message(id, role, saying(number), when(number)))
        nodes[parent]["children"].append(id)
        if number == first + 1:
            again = f"again-{number}"
            nodes[again] = _node(again, parent, _chatgpt_message(again, role, "Said another way.", when(number)))
            nodes[parent]["children"].insert(0, again)
        parent = id
    told = {"create_time": when(first).timestamp(), "update_time": when(last).timestamp(), "mapping": nodes}
    return {"title": f"Talk {first}", **told, "current_node": parent, "conversation_id": f"conversation-{first}"}


def _node(id: str, parent: str, message: Json) -> Json:
    return {"id": id, "message": message, "parent": parent, "children": []}


def _chatgpt_message(id: str, role: str, text: str, at: datetime | None) -> Json:
    return {
        "id": id,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at and at.timestamp(),
        "update_time": None,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "metadata": {"model_slug": "gpt-5"} if role == "assistant" else {},
        "recipient": "all",
    }


def claude(folder: Path, count: int) -> Path:
    home = folder / "claude"
    home.mkdir(exist_ok=True)
    (home / "users.json").write_text(json.dumps([{"uuid": "u-1", "full_name": "Mina", "email_address": "m@x"}]))
    with (home / "conversations.json").open("w", encoding="utf-8") as written:
        _array(written, (_talk(first, min(first + _LONG, count)) for first in range(0, count, _LONG)))
    return home


def _talk(first: int, last: int) -> Json:
    messages = [
        {
            "uuid": f"m-{number}",
            "text": saying(number),
            "content": [{"type": "text", "text": saying(number)}],
            "sender": "assistant" if number % 2 else "human",
            "created_at": when(number).isoformat(),
            "updated_at": when(number).isoformat(),
            "attachments": [],
            "files": [],
        }
        for number in range(first, last)
    ]
    times = {"created_at": when(first).isoformat(), "updated_at": when(last).isoformat()}
    return {
        "uuid": f"c-{first}",
        "name": f"Talk {first}",
        **times,
        "account": {"uuid": "u-1"},
        "chat_messages": messages,
    }


def slack(folder: Path, count: int) -> Path:
    """An open channel and a private one, with a file for each day that begins with a join; some messages answer in a thread."""
    home = folder / "slack"
    ids = [f"U00{number}" for number in range(3)]
    users = [{"id": id, "name": name.lower(), "real_name": name} for id, name in zip(ids, PEOPLE, strict=True)]
    _whole(home / "users.json", users)
    for number, (name, listed) in enumerate((("general", "channels"), ("garden", "groups"))):
        _whole(home / f"{listed}.json", [{"id": f"C00{number}", "name": name, "is_archived": False, "members": ids}])
    for first in range(0, count, _DAY):
        day = range(first, min(first + _DAY, count))
        for number, name in enumerate(("general", "garden")):
            said = (_slack_message(each) for each in day if each % 2 == number)
            with _begun(home / name / f"{when(first):%Y-%m-%d}.json") as written:
                _array(written, chain([_slack_join(first)], said))
    return home


def _slack_join(number: int) -> Json:
    return _slack_message(number) | {"subtype": "channel_join", "text": "<@U000> has joined the channel"}


def _slack_message(number: int) -> Json:
    """Every twentieth answers the one before it in its channel."""
    message = {"type": "message", "user": f"U00{number % 3}", "ts": _ts(number), "team": "T001"}
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        message["text"] = message.get("text", saying(number)).replace(sign, written)
    thread = number - 2 if number % 20 == 19 else number if number % 20 == 17 else None
    return message | ({} if thread is None else {"thread_ts": _ts(thread)})


def _ts(number: int) -> str:
    return f"{int(when(number).timestamp())}.000100"


def telegram(folder: Path, count: int) -> Path:
    home = folder / "telegram"
    home.mkdir(exist_ok=True)
    with (home / "result.json").open("w", encoding="utf-8") as written:
        written.write('{\n "name": "The house",\n "type": "private_supergroup",\n "id": 4711,\n "messages": ')
        _array(written, chain([_telegram_service()], map(_telegram_message, range(count))))
        written.write("\n}")
    return home


def _telegram_service() -> Json:
    made = {"type": "service", "actor": "Mina", "actor_id": "user100", "action": "create_group", "text": ""}
    return {"id": 0, "date": f"{_START:%Y-%m-%dT%H:%M:%S}", **made}


def _telegram_message(number: int) -> Json:
    first, space, rest = saying(number).partition(" ")
    return {
        "id": number + 1,
        "type": "message",
        "date": f"{when(number):%Y-%m-%dT%H:%M:%S}",
        "date_unixtime": str(int(when(number).timestamp())),
        "from": PEOPLE[number % 3],
        "from_id": f"user{number % 3 + 100}",
        "text": [{"type": "bold", "text": first}, space + rest] if number % 10 == 3 else saying(number),
        "text_entities": [{"type": "plain", "text": saying(number)}],
    }


def whatsapp(folder: Path, count: int) -> Path:
    """As an iPhone writes it; some messages have two lines."""
    home = folder / "WhatsApp Chat - The house"
    home.mkdir(exist_ok=True)
    with (home / "_chat.txt").open("w", encoding="utf-8") as written:
        written.write(f"[{_START:%d/%m/%Y, %H:%M:%S}] The house: \u200eMessages and calls are end-to-end encrypted.\n")
        for number in range(count):
            written.write(f"[{when(number):%d/%m/%Y, %H:%M:%S}] {PEOPLE[number % 3]}: {saying(number)}\n")
    return home


def _whole(file: Path, told: Any) -> None:
    with _begun(file) as written:
        json.dump(told, written, ensure_ascii=False)


def _begun(file: Path) -> IO[str]:
    file.parent.mkdir(parents=True, exist_ok=True)
    return file.open("w", encoding="utf-8")


def _array(written: IO[str], items: Iterable[Json]) -> int:
    """An item a line. The products indent theirs, which takes Python ten times as long to write."""
    count = 0
    written.write("[")
    for count, item in enumerate(items, start=1):
        written.write(("," if count > 1 else "") + "\n" + json.dumps(item, ensure_ascii=False))
    written.write("\n]")
    return count


MAKERS: dict[str, Maker] = {
    "chatgpt": chatgpt,
    "claude": claude,
    "discord": discord,
    "jsonl": jsonl,
    "slack": slack,
    "telegram": telegram,
    "whatsapp": whatsapp,
}
