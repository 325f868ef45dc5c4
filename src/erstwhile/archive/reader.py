"""Read an archive that may be damaged or hostile. Nothing is trusted before it is checked."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from erstwhile.archive import model
from erstwhile.archive.model import ArchiveFile, ArchiveTable, Json
from erstwhile.archive.writer import DIGITS, MANIFEST, SEAL, digest_of
from erstwhile.base import clock, zips
from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass

T = TypeVar("T")
_LONGEST_LINE: Final = 64 << 20
_LONGEST_MANIFEST: Final = 16 << 20
_MOST_FILES: Final = 10_000
_LARGEST_DIRECTORY: Final = 4 << 20
_BOMB: Final = 300  # times its compressed size; JSON lines compress about tenfold
_SMALL: Final = 64 << 20
TABLES: Final = "tables/"


@dataclass(frozen=True, slots=True)
class ArchiveReader:
    """The content of the manifest. `files` has every file but the manifest."""

    path: Path
    format: str
    version: int
    schema: int
    at: datetime
    what: Mapping[str, Any]
    files: Mapping[str, ArchiveFile]
    _zip: zipfile.ZipFile = field(repr=False)

    @property
    def tables(self) -> dict[str, ArchiveFile]:
        return {
            name.removeprefix(TABLES).removesuffix(".jsonl"): packed
            for name, packed in self.files.items()
            if name.startswith(TABLES)
        }

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of a file. At its end, verify that it is complete and unchanged."""
        packed, digest, read = self.files[name], hashlib.sha256(), 0
        with _explain_errors(self.path), self._zip.open(name) as stream:
            while line := stream.readline(_LONGEST_LINE):
                if not line.endswith(b"\n"):
                    raise _damaged(self.path, f"a line of {name} is cut off or too long")
                digest.update(line)
                read += 1
                yield line
        if read != packed.rows or digest.hexdigest() != packed.sha256:
            raise _damaged(self.path, f"{name} is not what the manifest says")

    def each(self, name: str, read: Callable[[bytes], T]) -> Iterator[T]:
        """Yield what `read` makes of each line. Raise which line it refuses."""
        for number, raw in enumerate(self.lines(name), start=1):
            try:
                found = read(raw)
            except InvalidInput as why:
                said = f"line {number} of {name}: {why}. Nothing was stored."
                raise InvalidInput(f"{self.path.name} can't be loaded: {said}") from None
            yield found

    def rows(self, table: ArchiveTable, take: Callable[[Json], T]) -> Iterator[tuple[str, T]]:
        """Yield the space of each row, or "", and what `take` makes of the row with the table's
        types."""
        name = f"{TABLES}{table.name}.jsonl"
        columns = self.files[name].columns

        def read(raw: bytes) -> tuple[str, T]:
            told = model.parsed(raw)
            space, row = told.get("space", ""), model.checked(table, columns, told)
            if not isinstance(space, str):
                raise InvalidInput("its space is no text")
            return space, take(row)

        return self.each(name, read)

    def verify(self, look: Callable[[ArchiveReader, str, bytes], None] | None = None) -> None:
        """Read every file and check each line."""
        for name, packed in self.files.items():
            if look is not None and name.endswith(".jsonl"):
                for _ in self.each(name, partial(look, self, name)):
                    pass
            elif self._digest(name) != packed.sha256:
                raise _damaged(self.path, f"{name} is not what the manifest says")

    def _digest(self, name: str) -> str:
        with _explain_errors(self.path), self._zip.open(name) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


@contextmanager
def open_archive(path: Path) -> Iterator[ArchiveReader]:
    with _explain_errors(path):
        stream = path.open("rb")
    with stream:
        with _explain_errors(path):
            _check_seal(path, stream)
            found = _manifest(path, _zip(stream))
        yield found


def format_of(path: Path) -> str | None:
    """Return the format of an archive of ours; None for any other file."""
    try:
        with path.open("rb") as file, _zip(file) as packed:
            if packed.getinfo(MANIFEST).compress_type not in zips.PACKINGS:
                return None
            with packed.open(MANIFEST) as stream:
                told = json.loads(stream.read(_LONGEST_MANIFEST))
    except (OSError, zipfile.BadZipFile, KeyError, ValueError, RuntimeError, zlib.error, EOFError):
        return None
    found = told.get("format") if isinstance(told, dict) else None
    return found if isinstance(found, str) else None


def _zip(stream: IO[bytes]) -> zipfile.ZipFile:
    """Open the zip, after checking the size of its directory, which is read into memory."""
    if (zips.directory(stream) or 0) > _LARGEST_DIRECTORY:
        raise zipfile.BadZipFile("its directory is too large")
    stream.seek(0)
    return zipfile.ZipFile(stream)


def _check_seal(path: Path, stream: IO[bytes]) -> None:
    """Verify the digest at the end. A repacked zip has none; its files are still verified."""
    size = stream.seek(0, os.SEEK_END)
    if size < len(SEAL) + DIGITS:
        raise _damaged(path, "it is too short")
    stream.seek(size - len(SEAL) - DIGITS)
    if stream.read(len(SEAL)) == SEAL and digest_of(stream, size - DIGITS) != stream.read(DIGITS):
        raise _damaged(path, "its digest does not match")
    stream.seek(0)


def _manifest(path: Path, packed: zipfile.ZipFile) -> ArchiveReader:
    infos = packed.infolist()
    names = [info.filename for info in infos]
    if len(names) > _MOST_FILES or len(set(names)) != len(names):
        raise _damaged(path, "it has too many files, or one of them twice")
    if packed.comment and not packed.comment.startswith(SEAL):
        raise _damaged(path, "its digest is not readable")
    for info in infos:
        _check_entry(path, info)
    if zips.overlapping(infos, packed.start_dir) is not None:
        why = "files overlap in it, as they do in a zip bomb"
        raise InvalidInput(f"{path.name} is refused: {why}.")
    if MANIFEST not in names or packed.getinfo(MANIFEST).file_size > _LONGEST_MANIFEST:
        raise InvalidInput(f"{path.name} is not an archive of erstwhile: it has no manifest.")
    try:
        told = json.loads(packed.read(MANIFEST))
        files = {str(name): _packed(each) for name, each in told["files"].items()}
        numbers = _require_type(int, told["version"]), _require_type(int, told["schema"])
        format, what = _require_type(str, told["format"]), _require_type(dict, told.get("what", {}))
        at = clock.parse(_require_type(str, told["at"]))
        found = ArchiveReader(path, format, *numbers, at, what, files, packed)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError, InvalidInput):
        why = "its manifest can't be read, or is of a version before archives"
        raise _damaged(path, why) from None
    if files.keys() != set(names) - {MANIFEST}:
        raise _damaged(path, "its files are not those that the manifest names")
    if any(packed.getinfo(name).file_size != each.bytes for name, each in files.items()):
        raise _damaged(path, "its files do not have the sizes that the manifest names")
    return found


def _check_entry(path: Path, info: zipfile.ZipInfo) -> None:
    parts, name = info.filename.split("/"), f"{info.filename[:80]!r}"
    refused = f"{path.name} is refused:"
    if info.filename.startswith("/") or "\\" in info.filename or ".." in parts or info.is_dir():
        raise InvalidInput(f"{refused} a file in it is called {name}.")
    if info.flag_bits & 1:
        raise InvalidInput(f"{refused} it is encrypted. Unpack it and zip it again.")
    if info.compress_type not in zips.PACKINGS:
        why = f"{name} is not compressed with deflate."
        raise InvalidInput(f"{refused} {why} Unpack it and zip it again.")
    if info.file_size > _SMALL and info.file_size > _BOMB * max(info.compress_size, 1):
        raise InvalidInput(f"{refused} {name} would unpack to {info.file_size:,} bytes.")


def _packed(told: Any) -> ArchiveFile:
    columns = tuple(_require_type(str, each) for each in told.get("columns", ()))
    if len(set(columns)) != len(columns):
        raise ValueError
    sizes = _require_type(int, told["rows"]), _require_type(int, told["bytes"])
    return ArchiveFile(*sizes, _require_type(str, told["sha256"]), columns)


def _require_type(kind: type, value: Any) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError
    return value


@contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path}.") from None
    except OSError as error:
        raise InvalidInput(f"{path} can't be read ({type(error).__name__}).") from None
    except zipfile.BadZipFile:
        raise _damaged(path, "it is not a zip, or its checksums do not match") from None
    except (zlib.error, EOFError, RuntimeError, OverflowError) as error:
        raise _damaged(path, type(error).__name__) from None


def _damaged(path: Path, why: str) -> InvalidInput:
    return InvalidInput(f"{path.name} is damaged: {why}. Nothing was stored. Use another copy.")
