"""The documentation at `/docs/guide`, where `make docs` has built it into the package."""

from __future__ import annotations

import mimetypes
from importlib.resources import files
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from erstwhile.http.problems import Problem

PREFIX: Final = "/docs/guide"
# The pages of MkDocs Material have small scripts and styles of their own. Nothing comes from elsewhere.
_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_NOT_BUILT: Final = "The guide is not part of this installation. In a checkout, `make docs` builds it; the pages are in the folder docs."

router = APIRouter(include_in_schema=False)


def _site() -> Path:
    return Path(str(files("erstwhile.http"))) / "site"


@router.get(PREFIX)
async def first() -> Response:
    return RedirectResponse(f"{PREFIX}/", 307)


@router.get(PREFIX + "/{path:path}")
async def page(path: str) -> Response:
    """Return a file of the site; for a folder, its first page."""
    site = _site().resolve()
    if not site.is_dir():
        raise Problem(404, _NOT_BUILT)
    wanted = (site / path).resolve()
    if not wanted.is_relative_to(site):
        raise Problem(404, "There is no such page in the guide.")
    if wanted.is_dir():
        if path and not path.endswith("/"):
            return RedirectResponse(f"{PREFIX}/{wanted.relative_to(site)}/", 307)
        wanted /= "index.html"
    if not wanted.is_file():
        raise Problem(404, "There is no such page in the guide.")
    kind = mimetypes.guess_type(wanted.name)[0] or "application/octet-stream"
    return Response(
        wanted.read_bytes(), media_type=kind, headers={"Content-Security-Policy": _POLICY}
    )
