"""The exports of a person. The middleware knows the caller; what they may have is checked here."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from functools import partial
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from erstwhile.api.page import every
from erstwhile.dashboard import paths
from erstwhile.dashboard.downloads import serve
from erstwhile.dashboard.viewer import Backend
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem
from erstwhile.http.zip_response import zip_response

_PAGE, _MOST = 1000, 10_000
_PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@serve(paths.EXPORT)
async def export(caller: Caller, request: Request) -> Response:
    """Export everything of one person as a zip file."""
    person = request.query_params.get("person") or caller.person
    space = caller.reads(request.query_params.get("space") or caller.space or Backend.memory.settings.space)
    if not person:
        raise Problem(422, "Say whose export this is to be: `person` in the address.")
    if caller.person not in (None, person):
        raise Problem(403, "This link shows what is known about one person, and that is someone else.")
    if caller.person is not None:
        return await _own(space, person)
    named = {"Content-Disposition": _attached(person, "zip")}
    return await zip_response(lambda to: Backend.memory.export(space=space, person=person, to=to), "export.zip", named)


async def _own(space: str, person: str) -> Response:
    """For the person themselves: all their messages, and the memories about them they may read."""
    memory = Backend.memory
    messages = await every(partial(memory.people.messages, person), space=space)
    told = {
        "person": person,
        "about": asdict(await memory.about(person, space=space, asker=person, fresh=False)),
        "structured": [
            asdict(each)
            for each in await every(memory.facts.structured, space=space, person=person, valid="all", asker=person)
        ],
        "messages": [asdict(each) for each in messages],
    }
    headers = {**_PRIVATE, "Content-Disposition": _attached(person, "json")}
    return Response(json.dumps(told, default=str, ensure_ascii=False, indent=1), 200, headers, "application/json")


def _attached(person: str, kind: str) -> str:
    """A plain file name for every system, and the person's id for those that support it."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", person).strip("-.")[:60] or "person"
    return f"attachment; filename=\"{plain}.{kind}\"; filename*=UTF-8''{quote(person[:60], safe='')}.{kind}"
