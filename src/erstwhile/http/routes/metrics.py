"""Metrics for Prometheus."""

from __future__ import annotations

from fastapi import Request, Response

from erstwhile.http.chat.routes import chat_of
from erstwhile.http.dependencies import CurrentCaller, routes
from erstwhile.http.metrics import MEDIA_TYPE
from erstwhile.http.openapi import Responses
from erstwhile.http.problems import Problem

router = routes("health", "")
_FIGURES: Responses = {200: {"description": "The metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}}}


@router.get("/metrics", response_class=Response, responses=_FIGURES, summary="Show metrics for Prometheus")
async def metrics(request: Request, caller: CurrentCaller) -> Response:
    """Show the server's metrics. They cover all spaces, so an admin key is needed; a read-only one
    is enough."""
    if caller.space is not None:
        raise Problem(403, "The metrics cover all spaces. Use an admin key; a read-only one is enough.")
    figures = request.app.state.metrics
    figures.lost.set(chat_of(request.app).counts["lost"])
    return Response(await figures.text(), media_type=MEDIA_TYPE)
