"""The SQLite file: create and open it, notice that it is another one, and say what is wrong with it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import apsw

from erstwhile.base.errors import StorageBusy, StorageCorrupt, StorageError, StorageFull
from erstwhile.base.system import open_private

_WAL_PAGES = 4000  # about 16 MB between checkpoints
_PAGE: Final = 4096  # bytes; SQLite writes the first one when a database is made

_Inode = tuple[int, int] | None


def connect(path: str, *, busy_seconds: float, read_only: bool) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
    connection = apsw.Connection(
        path, flags=flags | apsw.SQLITE_OPEN_NOMUTEX, statementcachesize=200
    )
    connection.set_busy_timeout(int(busy_seconds * 1000))
    # A database file may come from anywhere (a restored backup): no SQL in its schema may run.
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    # A plan goes by the statement alone. Else it may depend on the values, and SQLite prepares most
    # statements again for each call, which takes up to fifteen times as long as running them.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    for pragma in ("foreign_keys=ON", "cell_size_check=ON", "mmap_size=0", "temp_store=MEMORY"):
        connection.execute(
            f"PRAGMA {pragma}"
        )  # one by one: apsw stops at the first statement that returns a row
    if read_only:
        connection.execute("PRAGMA query_only=ON")
    else:
        _write_ahead(connection, busy_seconds)
        for pragma in ("synchronous=FULL", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.wal_autocheckpoint(_WAL_PAGES)
        # A reader that stays long keeps the log from starting anew; once it is gone, the log is cut to its size again.
        connection.execute(f"PRAGMA journal_size_limit={_WAL_PAGES * _PAGE}")
        list(
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
        )  # creates the log, if the file is new
    return connection


def _write_ahead(connection: apsw.Connection, busy_seconds: float) -> None:
    """Switch to WAL; retry, because SQLite fails at once where several processes do so."""
    patience = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > patience:
                raise
            time.sleep(0.01)


def create(path: str) -> None:
    """Create the file for its owner alone, unless it exists: SQLite would let everybody read it. The files that SQLite
    adds get the same mode."""
    with suppress(OSError):  # it exists, or SQLite says why it can't be opened
        open_private(os.path.realpath(path), "xb").close()


class FileReplaced(StorageError):
    """The database file, or one that belongs to it, was removed or replaced while it was in use."""


class FileIdentity:
    """Tells whether the database, its log and its shared memory are still the files that were opened. SQLite would go
    on writing to files that were removed, and nobody would find the rows again."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._files: dict[str, _Inode] = {}
        self._has_pages = False

    def remember(self) -> None:
        """Remember the files of a connection that was just opened."""
        main = self._files.get(self._path)
        names = (self._path, f"{self._path}-wal", f"{self._path}-shm")
        files = {name: _inode(_stat(name)) for name in names}
        self._files = files if main is None else {**files, self._path: main}

    def forget_log(self) -> None:
        """Forget all but the database itself, before the connection closes: SQLite may remove the others then."""
        self._files = {name: inode for name, inode in self._files.items() if name == self._path}

    def check(self) -> None:
        """Raise FileReplaced unless they are."""
        for name, inode in self._files.items():
            found = _stat(name)
            if _inode(found) != inode or (name == self._path and self._was_emptied(found)):
                raise FileReplaced(
                    f"{name} was removed or replaced while it was in use. What was not acknowledged is not stored. "
                    "Put the file back, or restart to use what is there now."
                )

    def _was_emptied(self, found: os.stat_result | None) -> bool:
        """Return whether a file that had pages has none any more, as after `> file`: it is the same file then."""
        if found is None:
            return False
        has_pages = found.st_size >= _PAGE
        self._has_pages = self._has_pages or has_pages
        return not has_pages and self._has_pages


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _inode(found: os.stat_result | None) -> _Inode:
    return None if found is None else (found.st_dev, found.st_ino)


class Damage:
    """Damage that was seen, by a read, a write or a check. From then on nothing is written, which could spread it or be
    lost in it. The file is not trusted again before it is opened anew."""

    def __init__(self, path: str) -> None:
        self._path, self._seen = path, False

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Explain errors, and note damage among them."""
        try:
            with explain_errors(self._path):
                yield
        except StorageCorrupt:
            self._seen = True
            raise

    def found(self, places: list[str]) -> list[str]:
        """Note what a check has found."""
        self._seen = self._seen or bool(places)
        return places

    def refuse(self) -> None:
        """Raise StorageCorrupt if there is damage."""
        if self._seen:
            raise StorageCorrupt(
                f"{self._path} is damaged: nothing is written to it any more, reading goes on where it can. Stop "
                "the server and restore a backup (`erstwhile backup --restore`); `erstwhile doctor` shows what is wrong."
            )


@contextmanager
def explain_errors(path: str) -> Iterator[None]:
    try:
        yield
    except apsw.FullError as error:
        raise StorageFull(
            f"No space left for {path}. Free some and try again; nothing acknowledged is lost, and reading still works."
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StorageBusy(
            f"Another process kept {path} locked for too long. Try again when it is done."
        ) from error
    except apsw.NotADBError as error:  # it can't be opened, not even by `erstwhile doctor`
        raise StorageCorrupt(
            f"{path} is damaged or not an erstwhile database. Name another file, or restore a backup."
        ) from error
    except (apsw.CorruptError, UnicodeDecodeError) as error:
        raise StorageCorrupt(
            f"{path} is damaged or not an erstwhile database. Restore a backup; `erstwhile doctor` shows what is wrong."
        ) from error
    except apsw.ReadOnlyError as error:
        raise StorageError(
            f"{path} can't be written. Check the permissions of the file and its folder."
        ) from error
    except apsw.CantOpenError as error:
        if os.path.isdir(path):
            raise StorageError(f"{path} is a folder. Name a file in it.") from error
        raise StorageError(
            f"{path} can't be opened. Check that its folder exists and may be written."
        ) from error
    except apsw.IOError as error:
        raise StorageError(
            f"The disk failed while using {path}; nothing acknowledged is lost. Check the disk, then try again."
        ) from error
