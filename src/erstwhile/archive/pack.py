"""Writing an archive: beside its place, flushed to the disk, read back, and put there when it is whole."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from erstwhile.archive.model import Packed
from erstwhile.base import crash
from erstwhile.base.errors import InvalidInput, StorageFull

MANIFEST: Final = "manifest.json"
SEAL: Final = b"sha256:"  # the zip's comment: this, and then the digest of every byte before the digest
DIGITS: Final = 64
_LEVEL = 3  # of compression: past it, twice the time takes a few percent off


class Sheet:
    """A file of the archive that is being written."""

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
    def packed(self) -> Packed:
        return Packed(self._rows, self._bytes, self._digest.hexdigest(), self._columns)


class Pack:
    """`private`: for the eyes of whoever writes it alone."""

    def __init__(self, to: Path, *, private: bool = False) -> None:
        self._to = to
        self.part = to.with_name(f".{to.name}.{secrets.token_hex(4)}.part")
        self._mode = 0o600 if private else 0o666
        self.files: dict[str, Packed] = {}

    def __enter__(self) -> Self:
        with self._explained():
            handle = os.open(self.part, os.O_CREAT | os.O_EXCL | os.O_RDWR, self._mode)
        self._stream = os.fdopen(handle, "w+b")
        self._zip = zipfile.ZipFile(self._stream, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError, ValueError):  # what failed before fails again
            self._zip.close()
        with suppress(OSError):
            self._stream.close()
        self.part.unlink(missing_ok=True)

    @contextmanager
    def sheet(self, name: str, columns: Sequence[str] = ()) -> Iterator[Sheet]:
        with self._explained(), self._zip.open(name, "w", force_zip64=True) as stream:
            sheet = Sheet(stream, columns)
            yield sheet
        self.files[name] = sheet.packed

    def put(self, name: str, told: Any) -> None:
        with self.sheet(name) as sheet:
            sheet.text(json.dumps(told, ensure_ascii=False, indent=2) + "\n")

    def close(self, manifest: dict[str, Any]) -> None:
        """The manifest last, with what it says of the others; then the digest of all of it, and the disk."""
        told = {**manifest, "files": {name: _told(packed) for name, packed in self.files.items()}}
        with self._explained():
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
        with self._explained():
            os.replace(self.part, self._to)
            folder = os.open(self._to.parent, os.O_RDONLY)
            try:
                os.fsync(folder)  # the name is on the disk too
            finally:
                os.close(folder)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno == 28:  # no space left
                raise StorageFull(
                    f"No space left for {self._to}. Free some and try again; it was not written."
                ) from None
            raise InvalidInput(
                f"{self._to} can't be written ({type(error).__name__}). Give a file in a folder that may be written."
            ) from None


def _told(packed: Packed) -> dict[str, Any]:
    told = asdict(packed)
    return told if packed.columns else {name: told[name] for name in ("rows", "bytes", "sha256")}


def digest_of(stream: IO[bytes], until: int) -> bytes:
    """Of the first `until` bytes; leaves the stream there."""
    digest = hashlib.sha256()
    stream.seek(0)
    while until and (piece := stream.read(min(until, 1 << 20))):
        digest.update(piece)
        until -= len(piece)
    return digest.hexdigest().encode()
