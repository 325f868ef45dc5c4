"""Write an archive to a temporary file, flush it, then rename it."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final, Self

from erstwhile.archive.model import ArchiveFile
from erstwhile.base import crash
from erstwhile.base.errors import InvalidInput, StorageFull
from erstwhile.base.system import open_private

MANIFEST: Final = "manifest.json"
SEAL: Final = b"sha256:"  # the zip's comment: this, then the digest of all bytes before the digest
DIGITS: Final = 64
_LEVEL = 3  # compression: higher levels take twice the time for a few percent


class ArchiveFileWriter:
    """Writes one file of the archive."""

    def __init__(self, stream: IO[bytes], columns: Sequence[str]) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self._columns = tuple(columns)
        self._rows = self._bytes = 0

    def lines(self, lines: Sequence[str]) -> None:
        self._rows += len(lines)
        self.text("".join(f"{line}\n" for line in lines))

    def text(self, text: str) -> None:
        piece = text.encode()
        self._bytes += len(piece)
        self._digest.update(piece)
        self._stream.write(piece)

    @property
    def packed(self) -> ArchiveFile:
        return ArchiveFile(self._rows, self._bytes, self._digest.hexdigest(), self._columns)


class ArchiveWriter:
    def __init__(self, to: Path) -> None:
        self._to = to
        self.part = to.with_name(f".{to.name}.{secrets.token_hex(4)}.part")
        self.files: dict[str, ArchiveFile] = {}

    def __enter__(self) -> Self:
        with self._explain_errors():
            self._stream = open_private(self.part, "x+b")
        self._zip = zipfile.ZipFile(self._stream, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, ValueError):  # a failed archive fails to close too
            self._zip.close()
        with suppress(OSError):
            self._stream.close()
        self.part.unlink(missing_ok=True)

    @contextmanager
    def open_file(self, name: str, columns: Sequence[str] = ()) -> Iterator[ArchiveFileWriter]:
        with self._explain_errors(), self._zip.open(name, "w", force_zip64=True) as stream:
            file = ArchiveFileWriter(stream, columns)
            yield file
        self.files[name] = file.packed

    def put(self, name: str, told: Any) -> None:
        with self.open_file(name) as file:
            file.text(json.dumps(told, ensure_ascii=False, indent=2) + "\n")

    def close(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest, then the digest of everything, and flush to disk."""
        files = {name: asdict(packed) for name, packed in self.files.items()}
        for each in files.values():
            if not each["columns"]:
                del each["columns"]
        told = {**manifest, "files": files}
        with self._explain_errors():
            self._zip.writestr(MANIFEST, json.dumps(told, ensure_ascii=False, indent=2) + "\n")
            self._zip.comment = SEAL + b"0" * DIGITS
            self._zip.close()
            self._stream.seek(-DIGITS, os.SEEK_END)
            digest = digest_of(self._stream, self._stream.tell())
            self._stream.write(digest)
            self._stream.flush()
            os.fsync(self._stream.fileno())

    def place(self) -> None:
        crash.point("archive.before_rename")
        with self._explain_errors():
            os.replace(self.part, self._to)
            folder = os.open(self._to.parent, os.O_RDONLY)
            try:
                os.fsync(folder)  # flush the new name too
            finally:
                os.close(folder)

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno == 28:  # no space left
                why = f"No space left for {self._to}."
                raise StorageFull(f"{why} Free some and try again; it was not written.") from None
            raise InvalidInput(
                f"{self._to} can't be written ({type(error).__name__}). Give a file in a folder that may be written."
            ) from None


def digest_of(stream: IO[bytes], until: int) -> bytes:
    """Return the digest of the first `until` bytes; leaves the stream there."""
    digest = hashlib.sha256()
    stream.seek(0)
    while until and (piece := stream.read(min(until, 1 << 20))):
        digest.update(piece)
        until -= len(piece)
    return digest.hexdigest().encode()
