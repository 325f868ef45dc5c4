"""Discord's gateway, version 10, on loopback: sessions that can be resumed, heartbeats, compression, and every way to be dropped."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from support.discord_world import DIRECT, World

GUILDS, MEMBERS, MESSAGES, DIRECT_MESSAGES, CONTENT = 1, 1 << 1, 1 << 9, 1 << 12, 1 << 15
PRIVILEGED = MEMBERS | CONTENT | 1 << 8
WRONG_TOKEN, NOT_ALLOWED, UNKNOWN_ERROR = 4004, 4014, 4000
_DISPATCH, _HEARTBEAT, _IDENTIFY, _RESUME, _RECONNECT, _MEMBERS, _INVALID, _HELLO, _ACK = 0, 1, 2, 6, 7, 8, 9, 10, 11


def _compressor(kind: str | None) -> Callable[[str], bytes] | None:
    """One stream for the whole connection, flushed after each event."""
    if kind == "zlib-stream":
        stream = zlib.compressobj()
        return lambda text: stream.compress(text.encode()) + stream.flush(zlib.Z_SYNC_FLUSH)
    if kind == "zstd-stream":
        import zstandard

        running = zstandard.ZstdCompressor().compressobj()
        block = zstandard.COMPRESSOBJ_FLUSH_BLOCK
        return lambda text: running.compress(text.encode()) + running.flush(block)
    return None


@dataclass
class Session:
    """What a client was told, to tell it again when it comes back. `away`: what happens now is not kept for it."""

    identity: str
    intents: int
    sent: list[dict[str, Any]] = field(default_factory=list)
    connection: Connection | None = None
    valid: bool = True


class Connection:
    def __init__(self, socket: web.WebSocketResponse, compression: str | None) -> None:
        self.socket = socket
        self._compress = _compressor(compression)
        self._waiting: asyncio.Queue[str] = asyncio.Queue()

    def put(self, payload: dict[str, Any]) -> None:
        self._waiting.put_nowait(json.dumps(payload))

    async def write(self) -> None:
        while True:
            text = await self._waiting.get()
            if self._compress is None:
                await self.socket.send_str(text)
            else:
                await self.socket.send_bytes(self._compress(text))

    def cut(self) -> None:
        """As if a cable was pulled: no close frame."""
        transport = self.socket._req.transport if self.socket._req else None
        if transport is not None:
            transport.abort()


@dataclass
class Gateway:
    world: World
    token: str
    allowed: int = CONTENT  # the privileged intents that are switched on in the developer portal
    heartbeat: float = 41.25
    acknowledges: bool = True
    refusals: list[int] = field(default_factory=list)  # close codes for the next ones who identify
    identified: int = 0
    resumed: int = 0
    beats: int = 0
    sessions: dict[str, Session] = field(default_factory=dict)
    address: str = ""
    _numbers: count[int] = field(default_factory=lambda: count(1))

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0, compress=False)
        await socket.prepare(request)
        connection = Connection(socket, request.query.get("compress"))
        writing = asyncio.create_task(connection.write())
        connection.put({"op": _HELLO, "d": {"heartbeat_interval": self.heartbeat * 1000}, "s": None, "t": None})
        try:
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    await self._received(connection, json.loads(frame.data))
        finally:
            writing.cancel()
            for session in self.sessions.values():
                if session.connection is connection:
                    session.connection = None
        return socket

    async def _received(self, connection: Connection, payload: dict[str, Any]) -> None:
        operation, data = payload["op"], payload["d"]
        if operation == _HEARTBEAT:
            self.beats += 1
            if self.acknowledges:
                connection.put({"op": _ACK, "d": None, "s": None, "t": None})
        elif operation == _IDENTIFY:
            await self._identify(connection, data)
        elif operation == _RESUME:
            await self._resume(connection, data)
        elif operation == _MEMBERS:
            self._tell_members(connection, data)

    async def _identify(self, connection: Connection, data: dict[str, Any]) -> None:
        code = self.refusals.pop(0) if self.refusals else None
        if data["token"] != self.token:
            code = WRONG_TOKEN
        elif data["intents"] & PRIVILEGED & ~self.allowed:
            code = NOT_ALLOWED
        if code is not None:
            await connection.socket.close(code=code)
            return
        self.identified += 1
        session = Session(f"session-{next(self._numbers)}", data["intents"], connection=connection)
        self.sessions = {session.identity: session}
        bot = self.world.users[self.world.bot]
        ready = {
            "v": 10,
            "user": {**bot, "verified": True, "mfa_enabled": False, "email": None, "flags": 0},
            "guilds": [{"id": self.world.guild, "unavailable": True}],
            "session_id": session.identity,
            "resume_gateway_url": self.address,
            "application": {"id": bot["id"], "flags": 0},
        }
        self._tell(session, "READY", ready)
        self._tell(session, "GUILD_CREATE", self.world.as_guild(self.world.bot))

    async def _resume(self, connection: Connection, data: dict[str, Any]) -> None:
        session = self.sessions.get(data["session_id"])
        if data["token"] != self.token:
            await connection.socket.close(code=WRONG_TOKEN)
        elif session is None or not session.valid:
            connection.put({"op": _INVALID, "d": False, "s": None, "t": None})
        else:
            self.resumed += 1
            session.connection = connection
            for each in session.sent[data["seq"] :]:
                connection.put(each)
            self._tell(session, "RESUMED", {})

    def _tell_members(self, connection: Connection, data: dict[str, Any]) -> None:
        asked = data.get("user_ids", [])
        chunk = {
            "guild_id": data["guild_id"],
            "members": [self.world.member(each) for each in map(str, asked) if each in self.world.members],
            "not_found": [each for each in map(str, asked) if each not in self.world.members],
            "chunk_index": 0,
            "chunk_count": 1,
            "nonce": data.get("nonce"),
        }
        for session in self.sessions.values():
            if session.connection is connection:
                self._tell(session, "GUILD_MEMBERS_CHUNK", chunk)

    def _tell(self, session: Session, event: str, data: dict[str, Any]) -> None:
        payload = {"op": _DISPATCH, "t": event, "s": len(session.sent) + 1, "d": data}
        session.sent.append(payload)
        if session.connection is not None:
            session.connection.put(payload)

    def dispatch(self, event: str, data: dict[str, Any], intent: int = GUILDS) -> None:
        for session in self.sessions.values():
            if session.valid and session.intents & intent:
                self._tell(session, event, self._content(session, event, data))

    def _content(self, session: Session, event: str, data: dict[str, Any]) -> dict[str, Any]:
        """Without the intent a bot is told what was said only where it is meant."""
        if event not in ("MESSAGE_CREATE", "MESSAGE_UPDATE") or session.intents & CONTENT:
            return data
        meant = any(each["id"] == self.world.bot for each in data["mentions"]) or data.get("channel_type") == DIRECT
        return data if meant else {**data, "content": "", "attachments": [], "embeds": []}

    def connected(self) -> bool:
        return any(session.connection for session in self.sessions.values())

    async def drop(self, *, resumable: bool = True, code: int | None = None) -> None:
        """Ends every connection: with this close code, or without a word."""
        for session in self.sessions.values():
            connection, session.connection = session.connection, None
            session.valid = session.valid and resumable
            if connection is None:
                continue
            if code is None:
                connection.cut()
            else:
                await connection.socket.close(code=code)

    def ask_to_reconnect(self) -> None:
        for session in self.sessions.values():
            if session.connection is not None:
                session.connection.put({"op": _RECONNECT, "d": None, "s": None, "t": None})

    def invalidate(self, *, resumable: bool = False) -> None:
        for session in self.sessions.values():
            session.valid = resumable
            if session.connection is not None:
                session.connection.put({"op": _INVALID, "d": resumable, "s": None, "t": None})

    async def close(self) -> None:
        for session in self.sessions.values():
            if session.connection is not None:
                await session.connection.socket.close(code=WSCloseCode.GOING_AWAY)
