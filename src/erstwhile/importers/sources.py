"""Open a file, folder or zip as an `ImportSource` of UTF-8 streams. Nothing is unpacked to disk, and sizes in
headers are not trusted."""

from __future__ import annotations

import codecs
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import IO, Final, Self

from erstwhile.base import zips
from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.importers.model import ImportSource

_AT_ONCE = 256 * 1024
Counts = dict[str, int]
_MARKS = (  # longer ones first: UTF-32 begins like UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class DamagedFile(InvalidInput):
    """A file cannot be read to its end. What came before the damage is valid."""


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Limits in expanded bytes. Exported text compresses about twentyfold, a zip bomb a
    thousandfold. The first `free` bytes are not judged, because repeated lines compress well too.
    """

    file: int = 16 * 2**30
    total: int = 64 * 2**30
    ratio: int = 200
    free: int = 64 * 2**20
    files: int = 100_000
    directory: int = 16 * 2**20
    zips: int = 200


LIMITS = ImportLimits()


class ByteCount:
    """Counts the bytes read of a source, each once however often a file is opened. Within a `whole`
    it counts those of one zip and refuses a zip bomb; overlapping files add up here."""

    def __init__(
        self, limits: ImportLimits, whole: ByteCount | None = None, name: str = "", size: int = 0
    ) -> None:
        self.limits, self.read = limits, 0
        self._whole, self._name, self._size = whole, name, size

    def count(self, more: int) -> None:
        self.read += more
        if self._whole is not None:
            refuse_bomb(self._name, self.read, self._size, self.limits)
            self._whole.count(more)
        elif self.read > self.limits.total:
            raise InvalidInput(
                f"It holds more than {self.limits.total:,} bytes when unpacked. Import it in parts: a folder at a time."
            )


def refuse_bomb(name: str, expanded: int, packed: int, limits: ImportLimits) -> None:
    if expanded > limits.free and expanded > limits.ratio * max(packed, 1):
        raise InvalidInput(
            f"{name} expands to more than {limits.ratio} times its size, as a zip bomb does; it was not read further. "
            "If you trust it, unpack it and import the folder."
        )


@dataclass(slots=True)
class CountedFile:
    """A `SourceFile`. `packed`: its size in the zip, if any. `seen`: how far it was read so far."""

    name: str
    size: int
    begin: Callable[[], IO[bytes]]
    tally: ByteCount
    packed: int | None = None
    seen: int = 0

    def open(self) -> IO[bytes]:
        return io.BufferedReader(_Stream(self), _AT_ONCE)

    def advance(self, place: int) -> None:
        limits = self.tally.limits
        if place <= self.seen:
            return
        if place > limits.file:
            raise InvalidInput(
                f"{self.name} has more than {limits.file:,} bytes. Split it, and import the parts."
            )
        if self.packed is not None:
            refuse_bomb(self.name, place, self.packed, limits)
        more, self.seen = place - self.seen, place
        self.tally.count(more)


class _Stream(io.RawIOBase):
    """UTF-8 without a byte order mark. UTF-16 and UTF-32 with one are converted."""

    def __init__(self, file: CountedFile) -> None:
        self._file = file
        self._decoder: codecs.IncrementalDecoder | None = None
        self._place = 0
        self._ready = memoryview(b"")
        self._ended = False
        with _damage(file.name, 0):
            self._source = file.begin()
        try:
            self._start()
        except BaseException:  # close the file after any error
            self._source.close()
            raise

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any writable buffer comes as one
        while not self._ready and not self._ended:
            self._ready = memoryview(self._decoded(self._more()))
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def close(self) -> None:
        self._source.close()
        super().close()

    def _start(self) -> None:
        head = self._more()
        while len(head) < 4 and not self._ended:
            head += self._more()
        encoding = next((name for mark, name in _MARKS if head.startswith(mark)), None)
        if encoding is not None:
            self._decoder = codecs.getincrementaldecoder(encoding)()
        elif head.startswith(codecs.BOM_UTF8):
            head = head[len(codecs.BOM_UTF8) :]
        self._ready = memoryview(self._decoded(head))

    def _more(self) -> bytes:
        with _damage(self._file.name, self._place):
            got = self._source.read(_AT_ONCE)
        self._ended = not got
        self._place += len(got)
        self._file.advance(self._place)
        return got

    def _decoded(self, got: bytes) -> bytes:
        if self._decoder is None:
            return got
        try:
            return self._decoder.decode(got, final=self._ended).encode()
        except UnicodeError as error:
            raise DamagedFile(
                f"{self._file.name} is not valid UTF-16 near byte {self._place - len(got):,} ({error}). "
                "Save it as UTF-8, for example with iconv -f utf-16 -t utf-8."
            ) from None


@contextmanager
def _damage(name: str, place: int) -> Iterator[None]:
    """Explain the errors that broken files and zips raise."""
    try:
        yield
    except PermissionError:
        raise InvalidInput(f"{name} may not be read. Change its permissions, or copy it.") from None
    except RuntimeError as error:  # zipfile: unknown compression, or a password
        raise InvalidInput(
            f"{name} has an unknown compression ({error}). Unpack it and import the folder."
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        what = f"{name} is damaged near byte {place:,} ({error})"
        raise DamagedFile(f"{what}. Download it again; what came before is valid.") from None


_DAMAGES: Final = (
    *(zipfile.BadZipFile, struct.error),
    *(RuntimeError, ValueError, OverflowError, EOFError),
)
_LOCKED: Final = 0x1 | 0x40 | 0x2000  # password, strong encryption, encrypted directory


def looks_like_one(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def hidden(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def files(
    path: Path, tally: ByteCount, stack: ExitStack, left: Counts, *, within: str = ""
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
    packed = ByteCount(tally.limits, tally, path.name, path.stat().st_size)
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
        cut = "a zip without its end: it is cut off or damaged"
        raise InvalidInput(f"{path} is {cut}. Download it again.")
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
    left: Counts = field(default_factory=dict)

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
        left: Counts = {}
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


def _files(path: Path, tally: ByteCount, stack: ExitStack, left: Counts) -> Iterator[CountedFile]:
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        yield from _folder(path, tally, stack, left)
    elif not stat.S_ISREG(status.st_mode):
        advice = "Save what it gives into a file first."
        raise InvalidInput(f"{path} is neither a file nor a folder. {advice}")
    elif not status.st_size:
        raise InvalidInput(f"{path} is empty.")
    elif looks_like_one(path):
        yield from files(path, tally, stack, left)
    else:
        with path.open("rb") as stream:
            head = stream.read(8)
        for mark, name in _OTHER_PACKINGS.items():
            if head.startswith(mark):
                advice = "Unpack it, and import what comes out."
                raise InvalidInput(f"{path} is packed with {name}. {advice}")
        yield _file(path, path.name, status.st_size, tally)


def _folder(root: Path, tally: ByteCount, stack: ExitStack, left: Counts) -> Iterator[CountedFile]:
    home, packed = root.resolve(), 0
    found = sorted(_walk(root, home), key=lambda each: each.relative_to(root).as_posix())
    if len(found) > 10 * tally.limits.files:
        most = 10 * tally.limits.files
        raise InvalidInput(f"{root} holds more than {most:,} files. Import it in parts.")
    for path in found:
        name = path.relative_to(root).as_posix()
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            advice = "Take it out of the folder first."
            raise InvalidInput(f"{path} is neither a file nor a folder. {advice}")
        if status.st_size and looks_like_one(path):
            packed += 1
            if packed > tally.limits.zips:
                most = tally.limits.zips
                raise InvalidInput(f"{root} holds more than {most} zips. Import them in parts.")
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
