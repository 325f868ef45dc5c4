"""The part of Discord's REST API that a bot which listens and answers needs."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from support.discord_gateway import DIRECT_MESSAGES, MESSAGES, Gateway
from support.discord_limits import Limits
from support.discord_world import HISTORY, PRIVATE_THREAD, SEND, VIEW, Payload, World

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Whisper:
    """What a slash command was answered. `only_for_them`: Discord shows it to nobody but the asker."""

    token: str
    text: str
    only_for_them: bool


def _error(status: int, code: int, message: str) -> web.Response:
    return web.json_response({"message": message, "code": code}, status=status)


def _unknown(what: str) -> web.Response:
    return _error(404, 10003, f"Unknown {what}")


@dataclass
class Rest:
    world: World
    gateway: Gateway
    limits: Limits = field(default_factory=Limits)
    commands: list[Payload] = field(default_factory=list)
    registered: int = 0
    whispers: list[Whisper] = field(default_factory=list)
    deferred: dict[str, bool] = field(default_factory=dict)
    typed: list[str] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)  # requests by method and pattern
    failures: list[int] = field(default_factory=list)  # statuses of the next answers
    delay: float = 0.0
    _nonces: dict[str, Payload] = field(default_factory=dict)

    def routes(self) -> list[web.RouteDef]:
        application = "/applications/{application}"
        return [
            web.get("/users/@me", self._me),
            web.get("/oauth2/applications/@me", self._application),
            web.get("/applications/@me", self._application),
            web.get("/gateway/bot", self._gateway),
            web.get(f"{application}/commands", self._commands),
            web.put(f"{application}/commands", self._register),
            web.get(f"{application}/guilds/{{guild}}/commands", self._commands),
            web.put(f"{application}/guilds/{{guild}}/commands", self._register),
            web.get("/channels/{channel}/messages", self._history),
            web.post("/channels/{channel}/messages", self._post),
            web.post("/channels/{channel}/typing", self._typing),
            web.get("/channels/{channel}", self._channel),
            web.get("/channels/{channel}/threads/archived/public", self._archived),
            web.get("/channels/{channel}/threads/archived/private", self._archived),
            web.get("/channels/{channel}/users/@me/threads/archived/private", self._archived),
            web.get("/channels/{channel}/thread-members/{person}", self._thread_member),
            web.get("/guilds/{guild}/threads/active", self._active),
            web.get("/guilds/{guild}/members/{person}", self._member),
            web.get("/users/{person}", self._user),
            web.post("/users/@me/channels", self._direct),
            web.post("/interactions/{interaction}/{token}/callback", self._callback),
            web.post("/webhooks/{application}/{token}", self._follow_up),
            web.patch("/webhooks/{application}/{token}/messages/@original", self._follow_up),
        ]

    @web.middleware
    async def front(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        if request.path == "/gateway":
            return await handler(request)
        response = await self._answer(request, handler)
        if response.content_type == "application/json":
            response.headers["Content-Type"] = "application/json"  # without a charset, as Discord has it
        return response

    async def _answer(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        route = request.match_info.route.resource
        self.asked[f"{request.method} {route.canonical if route else '?'}"] += 1
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.failures:
            return web.Response(status=self.failures.pop(0), text="<html>Bad gateway</html>", content_type="text/html")
        by_token = request.path.startswith(("/webhooks/", "/interactions/"))
        if not by_token and request.headers.get("Authorization") != f"Bot {self.gateway.token}":
            return _error(401, 0, "401: Unauthorized")
        refusal, headers = self.limits.judge(request)
        if refusal is not None:
            return refusal
        try:
            response = await handler(request)
        except web.HTTPNotFound:
            return _error(404, 0, "404: Not Found")
        response.headers.update(headers)
        return response

    # the bot itself

    async def _me(self, _: web.Request) -> web.Response:
        return web.json_response({**self.world.users[self.world.bot], "flags": 0, "verified": True})

    async def _application(self, _: web.Request) -> web.Response:
        bot = self.world.users[self.world.bot]
        facts = {"id": bot["id"], "name": bot["username"], "icon": None, "description": "", "summary": "", "flags": 0}
        rights = {"bot_public": True, "bot_require_code_grant": False, "verify_key": "0"}
        return web.json_response({**facts, **rights, "owner": self.world.users[self.world.owner], "team": None})

    async def _gateway(self, _: web.Request) -> web.Response:
        limit = {"total": 1000, "remaining": 999, "reset_after": 14400000, "max_concurrency": 1}
        return web.json_response({"url": self.gateway.address, "shards": 1, "session_start_limit": limit})

    async def _commands(self, _: web.Request) -> web.Response:
        return web.json_response(self.commands)

    async def _register(self, request: web.Request) -> web.Response:
        self.registered += 1
        bot = self.world.bot
        more = {"application_id": bot, "version": "1", "default_member_permissions": None}
        self.commands = [
            {**more, "id": self.world.snowflake(), **_without_nothing(each)} for each in await request.json()
        ]
        return web.json_response(self.commands)

    # channels and messages

    def _readable(self, request: web.Request, right: int = HISTORY) -> web.Response | None:
        channel = request.match_info["channel"]
        if self.world.found(channel) is None:
            return _unknown("Channel")
        if channel in self.world.direct:
            return None
        rights = self.world.permissions(self.world.bot, channel)
        thread = self.world.threads.get(channel)
        outside = thread and thread["type"] == PRIVATE_THREAD and not self.world.reads(self.world.bot, channel)
        if outside or not rights & VIEW or not rights & right:
            return _error(403, 50001, "Missing Access")
        return None

    async def _channel(self, request: web.Request) -> web.Response:
        refusal = self._readable(request, VIEW)
        return refusal or web.json_response(self.world.found(request.match_info["channel"]))

    async def _history(self, request: web.Request) -> web.Response:
        refusal = self._readable(request)
        if refusal is not None:
            return refusal
        limit = int(request.query.get("limit", 50))
        if not 1 <= limit <= 100:
            return _error(400, 50035, "Invalid Form Body")
        standing = sorted(self.world.messages[request.match_info["channel"]].values(), key=lambda each: int(each["id"]))
        after, before = request.query.get("after"), request.query.get("before")
        if after is not None:
            chosen = [each for each in standing if int(each["id"]) > int(after)][:limit]
        else:
            chosen = [each for each in standing if before is None or int(each["id"]) < int(before)][-limit:]
        return web.json_response(chosen[::-1])  # newest first, whichever way was asked

    async def _post(self, request: web.Request) -> web.Response:
        refusal = self._readable(request, SEND)
        if refusal is not None:
            return refusal
        channel, body = request.match_info["channel"], await request.json()
        direct = self.world.direct.get(channel)
        if direct and direct["recipients"][0]["id"] in self.world.closed_to_bots:
            return _error(403, 50007, "Cannot send messages to this user")
        if not 1 <= len(body.get("content") or "") <= 2000:
            return _error(400, 50035, "Invalid Form Body")
        nonce = str(body.get("nonce") or "")
        if nonce and body.get("enforce_nonce") and nonce in self._nonces:
            return web.json_response(self._nonces[nonce])
        more = {name: body[name] for name in ("message_reference", "allowed_mentions", "nonce") if body.get(name)}
        message = self.world.message(channel, self.world.bot, body["content"], **more)
        self._nonces[nonce] = message
        intent = DIRECT_MESSAGES if direct else MESSAGES
        self.gateway.dispatch("MESSAGE_CREATE", self.world.on_the_gateway(message), intent)
        return web.json_response(message)

    async def _typing(self, request: web.Request) -> web.Response:
        self.typed.append(request.match_info["channel"])
        return self._readable(request, SEND) or web.Response(status=204)

    async def _direct(self, request: web.Request) -> web.Response:
        who = str((await request.json())["recipient_id"])
        return web.json_response(self.world.direct_with(who)) if who in self.world.users else _unknown("User")

    # threads and members

    async def _archived(self, request: web.Request) -> web.Response:
        refusal = self._readable(request)
        if refusal is not None:
            return refusal
        private = "archived/private" in request.path
        found = [
            self.world.as_thread(each["id"], self.world.bot)
            for each in self.world.threads.values()
            if each["parent_id"] == request.match_info["channel"]
            and (each["type"] == PRIVATE_THREAD) == private
            and self.world.archived(each["id"])
            and self.world.reads(self.world.bot, each["id"])
        ]
        found.sort(key=lambda each: str(each["thread_metadata"]["archive_timestamp"]), reverse=True)
        before, limit = request.query.get("before"), int(request.query.get("limit", 50))
        if before:
            joined = "@me" in request.path
            found = [each for each in found if _older(each, before, joined=joined)]
        return web.json_response({"threads": found[:limit], "members": [], "has_more": len(found) > limit})

    async def _active(self, _: web.Request) -> web.Response:
        return web.json_response({"threads": self.world.as_guild(self.world.bot)["threads"], "members": []})

    async def _thread_member(self, request: web.Request) -> web.Response:
        thread, who = request.match_info["channel"], request.match_info["person"]
        if who not in self.world.thread_members.get(thread, set()):
            return _unknown("Member")
        joined = self.world.now().isoformat()
        return web.json_response({"id": thread, "user_id": who, "join_timestamp": joined, "flags": 0})

    async def _member(self, request: web.Request) -> web.Response:
        who = request.match_info["person"]
        return web.json_response(self.world.member(who)) if who in self.world.members else _unknown("Member")

    async def _user(self, request: web.Request) -> web.Response:
        who = request.match_info["person"]
        return web.json_response(self.world.users[who]) if who in self.world.users else _unknown("User")

    # slash commands

    async def _callback(self, request: web.Request) -> web.Response:
        token, body = request.match_info["token"], await request.json()
        if token in self.deferred:
            return _error(400, 40060, "Interaction has already been acknowledged.")
        hidden = bool((body.get("data") or {}).get("flags", 0) & 64)
        self.deferred[token] = hidden
        if body["type"] == 4:
            self.whispers.append(Whisper(token, body["data"]["content"], hidden))
        if request.query.get("with_response", "false").lower() in ("false", "0"):
            return web.Response(status=204)
        resource = {"interaction": {"id": request.match_info["interaction"], "type": 2, "response_message_id": None}}
        return web.json_response(resource)

    async def _follow_up(self, request: web.Request) -> web.Response:
        token, body = request.match_info["token"], json.loads(await request.text())
        if token not in self.deferred:
            return _unknown("Webhook")
        # The first follow-up takes the place of the deferred answer, and is as hidden as that was announced.
        first = not any(each.token == token for each in self.whispers)
        hidden = self.deferred[token] if first else bool(body.get("flags", 0) & 64)
        self.whispers.append(Whisper(token, body.get("content") or "", hidden))
        bot = self.world.users[self.world.bot]
        facts = {"id": self.world.snowflake(), "channel_id": "0", "author": bot, "content": body.get("content") or ""}
        lists: Payload = {each: [] for each in ("mentions", "mention_roles", "attachments", "embeds", "components")}
        state = {"timestamp": self.world.now().isoformat(), "edited_timestamp": None, "tts": False, "pinned": False}
        return web.json_response({**facts, **lists, **state, "mention_everyone": False, "type": 20, "flags": 64})


def _older(thread: Payload, before: str, *, joined: bool) -> bool:
    if joined:
        return int(thread["id"]) < int(before)
    return str(thread["thread_metadata"]["archive_timestamp"]) < before


def _without_nothing(command: Payload) -> dict[str, Any]:
    return {name: value for name, value in command.items() if value is not None}
