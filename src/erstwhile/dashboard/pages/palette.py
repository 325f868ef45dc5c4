"""What the palette (⌘K) finds besides pages: conversations, people, and ways to search."""

from __future__ import annotations

import json
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erstwhile.dashboard import labels, paths
from erstwhile.dashboard.pages.downloads import serve
from erstwhile.dashboard.viewer import Backend
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem

_FEW: Final = 6


@serve(paths.PLACES)
async def places(caller: Caller, request: Request) -> Response:
    if caller.person is not None:
        raise Problem(403, "This link shows what is known about you, and nothing else.")
    memory, asked = Backend.memory, request.query_params.get("q", "").strip()[:200]
    space = caller.reads(request.query_params.get("space") or caller.space or memory.settings.space)
    found: list[dict[str, str]] = []

    def add(label: str, about: str, path: str, **values: str) -> None:
        found.append({"label": label, "about": about, "url": paths.url(path, space=space, **values)})

    if asked:
        for person in await memory.people.list(matching=asked, limit=_FEW, space=space):
            about = f"Person, {labels.count(person.messages, 'message')}"
            add(person.name, about, "/people/person", person=person.person)
        for each in await memory.channels.list(matching=asked, order="recent", limit=_FEW, space=space):
            about = f"Conversation, {labels.count(each.size, 'message')}"
            add(each.title or each.channel, about, "/conversations/channel", channel=each.channel)
        found.sort(key=lambda each: asked.casefold() not in each["label"].casefold())  # else by who is in it
        add(f"Search for “{asked}”", "In all messages and memories", "/search", q=asked)
    headers = {"Cache-Control": "no-store"}
    return Response(json.dumps(found, ensure_ascii=False), headers=headers, media_type="application/json")
