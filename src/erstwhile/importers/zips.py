"""The files of a zip, after its directory was checked for attacks."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final

from erstwhile.base import zips
from erstwhile.base.errors import InvalidInput
from erstwhile.importers.source_file import ByteCount, CountedFile, ZipByteCount

_LOCKED: Final = 0x1 | 0x40 | 0x2000  # password, strong encryption, encrypted directory


def looks_like_one(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def hidden(name: str) -> bool:
    """Whether the operating system added this file."""
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
        _refuse_name(path, info)
        _refuse_kind(path, info)
    overlap = zips.overlapping(infos, opened.start_dir)
    if overlap is not None:
        raise InvalidInput(
            f"Files overlap in {path} (at {overlap.filename!r}), as they do in a zip bomb. It was not read."
        )
    packed = ZipByteCount(tally, path.name, path.stat().st_size)
    for info in sorted(infos, key=lambda info: info.filename):
        if info.is_dir() or not info.file_size or any(hidden(part) for part in info.filename.split("/")):
            continue
        if info.filename.lower().endswith(".zip"):
            left["zips within a zip"] = left.get("zips within a zip", 0) + 1
            continue
        yield _file(opened, info, within, packed)


def _file(opened: zipfile.ZipFile, info: zipfile.ZipInfo, within: str, packed: ZipByteCount) -> CountedFile:
    def begin() -> IO[bytes]:
        return opened.open(info)

    return CountedFile(within + info.filename, info.file_size, begin, packed, info.compress_size)


def _open(path: Path, largest: int) -> zipfile.ZipFile:
    with path.open("rb") as stream:
        size = zips.directory(stream)
    if size is None:
        raise InvalidInput(f"{path} is a zip without its end: it is cut off or damaged. Download it again.")
    if size > largest:
        raise InvalidInput(
            f"The directory of {path} has {size:,} bytes; the most taken is {largest:,}. Unpack it and import the folder."
        )
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, RuntimeError, ValueError, OverflowError, struct.error, EOFError) as error:
        raise InvalidInput(f"{path} is a damaged zip ({error}). Download it again.") from None


def _refuse_name(path: Path, info: zipfile.ZipInfo) -> None:
    name = info.orig_filename
    if "\0" in name or "\\" in name or name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        raise InvalidInput(
            f"{path} holds a file called {name!r}, which would lie outside of the folder it is unpacked to. "
            "If you trust it, unpack it and import the folder."
        )


def _refuse_kind(path: Path, info: zipfile.ZipInfo) -> None:
    if info.flag_bits & _LOCKED:
        raise InvalidInput(f"{path} is locked with a password. Unpack it, and import the folder.")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise InvalidInput(f"{path} holds a link ({info.filename!r}). Unpack it, replace the link, import the folder.")
    if info.compress_type not in zips.PACKINGS:
        packing = zipfile.compressor_names.get(info.compress_type, info.compress_type)  # type: ignore[attr-defined]
        raise InvalidInput(
            f"{info.filename!r} in {path} is packed with {packing}; deflate is read. Unpack it and import the folder."
        )
