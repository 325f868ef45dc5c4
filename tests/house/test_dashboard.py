"""What people wrote never becomes markup, script or a property's name: the ways by which it could are closed, in the source too."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import erstwhile
from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import RESOURCES
from erstwhile.api.verb import verbs
from erstwhile.dashboard import paths

ROOT = Path(erstwhile.__file__).parent / "dashboard"
SOURCES = sorted(ROOT.rglob("*.py"))
# NiceGUI evaluates what stands in these: they take what is written here, and nothing that came from elsewhere.
WRITTEN_HERE = {"props", "style", "run_javascript", "add_head_html", "add_body_html", "add_css"}
NEVER = {"markdown", "restructured_text", "mermaid", "innerHTML", "add_resource"}
OWNERS = (Memory, Channel, *RESOURCES.values())
# What only reads, of the verbs that are not declared as such. Whatever else the memory can do is taken for a change.
READS = {"channel", "context", "describe", "export", "kept", "list", "messages", "ready", "watch"}
READS |= {each.name for owner in OWNERS for each in verbs(owner) if each.method == "GET"}
PUBLIC = {name for owner in OWNERS for name, value in vars(owner).items() if inspect.isfunction(value)}
CHANGES = {name for name in PUBLIC if not name.startswith("_")} - READS


def calls(file: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))


def constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.IfExp) and constant(node.body) and constant(node.orelse)
    )


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_props_styles_and_scripts_are_written_here(file: Path) -> None:
    found = [
        f"{file.name}:{call.lineno}"
        for call in calls(file)
        if isinstance(call.func, ast.Attribute) and call.func.attr in WRITTEN_HERE
        for given in [*call.args, *(word.value for word in call.keywords)]
        if not constant(given) and not ((isinstance(given, ast.Name) and given.id.isupper()) or _own(given))
    ]
    assert found == []


def _own(node: ast.expr) -> bool:
    """A constant of the module, such as _HEAD."""
    return isinstance(node, ast.Name) and node.id.lstrip("_").isupper()


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_no_property_is_an_expression(file: Path) -> None:
    """A property whose name begins with a colon is evaluated in the browser."""
    names = [
        node.slice
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "props"
    ]
    assert [ast.unparse(name) for name in names if not _plain(name)] == []
    handlers = [word.value for call in calls(file) for word in call.keywords if word.arg == "js_handler"]
    assert [ast.unparse(each) for each in handlers if not constant(each) and not _own(each)] == []


def _plain(name: ast.expr) -> bool:
    first = name.values[0] if isinstance(name, ast.JoinedStr) else name
    return isinstance(first, ast.Constant) and str(first.value)[:1] not in (":", "")


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_nothing_is_shown_as_markup(file: Path) -> None:
    found = [
        f"{file.name}:{call.lineno}"
        for call in calls(file)
        if isinstance(call.func, ast.Attribute)
        and (call.func.attr in NEVER or (call.func.attr == "html" and ast.unparse(call.func.value) == "ui"))
    ]
    assert found == []


def test_pages_go_through_the_door() -> None:
    """Sessions are the server's own affair: signing in knows them, and whoever makes a link."""
    knows = {"login.py", "viewer.py", "app.py"}
    inside = re.compile(r"memory\._|keys\.(store|sessions)|jobs\.worker")
    assert [file.name for file in SOURCES if inside.search(file.read_text()) and file.name not in knows] == []


def functions(node: ast.AST, within: tuple[ast.AST, ...] = ()) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child, within
            yield from functions(child, (*within, child))
        else:
            yield from functions(child, within)


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, without the functions in it."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from own_nodes(child)


def asks(function: ast.AST) -> bool:
    """Whether it asks who may change something itself, or is given the memory by whoever undoes: see PersonActions._undo."""
    named = getattr(function, "name", "")
    return named == "back" or any(
        isinstance(each, ast.Attribute) and each.attr == "writing" for each in own_nodes(function)
    )


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_whoever_changes_something_is_asked_for_each_time(file: Path) -> None:
    """A verb that is not known to only read takes a memory from `writing()`, in the very function that calls it."""
    found = [
        f"{file.name}:{node.lineno} {ast.unparse(node)}"
        for function, _ in functions(ast.parse(file.read_text()))
        for node in own_nodes(function)
        if isinstance(node, ast.Attribute) and _on_memory(node.value) and node.attr in CHANGES and not asks(function)
    ]
    assert found == []


def _on_memory(value: ast.expr) -> bool:
    """The memory, an object of it, or a channel of it, by the names that they have here."""
    while isinstance(value, (ast.Call, ast.Await)):
        value = value.func if isinstance(value, ast.Call) else value.value
    if isinstance(value, ast.Attribute) and value.attr in RESOURCES:
        return _on_memory(value.value)
    name = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
    return name in ("memory", "chat", "channel", "reading", "writing")


def test_every_page_that_is_listed_is_there() -> None:
    written = "\n".join(file.read_text() for file in (ROOT / "pages").glob("*.py"))
    assert [
        path for path in paths.PAGES if f'@page("{path}")' not in written and f'_PATH = "{path}"' not in written
    ] == []


def test_nothing_comes_from_elsewhere() -> None:
    assets = [*ROOT.joinpath("static").iterdir(), ROOT / "login.html"]
    found = [file.name for file in assets if "://" in file.read_text().replace("http://www.w3.org/", "")]
    assert found == []
