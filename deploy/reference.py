"""Reference pages written from the code: Python, HTTP and the command line. docs_site.py puts them into the site."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from typing import Any

import typer.main

import erstwhile
from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import RESOURCES
from erstwhile.api.stub import Stub
from erstwhile.cli.app import EVERYDAY, GROUPS, app


def python() -> str:
    """Every public verb with its signature and docstring, then the values and errors."""
    stub = Stub()
    parts = [
        "# Python\n\nWritten from the code. `erstwhile.open` gives these verbs with `await`, `erstwhile.open_sync` the same without it,"
        " and [`erstwhile.connect`](client.md) the same over HTTP.\n",
        _class(stub, "memory", "Memory", Memory),
        _class(stub, "chat", "Channel: `chat = memory.channel(…)`", Channel),
    ]
    parts += [_class(stub, f"memory.{noun}", f"memory.{noun}", kind) for noun, kind in sorted(RESOURCES.items())]
    values, errors = [], []
    for name in erstwhile.__all__:
        value = getattr(erstwhile, name)
        if inspect.isclass(value) and issubclass(value, Exception):
            errors.append(f"| `{name}` | {_line(value)} |\n")
        elif dataclasses.is_dataclass(value):
            fields = ", ".join(f"`{each.name}`" for each in dataclasses.fields(value) if not each.name.startswith("_"))
            values.append(f"| `{name}` | {_line(value)} | {fields} |\n")
    parts.append("## Values\n\n| name | what | fields |\n|---|---|---|\n" + "".join(values))
    parts.append("## Errors\n\n| name | when |\n|---|---|\n" + "".join(errors))
    return "\n".join(parts)


def _class(stub: Stub, called: str, title: str, kind: type) -> str:
    verbs = []
    for name, value in vars(kind).items():
        if inspect.isfunction(value) and not name.startswith("_"):
            signature = stub._method(name, value).strip().removeprefix("def ").removesuffix(": ...")
            signature = signature.replace("(self, ", "(").replace("(self)", "()").replace("        self,\n", "")
            text = f"```python\n{called}.{_unindented(signature)}\n```\n\n{_whole(value)}\n"
            verbs.append(f"### {called}.{name}\n\n{text}")
    return f"## {title}\n\n{_whole(kind)}\n\n" + "\n".join(verbs)


def _unindented(signature: str) -> str:
    return signature.replace("\n        ", "\n    ").replace("\n    )", "\n)")


def _whole(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def _line(value: Any) -> str:
    doc = _whole(value)
    return "" if doc.startswith(f"{value.__name__}(") else " ".join(doc.split("\n\n")[0].split()).replace("|", "\\|")


def http(document: dict[str, Any]) -> str:
    """Every route, by tag, from the OpenAPI document."""
    rows: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, each in methods.items():
            told = each.get("summary", "").replace("|", "\\|")
            rows.setdefault(each["tags"][0], []).append(f"| `{method.upper()}` | `{path}` | {told} |\n")
    told = {each["name"]: each.get("description", "") for each in document.get("tags", [])}
    head = (
        "# HTTP routes\n\nWritten from the code. [HTTP](http.md) has examples; a running server has the same as a page"
        " with every parameter at `/docs`, and as OpenAPI at `/openapi.json`.\n"
    )
    tables = (
        f"\n## {tag}\n\n{told.get(tag, '')}\n\n| method | path | what |\n|---|---|---|\n{''.join(lines)}"
        for tag, lines in rows.items()
    )
    return head + "".join(tables)


def commands() -> str:
    """Every command with its arguments and options."""
    root: Any = typer.main.get_command(app)
    head = "# Every command\n\nWritten from the code; `erstwhile COMMAND --help` says the same. [Commands](commands.md) explains them.\n"
    parts = (
        section
        for title, entries in (("Everyday", EVERYDAY), ("Groups", GROUPS))
        for section in (f"\n## {title}\n", *(part for name in entries for part in _command(root.commands[name], name)))
    )
    return head + "".join(parts)


def _command(command: Any, name: str) -> Iterator[str]:
    if hasattr(command, "commands"):
        for below, each in command.commands.items():
            yield from _command(each, f"{name} {below}")
        return
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    words = " ".join(
        (each.name or "").upper() if each.required else f"[{(each.name or '').upper()}]" for each in arguments
    )
    yield f"\n### erstwhile {name}\n\n`erstwhile {name} {words}`".rstrip().replace(" `", "`") + "\n"
    yield f"\n{_whole(command.callback)}\n\n"
    yield "| | |\n|---|---|\n"
    for each in command.params:
        named = (
            (each.name or "").upper()
            if each.param_type_name == "argument"
            else ", ".join((*each.opts, *each.secondary_opts))
        )
        yield f"| `{named}` | {(getattr(each, 'help', '') or '').replace('|', '&#124;')} |\n"
