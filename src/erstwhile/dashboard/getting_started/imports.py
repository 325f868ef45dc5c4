"""Uploads and the imports made from them. An import goes on when its page is closed."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem
from erstwhile.importers import ImportReport, load

log = Log(__name__)

_LARGEST: Final = 4 * 2**30  # bytes of one upload
_KEPT: Final = 100  # uploads that were begun; those of pages that were closed are deleted


@dataclass(slots=True)
class ImportRun:
    """An upload, and what became of it. `folder` has the files, `read` of `total` bytes were read."""

    space: str
    folder: Path | None = None  # until the first file comes
    names: list[str] = field(default_factory=list)
    size: int = 0
    read: int = 0
    total: int = 0
    messages: int = 0
    report: ImportReport | None = None
    error: str = ""
    task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        return self.task is not None and not self.task.done()

    def place(self) -> Path:
        self.folder = self.folder or Path(tempfile.mkdtemp(prefix="erstwhile-upload-"))
        return self.folder

    def clear(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, memory: Memory) -> None:
        self.task = asyncio.create_task(self._run(memory), name="dashboard import")

    async def _run(self, memory: Memory) -> None:
        def progress(read: int, total: int, messages: int) -> None:
            self.read, self.total, self.messages = min(read, total), total, messages

        try:
            path = self.place() / self.names[0] if len(self.names) == 1 else self.place()
            self.report = await load(memory, path, space=self.space, progress=progress)
        except Error as error:
            self.error = str(error).replace("Name one with --format.", "").strip()
        except Exception as error:  # noqa: BLE001 - a file of any kind was given: the page says that it failed
            log.error("dashboard.import_failed", error=type(error).__name__)
            self.error = "The file can't be read. The server's log says where it failed."
        finally:
            await asyncio.to_thread(self.clear)


class ImportRuns:
    """The latest import of each space, and the uploads that wait for their files, by token."""

    def __init__(self) -> None:
        self.latest: dict[str, ImportRun] = {}
        self._waiting: dict[str, ImportRun] = {}

    def begin(self, space: str) -> str:
        token = secrets.token_urlsafe(16)
        self._waiting[token] = ImportRun(space)
        for old in list(self._waiting)[:-_KEPT]:
            self.leave(old)
        return token

    def leave(self, token: str) -> None:
        """The page was closed. What runs goes on; files that nobody imports are deleted."""
        run = self._waiting.pop(token, None)
        if run is not None and run.task is None:
            run.clear()

    def start(self, token: str, memory: Memory) -> ImportRun:
        run = self._waiting.get(token)
        if run is None or not run.names:
            raise Problem(422, "No file has arrived. Choose it again.")
        if (last := self.latest.get(run.space)) is not None and last.running:
            self.leave(token)
            raise Problem(409, "Another import into this space is running. Wait until it is done.")
        self.latest[run.space] = self._waiting.pop(token)
        run.start(memory)
        return run

    async def receive(self, caller: Caller, request: Request) -> Response:
        """Store the body as one file of an upload."""
        run = self._waiting.get(request.query_params.get("token", ""))
        if run is None:
            raise Problem(404, "This page is no longer waiting for a file. Load it again.")
        caller.writes(run.space)
        name = PurePosixPath(request.query_params.get("name", "").replace("\\", "/")).name[-200:].lstrip(".")
        if not name:
            raise Problem(422, "The file has no name.")
        try:
            with (run.place() / name).open("wb") as file:
                async for piece in request.stream():
                    run.size += len(piece)
                    if run.size > _LARGEST:
                        raise Problem(413, "The upload is larger than 4 GB. Import it with `erstwhile import`.")
                    file.write(piece)
        except OSError:
            raise Problem(507, "The server can't store the file: its disk may be full.") from None
        if name not in run.names:
            run.names.append(name)
        return Response(status_code=204)


runs = ImportRuns()
