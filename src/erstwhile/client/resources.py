"""Remote verbs that are written by hand: entity tags, progress, files, events."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, cast

from erstwhile.api.archive import Archive
from erstwhile.api.events import Events
from erstwhile.api.memories import Memories
from erstwhile.api.resource import Resource
from erstwhile.api.types import Conversation
from erstwhile.archive import backup, reader
from erstwhile.archive.model import Backup, Progress, no_progress
from erstwhile.base.clock import utc_now
from erstwhile.base.errors import ConflictError, Error, InvalidInput, ServerUnreachable
from erstwhile.base.system import open_private
from erstwhile.client import transport
from erstwhile.client.calls import read
from erstwhile.client.transport import (
    FailedAttempt,
    HttpCall,
    RetryDelays,
    Transport,
    problem_error,
)
from erstwhile.events.feed import Watch
from erstwhile.events.model import Event
from erstwhile.layers import backfill as backfills
from erstwhile.layers.backfill import BackfillReport
from erstwhile.layers.regenerate import RegenerateResult
from erstwhile.memories.history import Version
from erstwhile.search.model import Source

if TYPE_CHECKING:
    from erstwhile.client.memory import RemoteMemory


class RemoteWatch:
    """The events of a space in order, until the memory closes."""

    def __init__(self, http: Transport, path: str, space: str, after: str | None) -> None:
        self._http = http
        self._coming = self._events(path, space, after)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        return await anext(self._coming)

    @property
    def ended(self) -> bool:
        return self._http.closed

    async def aclose(self) -> None:
        await self._coming.aclose()

    async def _events(self, path: str, space: str, after: str | None) -> AsyncGenerator[Event]:
        pauses, begun = RetryDelays(self._http.patience), False
        while not self.ended:
            headers = {} if after is None else {"Last-Event-ID": after}
            try:
                call = HttpCall("GET", path, headers=headers)
                async with self._http.stream(call, pauses) as response:
                    if begun and after is None:  # it broke before the first event gave a cursor
                        yield Event("0", utc_now(), "space", "reset", space)
                    begun = True
                    async for said in self._http.events(response):
                        after, pauses = said.id or after, RetryDelays(self._http.patience)
                        if said.data:
                            yield read(Event, json.loads(said.data))
                ended = ServerUnreachable("The server ended the event stream.")
                raise FailedAttempt(ended, again=True)
            except FailedAttempt as turned:
                await pauses.after(turned)


async def fetch(http: Transport, of: str, path: Path) -> None:
    """Download a file. It is renamed to its name once its digest is verified."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open_private(part, "xb") as file:
            async with http.stream(HttpCall("GET", of, slow=True)) as response:
                async for piece in response.aiter_bytes():
                    file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        try:
            with reader.open_archive(part):
                pass
        except InvalidInput:
            raise Error("The download is incomplete. Try again.") from None
        os.replace(part, path)
    except FailedAttempt as turned:
        raise turned.error from turned.__cause__
    except OSError as error:
        why = f"{path} can't be written ({type(error).__name__})."
        raise InvalidInput(f"{why} Choose a file in a writable folder.") from None
    finally:
        part.unlink(missing_ok=True)


def _http(resource: Resource) -> Transport:
    return cast("RemoteMemory", resource._memory)._http


def _at(resource: Resource, space: str | None, *segments: str) -> str:
    return transport.path("spaces", resource._space(space), *segments)


class RemoteMemories(Memories):
    async def edit(
        self, id: str, text: str, *, by: str, expected: str | None = None, space: str | None = None
    ) -> Version:
        match = await self._match(id, space, expected)
        body = {"text": text, "by": by}
        # Editing twice is harmless, but with If-Match the retry would fail.
        at = _at(self, space, "memories", id)
        call = HttpCall("PATCH", at, body=body, headers=match, again=not match)
        return read(Version, await _http(self).call(call))

    async def delete(
        self, id: str, *, by: str, expected: str | None = None, space: str | None = None
    ) -> Version:
        match = await self._match(id, space, expected)
        at = _at(self, space, "memories", id)
        call = HttpCall("DELETE", at, {"by": by}, headers=match, again=False)
        return read(Version, await _http(self).call(call))

    async def _match(self, id: str, space: str | None, expected: str | None) -> Mapping[str, str]:
        """Return If-Match for the version with the expected text."""
        if expected is None:
            return {}
        call = HttpCall("GET", _at(self, space, "memories", id))
        answer, headers = await _http(self).answer(call)
        same = read(Source, answer).text == expected
        # For some kinds, `get` adds a title or an author.
        if not same and (await self.history(id, space=space))[-1].text != expected:
            raise ConflictError(f"{id} has changed since. Get it again, then decide.")
        return {"If-Match": headers["etag"]}

    async def undo(self, chat: Conversation, made: RegenerateResult, *, by: str) -> int:
        ids = {"replaced": list(made.replaced), "gone": list(made.gone)}
        body = {"undo": made.undo, **ids, "by": by}
        at = _at(self, chat.space, "channels", chat.channel, "regenerate", "undo")
        call = HttpCall("POST", at, body=body, again=False)
        return read(int, await _http(self).call(call), "undone")

    async def backfill(
        self, *, progress: backfills.Progress | None = None, space: str | None = None
    ) -> BackfillReport:
        call = HttpCall("POST", _at(self, space, "backfill"), body={}, again=False, slow=True)
        try:
            async with _http(self).stream(call) as response:
                async for line in response.aiter_lines():
                    said = json.loads(line) if line.strip() else {}
                    if "backfilled" in said:
                        return read(BackfillReport, said, "backfilled")
                    if "problem" in said:
                        raise problem_error(int(said["problem"]["status"]), said["problem"])
                    if "done" in said and progress is not None:
                        progress(said["done"], said["total"])
        except FailedAttempt as turned:
            raise turned.error from turned.__cause__
        raise Error("The connection broke during the backfill. Run it again: it resumes.")


class RemoteArchive(Archive):
    async def backup(self, *, to: str | Path, progress: Progress = no_progress) -> Backup:
        await fetch(_http(self), "/v1/backup", Path(to))
        progress("backup", 1)
        return backup.describe(Path(to))


class RemoteEvents(Events):
    def watch(self, *, space: str | None = None, after: str | None = None) -> Watch:
        """Watch the changes in a space. After a broken connection it resumes without gaps or
        repeats. If it broke before the first event, an event of kind `space` and action `reset`
        asks you to reload."""
        watch = RemoteWatch(_http(self), _at(self, space, "events"), self._space(space), after)
        return cast(Watch, watch)


REMOTE_RESOURCES: Final[Mapping[str, type[Resource]]] = {
    "archive": RemoteArchive,
    "events": RemoteEvents,
    "memories": RemoteMemories,
}
