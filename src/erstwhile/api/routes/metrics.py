"""Figures, for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from erstwhile.api.caller import Called
from erstwhile.api.metrics import MEDIA_TYPE
from erstwhile.api.problems import Problem

router = APIRouter(tags=["health"])


@router.get("/metrics", response_class=Response)
async def metrics(request: Request, caller: Called) -> Response:
    """They are of all spaces, so a key has to open all of them; one that may only read is enough."""
    if caller.space is not None:
        raise Problem(403, "The figures are of all spaces. Use an admin key; one that may only read is enough.")
    return Response(await request.app.state.metrics.text(), media_type=MEDIA_TYPE)
