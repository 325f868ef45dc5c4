"""Figures, for Prometheus."""

from __future__ import annotations

from fastapi import Request, Response

from erstwhile.http.chat.routes import chat_of
from erstwhile.http.dependencies import CurrentCaller, routes
from erstwhile.http.metrics import MEDIA_TYPE
from erstwhile.http.openapi import Responses
from erstwhile.http.problems import Problem

router = routes("health", "")
_FIGURES: Responses = {200: {"description": "The figures.", "content": {"text/plain": {"schema": {"type": "string"}}}}}


@router.get("/metrics", response_class=Response, responses=_FIGURES, summary="Figures for Prometheus")
async def metrics(request: Request, caller: CurrentCaller) -> Response:
    """They are of all spaces, so a key has to open all of them; one that may only read is enough."""
    if caller.space is not None:
        raise Problem(403, "The figures are of all spaces. Use an admin key; one that may only read is enough.")
    figures = request.app.state.metrics
    figures.lost.set(chat_of(request.app).counts["lost"])
    return Response(await figures.text(), media_type=MEDIA_TYPE)
