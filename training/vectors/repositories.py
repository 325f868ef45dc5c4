"""Read files out of git directories: one folder per repository, named `owner+name`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Repositories:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self, repository: str, under: str = "", ending: str = "") -> list[str]:
        """List files. Those that a partial copy of the repository lacks have no size, and are left out."""
        command = ["ls-tree", "-r", "-z", "-l", "HEAD", *([under] if under else [])]
        listed = self._git(repository, *command).decode("utf-8").split("\0")
        rows = [each.split(None, 3)[3].split("\t") for each in listed if each]
        return [path for size, path in rows if size.strip() != "BAD" and path.endswith(ending)]

    def text(self, repository: str, path: str) -> str:
        return self._git(repository, "cat-file", "blob", f"HEAD:{path}").decode("utf-8-sig", "replace")

    def bytes(self, repository: str, path: str) -> bytes:
        return self._git(repository, "cat-file", "blob", f"HEAD:{path}")

    def json(self, repository: str, path: str) -> Any:
        return json.loads(self.text(repository, path))

    def json_lines(self, repository: str, path: str) -> Iterator[Any]:
        for line in self.text(repository, path).splitlines():
            if line.strip():
                yield json.loads(line)

    def texts(self, repository: str, paths: list[str]) -> Iterator[tuple[str, str]]:
        """Read many small files with one process. Missing files are left out."""
        asked = "".join(f"HEAD:{path}\n" for path in paths).encode()
        found = self._git(repository, "cat-file", "--batch", given=asked)
        at = 0
        for path in paths:
            end = found.index(b"\n", at)
            header = found[at:end].split()
            at = end + 1
            if header[-1] == b"missing":
                continue
            size = int(header[-1])
            yield path, found[at : at + size].decode("utf-8", "replace")
            at += size + 1

    def _git(self, repository: str, *command: str, given: bytes | None = None) -> bytes:
        place = self._folder / repository.replace("/", "+") / "repo"
        place = place / ".git" if (place / ".git").is_dir() else place
        ran = subprocess.run(["git", f"--git-dir={place}", *command], input=given, capture_output=True, check=True)
        return ran.stdout
