"""Whether the process lives, and whether it can serve."""

from __future__ import annotations

import asyncio

from fastapi import Request

from erstwhile.base.errors import StorageError
from erstwhile.http.dependencies import ServedMemory, routes
from erstwhile.http.openapi import problem_responses
from erstwhile.http.problems import Problem

router = routes("health", "")

_PATIENCE = 2.0  # whoever asks has less than the database takes to give up


@router.get("/healthz", summary="Whether the process lives")
async def healthz() -> dict[str, str]:
    """The process lives. Says nothing about the database."""
    return {"status": "ok"}


@router.get("/readyz", responses=problem_responses(503), summary="Whether it can serve")
async def readyz(request: Request, memory: ServedMemory) -> dict[str, str]:
    """The database answers and has the structure this version needs, or a later one, as between
    `migrate` and a new version's start. Not so while the server closes."""
    if request.app.state.closing.is_set():
        raise _not_ready("The server is closing.")
    try:
        async with asyncio.timeout(_PATIENCE):
            await memory.ready()
    except TimeoutError:
        raise _not_ready(f"The database has not answered within {_PATIENCE:g} s.") from None
    except StorageError as error:
        raise _not_ready(str(error)) from error
    return {"status": "ready"}


def _not_ready(why: str) -> Problem:
    return Problem(503, why, headers={"Retry-After": "1"})
