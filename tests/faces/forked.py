"""Commands in processes of their own, without their imports: one process has them done and forks for each command.

What a command does, prints and ends with is the same; only its imports are not repeated for each.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_AHEAD = (
    "api.memory",
    "storage.sqlite",
    "storage.postgres",
    "writers.extractive",
    "index.space_index",
    "embedders.choose",
)


class Forks:
    def __init__(self, warnings: str) -> None:
        """`warnings` as in PYTHONWARNINGS, which is read when a process starts."""
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONWARNINGS": warnings},
        )
        atexit.register(self._process.kill)

    def run(
        self, words: Sequence[str], environment: Mapping[str, str], folder: Path, text: str | None
    ) -> subprocess.CompletedProcess[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory(prefix="erstwhile-fork-") as wire:
            given = Path(wire) / "stdin"
            given.write_text(text or "", encoding="utf-8")
            asked = {"words": list(words), "environment": dict(environment), "folder": str(folder), "wire": wire}
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            out, error = (Path(wire, name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(["erstwhile", *words], code, out, error)


@cache
def forks(warnings: str) -> Forks:
    return Forks(warnings)


def _command(asked: dict[str, object]) -> None:
    """In the child: becomes `erstwhile …`."""
    wire = str(asked["wire"])
    os.dup2(os.open(f"{wire}/stdin", os.O_RDONLY), 0)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(f"{wire}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    os.environ.clear()
    os.environ.update(asked["environment"])  # type: ignore[call-overload]
    os.chdir(str(asked["folder"]))
    sys.argv = ["erstwhile", *asked["words"]]  # type: ignore[misc]

    from erstwhile.cli import main

    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter would
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _serve() -> None:
    from importlib import import_module

    app = import_module("erstwhile.cli.app")
    for name in (*_AHEAD, *{f"cli.{each.module}" for each in (*app.EVERYDAY.values(), *app.GROUPS.values())}):
        import_module(f"erstwhile.{name}")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _command(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    _serve()
