"""The examples of a documentation page: find them, and run them one after the other as a reader would.

Comments in front of a block that readers don't see:
`<!-- not run: reason -->`   only its form is checked
`<!-- file: name -->`        written to a file that later examples read
`<!-- setup: python … -->`   runs before what follows (also `setup: sh`); there, `await opened(erstwhile.open(…))`
                             is a memory that stays open until the page ends
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import gc
import inspect
import io
import json
import os
import re
import shlex
import sys
import tomllib
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import typer.main

from erstwhile.cli import main
from erstwhile.cli.app import app
from erstwhile.testing import ModelServer
from support.serving import Served

REPOSITORY = Path(__file__).parents[2]
SHELL = ("sh", "console")
RUN = ("python", *SHELL)
# Not run: output, files of other programs, what a browser or another language runs.
SHOWN = ("text", "json", "jsonl", "toml", "yaml", "xml", "sql", "ini", "nginx", "ts", "js", "html")
STAYING = ("serve", "worker", "mcp", "discord", "slack", "telegram")  # run until they are stopped
_SECONDS = 60  # for one example
URL = "http://127.0.0.1:8765"
# Addresses of a Postgres in the pages: of whoever owns the tables. `createdb` makes that database.
POSTGRES = ("postgresql://localhost/erstwhile", "postgresql://erstwhile@db/erstwhile")

_PIECE = re.compile(
    r"^<!-- (?P<mark>not run|file|setup): *(?P<told>.*?) *-->\n"
    r"|^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<code>.*?)^ *```$",
    flags=re.DOTALL | re.MULTILINE,
)


class ExampleError(AssertionError):
    """An example does not do what the page says."""


@dataclass(frozen=True, slots=True)
class Example:
    line: int
    language: str
    code: str
    not_run: str = ""
    file: str = ""


def examples(text: str) -> Iterator[Example]:
    marks: dict[str, str] = {}
    after = 0
    for found in _PIECE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if marks and text[after : found.start()].strip():
            raise ExampleError(f"line {line}: a comment for an example stands before something else")
        after = found.end()
        if found["mark"] == "setup":
            language, _, code = found["told"].partition("\n")
            yield Example(line, language.strip(), code)
        elif found["mark"]:
            marks[found["mark"]] = found["told"]
        else:
            code = re.sub(rf"^{found['indent']}", "", found["code"], flags=re.MULTILINE)
            yield Example(line, found["language"], code, marks.get("not run", ""), marks.get("file", ""))
            marks = {}


def commands(example: Example) -> Iterator[tuple[int, str]]:
    """The commands of a shell block with their lines; in a `console` block they begin with `$`, the rest is output."""
    lines = iter(enumerate(example.code.splitlines(), start=example.line + 1))
    for number, line in lines:
        whole = line
        while whole.endswith("\\"):
            whole = whole[:-1] + next(lines)[1]
        while _open_quote(whole):
            whole += "\n" + next(lines)[1]
        if example.language == "console":
            if not whole.startswith("$ "):
                continue
            whole = whole[2:]
        if whole.strip() and not whole.startswith("#"):
            yield number, whole


def _open_quote(line: str) -> bool:
    try:
        shlex.split(line, comments=True)
    except ValueError:
        return True
    return False


def check_form(example: Example) -> None:
    """Raise if a block is not what its language says, or would hide an example."""
    code = example.code
    if example.language not in (*RUN, *SHOWN):
        raise ExampleError(f"name its language: {', '.join((*RUN, *SHOWN))}")
    if example.language == "text" and re.search(
        r"^(\$ |erstwhile [a-z]|curl |import |pip install)", code, re.MULTILINE
    ):
        raise ExampleError("an example is marked as text")
    if example.language == "python":
        compile(code, "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    elif example.language == "json":
        json.loads(code)
    elif example.language == "jsonl":
        [json.loads(line) for line in code.splitlines()]
    elif example.language == "toml":
        tomllib.loads(code)
    elif example.language in SHELL:
        for _, line in commands(example):
            _check_installed(shlex.split(line, comments=True))


def _check_installed(words: list[str]) -> bool:
    """Whether it is `pip install` or `make`; raise if what it names does not exist."""
    if words[:1] == ["make"]:
        targets = re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), flags=re.MULTILINE)
        if words[1] not in targets:
            raise ExampleError(f"make has no target {words[1]}")
        return True
    if words[:2] != ["pip", "install"]:
        return False
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = [each for word in words for each in re.findall(r"erstwhile\[([a-z,]+)\]", word)]
    unknown = {each for group in named for each in group.split(",")} - extras.keys()
    if unknown:
        raise ExampleError(f"there is no extra {', '.join(sorted(unknown))}")
    return True


class Reader:
    """Run the examples of a page in a folder of its own: Python in one namespace, commands in this process, HTTP
    against a real server, models by a scripted one. `postgres` is the URL of an empty database."""

    def __init__(self, folder: Path, postgres: str = "") -> None:
        self._folder, self._postgres = folder, postgres
        self._memories = contextlib.AsyncExitStack()
        self._names: dict[str, Any] = {"__name__": "__main__", "opened": self._memories.enter_async_context}
        self._python_ran = False
        self._printed = ""
        self._url = ""
        self._open = contextlib.ExitStack()
        self._runner = asyncio.Runner()

    def __enter__(self) -> Reader:
        self._open.enter_context(contextlib.chdir(self._folder))
        self._open.callback(self._environment_back, dict(os.environ))
        self._model = self._open.enter_context(ModelServer())
        self._open.enter_context(self._runner)
        for name in [name for name in os.environ if name.startswith("ERSTWHILE_")]:
            del os.environ[name]
        os.environ |= {
            "OPENAI_BASE_URL": self._model.base_url,
            "ANTHROPIC_BASE_URL": self._model.url,
            "HOME": str(self._folder),  # no example writes into the home of whoever runs the tests
            "NO_COLOR": "1",
            "COLUMNS": "100",
        }
        return self

    def __exit__(self, *_error: object) -> None:
        try:
            self._runner.run(self._memories.aclose())
        finally:
            self._open.close()
            if self._python_ran:  # to look through all that is loaded takes a third of a second
                self._throw_away()

    def _throw_away(self) -> None:
        """Collect clients of other libraries, which an example need not close."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            self._names.clear()
            gc.collect()

    @staticmethod
    def _environment_back(before: dict[str, str]) -> None:
        os.environ.clear()
        os.environ.update(before)

    def read(self, example: Example, page: str) -> None:
        where = f"{page}:{example.line}"
        try:
            check_form(example)
            if example.file:
                Path(example.file).write_text(example.code)
            elif example.not_run or example.language in SHOWN:
                return
            elif example.language == "python":
                self._python(self._filled(example.code), where)
            else:
                for number, line in commands(example):
                    where = f"{page}:{number}"
                    self._shell(shlex.split(self._filled(line), comments=True))
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a wrong example raises
            shown = "".join(traceback.format_exception(error, limit=-3))
            raise ExampleError(f"{where}\n{example.code}\n{shown}\nprinted:\n{self._printed[-2000:]}") from None

    def _filled(self, code: str) -> str:
        """Fill in what a reader would: the port, and ids and keys that were printed before (`prf_…`)."""
        if URL in code:
            code = code.replace(URL, self._served())
        if ":8765" in code:
            code = code.replace("127.0.0.1:8765", self._served().removeprefix("http://"))
        for prefix in set(re.findall(r"\b([a-z]{2,4}_)…", code)):
            seen = re.findall(rf"\b{prefix}[0-9A-Za-z_-]{{5,}}", self._printed)
            known = "any-text" if prefix == "er_" else f"{prefix}example"  # as long as a server has no keys
            code = code.replace(f"{prefix}…", seen[-1] if seen else known)
        for address in POSTGRES if self._postgres else ():
            code = code.replace(address, self._postgres)
        return code.replace("sk-…", "sk-example")

    def _served(self) -> str:
        if not self._url:
            server = Served(
                str(self._folder / "erstwhile.db"),
                model="openai-compatible:test-model",
                base_url=self._model.base_url,
                secret_key="x" * 43 + "=",
            )
            self._open.enter_context(server)
            self._url = f"http://127.0.0.1:{server.port}"
        return self._url

    def _python(self, code: str, where: str) -> None:
        compiled = compile(code, where, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        self._python_ran = True
        with self._printing():
            result = builtins.eval(compiled, self._names)
            if inspect.iscoroutine(result):
                self._runner.run(asyncio.wait_for(result, _SECONDS))

    def _shell(self, words: list[str]) -> None:
        if "&&" in words:
            at = words.index("&&")
            self._shell(words[:at])
            self._shell(words[at + 1 :])
            return
        to = None
        if ">" in words:
            words, to = words[: words.index(">")], words[words.index(">") + 1]
        assigned = {}
        while words and re.match(r"[A-Z_]+=", words[0]):
            name, _, value = words.pop(0).partition("=")
            assigned[name] = value
        if words[:1] == ["export"]:
            os.environ.update(word.split("=", 1) for word in words[1:])
        elif words[:1] == ["erstwhile"]:
            self._erstwhile(words[1:], assigned, to)
        elif words[:1] == ["curl"]:
            self._curl(words[1:])
        elif words[:1] == ["python"] and len(words) == 2:
            self._python(self._filled(Path(words[1]).read_text()), words[1])
        elif not _check_installed(words) and not (words == ["createdb", "erstwhile"] and self._postgres):
            raise ExampleError(f"nobody can run {shlex.join(words)} here; say why: <!-- not run: … -->")

    def _erstwhile(self, words: list[str], assigned: dict[str, str], to: str | None) -> None:
        if words[0] in STAYING:
            command = typer.main.get_command(app).commands[words[0]]  # type: ignore[attr-defined]
            command.make_context(words[0], list(words[1:]))  # raises for options that don't exist
            return
        kept, given = dict(os.environ), sys.argv
        out = io.StringIO()
        with self._printing(out):
            os.environ |= assigned
            sys.argv = ["erstwhile", *words]
            try:
                main()
            except SystemExit as end:
                if end.code:
                    raise ExampleError(f"`{shlex.join(words)}` ends with {end.code}") from None
            finally:
                sys.argv = given
                self._environment_back(kept)
        if to is not None:
            Path(to).write_text(out.getvalue())

    def _curl(self, words: list[str]) -> None:
        request = curl(words)
        try:
            with urlopen(request, timeout=60) as answer:
                self._printed += answer.read(200_000).decode()
        except HTTPError as error:
            raise ExampleError(f"{error.code} {error.read().decode()}") from None

    @contextlib.contextmanager
    def _printing(self, out: io.StringIO | None = None) -> Iterator[None]:
        out, err = out or io.StringIO(), io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                yield
        finally:
            self._printed += out.getvalue() + err.getvalue()


def curl(words: list[str]) -> Request:
    """What curl would send."""
    url, method, headers, body = "", None, {}, None
    given = iter(words)
    for word in given:
        if word == "-X":
            method = next(given)
        elif word == "-H":
            name, _, value = next(given).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = next(given).encode()
        elif word not in ("-s", "-N"):
            url = word
    return Request(url, data=body, headers=headers, method=method or ("POST" if body else "GET"))
