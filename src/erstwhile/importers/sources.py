"""Open a file, folder or zip as an `ImportSource`. Nothing is unpacked to disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from erstwhile.base.errors import InvalidInput
from erstwhile.importers import zips
from erstwhile.importers.model import ImportSource
from erstwhile.importers.source_file import LIMITS, ByteCount, CountedFile, ImportLimits

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stack.close()


def open_source(path: Path, channel: str | None = None, limits: ImportLimits = LIMITS) -> OpenSource:
    """Open a source. Use it in a `with`: zips stay open until then."""
    tally = ByteCount(limits)
    with ExitStack() as stack:
        left: dict[str, int] = {}
        try:
            files = list(_files(path, tally, stack, left))
        except OSError as error:
            raise InvalidInput(f"{path} can't be read: {error.strerror or error}.") from None
        if not files:
            held = ", ".join(left)
            raise InvalidInput(f"{path} holds nothing to import{f', only {held}: unpack them first' if held else ''}.")
        source = ImportSource(path.resolve().name or str(path), files, channel)
        return OpenSource(source, tally, stack.pop_all(), left)
    raise AssertionError  # ExitStack lets every error through


def _files(path: Path, tally: ByteCount, stack: ExitStack, left: dict[str, int]) -> Iterator[CountedFile]:
    status = _status(path)
    if stat.S_ISDIR(status.st_mode):
        yield from _folder(path, tally, stack, left)
    elif not stat.S_ISREG(status.st_mode):
        raise InvalidInput(f"{path} is neither a file nor a folder. Save what it gives into a file first.")
    elif not status.st_size:
        raise InvalidInput(f"{path} is empty.")
    elif zips.looks_like_one(path):
        yield from zips.files(path, tally, stack, left)
    else:
        _refuse_other_packings(path)
        yield _file(path, path.name, status.st_size, tally)


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except FileNotFoundError:
        raise InvalidInput(f"There is no {path}.") from None


def _folder(root: Path, tally: ByteCount, stack: ExitStack, left: dict[str, int]) -> Iterator[CountedFile]:
    home, packed = root.resolve(), 0
    found = sorted(_walk(root, home), key=lambda each: each.relative_to(root).as_posix())
    if len(found) > 10 * tally.limits.files:
        raise InvalidInput(f"{root} holds more than {10 * tally.limits.files:,} files. Import it in parts.")
    for path in found:
        name = path.relative_to(root).as_posix()
        status = _status(path)
        if not stat.S_ISREG(status.st_mode):
            raise InvalidInput(f"{path} is neither a file nor a folder. Take it out of the folder first.")
        if status.st_size and zips.looks_like_one(path):
            packed += 1
            if packed > tally.limits.zips:
                raise InvalidInput(f"{root} holds more than {tally.limits.zips} zips. Import them in parts.")
            yield from zips.files(path, tally, stack, left, within=f"{name}/")
        elif status.st_size:
            yield _file(path, name, status.st_size, tally)


def _walk(root: Path, home: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise error

    for folder, below, names in os.walk(root, onerror=refuse):
        below[:] = [name for name in below if not zips.hidden(name)]
        for name in [*below, *names]:
            path = Path(folder, name)
            if path.is_symlink() and not path.resolve().is_relative_to(home):
                raise InvalidInput(f"{path} is a link that leads out of the folder. Replace it with what it leads to.")
        yield from (Path(folder, name) for name in names if not zips.hidden(name))


def _file(path: Path, name: str, size: int, tally: ByteCount) -> CountedFile:
    if size > tally.limits.file:
        raise InvalidInput(f"{path} has {size:,} bytes; the most taken is {tally.limits.file:,}. Split it first.")

    def begin() -> IO[bytes]:
        return path.open("rb", buffering=0)

    return CountedFile(name, size, begin, tally)


def _refuse_other_packings(path: Path) -> None:
    with path.open("rb") as stream:
        head = stream.read(8)
    for mark, name in _OTHER_PACKINGS.items():
        if head.startswith(mark):
            raise InvalidInput(f"{path} is packed with {name}. Unpack it, and import what comes out.")
