"""Disks that fail: SQLite file systems (VFS) for tests, in place of the real one while they are installed.

`Failing` raises on the n-th write or fsync, once. `Losing` keeps track of what a power cut would leave: what was fsynced, and any part of
what was not.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import apsw

SECTOR = 512
REAL = apsw.vfs_names()[0]  # the disk of this machine, by its name in SQLite


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__(REAL, name, flags)
        self._disk = disk
        self._path = str(name.filename() if isinstance(name, apsw.URIFilename) else name)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.before("write", self._path)
        super().xWrite(data, offset)
        self._disk.written(self._path, offset, bytes(data))

    def xTruncate(self, size: int) -> None:
        self._disk.before("truncate", self._path)
        super().xTruncate(size)
        self._disk.truncated(self._path, size)

    def xSync(self, flags: int) -> None:
        self._disk.before("sync", self._path)
        super().xSync(flags)
        self._disk.synced(self._path)


class Disk:
    """A disk that only watches."""

    def before(self, what: str, path: str) -> None: ...

    def written(self, path: str, offset: int, data: bytes) -> None: ...

    def truncated(self, path: str, size: int) -> None: ...

    def synced(self, path: str) -> None: ...

    def deleted(self, path: str) -> None: ...

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Every SQLite file opened inside is on this disk."""
        vfs = _VFS(self)
        try:
            yield
        finally:
            vfs.unregister()


class _VFS(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        super().__init__("erstwhile-test-disk", REAL, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return _File(self._disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self._disk.deleted(filename)


@dataclass
class Failing(Disk):
    """Counts writes and fsyncs while `armed`; number `fail_at` (the first is 1) raises what `error` makes, once."""

    fail_at: int
    error: Callable[[str], Exception]
    armed: bool = False
    count: int = 0
    failed: str = ""

    def before(self, what: str, path: str) -> None:
        if self.armed:
            self.count += 1
            if self.count == self.fail_at:
                self.failed = f"{what} of {Path(path).name}"
                raise self.error(what)


def io_error(what: str) -> Exception:
    error = apsw.IOError(f"the disk failed in {what}")
    error.extendedresult = apsw.SQLITE_IOERR_FSYNC if what == "sync" else apsw.SQLITE_IOERR_WRITE
    return error


def no_space(what: str) -> Exception:
    return apsw.FullError("no space left on device")


@dataclass
class Filling(Disk):
    """Takes nothing more while `full`."""

    error: Callable[[str], Exception] = no_space
    full: bool = False

    def before(self, what: str, path: str) -> None:
        if self.full and what == "write":
            raise self.error(what)


@dataclass
class _Held:
    """One file: what is certainly on the disk, and what was written since the last fsync."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)  # (offset, data), or (size, None) for a cut


def _apply(image: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        del image[offset:]
        return
    if len(image) < offset + len(data):
        image.extend(bytes(offset + len(data) - len(image)))
    image[offset : offset + len(data)] = data


class Losing(Disk):
    """Remembers for each file what an honest disk has to keep. `cut` writes down what could be left if the power failed now."""

    def __init__(self) -> None:
        self._files: dict[str, _Held] = {}
        self._lock = threading.Lock()
        self.on_write: Callable[[], None] | None = None

    def before(self, what: str, path: str) -> None:
        if self.on_write is not None:
            self.on_write()

    def written(self, path: str, offset: int, data: bytes) -> None:
        with self._lock:
            self._files.setdefault(path, _Held()).pending.append((offset, data))

    def truncated(self, path: str, size: int) -> None:
        with self._lock:
            self._files.setdefault(path, _Held()).pending.append((size, None))

    def synced(self, path: str) -> None:
        with self._lock:
            held = self._files.setdefault(path, _Held())
            for offset, data in held.pending:
                _apply(held.durable, offset, data)
            held.pending.clear()

    def deleted(self, path: str) -> None:
        with self._lock:
            self._files.pop(path, None)

    def cut(self, into: Path, chance: random.Random) -> None:
        """Of what was not fsynced any part may be there, in any order: all, none, or some of the sectors."""
        keep = chance.choice([0.0, 0.5, 0.9, 1.0])
        with self._lock:
            images = {path: (bytearray(held.durable), list(held.pending)) for path, held in self._files.items()}
        into.mkdir(parents=True)
        for path, (image, pending) in images.items():
            for offset, data in pending:
                if data is None:
                    if chance.random() < keep:
                        _apply(image, offset, None)
                    continue
                for start in range(0, len(data), SECTOR):
                    if chance.random() < keep:
                        _apply(image, offset + start, data[start : start + SECTOR])
            (into / Path(path).name).write_bytes(image)
