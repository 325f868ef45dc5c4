"""A copy of the whole database, for an admin."""

from __future__ import annotations

from fastapi.responses import FileResponse

from erstwhile.http.caller import Admin
from erstwhile.http.conversation import Door, routes
from erstwhile.http.openapi import Responses
from erstwhile.http.packed import packed

router = routes("work", "/v1")

_ZIP: Responses = {200: {"description": "A zip.", "content": {"application/zip": {}}}}


@router.get("/backup", response_class=FileResponse, responses=_ZIP, summary="Back up the whole database")
async def backup(_caller: Admin, memory: Door) -> FileResponse:
    """Every space, of one moment, while others go on writing, in one zip that `erstwhile backup FILE --restore` takes on either database.
    It holds the digests of keys and what is sealed: keep it as you keep the database."""
    return await packed(lambda to: memory.backup(to=to), "backup.zip")
