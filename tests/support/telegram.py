"""Telegram's Bot API on loopback: long polling with confirmed offsets, chats, topics, limits, and what goes wrong there.

`async with TelegramServer() as telegram:`, then `TelegramPlatform(telegram.token, telegram.api)`. The verbs do what people
do, and queue the update that the Bot API would send.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from types import TracebackType
from typing import Any, Self

from aiohttp import web

Json = dict[str, Any]
_ENTITIES = {"mention": re.compile(r"(?<!\w)@\w+"), "bot_command": re.compile(r"^/\w+(@\w+)?")}


class TelegramServer:
    """`sent`: what the bot said. `calls`: every call, by name. `limits`: how many seconds the next calls of a method are told to wait."""

    def __init__(self) -> None:
        self.token = "4242:loopback-token_x"
        self.us: Json = {
            "id": 4242,
            "is_bot": True,
            "first_name": "Erstwhile",
            "username": "erstwhile_bot",
            "can_read_all_group_messages": True,
        }
        self.sent: list[Json] = []
        self.calls: list[tuple[str, Json]] = []
        self.limits: dict[str, list[float]] = defaultdict(list)
        self.impatient: list[str] = []  # calls that came before the end of a wait they were told
        self.faults: list[web.Response] = []  # answers to the next polls
        self.started: set[int] = set()  # people who have started a private chat
        self.down = False
        self._members: dict[int, dict[int, str]] = defaultdict(dict)
        self._chats: dict[int, Json] = {}
        self._people: dict[int, Json] = {}
        self._topics: dict[tuple[int, int], str] = {}
        self._messages: dict[int, list[Json]] = defaultdict(list)
        self.updates: list[Json] = []  # not confirmed yet
        self._last_update = 700
        self._more = asyncio.Condition()
        self._not_before: dict[str, float] = {}
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/bot{token}/{method}", self._call)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.api = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.down = True
        async with self._more:
            self._more.notify_all()
        if self._runner is not None:
            await self._runner.cleanup()

    # people and chats

    def person(self, name: str, *, bot: bool = False) -> Json:
        person = {"id": 1000 + len(self._people), "is_bot": bot, "first_name": name, "username": name.lower()}
        self._people[person["id"]] = person
        return person

    def group(self, title: str, *members: Json, admin: Json | None = None, forum: bool = False) -> Json:
        chat = {"id": -1000000000000 - 500 - len(self._chats), "type": "supergroup", "title": title, "is_forum": forum}
        self._chats[chat["id"]] = chat
        self._members[chat["id"]] = {each["id"]: "member" for each in members}
        if admin is not None:
            self._members[chat["id"]][admin["id"]] = "administrator"
        return chat

    def private(self, person: Json) -> Json:
        self.started.add(person["id"])
        chat = {"id": person["id"], "type": "private", "first_name": person["first_name"]}
        self._chats[chat["id"]] = chat
        return chat

    def leave(self, chat: Json, person: Json) -> None:
        self._members[chat["id"]][person["id"]] = "left"

    # what people do

    async def post(self, chat: Json, person: Json, text: str, *, topic: int | None = None, **more: Any) -> Json:
        message = self._message(chat, person, topic, text=text, **more)
        await self._queue({"message": message})
        return message

    async def edit(self, message: Json, text: str) -> None:
        message.update({"text": text, "entities": _entities(text), "edit_date": int(time.time())})
        await self._queue({"edited_message": dict(message)})

    async def begin_topic(self, chat: Json, person: Json, name: str) -> int:
        message = self._message(chat, person, None, forum_topic_created={"name": name, "icon_color": 0})
        topic = int(message["message_id"])
        self._topics[chat["id"], topic] = name
        await self._queue({"message": {**message, "message_thread_id": topic, "is_topic_message": True}})
        return topic

    async def rename(self, chat: Json, person: Json, title: str) -> None:
        chat["title"] = title
        await self._queue({"message": self._message(chat, person, None, new_chat_title=title)})

    async def membership(self, chat: Json, by: Json, status: str) -> None:
        """The bot is added to a chat, or removed from it."""
        change = {
            "chat": chat,
            "from": by,
            "date": int(time.time()),
            "old_chat_member": {"status": "left" if status == "member" else "member", "user": self.us},
            "new_chat_member": {"status": status, "user": self.us},
        }
        await self._queue({"my_chat_member": change})

    def texts(self, chat: Json) -> list[str]:
        """What the bot said in a chat."""
        return [each["text"] for each in self.sent if each["chat_id"] == chat["id"]]

    def _message(self, chat: Json, person: Json, topic: int | None, **more: Any) -> Json:
        messages = self._messages[chat["id"]]
        message: Json = {
            "message_id": len(messages) + 1,
            "from": person,
            "chat": dict(chat),
            "date": int(time.time()),
            **more,
        }
        if "text" in more:
            message["entities"] = _entities(more["text"])
        if topic is not None:
            message |= {"message_thread_id": topic, "is_topic_message": True}
            root = {"message_id": topic, "chat": dict(chat), "date": 0, "from": person}
            created = {"forum_topic_created": {"name": self._topics[chat["id"], topic]}}
            message.setdefault("reply_to_message", {**root, **created})
        messages.append(message)
        return message

    async def _queue(self, update: Json) -> None:
        self._last_update += 1
        async with self._more:
            self.updates.append({"update_id": self._last_update, **update})
            self._more.notify_all()

    # what the bot calls

    async def _call(self, request: web.Request) -> web.Response:
        method, given = request.match_info["method"], await request.json()
        if request.match_info["token"] != self.token:
            return refusal(401, "Unauthorized")
        self.calls.append((method, given))
        now, name = time.monotonic(), f"{method} {given.get('chat_id', '')}"
        if now < self._not_before.get(name, 0):
            self.impatient.append(name)
        if self.limits[method]:
            seconds = self.limits[method].pop(0)
            self._not_before[name] = now + seconds - 0.05
            return refusal(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})
        found = await getattr(self, f"_on_{method}")(given)
        return found if isinstance(found, web.Response) else web.json_response({"ok": True, "result": found})

    async def _on_getMe(self, given: Json) -> Json:
        return self.us

    async def _on_setMyCommands(self, given: Json) -> bool:
        assert all(re.fullmatch(r"[a-z0-9_]{1,32}", each["command"]) for each in given["commands"])
        return True

    async def _on_getUpdates(self, given: Json) -> list[Json] | web.Response:
        if self.faults:
            return self.faults.pop(0)
        offset = given.get("offset")
        if offset:
            self.updates = [each for each in self.updates if each["update_id"] >= offset]
        until = time.monotonic() + given.get("timeout", 0)
        async with self._more:
            while not self.down and time.monotonic() < until:
                found = [each for each in self.updates if set(each) & set(given["allowed_updates"])]
                if found:
                    return found[: given["limit"]]
                await asyncio.wait_for(self._more.wait(), until - time.monotonic())
        return []

    async def _on_getChat(self, given: Json) -> Json | web.Response:
        found = [each for each in self._chats.values() if str(given["chat_id"]) in (str(each["id"]), each.get("title"))]
        return found[0] if found else refusal(400, "Bad Request: chat not found")

    async def _on_getChatMember(self, given: Json) -> Json:
        status = self._members[given["chat_id"]].get(given["user_id"], "left")
        return {"status": status, "user": self._people[given["user_id"]]}

    async def _on_sendChatAction(self, given: Json) -> bool:
        return True

    async def _on_sendMessage(self, given: Json) -> Json | web.Response:
        chat = given["chat_id"]
        if chat > 0 and chat not in self.started:
            return refusal(403, "Forbidden: bot can't initiate conversation with a user")
        if len(given["text"]) > 4096:
            return refusal(400, "Bad Request: message is too long")
        self.sent.append(given)
        return self._message(self._chats[chat], self.us, None, text=given["text"])


def _entities(text: str) -> list[Json]:
    """Mark up a text as Telegram does, with offsets in UTF-16 units."""
    return [
        {"type": kind, "offset": _units(text[: found.start()]), "length": _units(found[0])}
        for kind, pattern in _ENTITIES.items()
        for found in pattern.finditer(text)
    ]


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def refusal(code: int, description: str, parameters: Json | None = None) -> web.Response:
    body = {"ok": False, "error_code": code, "description": description}
    return web.json_response(body | ({"parameters": parameters} if parameters else {}), status=code)
