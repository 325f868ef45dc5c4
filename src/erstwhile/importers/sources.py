"""Open a file, folder or zip as an `ImportSource`. Nothing is unpacked to disk."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Self

from erstwhile.base import zips
from erstwhile.base.errors import InvalidInput
from erstwhile.importers.model import ImportSource
from erstwhile.importers.source_file import (
    LIMITS,
    ByteCount,
    CountedFile,
    ImportLimits,
    ZipByteCount,
)

_DAMAGES: Final = (
    *(zipfile.BadZipFile, struct.error),
    *(RuntimeError, ValueError, OverflowError, EOFError),
)
_LOCKED: Final = 0x1 | 0x40 | 0x2000  # password, strong encryption, encrypted directory


def looks_like_one(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def hidden(name: str) -> bool:
    """Return whether the operating system added this file."""
    return name.startswith(".") or name == "__MACOSX"


def files(
    path: Path, tally: ByteCount, stack: ExitStack, left: dict[str, int], *, within: str = ""
) -> Iterator[CountedFile]:
    opened = stack.enter_context(_open(path, tally.limits.directory))
    infos = opened.infolist()
    if len(infos) > tally.limits.files:
        raise InvalidInput(
            f"{path} holds {len(infos):,} files; the most taken from a zip is {tally.limits.files:,}. "
            "Unpack it and import the folder."
        )
    for info in infos:
        _refuse(path, info)
    overlap = zips.overlapping(infos, opened.start_dir)
    if overlap is not None:
        raise InvalidInput(
            f"Files overlap in {path} (at {overlap.filename!r}), as they do in a zip bomb. It was not read."
        )
    packed = ZipByteCount(tally, path.name, path.stat().st_size)
    for info in sorted(infos, key=lambda info: info.filename):
        unseen = any(hidden(part) for part in info.filename.split("/"))
        if unseen or info.is_dir() or not info.file_size:
            continue
        if info.filename.lower().endswith(".zip"):
            left["zips within a zip"] = left.get("zips within a zip", 0) + 1
            continue
        name, begin = within + info.filename, partial(opened.open, info)
        yield CountedFile(name, info.file_size, begin, packed, info.compress_size)


def _refuse(path: Path, info: zipfile.ZipInfo) -> None:
    """Refuse what would lie outside of the folder it is unpacked to, and what can't be read."""
    name = info.orig_filename
    absolute = name.startswith("/") or name[1:2] == ":"
    if absolute or "\0" in name or "\\" in name or ".." in name.split("/"):
        raise InvalidInput(
            f"{path} holds a file called {name!r}, which would lie outside of the folder it is unpacked to. "
            "If you trust it, unpack it and import the folder."
        )
    if info.flag_bits & _LOCKED:
        raise InvalidInput(f"{path} is locked with a password. Unpack it, and import the folder.")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise InvalidInput(
            f"{path} holds a link ({info.filename!r}). Unpack it, replace the link, import the folder."
        )
    if info.compress_type not in zips.PACKINGS:
        packing = zipfile.compressor_names.get(info.compress_type, info.compress_type)  # type: ignore[attr-defined]
        raise InvalidInput(
            f"{info.filename!r} in {path} is packed with {packing}; deflate is read. Unpack it and import the folder."
        )


def _open(path: Path, largest: int) -> zipfile.ZipFile:
    with path.open("rb") as stream:
        size = zips.directory(stream)
    if size is None:
        raise InvalidInput(
            f"{path} is a zip without its end: it is cut off or damaged. Download it again."
        )
    if size > largest:
        raise InvalidInput(
            f"The directory of {path} has {size:,} bytes; the most taken is {largest:,}. Unpack it and import the folder."
        )
    try:
        return zipfile.ZipFile(path)
    except _DAMAGES as error:
        raise InvalidInput(f"{path} is a damaged zip ({error}). Download it again.") from None


_OTHER_PACKINGS = {
    b"\x1f\x8b": "gzip",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "rar",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}


@dataclass(slots=True)
class OpenSource:
    """`left`: what is never read, by reason. `total`: bytes according to the headers."""

    source: ImportSource
    tally: ByteCount
    stack: ExitStack
    left: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(entry.size for entry in self.source.entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()


def open_source(
    path: Path, channel: str | None = None, limits: ImportLimits = LIMITS
) -> OpenSource:
    """Open a source. Use it in a `with`: zips stay open until then."""
    tally = ByteCount(limits)
    with ExitStack() as stack:
        left: dict[str, int] = {}
        try:
            files = list(_files(path, tally, stack, left))
        except FileNotFoundError as error:
            raise InvalidInput(f"There is no {error.filename}.") from None
        except OSError as error:
            raise InvalidInput(f"{path} can't be read: {error.strerror or error}.") from None
        if not files:
            held = ", ".join(left)
            raise InvalidInput(
                f"{path} holds nothing to import{f', only {held}: unpack them first' if held else ''}."
            )
        source = ImportSource(path.resolve().name or str(path), files, channel)
        return OpenSource(source, tally, stack.pop_all(), left)
    raise AssertionError  # ExitStack lets every error through


def _files(
    path: Path, tally: ByteCount, stack: ExitStack, left: dict[str, int]
) -> Iterator[CountedFile]:
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        yield from _folder(path, tally, stack, left)
    elif not stat.S_ISREG(status.st_mode):
        raise InvalidInput(
            f"{path} is neither a file nor a folder. Save what it gives into a file first."
        )
    elif not status.st_size:
        raise InvalidInput(f"{path} is empty.")
    elif looks_like_one(path):
        yield from files(path, tally, stack, left)
    else:
        with path.open("rb") as stream:
            head = stream.read(8)
        for mark, name in _OTHER_PACKINGS.items():
            if head.startswith(mark):
                raise InvalidInput(
                    f"{path} is packed with {name}. Unpack it, and import what comes out."
                )
        yield _file(path, path.name, status.st_size, tally)


def _folder(
    root: Path, tally: ByteCount, stack: ExitStack, left: dict[str, int]
) -> Iterator[CountedFile]:
    home, packed = root.resolve(), 0
    found = sorted(_walk(root, home), key=lambda each: each.relative_to(root).as_posix())
    if len(found) > 10 * tally.limits.files:
        raise InvalidInput(
            f"{root} holds more than {10 * tally.limits.files:,} files. Import it in parts."
        )
    for path in found:
        name = path.relative_to(root).as_posix()
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InvalidInput(
                f"{path} is neither a file nor a folder. Take it out of the folder first."
            )
        if status.st_size and looks_like_one(path):
            packed += 1
            if packed > tally.limits.zips:
                raise InvalidInput(
                    f"{root} holds more than {tally.limits.zips} zips. Import them in parts."
                )
            yield from files(path, tally, stack, left, within=f"{name}/")
        elif status.st_size:
            yield _file(path, name, status.st_size, tally)


def _walk(root: Path, home: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise error

    for folder, below, names in os.walk(root, onerror=refuse):
        below[:] = [name for name in below if not hidden(name)]
        for name in [*below, *names]:
            path = Path(folder, name)
            if path.is_symlink() and not path.resolve().is_relative_to(home):
                raise InvalidInput(
                    f"{path} is a link that leads out of the folder. Replace it with what it leads to."
                )
        yield from (Path(folder, name) for name in names if not hidden(name))


def _file(path: Path, name: str, size: int, tally: ByteCount) -> CountedFile:
    if size > tally.limits.file:
        raise InvalidInput(
            f"{path} has {size:,} bytes; the most taken is {tally.limits.file:,}. Split it first."
        )
    return CountedFile(name, size, lambda: path.open("rb", buffering=0), tally)
