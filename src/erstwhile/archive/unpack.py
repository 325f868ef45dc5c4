"""Reading an archive that may have been damaged, or made to do harm: nothing of it is believed before it was looked at."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final

from erstwhile.archive import rows
from erstwhile.archive.model import Packed, Table
from erstwhile.archive.pack import DIGITS, MANIFEST, SEAL, digest_of
from erstwhile.base import clock, zips
from erstwhile.base.errors import InvalidInput

_LONGEST_LINE: Final = 64 << 20
_LONGEST_MANIFEST: Final = 16 << 20
_MOST_FILES: Final = 10_000
_LARGEST_DIRECTORY: Final = 4 << 20
_BOMB: Final = 300  # times its packed size; lines of JSON come to a tenth of it
_SMALL: Final = 64 << 20
TABLES: Final = "tables/"


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What the manifest says. `files` is of every file but the manifest."""

    path: Path
    format: str
    version: int
    schema: int
    at: datetime
    what: Mapping[str, Any]
    files: Mapping[str, Packed]
    _zip: zipfile.ZipFile = field(repr=False)

    @property
    def tables(self) -> dict[str, Packed]:
        return {
            name.removeprefix(TABLES).removesuffix(".jsonl"): packed
            for name, packed in self.files.items()
            if name.startswith(TABLES)
        }

    def lines(self, name: str) -> Iterator[bytes]:
        """Each line of a file; at its end, whether all of it came and nothing else."""
        packed, digest, read = self.files[name], hashlib.sha256(), 0
        with _understood(self.path), self._zip.open(name) as stream:
            while line := stream.readline(_LONGEST_LINE):
                if not line.endswith(b"\n"):
                    raise _damaged(self.path, f"a line of {name} is cut off or too long")
                digest.update(line)
                read += 1
                yield line
        if read != packed.rows or digest.hexdigest() != packed.sha256:
            raise _damaged(self.path, f"{name} is not what the manifest says")

    def rows(self, table: Table) -> Iterator[tuple[str, dict[str, Any]]]:
        """The space that a row names, or "", and the row, its types as the table has them."""
        name = f"{TABLES}{table.name}.jsonl"
        columns = self.files[name].columns
        for number, raw in enumerate(self.lines(name), start=1):
            try:
                told = rows.parsed(raw)
                space, row = told.get("space", ""), rows.checked(table, columns, told)
                if not isinstance(space, str):
                    raise InvalidInput("its space is no text")
            except InvalidInput as error:
                raise self.refused(name, number, error) from None
            yield space, row

    def verify(self, look: Look | None = None) -> None:
        """Reads every file through, and has each line looked at."""
        for name, packed in self.files.items():
            if look is None or not name.endswith(".jsonl"):
                if self._digest(name) != packed.sha256:
                    raise _damaged(self.path, f"{name} is not what the manifest says")
                continue
            for number, raw in enumerate(self.lines(name), start=1):
                try:
                    look(self, name, raw)
                except InvalidInput as error:
                    raise self.refused(name, number, error) from None

    def refused(self, name: str, number: int, why: InvalidInput) -> InvalidInput:
        return InvalidInput(f"{self.path.name} can't be taken: line {number} of {name}: {why}. Nothing was stored.")

    def _digest(self, name: str) -> str:
        digest = hashlib.sha256()
        with _understood(self.path), self._zip.open(name) as stream:
            while piece := stream.read(1 << 20):
                digest.update(piece)
        return digest.hexdigest()


Look = Callable[[Unpacked, str, bytes], None]


@contextmanager
def opened(path: Path) -> Iterator[Unpacked]:
    with _understood(path):
        stream = path.open("rb")
    with stream:
        with _understood(path):
            _check_seal(path, stream)
            found = _manifest(path, _zip(stream))
        yield found


def format_of(path: Path) -> str | None:
    """As which format an archive of ours introduces itself; None for any other file."""
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
    """Its directory is read into memory whole, so how large it is is asked first."""
    if (zips.directory(stream) or 0) > _LARGEST_DIRECTORY:
        raise zipfile.BadZipFile("its directory is too large")
    stream.seek(0)
    return zipfile.ZipFile(stream)


def _check_seal(path: Path, stream: IO[bytes]) -> None:
    """A zip that someone packed anew has none; its files are still checked one by one."""
    size = stream.seek(0, os.SEEK_END)
    if size < len(SEAL) + DIGITS:
        raise _damaged(path, "it is too short")
    stream.seek(size - len(SEAL) - DIGITS)
    if stream.read(len(SEAL)) == SEAL and digest_of(stream, size - DIGITS) != stream.read(DIGITS):
        raise _damaged(path, "its digest does not fit")
    stream.seek(0)


def _manifest(path: Path, packed: zipfile.ZipFile) -> Unpacked:
    infos = packed.infolist()
    names = [info.filename for info in infos]
    if len(names) > _MOST_FILES or len(set(names)) != len(names):
        raise _damaged(path, "it has too many files, or one of them twice")
    for info in infos:
        _check_entry(path, info)
    if zips.overlapping(infos, packed.start_dir) is not None:
        raise InvalidInput(f"{path.name} is refused: files overlap in it, as they do in a zip bomb.")
    if MANIFEST not in names or packed.getinfo(MANIFEST).file_size > _LONGEST_MANIFEST:
        raise InvalidInput(f"{path.name} is no archive of erstwhile: it has no manifest.")
    try:
        told = json.loads(packed.read(MANIFEST))
        files = {str(name): _packed(each) for name, each in told["files"].items()}
        found = Unpacked(
            path,
            _is(str, told["format"]),
            _is(int, told["version"]),
            _is(int, told["schema"]),
            clock.parse(_is(str, told["at"])),
            _is(dict, told.get("what", {})),
            files,
            packed,
        )
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError, InvalidInput):
        raise _damaged(path, "its manifest can't be read, or is of a version before archives") from None
    if files.keys() != set(names) - {MANIFEST}:
        raise _damaged(path, "its files are not those that the manifest names")
    if any(packed.getinfo(name).file_size != each.bytes for name, each in files.items()):
        raise _damaged(path, "its files do not have the sizes that the manifest names")
    return found


def _check_entry(path: Path, info: zipfile.ZipInfo) -> None:
    parts = info.filename.split("/")
    if info.filename.startswith("/") or "\\" in info.filename or ".." in parts or info.is_dir():
        raise InvalidInput(f"{path.name} is refused: a file in it is called {info.filename[:80]!r}.")
    if info.flag_bits & 1:
        raise InvalidInput(f"{path.name} is refused: it is encrypted. Unpack it and pack it anew.")
    if info.compress_type not in zips.PACKINGS:
        raise InvalidInput(f"{path.name} is refused: {info.filename[:80]!r} is packed another way than with deflate.")
    if info.file_size > _SMALL and info.file_size > _BOMB * max(info.compress_size, 1):
        raise InvalidInput(f"{path.name} is refused: {info.filename[:80]!r} would unpack to {info.file_size:,} bytes.")


def _packed(told: Any) -> Packed:
    columns = tuple(_is(str, each) for each in told.get("columns", ()))
    if len(set(columns)) != len(columns):
        raise ValueError
    return Packed(_is(int, told["rows"]), _is(int, told["bytes"]), _is(str, told["sha256"]), columns)


def _is(kind: type, value: Any) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError
    return value


@contextmanager
def _understood(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path}.") from None
    except OSError as error:
        raise InvalidInput(f"{path} can't be read ({type(error).__name__}).") from None
    except zipfile.BadZipFile:
        raise _damaged(path, "it is no zip, or its checksums do not fit") from None
    except (zlib.error, EOFError, RuntimeError, OverflowError) as error:
        raise _damaged(path, type(error).__name__) from None


def _damaged(path: Path, why: str) -> InvalidInput:
    return InvalidInput(f"{path.name} is damaged: {why}. Nothing was stored. Take another copy of it.")
