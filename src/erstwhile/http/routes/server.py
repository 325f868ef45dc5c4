"""The server: whether it lives and can serve, its metrics, its documentation at `/docs/guide` (where `make
docs` has built it into the package), and keys.

An admin's keys are for every space; whoever may write in a space may make keys for it, and none that
opens more than their own."""

from __future__ import annotations

import asyncio
import mimetypes
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Request, Response
from fastapi import Path as InPath
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from erstwhile.base.errors import StorageError
from erstwhile.http import permissions
from erstwhile.http.caller import AdminCaller, CurrentCaller, ServedMemory, WritableSpace, routes
from erstwhile.http.chat.routes import chat_of
from erstwhile.http.metrics import MEDIA_TYPE
from erstwhile.http.models import BodyModel
from erstwhile.http.openapi import Responses, problem_responses
from erstwhile.http.problems import Problem
from erstwhile.keys.model import Key, NewKey

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
        advice = "Use an admin key; a read-only one is enough."
        raise Problem(403, f"The metrics cover all spaces. {advice}")
    figures = request.app.state.metrics
    figures.lost.set(chat_of(request.app).counts["lost"])
    return Response(await figures.text(), media_type=MEDIA_TYPE)


PREFIX: Final = "/docs/guide"
# The pages of MkDocs Material have small scripts and styles of their own. Nothing comes from elsewhere.
_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_NOT_BUILT: Final = "The guide is not part of this installation. In a checkout, `make docs` builds it; the pages are in the folder docs."

guide = APIRouter(include_in_schema=False)


def _site() -> Path:
    return Path(str(files("erstwhile.http"))) / "site"


def has_guide() -> bool:
    """Tell whether the guide is built: a wheel has it, a checkout after `make docs`."""
    return _site().is_dir()


@guide.get(PREFIX)
async def first() -> Response:
    return RedirectResponse(f"{PREFIX}/", 307)


@guide.get(PREFIX + "/{path:path}")
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
    headers = {"Content-Security-Policy": _POLICY}
    return Response(wanted.read_bytes(), media_type=kind, headers=headers)


keys_router = routes("keys", "/v1")

KeyId = Annotated[
    str,
    InPath(description="The key's id: what stands between `er_` and the secret.", max_length=512),
]


_NAME = "The key's name. Changes made with it are recorded under this name."
_READ_ONLY = "A read-only key can read and ask, but change nothing."
_EXPIRES = "A duration such as 30d or 12h, or a time such as 2027-01-01T00:00:00Z."


class NewKeyBody(BodyModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "bot", "expires": "90d"}]})

    name: str = Field("", max_length=200, description=_NAME)
    read_only: bool = Field(False, description=_READ_ONLY)
    expires: str | None = Field(None, max_length=64, description=_EXPIRES)


class AdminKeyBody(NewKeyBody):
    space: str | None = Field(
        None, max_length=512, description="The key's space. Without one, an admin key is created."
    )


class KeyList(BaseModel):
    keys: list[Key]


@keys_router.get("/keys", summary="List every key")
async def all_keys(_caller: AdminCaller, memory: ServedMemory) -> KeyList:
    """List every key without its secret, including revoked ones."""
    return KeyList(keys=await memory.keys.list(admin=True))


@keys_router.post("/keys", status_code=201, summary="Create a key for any space, or an admin key")
async def create_any_key(body: AdminKeyBody, caller: AdminCaller, memory: ServedMemory) -> NewKey:
    """Create a key for a space or, without one, an admin key. Its secret is shown only once. It
    can't expire later than the key that creates it."""
    expires = await permissions.limit_expiry(body.expires, caller, memory)
    given = {**dict(body), "expires": expires}
    return await memory.keys.create(admin=body.space is None, **given)


@keys_router.delete("/keys/{id:id}", status_code=204, summary="Revoke any key")
async def revoke_any_key(id: KeyId, _caller: AdminCaller, memory: ServedMemory) -> None:
    """Revoke a key. Every server refuses it within about a second."""
    await memory.keys.revoke(id, admin=True)


@keys_router.get("/spaces/{space:id}/keys", name="list", summary="List keys")
async def keys(space: WritableSpace, memory: ServedMemory) -> KeyList:
    """List the keys of a space without their secrets. Needs a key that may write there."""
    return KeyList(keys=await memory.keys.list(space=space))


@keys_router.post("/spaces/{space:id}/keys", name="create", status_code=201, summary="Create a key")
async def create_key(
    body: NewKeyBody, space: WritableSpace, caller: CurrentCaller, memory: ServedMemory
) -> NewKey:
    """Create a key for a space. It can't expire later than the key that creates it."""
    expires = await permissions.limit_expiry(body.expires, caller, memory)
    return await memory.keys.create(space=space, **{**dict(body), "expires": expires})


@keys_router.delete(
    "/spaces/{space:id}/keys/{id:id}", name="revoke", status_code=204, summary="Revoke a key"
)
async def revoke_key(id: KeyId, space: WritableSpace, memory: ServedMemory) -> None:
    """Revoke a key of the space. Every server refuses it within about a second."""
    await memory.keys.revoke(id, space=space)
