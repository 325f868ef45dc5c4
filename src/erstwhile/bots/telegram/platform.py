"""The Telegram adapter, with the calls of the Bot API and their limits."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import httpx2

from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import Log
from erstwhile.bots import port
from erstwhile.bots.telegram.messages import DIRECT, Chats, Json, MessageReader, key_of, person_id

log = Log(__name__)

ADDRESS = "https://api.telegram.org"
POLL_SECONDS = 50  # Telegram answers after this time even if nothing happened
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_ATTEMPTS = 5
_LONGEST_WAIT = 300.0  # a longer wait that Telegram asks for is a failure


class TelegramError(Exception):
    """Telegram refused a call. The token, which is part of every address, is never in the message."""

    def __init__(self, code: int, reason: str, retry_after: float = 0) -> None:
        super().__init__(f"{code} {reason}")
        self.code, self.reason, self.retry_after = code, reason, retry_after


class BotApi:
    """One bot. Network failures are `OSError`s; a call that is limited waits as long as it is told."""

    def __init__(self, token: str, api: str | None = None, *, pause: float = _FIRST_PAUSE) -> None:
        self._root = f"{(api or ADDRESS).rstrip('/')}/bot{token}/"
        self._pause = pause
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(30, read=POLL_SECONDS + 20),
            follow_redirects=False,
            trust_env=api is None,
        )
        self._turns: dict[object, asyncio.Lock] = {}  # by chat: one message after the other

    async def close(self) -> None:
        await self._client.aclose()

    async def call(self, method: str, **arguments: Any) -> Any:
        """Call a method. Repeats what Telegram told to wait for, and what did not arrive."""
        if method != "sendMessage":
            return await self._patiently(method, arguments)
        async with self._turns.setdefault(arguments["chat_id"], asyncio.Lock()):
            return await self._patiently(method, arguments)

    async def _patiently(self, method: str, arguments: Json) -> Any:
        for attempt in range(_ATTEMPTS):
            try:
                return await self._once(method, arguments)
            except TelegramError as refused:
                if attempt == _ATTEMPTS - 1 or not (
                    refused.code >= 500 or 0 < refused.retry_after <= _LONGEST_WAIT
                ):
                    raise
                if refused.retry_after:
                    log.info("telegram.rate_limited", method=method, seconds=refused.retry_after)
                await asyncio.sleep(refused.retry_after)
            except httpx2.ConnectError as error:
                if attempt == _ATTEMPTS - 1:
                    raise OSError(type(error).__name__) from None
            except (
                httpx2.TransportError
            ) as error:  # it may have arrived: a message must not be sent twice
                raise OSError(type(error).__name__) from None
            await asyncio.sleep(self._pause * 2**attempt * random.random())
        raise AssertionError("the last attempt returns or raises")

    async def updates(self, offset: int | None, allowed: list[str]) -> list[Json]:
        """Wait for updates, and a network. All before `offset` never come again."""
        pause = self._pause
        arguments: Json = {"timeout": POLL_SECONDS, "allowed_updates": allowed, "limit": 100}
        arguments |= {"offset": offset} if offset else {}
        while True:
            try:
                return list(await self._once("getUpdates", arguments))
            except TelegramError as refused:
                raise_permanent(refused)
                log.warning("telegram.unreachable", error=str(refused), seconds=round(pause, 1))
                await asyncio.sleep(refused.retry_after)
            except httpx2.TransportError as error:
                kind = type(error).__name__
                log.warning("telegram.unreachable", error=kind, seconds=round(pause, 1))
            await asyncio.sleep(pause * (1 + random.random() / 4))
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _once(self, method: str, arguments: Json) -> Any:
        answer = await self._client.post(self._root + method, json=arguments)
        try:
            told = answer.json()
        except ValueError:  # a proxy's page
            told = {}
        if isinstance(told, dict) and told.get("ok"):
            return told.get("result")
        told = told if isinstance(told, dict) else {}
        more = told.get("parameters") or {}
        reason = str(told.get("description") or answer.reason_phrase)
        code = int(told.get("error_code") or answer.status_code)
        raise TelegramError(code, reason, float(more.get("retry_after") or 0))


def raise_permanent(refused: TelegramError) -> None:
    if refused.code in (401, 404):
        raise SettingsError(
            "TELEGRAM_BOT_TOKEN: Telegram doesn't know this token. Take it from @BotFather."
        ) from None
    if refused.code == 409 and "webhook" in refused.reason.lower():
        raise SettingsError(
            "This bot has a webhook, so it can't be polled. Remove it with deleteWebhook."
        ) from None


UPDATES = ["message", "edited_message", "my_chat_member"]
COMMANDS = {
    "remember": "Remember a fact about you",
    "forget": "Forget one",
    "about": "What is known about someone: reply to them, or mention them",
    "what_do_you_know": "Everything that is known about you",
    "forget_me": "Erase what is yours here",
    "privacy": "What is kept here, and who may see it",
    "memory": "on, off, status or explain",
}
_Event = port.Post | port.Edit | port.PlaceChange | port.SlashCommand
_INSIDE = ("creator", "administrator", "member")
_MANAGING = ("creator", "administrator")
_TYPING_SECONDS = 4.0  # Telegram shows it for five


class TelegramPlatform(port.Platform):
    """`api` replaces https://api.telegram.org for tests and for a Bot API server of your own."""

    name = "telegram"
    max_length = 2000  # Telegram takes 4096, counted in a way of its own
    has_history = False

    def __init__(self, token: str, api: str | None = None, *, pause: float = 1.0) -> None:
        self._api = BotApi(token, api, pause=pause)
        self._chats = Chats()
        self._reader = MessageReader(self._chats)

    @property
    def me(self) -> str:
        return person_id(self._reader.me) if self._reader.me else ""

    async def identify(self) -> Json:
        """Return the bot's own user. Raises an error that says what to do if the token is wrong."""
        try:
            self._reader.me = await self._api.call("getMe")
        except TelegramError as refused:
            raise_permanent(refused)
            raise
        return self._reader.me

    async def chat(self, name: str) -> port.ChatPlace | None:
        """Return a chat that the bot is in, by id or @name."""
        try:
            return self._chats.chat(await self._api.call("getChat", chat_id=name))
        except TelegramError as refused:
            log.info("telegram.no_chat", chat=name, error=str(refused))
            return None

    async def run(self, handle: port.EventHandler) -> None:
        try:
            await self._start()
            handle(port.Gap())
            offset: int | None = None
            while True:
                updates = await self._api.updates(offset, UPDATES)
                for update in updates:
                    try:
                        async for event in self._events(update):
                            handle(event)
                            if isinstance(event, port.SlashCommand) or event.place.direct:
                                await self.stored()  # what follows depends on what it decides
                    except (KeyError, TypeError, ValueError, AttributeError) as shape:
                        error, number = type(shape).__name__, update.get("update_id")
                        log.error("telegram.update_failed", error=error, update=number)
                    offset = int(update["update_id"]) + 1
                if updates:
                    await self.stored()  # the next call confirms them, and Telegram forgets them
        finally:
            await self._api.close()

    async def _start(self) -> None:
        pause = 1.0
        while True:
            try:
                await self.identify()
                told = COMMANDS.items()
                commands = [{"command": name, "description": said} for name, said in told]
                await self._api.call("setMyCommands", commands=commands)
                return
            except (OSError, TelegramError) as trouble:
                log.warning("telegram.unreachable", error=str(trouble), seconds=pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 60.0)

    async def _events(self, update: Json) -> AsyncIterator[_Event]:
        if "message" in update:
            async for event in self._message(update["message"]):
                yield event
        elif "edited_message" in update:
            message = update["edited_message"]
            post = self._reader.post(message)
            yield port.Edit(self._chats.place(message), key_of(message), post.text if post else "")
        elif "my_chat_member" in update:
            change = update["my_chat_member"]
            place = self._chats.chat(change["chat"])
            if change["new_chat_member"]["status"] in ("left", "kicked"):
                self._chats.left(place)
            else:
                yield port.PlaceChange(place)

    async def _message(self, message: Json) -> AsyncIterator[_Event]:
        post = self._reader.post(message)
        if post is None:
            if "new_chat_title" in message or "forum_topic_edited" in message:
                yield port.PlaceChange(self._chats.place(message))
            elif "migrate_to_chat_id" in message:
                chat, to = message["chat"]["id"], message["migrate_to_chat_id"]
                log.warning("telegram.group_migrated", chat=chat, to=to)
            return
        command = None if post.bot else await self._command(message, post)
        yield command or post

    # Commands

    async def _command(self, message: Json, post: port.Post) -> port.SlashCommand | None:
        """Return a command to this bot: `/memory on`, or `/memory@our_bot on`."""
        if not post.text.startswith("/"):
            return None
        first, _, words = post.text.partition(" ")
        name, _, whose = first[1:].lower().partition("@")
        if whose and whose != str(self._reader.me.get("username") or "").lower():
            return None
        verb = {"start": "privacy", "help": "privacy"}.get(name, name.replace("_", "-"))
        if verb.replace("-", "_") not in COMMANDS:
            return None
        personal = verb in ("about", "remember", "forget")
        whom = self._reader.person_named(message, words) if personal else None
        kept = " ".join(word for word in words.split() if word != f"<@{whom}>")
        place = post.place
        manages = place.direct or await self._status(place.space, post.person) in _MANAGING

        async def answer(text: str) -> None:
            if not await self.send_private(post.place, post.person, text):
                there = f"open https://t.me/{self._reader.me.get('username')}, press Start, and ask again here."
                await self.send(post.place, f"I answer that only in private: {there}", post.key)

        who = post.person, post.name
        return port.SlashCommand(place, *who, verb, kept, whom, manages, answer, post.at)

    # What the bot asks for

    async def places(self) -> list[port.ChatPlace]:
        """Return the chats that were seen: Telegram has no list of them."""
        return self._chats.all()

    async def history(self, place: port.ChatPlace, after: str) -> AsyncIterator[list[port.Post]]:  # noqa: ARG002
        """Telegram lets no bot read the past."""
        nothing: list[list[port.Post]] = []
        for page in nothing:
            yield page

    async def send(self, place: port.ChatPlace, text: str, reply_to: str) -> None:
        target = self._chats.target(place)
        if target is None:
            return
        message = reply_to.rpartition(":")[2]
        reply: Json | None = None
        if message.isdigit():
            reply = {"message_id": int(message), "allow_sending_without_reply": True}
        await self._send(target.chat, text, message_thread_id=target.topic, reply_parameters=reply)

    async def _send(self, chat: int, text: str, **more: object) -> None:
        given = {name: value for name, value in more.items() if value is not None}
        quiet = text.replace("@", "@\u200b")  # a name after @ would ping its owner
        given |= {"text": quiet, "link_preview_options": {"is_disabled": True}}
        await self._api.call("sendMessage", chat_id=chat, **given)

    async def send_private(self, place: port.ChatPlace, person: str, text: str) -> bool:
        """Send in the private chat. Impossible until the person has started it."""
        if place.direct:
            await self.send(place, text, "")
            return True
        try:
            await self._send(int(person.removeprefix("user")), text)
        except TelegramError as refused:
            if refused.code not in (400, 403):
                raise
            return False
        return True

    def typing(self, place: port.ChatPlace) -> AbstractAsyncContextManager[None]:
        target = self._chats.target(place)
        if target is None:
            return nullcontext()
        more = {"message_thread_id": target.topic} if target.topic is not None else {}

        async def show() -> None:
            with contextlib.suppress(OSError, TelegramError):  # it is only shown
                await self._api.call("sendChatAction", chat_id=target.chat, action="typing", **more)

        return port.repeated(show, _TYPING_SECONDS)

    async def readable(self, space: str, person: str) -> frozenset[str]:
        """Return the group with its topics, for those who are in it."""
        if space == DIRECT:
            return frozenset({f"telegram:{person.removeprefix('user')}"})
        inside = await self._status(space, person) in _INSIDE
        return self._chats.channels(space) if inside else frozenset()

    async def _status(self, space: str, person: str) -> str:
        """Return what someone is in a group: "" if that can't be found out."""
        chat = self._chats.chat_of(space)
        if chat is None:
            return ""
        try:
            found = await self._api.call(
                "getChatMember", chat_id=chat, user_id=int(person.removeprefix("user"))
            )
        except (OSError, TelegramError) as trouble:
            log.warning("telegram.lookup_failed", error=str(trouble))
            return ""
        return (
            "member" if found.get("is_member") else str(found["status"])
        )  # restricted, but inside

    def key_order(self, key: str) -> int | None:
        platform, _, rest = key.partition(":")
        number = rest.rpartition(":")[2]
        return int(number) if platform == self.name and number.isdigit() else None
