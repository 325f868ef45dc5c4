"""The exports of a person, and what the palette (⌘K) finds besides pages: conversations, people, ways to search.

The middleware knows the caller; what they may have is checked here.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from nicegui import app
from starlette.requests import Request
from starlette.responses import Response

from erstwhile.api.memory import Memory
from erstwhile.api.resource import in_space
from erstwhile.base.errors import Error
from erstwhile.base.page import every
from erstwhile.dashboard import labels, paths
from erstwhile.dashboard.viewer import Backend
from erstwhile.http import problems
from erstwhile.http.caller import Caller, zip_response
from erstwhile.http.problems import Problem

FileParts = tuple[str, str, str]  # content, media type, name
Make = Callable[[Memory, Request], Awaitable[FileParts]]
Answer = Callable[[Caller, Request], Awaitable[Response]]


def serve(path: str) -> Callable[[Answer], Answer]:
    """Register what answers a path below /downloads/; errors become problems."""

    def register(answer: Answer) -> Answer:
        @app.get(path)
        async def given(request: Request) -> Response:
            try:
                return await answer(request.state.caller, request)
            except (Problem, Error) as error:
                return problems.response(problems.of(error))

        return answer

    return register


def download(path: str) -> Callable[[Make], Make]:
    """Register a file made from the memory and the chosen space."""

    def register(make: Make) -> Make:
        @serve(path)
        async def given(caller: Caller, request: Request) -> Response:
            if caller.person is not None:
                raise Problem(403, "This shows what is known about one person, and nothing else.")
            default = Backend.memory.settings.space if caller.space is None else caller.space
            space = caller.reads(request.query_params.get("space") or default)
            words, kind, name = await make(in_space(Backend.memory, space), request)
            attached = f'attachment; filename="{name}"'
            headers = {"Content-Disposition": attached, "Cache-Control": "no-store"}
            return Response(words, media_type=kind, headers=headers)

        return make

    return register


Cell = str | int | float | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes these for a formula


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    def inert(cell: Cell) -> Cell:
        return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell

    out = io.StringIO()
    csv.writer(out).writerows([[inert(cell) for cell in row] for row in (header, *rows)])
    return out.getvalue()


_PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@serve(paths.EXPORT)
async def export(caller: Caller, request: Request) -> Response:
    person = request.query_params.get("person") or caller.person
    asked, usual = request.query_params.get("space"), Backend.memory.settings.space
    space = caller.reads(asked or caller.space or usual)
    if not person:
        raise Problem(422, "Say whose export this is to be: `person` in the address.")
    if caller.person not in (None, person):
        said = "This link shows what is known about one person, and that is someone else."
        raise Problem(403, said)
    if caller.person is not None:
        return await _own(space, person)
    named = {"Content-Disposition": _attached(person, "zip")}
    return await zip_response(
        lambda to: Backend.memory.export(space=space, person=person, to=to), "export.zip", named
    )


async def _own(space: str, person: str) -> Response:
    """Export for the person themselves: all their messages, and the memories about them they may read."""
    memory = in_space(Backend.memory, space)
    about = await memory.about(person, asker=person, fresh=False)
    structured = await every(memory.facts.structured, person=person, valid="all", asker=person)
    messages = await every(partial(memory.people.messages, person))
    told: dict[str, Any] = {"person": person, "about": asdict(about)}
    told["structured"] = [asdict(each) for each in structured]
    told["messages"] = [asdict(each) for each in messages]
    headers = {**_PRIVATE, "Content-Disposition": _attached(person, "json")}
    written = json.dumps(told, default=str, ensure_ascii=False, indent=1)
    return Response(written, 200, headers, "application/json")


def _attached(person: str, kind: str) -> str:
    """Return a plain file name for every system, and the person's id for those that support it."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", person).strip("-.")[:60] or "person"
    return f"attachment; filename=\"{plain}.{kind}\"; filename*=UTF-8''{quote(person[:60], safe='')}.{kind}"


_FEW: Final = 6


@serve(paths.PLACES)
async def places(caller: Caller, request: Request) -> Response:
    if caller.person is not None:
        raise Problem(403, "This link shows what is known about you, and nothing else.")
    asked = request.query_params.get("q", "").strip()[:200]
    given = request.query_params.get("space") or caller.space or Backend.memory.settings.space
    space = caller.reads(given)
    memory = in_space(Backend.memory, space)
    found: list[dict[str, str]] = []

    def add(label: str, about: str, path: str, **values: str) -> None:
        url = paths.url(path, space=space, **values)
        found.append({"label": label, "about": about, "url": url})

    if asked:
        for person in await memory.people.list(matching=asked, limit=_FEW):
            about = f"Person, {labels.count(person.messages, 'message')}"
            add(person.name, about, "/people/person", person=person.person)
        for each in await memory.channels.list(matching=asked, order="recent", limit=_FEW):
            about = f"Conversation, {labels.count(each.size, 'message')}"
            add(each.title or each.channel, about, "/conversations/channel", channel=each.channel)
        found.sort(
            key=lambda each: asked.casefold() not in each["label"].casefold()
        )  # else by who is in it
        add(f"Search for “{asked}”", "In all messages and memories", "/search", q=asked)
    headers = {"Cache-Control": "no-store"}
    written = json.dumps(found, ensure_ascii=False)
    return Response(written, headers=headers, media_type="application/json")
