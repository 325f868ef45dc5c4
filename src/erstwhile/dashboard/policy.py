"""The content security policy: a page runs its own scripts, with this answer's nonce, and nothing else.

NiceGUI compiles templates and handlers in the browser, so `unsafe-eval` stays. Inline scripts and
handlers of other origin do not run.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


class ContentPolicy:
    """Adds the policy to NiceGUI's pages, in which a `<` of any content is escaped: every `<script`
    is its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        nonce = scope.get("state", {}).get("nonce") if scope["type"] == "http" else None
        if nonce is None:
            await self._app(scope, receive, send)
            return
        start: Message = {}
        body = b""

        async def marked(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                if Headers(raw=message["headers"]).get("content-type", "").startswith("text/html"):
                    return
                await send(message)
            elif not Headers(raw=start["headers"]).get("content-type", "").startswith("text/html"):
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    body = body.replace(b"<script", f'<script nonce="{nonce}"'.encode())
                    headers = MutableHeaders(raw=start["headers"])
                    headers["Content-Security-Policy"] = _POLICY.format(nonce=nonce)
                    headers["Content-Length"] = str(len(body))
                    await send(start)
                    await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, marked)
