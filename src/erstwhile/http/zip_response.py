"""Send an export or a backup as a zip, which is written completely first."""

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
    """Return the zip that `write` creates. The file is deleted once it was sent."""
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-"))
    file = folder / "packed.zip"
    try:
        await write(file)
    except BaseException:  # no partial file may stay on disk
        _away(folder)
        raise
    answer = FileResponse(file, media_type="application/zip", filename=name, background=BackgroundTask(_away, folder))
    answer.headers.update(_PRIVATE | dict(headers or {}))
    return answer


def _away(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
