"""Discord's rate limits with their real headers and bodies, and a count of who came back too early."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any

from aiohttp import web


@dataclass
class _Window:
    ends: float
    left: int


@dataclass
class Limits:
    """`each` is how many requests of one kind to one channel go through in `per` seconds. `early` counts requests that came before the
    `Retry-After` of a refusal was over, which Discord counts too: ten thousand of them in ten minutes shut a bot out."""

    each: int = 1000
    per: float = 1.0
    early: int = 0
    refused: int = 0
    _to_refuse: list[tuple[str, float, bool]] = field(default_factory=list)
    _windows: dict[str, _Window] = field(default_factory=dict)
    _closed: dict[str, float] = field(default_factory=dict)

    def refuse(self, number: int, seconds: float, *, path: str = "", everywhere: bool = False) -> None:
        """The next requests whose path has this in it get a 429."""
        self._to_refuse += [(path, seconds, everywhere)] * number

    def bucket(self, request: web.Request) -> str:
        route = request.match_info.route.resource
        pattern = route.canonical if route is not None else request.path
        major = request.match_info.get("channel") or request.match_info.get("guild") or ""
        return f"{request.method} {pattern} {major}"

    def judge(self, request: web.Request) -> tuple[web.Response | None, dict[str, str]]:
        """A refusal or None, and the headers of an answer that goes through."""
        now, bucket = time.monotonic(), self.bucket(request)
        if now < max(self._closed.get(bucket, 0.0), self._closed.get("", 0.0)):
            self.early += 1
        for entry in self._to_refuse:
            path, seconds, everywhere = entry
            if path in request.path:
                self._to_refuse.remove(entry)
                return self._refusal(bucket, seconds, everywhere=everywhere), {}
        window = self._windows.get(bucket)
        if window is None or now >= window.ends:
            window = self._windows[bucket] = _Window(now + self.per, self.each)
        if window.left == 0:
            return self._refusal(bucket, window.ends - now), {}
        window.left -= 1
        return None, self._headers(bucket, window.left, window.ends - now)

    def _headers(self, bucket: str, left: int, seconds: float) -> dict[str, str]:
        kind = bucket.rsplit(" ", 1)[0]
        return {
            "X-RateLimit-Limit": str(self.each),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": f"{time.time() + seconds:.3f}",
            "X-RateLimit-Reset-After": f"{seconds:.3f}",
            "X-RateLimit-Bucket": md5(kind.encode(), usedforsecurity=False).hexdigest(),
        }

    def _refusal(self, bucket: str, seconds: float, *, everywhere: bool = False) -> web.Response:
        self.refused += 1
        # A millisecond of grace: the client sleeps for exactly as long as it was told, by another clock.
        self._closed["" if everywhere else bucket] = time.monotonic() + seconds - 0.001
        headers = {"Retry-After": f"{seconds:.3f}", "Via": "1.1 loopback", **self._headers(bucket, 0, seconds)}
        if everywhere:
            headers["X-RateLimit-Global"] = "true"
        headers["X-RateLimit-Scope"] = "global" if everywhere else "user"
        body: dict[str, Any] = {
            "message": "You are being rate limited.",
            "retry_after": round(seconds, 3),
            "global": everywhere,
        }
        return web.json_response(body, status=429, headers=headers)
