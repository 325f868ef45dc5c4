"""Whether the process lives, whether it can serve, and its metrics."""

from __future__ import annotations

import asyncio

from fastapi import Request, Response

from erstwhile.base.errors import StorageError
from erstwhile.http.caller import CurrentCaller, ServedMemory
from erstwhile.http.chat.routes import chat_of
from erstwhile.http.dependencies import routes
from erstwhile.http.metrics import MEDIA_TYPE
from erstwhile.http.openapi import Responses, problem_responses
from erstwhile.http.problems import Problem

router = routes("health", "")

_FIGURES: Responses = {
    200: {"description": "The metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}}
}
_PATIENCE = 2.0  # whoever asks has less than the database takes to give up


@router.get("/healthz", summary="Whether the process lives")
async def healthz() -> dict[str, str]:
    """Answer while the process lives. It says nothing about the database."""
    return {"status": "ok"}


@router.get("/readyz", responses=problem_responses(503), summary="Whether it can serve")
async def readyz(request: Request, memory: ServedMemory) -> dict[str, str]:
    """Check that the database answers and has the structure this version needs, or a later one, as
    between `migrate` and a new version's start. It fails while the server closes."""
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


@router.get(
    "/metrics", response_class=Response, responses=_FIGURES, summary="Show metrics for Prometheus"
)
async def metrics(request: Request, caller: CurrentCaller) -> Response:
    """Show the server's metrics. They cover all spaces, so an admin key is needed; a read-only one
    is enough."""
    if caller.space is not None:
        raise Problem(
            403, "The metrics cover all spaces. Use an admin key; a read-only one is enough."
        )
    figures = request.app.state.metrics
    figures.lost.set(chat_of(request.app).counts["lost"])
    return Response(await figures.text(), media_type=MEDIA_TYPE)
