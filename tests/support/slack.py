"""A Slack workspace on loopback, to which an unmodified slack_sdk connects: Socket Mode, the Web API, and everything that goes wrong there.

`async with SlackServer() as slack:`, then `AsyncWebClient(slack.token, base_url=slack.api)` or `erstwhile slack --api …`.
`slack.workspace` is what is so; the verbs change it and tell whoever is connected.
"""

from __future__ import annotations

import json
import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from support.slack_socket import Envelope, Sockets
from support.slack_web import Refused, WebApi, text_of
from support.slack_workspace import Json, Workspace

ANY = "*"
_UNDER_WAY = 0.25  # seconds: who calls so soon after another was told to wait can't have known


class SlackServer:
    """`calls`: every call of the Web API, with its arguments. `impatient`: calls that came before the end of a wait they were told."""

    def __init__(self) -> None:
        self.token, self.app_token = "xoxb-loopback-token", "xapp-loopback-token"
        self.workspace = Workspace()
        self.web = WebApi(self.workspace)
        self.sockets = Sockets()
        self.calls: list[tuple[str, Json]] = []
        self.answers: list[Json] = []  # what was sent to the address of a command
        self.impatient: list[str] = []
        self.api = ""
        self._faults: dict[str, list[Callable[[], web.Response]]] = defaultdict(list)
        self._waits: dict[str, tuple[float, float]] = {}
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/link", self.sockets.connection)
        app.router.add_post("/answer/{name}", self._answered)
        app.router.add_route("*", "/api/{method}", self._call)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._host = f"127.0.0.1:{self._runner.addresses[0][1]}"
        self.api = f"http://{self._host}/api/"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.sockets.close()
        if self._runner is not None:
            await self._runner.cleanup()

    # people and places

    def person(self, name: str, *, admin: bool = False, guest: bool = False, bot: bool = False) -> str:
        return self.workspace.person(name, admin=admin, guest=guest, bot=bot)

    def channel(self, name: str, *members: str, private: bool = False, us: bool = True, creator: str = "") -> str:
        everyone = {*members, *([self.workspace.us] if us else [])}
        return self.workspace.conversation(name, "group" if private else "channel", everyone, creator)

    def group(self, *members: str) -> str:
        name = "mpdm-" + "--".join(sorted(members)).lower() + "-1"
        return self.workspace.conversation(name, "mpim", {*members, self.workspace.us})

    def direct(self, person: str) -> str:
        return self.workspace.direct(person)

    # what people do

    async def post(self, channel: str, person: str, text: str, **more: Any) -> str:
        """The ts of the message. `thread_ts` makes it a reply; `subtype`, `files` and the rest as Slack has them."""
        ts, event = self.workspace.post(channel, person, text, more)
        await self.event(channel, event)
        return ts

    async def reply(self, channel: str, thread: str, person: str, text: str, *, broadcast: bool = False) -> str:
        """`broadcast`: "also send to the channel"."""
        more: Json = {"thread_ts": thread}
        if broadcast:
            more |= {"subtype": "thread_broadcast", "root": self.workspace.conversations[channel].messages.get(thread)}
        return await self.post(channel, person, text, **more)

    async def edit(self, channel: str, ts: str, text: str) -> None:
        await self.event(channel, self.workspace.edit(channel, ts, text))

    async def delete(self, channel: str, ts: str) -> None:
        await self.event(channel, self.workspace.delete(channel, ts))

    async def join(self, channel: str, person: str) -> None:
        self.workspace.conversations[channel].members.add(person)
        event = {"type": "member_joined_channel", "user": person, "channel": channel, "event_ts": self.workspace.tick()}
        await self.event(channel, event)

    async def leave(self, channel: str, person: str) -> None:
        where = self.workspace.conversations[channel]
        where.members.discard(person)
        if person == self.workspace.us:
            kind = "channel_left" if where.kind == "channel" else "group_left"
            await self.event("", {"type": kind, "channel": channel, "event_ts": self.workspace.tick()})

    async def rename(self, channel: str, name: str) -> None:
        self.workspace.conversations[channel].name = name
        now = self.workspace.tick()
        await self.event(channel, {"type": "channel_rename", "channel": {"id": channel, "name": name}, "event_ts": now})

    async def make_private(self, channel: str) -> None:
        self.workspace.conversations[channel].kind = "group"
        await self.post(channel, "USLACKBOT", "made this channel private", subtype="channel_convert_to_private")

    async def remove(self, channel: str) -> None:
        now = self.workspace.tick()
        await self.event(channel, {"type": "channel_deleted", "channel": channel, "event_ts": now})
        del self.workspace.conversations[channel]

    async def call_oneself(self, person: str, name: str) -> None:
        self.workspace.users[person].name = name
        body = {"type": "user_change", "user": self.workspace.users[person].shown(), "event_ts": self.workspace.tick()}
        await self.event("", body)

    async def command(self, channel: str, person: str, command: str, text: str = "") -> None:
        """Someone types `/command text`."""
        payload = {"command": command, "text": text, "user_id": person, "user_name": person.lower()}
        payload |= {"channel_id": channel, "channel_name": "directmessage", "team_id": self.workspace.team}
        payload["response_url"] = f"http://{self._host}/answer/{uuid.uuid4().hex}"
        await self.sockets.deliver("slash_commands", payload)

    async def press(self, person: str) -> None:
        """Someone presses a button of another app's making."""
        await self.sockets.deliver("interactive", {"type": "block_actions", "user": {"id": person}, "actions": []})

    async def event(self, channel: str, event: Json) -> None:
        """Slack tells the app of what happens where its bot is."""
        where = self.workspace.conversations.get(channel)
        if where is not None and self.workspace.us not in where.members:
            return
        payload = {"type": "event_callback", "team_id": self.workspace.team, "api_app_id": "A0APP", "event": event}
        await self.sockets.deliver("events_api", {**payload, "event_id": f"Ev{uuid.uuid4().hex[:10]}", "event_time": 0})

    # what goes wrong

    async def drop(self, *, rudely: bool = True) -> None:
        """Every connection breaks."""
        await self.sockets.drop(rudely=rudely)

    async def hand_over(self, reason: str = "refresh_requested") -> None:
        """Asks for a new connection before this one ends; with `link_disabled`, Socket Mode was switched off."""
        if reason == "link_disabled":
            self.refuse("apps.connections.open", "link_disabled", times=1_000)
        await self.sockets.tell(reason)

    def withhold(self) -> None:
        self.sockets.withheld = []

    async def release(self, order: Callable[[list[Envelope]], list[Envelope]] = list) -> None:
        await self.sockets.release(order)

    def refuse(self, method: str, error: str, times: int = 1) -> None:
        def refused() -> web.Response:
            return web.json_response({"ok": False, "error": error})

        self._faults[method] += [refused] * times

    def limit(self, times: int, seconds: int, method: str = ANY) -> None:
        """The next calls are too many."""

        def limited() -> web.Response:
            self._waits[method] = (time.monotonic(), time.monotonic() + seconds)
            body = {"ok": False, "error": "ratelimited"}
            return web.json_response(body, status=429, headers={"Retry-After": str(seconds)})

        self._faults[method] += [limited] * times

    def restarted(self) -> None:
        """Whoever calls from now on was not told of any limit."""
        self._waits.clear()

    def fail(self, times: int, status: int = 503, method: str = ANY) -> None:
        def failed() -> web.Response:
            return web.Response(status=status, text="<html>upstream</html>", content_type="text/html")

        self._faults[method] += [failed] * times

    # the wire

    async def _call(self, request: web.Request) -> web.Response:
        method, arguments = request.match_info["method"], await _arguments(request)
        shown = request.headers.get("Authorization", "").removeprefix("Bearer ") or arguments.pop("token", "")
        self.calls.append((method, arguments))
        for name in (method, ANY):
            told, until = self._waits.get(name, (0.0, 0.0))
            if told + _UNDER_WAY < time.monotonic() < until:
                self.impatient.append(method)
            if self._faults[name]:
                return self._faults[name].pop(0)()
        try:
            return web.json_response(await self._answer(method, arguments, shown))
        except Refused as refused:
            return web.json_response(refused.body)

    async def _answer(self, method: str, arguments: Json, token: str) -> Json:
        if method == "apps.connections.open":
            if token != self.app_token:
                raise Refused("not_allowed_token_type" if token == self.token else "invalid_auth")
            return {"ok": True, "url": f"ws://{self._host}/link?ticket={self.sockets.ticket()}"}
        if token != self.token:
            raise Refused("invalid_auth")
        answer = self.web.call(method, arguments)
        while self.web.posted:
            await self.event(*self.web.posted.pop(0))
        return answer

    async def _answered(self, request: web.Request) -> web.Response:
        self.answers.append(await request.json())
        return web.Response(text="ok")


async def _arguments(request: web.Request) -> Json:
    """As slack_sdk sends them: in the address, as a form, or as JSON."""
    arguments = text_of(request.query)
    if request.content_type == "application/json":
        body = await request.text()
        return {**arguments, **(json.loads(body) if body else {})}
    if request.method == "POST":
        arguments |= text_of(await request.post())
    return arguments
