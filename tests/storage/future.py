"""An erstwhile of the future: this one's source, copied, with one more migration. It runs in processes of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import erstwhile
from erstwhile.storage import migrate
from support import forks

NEXT = {dialect: len(migrate.known(dialect)) + 1 for dialect in ("sqlite", "postgres")}
SQL = """
ALTER TABLE spaces ADD COLUMN mood TEXT;
CREATE TABLE moods (space TEXT NOT NULL, mood TEXT NOT NULL, PRIMARY KEY (space, mood));
INSERT INTO moods (space, mood) SELECT space, 'new' FROM spaces;
"""


class Future:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        package = folder / "erstwhile"
        shutil.copytree(Path(erstwhile.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
        for dialect, number in NEXT.items():
            (package / "storage" / "migrations" / dialect / f"{number:04}_moods.sql").write_text(SQL)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run(*arguments, PYTHONPATH=str(self._folder), **environment)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`erstwhile …` in a process of its own."""
    return forks.run([sys.executable, "-m", "erstwhile", *arguments], env={**os.environ, **environment}, timeout=180)
