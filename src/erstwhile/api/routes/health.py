"""Whether the process lives, and whether it can serve."""

from __future__ import annotations

from fastapi import APIRouter

from erstwhile.api.caller import Door
from erstwhile.api.problems import Problem
from erstwhile.base.errors import StorageError

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """The process lives. Says nothing about the database."""
    return {"status": "ok"}


@router.get("/readyz")
async def readyz(memory: Door) -> dict[str, str]:
    """The database answers and has the structure this version needs."""
    try:
        await memory.house.database.version()
    except StorageError as error:
        raise Problem(503, str(error), headers={"Retry-After": "1"}) from error
    return {"status": "ready"}
