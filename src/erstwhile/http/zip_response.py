"""A zip as an answer, of an export or a backup: written whole first, since one that breaks off half way would look like a whole one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse

_PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

Write = Callable[[Path], Awaitable[object]]


async def zip_response(write: Write, name: str, headers: Mapping[str, str] | None = None) -> FileResponse:
    """What `write` puts there; it is gone from the disk once it was sent."""
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-"))
    file = folder / "packed.zip"
    try:
        await write(file)
    except BaseException:  # whatever it was, nothing of it stays on the disk
        _away(folder)
        raise
    answer = FileResponse(file, media_type="application/zip", filename=name, background=BackgroundTask(_away, folder))
    answer.headers.update(_PRIVATE | dict(headers or {}))
    return answer


def _away(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
