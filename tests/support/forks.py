"""Start Python programs as `subprocess` does, in milliseconds instead of seconds: a process that has the imports done
forks for each.

`Popen` and `run` take commands that begin with `sys.executable`, followed by `-m module`, `-c program` or a file. What a
program does, prints and ends with is the same. Where forking can't do it (another PYTHONPATH, another system), the
program is started in the ordinary way.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import gc
import importlib
import inspect
import json
import os
import random
import runpy
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import warnings
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

TESTS = Path(__file__).resolve().parents[1]  # where programs find what they import from the tests
_ADOPT = 36  # PR_SET_CHILD_SUBREAPER: whose parent has gone becomes a child of this process, which can then wait for it
_SIZE = struct.Struct("I")
_PARAMETERS = list(inspect.signature(subprocess.Popen._execute_child).parameters) if os.name == "posix" else []
_AHEAD = (
    *("erstwhile.storage.postgres", "erstwhile.embedders.choose", "erstwhile.importers.sources"),
    *("rich.table", "rich.progress", "rich.syntax", "typer._click.decorators"),
)


class Popen(subprocess.Popen[Any]):
    def _execute_child(self, *arguments: Any) -> None:
        given = dict(zip(_PARAMETERS[1:], arguments, strict=True))
        words, environment = given["args"], dict(os.environ if given["env"] is None else given["env"])
        if not _can_fork(words, environment):
            paths = [each for each in (environment.get("PYTHONPATH"), str(TESTS)) if each]
            given["env"] = {**environment, "PYTHONPATH": os.pathsep.join(paths)}
            super()._execute_child(*given.values())  # type: ignore[misc]
            return
        ends = [given[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        ends = [number if end == -1 else end for number, end in enumerate(ends)]
        self.pid = _parent().fork(list(words[1:]), environment, str(given["cwd"] or os.getcwd()), ends)
        self._child_created = True
        pipes = [given[each] for each in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")]
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def run(words: list[str], *, timeout: float = 180, check: bool = False, input: str | None = None, **how: Any) -> Any:
    """As `subprocess.run` with `capture_output` and `text`."""
    pipe = subprocess.PIPE
    stdin = subprocess.DEVNULL if input is None else pipe
    with Popen(words, stdin=stdin, stdout=pipe, stderr=pipe, text=True, **how) as process:
        try:
            out, error = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(words, process.returncode, out, error)
    if check:
        done.check_returncode()
    return done


def ahead(*imports: str) -> None:
    """Import modules in the process that forks, for all programs from now on; `module:function` calls the function too."""
    if sys.platform == "linux":
        _parent().ahead(imports)


def _can_fork(words: list[str], environment: dict[str, str]) -> bool:
    same = all(environment.get(name) == os.environ.get(name) for name in ("PYTHONPATH", "PYTHONHASHSEED"))
    return sys.platform == "linux" and words[0] == sys.executable and same and not words[1].startswith(("-W", "-X"))


@cache
def _parent() -> _Parent:
    return _Parent()


class _Parent:
    """The process that forks, as this one sees it."""

    def __init__(self) -> None:
        ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)
        self._wire, theirs = socket.socketpair()
        self._lock = threading.Lock()
        words = [sys.executable, __file__, str(theirs.fileno())]
        process = subprocess.Popen(words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        atexit.register(process.kill)
        self._imported: set[str] = set()

    def fork(self, words: list[str], environment: dict[str, str], folder: str, ends: list[int]) -> int:
        return int(self._ask({"words": words, "environment": environment, "folder": folder}, ends))

    def ahead(self, imports: tuple[str, ...]) -> None:
        missing = [each for each in imports if each not in self._imported]
        if missing:
            self._ask({"imports": missing}, [])
            self._imported.update(missing)

    def _ask(self, what: dict[str, object], ends: list[int]) -> bytes:
        message = json.dumps(what).encode()
        with self._lock:
            socket.send_fds(self._wire, [_SIZE.pack(len(message))], ends)
            self._wire.sendall(message)
            answer = self._wire.recv(64)
        if not answer:
            raise RuntimeError("the process that forks has ended")
        return answer


# In the process that forks


def _serve(wire: socket.socket) -> None:
    sys.path.insert(0, str(TESTS))
    app = importlib.import_module("erstwhile.cli.app")
    commands = {f"erstwhile.cli.{each.module}" for each in (*app.EVERYDAY.values(), *app.GROUPS.values())}
    _import([*_AHEAD, *sorted(commands)])
    asyncio.run(_first_life())
    gc.freeze()  # or each program would look through what it was given, and get a copy of the pages
    while True:
        head, ends, _, _ = socket.recv_fds(wire, _SIZE.size, 3)
        if not head:
            return
        asked = json.loads(_read(wire, _SIZE.unpack(head)[0]))
        if "imports" in asked:
            _import(asked["imports"])
            gc.freeze()
            wire.sendall(b"done")
            continue
        wire.sendall(str(_forked(asked, ends, wire)).encode())
        for end in ends:
            os.close(end)


async def _first_life() -> None:
    """Whatever is only imported, read or compiled when it is needed is there afterwards."""
    import erstwhile

    said = [{"role": "user", "person": "mina", "text": f"I moved to Busan in {2000 + n}."} for n in range(12)]
    with tempfile.TemporaryDirectory() as folder:
        async with erstwhile.open(f"{folder}/first.db", worker=False, embedder="none") as memory:
            chat = memory.channel("hall")
            await chat.add_many(said)
            await memory.settle()
            await memory.search("Busan")
            await chat.context("Where did Mina live yesterday?", person="mina")


def _read(wire: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        found += wire.recv(size - len(found))
    return found


def _import(names: list[str]) -> None:
    for name in names:
        module, _, function = name.partition(":")
        found = importlib.import_module(module)
        if function:
            getattr(found, function)()


def _forked(asked: dict[str, Any], ends: list[int], wire: socket.socket) -> int:
    """Fork twice: the program's parent has gone when this returns, so that whoever asked can wait for it."""
    reading, writing = os.pipe()
    between = os.fork()
    if between == 0:
        child = os.fork()
        if child == 0:
            wire.close()
            os.close(reading)
            os.close(writing)
            _become(asked, ends)
        os.write(writing, str(child).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(between, 0)
    with os.fdopen(reading) as told:
        return int(told.read())


def _become(asked: dict[str, Any], ends: list[int]) -> None:
    """Be the program; never returns."""
    code = 1
    try:
        for number, end in enumerate(ends):
            os.dup2(end, number)
        for end in ends:
            if end > 2:
                os.close(end)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["folder"])
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", closefd=False, buffering=1 if os.isatty(1) else -1)  # noqa: SIM115
        sys.stderr = open(2, "w", closefd=False, buffering=1)  # noqa: SIM115
        signal.signal(signal.SIGINT, signal.default_int_handler)
        random.seed()
        if os.environ.get("PYTHONWARNINGS") == "error":
            warnings.simplefilter("error")
        importlib.reload(importlib.import_module("erstwhile.base.crash"))
        code = _run(asked["words"])
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except BrokenPipeError:
        code = 120  # as the interpreter says it
    finally:
        os._exit(code)


def _run(words: list[str]) -> int:
    try:
        if words[:2] == ["-m", "erstwhile"]:
            sys.argv = words[1:]  # as the installed command has it
            importlib.import_module("erstwhile.cli").main()
        elif words[0] == "-m":
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        elif words[0] == "-c":
            sys.argv = ["-c", *words[2:]]
            exec(compile(words[1], "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv = words
            sys.path.insert(0, os.path.dirname(words[0]))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:  # noqa: BLE001 - as the interpreter would
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        return 1
    return 0


def _be_quiet(number: int, frame: FrameType | None) -> None:
    """Ctrl-C in a terminal reaches this process too; whoever runs the tests ends it."""


if __name__ == "__main__":
    signal.signal(signal.SIGINT, _be_quiet)
    _serve(socket.socket(fileno=int(sys.argv[1])))
