"""A file of a source as a stream of UTF-8. Sizes in headers are not trusted."""

from __future__ import annotations

import codecs
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass

_AT_ONCE = 256 * 1024
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
    """Counts the bytes read of a source, each once however often a file is opened."""

    def __init__(self, limits: ImportLimits) -> None:
        self.limits, self.read = limits, 0

    def count(self, more: int) -> None:
        self.read += more
        if self.read > self.limits.total:
            raise InvalidInput(
                f"It holds more than {self.limits.total:,} bytes when unpacked. Import it in parts: a folder at a time."
            )


class ZipByteCount(ByteCount):
    """Counts the bytes of one zip and refuses a zip bomb; overlapping files add up here."""

    def __init__(self, whole: ByteCount, name: str, size: int) -> None:
        super().__init__(whole.limits)
        self._whole, self._name, self._size = whole, name, size

    def count(self, more: int) -> None:
        self.read += more
        refuse_bomb(self._name, self.read, self._size, self.limits)
        self._whole.count(more)


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
