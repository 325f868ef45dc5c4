"""The operating system: files that only their owner may read, and forks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

from erstwhile.base.errors import StorageError

_OWNER_ONLY = 0o600


def open_private(path: str | Path, mode: str, **options: Any) -> IO[Any]:
    """Open a file for writing. A new one has mode 0600, whatever the umask; an existing one
    keeps its mode."""
    return open(path, mode, opener=_open, **options)


def _open(path: str, flags: int) -> int:
    handle = os.open(path, flags, _OWNER_ONLY)
    if flags & os.O_EXCL:
        os.fchmod(handle, _OWNER_ONLY)  # also where the umask denies its owner something
    return handle


class OwningProcess:
    """The process that opened a memory."""

    def __init__(self) -> None:
        self._id = os.getpid()

    @property
    def is_this(self) -> bool:
        return os.getpid() == self._id

    def check(self) -> None:
        """Raise in a process that was forked since: there it would wait for ever for a thread
        that it doesn't have."""
        if not self.is_this:
            why = "This memory was opened before the process forked."
            raise StorageError(f"{why} Open one in each process, after the fork.")
