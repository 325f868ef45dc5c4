"""`erstwhile serve` as somebody starts it, with what it says."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from types import TracebackType
from typing import Self

from support import forks


class Terminal:
    def __init__(self, database: str, *words: str) -> None:
        self._database, self._words = database, words
        self._lines: list[str] = []

    def __enter__(self) -> Self:
        command = [
            sys.executable,
            "-m",
            "erstwhile",
            "serve",
            "--port",
            "0",
            "--database",
            self._database,
            *self._words,
        ]
        self._process = forks.Popen(command, stderr=subprocess.PIPE, text=True, env=_plain())
        self.url = re.findall(r"http://[^,\s]+", self.said(r"erstwhile listens on .*"))[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=180)

    def said(self, pattern: str) -> str:
        """The first thing it says that looks so, now or before."""
        assert self._process.stderr is not None
        while True:
            if found := re.search(pattern, "".join(self._lines)):
                return found[0]
            line = self._process.stderr.readline()
            assert line, "".join(self._lines)
            self._lines.append(line)

    def erstwhile(self, *words: str) -> str:
        """Another command, on the same database."""
        command = [sys.executable, "-m", "erstwhile", *words, "--database", self._database]
        return forks.run(command, check=True, env=_plain()).stdout


def _plain() -> dict[str, str]:
    """Lines are not broken to fit a window."""
    return {**os.environ, "COLUMNS": "400"}
