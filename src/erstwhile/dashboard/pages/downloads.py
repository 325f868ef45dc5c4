"""Files that pages offer. Who asks is known from the entrance; what they may have is looked at here again."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import quote

from nicegui import app
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from erstwhile.api import problems
from erstwhile.api.caller import Caller
from erstwhile.api.problems import Problem
from erstwhile.base.errors import Error
from erstwhile.dashboard import paths
from erstwhile.dashboard.viewer import House


@app.get(paths.EXPORT)
async def export(request: Request) -> Response:
    """Everything of one person as a zip file."""
    try:
        return await _export(request.state.caller, request)
    except Problem as problem:
        return problems.response(problem)
    except Error as error:
        return problems.response(problems.of(error))


async def _export(caller: Caller, request: Request) -> Response:
    person = request.query_params.get("person") or caller.person
    space = caller.reads(request.query_params.get("space") or caller.space or House.memory.settings.space)
    if not person:
        raise Problem(422, "Say whose export this is to be: `person` in the address.")
    if caller.person not in (None, person):
        raise Problem(403, "This link shows what is known about one person, and that is someone else.")
    folder = Path(mkdtemp(prefix="erstwhile-export-"))
    file = folder / "export.zip"
    try:
        await House.memory.export(space=space, person=person, to=file)
    except BaseException:  # whatever it was, nothing may stay lying about
        _away(folder)
        raise
    answer = FileResponse(
        file,
        media_type="application/zip",
        headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
        background=BackgroundTask(_away, folder),
    )
    answer.headers["Content-Disposition"] = _attached(person)
    return answer


def _attached(person: str) -> str:
    """A name that every system takes, and the person's own id for those that know how."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", person).strip("-.")[:60] or "person"
    return f"attachment; filename=\"{plain}.zip\"; filename*=UTF-8''{quote(person[:60], safe='')}.zip"


def _away(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
