"""/docs: a page that shows openapi.json and loads nothing from other sites."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response

from erstwhile.http.problems import Problem

router = APIRouter(include_in_schema=False)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


def _file(name: str, media_type: str) -> Response:
    text = files("erstwhile.http").joinpath("page", name).read_text(encoding="utf-8")
    return Response(text, media_type=media_type, headers={"Content-Security-Policy": _POLICY})


@router.get("/")
async def first() -> Response:
    """Explain why there is no dashboard. Where it is served, it handles this path."""
    raise Problem(
        404,
        "The dashboard needs a server with one process. Start another server on the same database: "
        "`erstwhile serve --port 8766 --no-worker`.",
    )


@router.get("/docs")
async def page() -> Response:
    return _file("docs.html", "text/html")


@router.get("/docs.js")
async def script() -> Response:
    return _file("docs.js", "text/javascript")


@router.get("/docs.css")
async def style() -> Response:
    return _file("docs.css", "text/css")
