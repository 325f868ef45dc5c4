"""Whether the process lives, and whether it can serve."""

from __future__ import annotations

from fastapi import APIRouter, Request

from erstwhile.api.caller import Door
from erstwhile.api.problems import Problem
from erstwhile.base.errors import StorageError
from erstwhile.storage.migrate import known

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """The process lives. Says nothing about the database."""
    return {"status": "ok"}


@router.get("/readyz")
async def readyz(request: Request, memory: Door) -> dict[str, str]:
    """The database answers and has the structure this version needs. Not so while the server closes."""
    if request.app.state.closing.is_set():
        raise _not_ready("The server is closing.")
    database = memory.house.database
    try:
        version = await database.version()
    except StorageError as error:
        raise _not_ready(str(error)) from error
    if version != (needed := known(database.dialect)[-1].version):
        raise _not_ready(f"The database has schema {version}, this server needs {needed}.")
    return {"status": "ready"}


def _not_ready(why: str) -> Problem:
    return Problem(503, why, headers={"Retry-After": "1"})
