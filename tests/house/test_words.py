"""Public texts use the public words: none of those that stood for something that must be learnt first.

Texts are commands' help, settings, errors, documentation, the dashboard, tools, and docstrings of verbs and public types.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

import erstwhile
from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import RESOURCES
from erstwhile.api.verb import verbs
from erstwhile.base.settings import described
from erstwhile.cli.app import app

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / "src" / "erstwhile"
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]

# What not to write, and what to write instead.
INSTEAD = {
    r"house": "the API",
    r"doors?": "the API, an interface",
    r"rooms?": "layer; space",
    r"hear|hears|heard|hearing": "visible to; read",
    r"shel(?:f|ves)": "index, segment",
    r"told of": "remembered about",
    r"what it comes to": "summary",
    r"retract\w*|withdr[ae]w\w*|scrub\w*|bur(?:y|ies|ied)|let go|drop(?:s|ped|ping)?": "delete, erase, expire; leave out",
    r"complain\w*|complaints?": "feedback",
    r"advice": "recommendation",
}
BANNED = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b", re.IGNORECASE)

# The same words where they mean what they usually mean.
USUAL = re.compile(
    r"room for (?:messages|all of it)"  # of a budget
    r"|has a house in Seoul"  # a message
    r"|drop an export|drop a parcel|drops the connection"  # with the mouse; in a message; a network
    r'|each of "drop"|and "drop" must',  # a field of a model's answer
    re.IGNORECASE,
)


def _wrong(texts: dict[str, str]) -> dict[str, list[str]]:
    plain = {where: re.sub(r"`[^`\n]*`", "", " ".join(text.split())) for where, text in texts.items()}
    found = {where: BANNED.findall(USUAL.sub("", text)) for where, text in plain.items()}
    return {where: words for where, words in found.items() if words}


def _help(command: Any, path: str) -> Iterator[tuple[str, str]]:
    yield path, command.help or ""
    for each in command.params:
        yield f"{path} {each.name}", getattr(each, "help", "") or ""
    for name, inner in getattr(command, "commands", {}).items():
        yield from _help(inner, f"{path} {name}")


def _prose(page: Path) -> str:
    """The text of a page without its blocks of code and its addresses."""
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"\]\([^)]*\)", "", text)


def _strings(node: ast.AST) -> str:
    return " ".join(
        each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


def _raised(file: Path) -> Iterator[tuple[str, str]]:
    """The texts of the errors that a file raises."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield f"{file.relative_to(SOURCE)}:{node.lineno}", _strings(node.exc)


def _shown(file: Path) -> Iterator[tuple[str, str]]:
    """The texts of a file of the dashboard that have several words, and so are no names of classes."""
    tree = ast.parse(file.read_text())
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented = [node for node in ast.walk(tree) if isinstance(node, owners) and ast.get_docstring(node)]
    docstrings = {id(node.body[0].value) for node in documented if isinstance(node.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            place = f"{file.relative_to(SOURCE)}:{node.lineno}:{node.col_offset}"
            yield place, node.value if re.search(r"[A-Z]\w* |\w [a-z]+ \w", node.value) else ""


def _documented(owners: dict[str, Any]) -> dict[str, str]:
    return {name: inspect.getdoc(each) or "" for name, each in owners.items()}


def _tools() -> dict[str, str]:
    files = [SOURCE / "mcp" / "tools.py", SOURCE / "mcp" / "shapes.py", SOURCE / "http" / "models.py"]
    owners = (ast.ClassDef, ast.AsyncFunctionDef)
    return {
        f"{file.name}:{node.name}": ast.get_docstring(node) or ""
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, owners)
    }


def _verbs() -> dict[str, Any]:
    owners = (Memory, Channel, *RESOURCES.values())
    return {f"{owner.__name__}.{each.name}": each.function for owner in owners for each in verbs(owner)}


def _public() -> dict[str, Any]:
    named = {name: getattr(erstwhile, name) for name in erstwhile.__all__}
    return {name: each for name, each in named.items() if inspect.isclass(each)}


TEXTS = {
    "commands": lambda: dict(_help(typer.main.get_command(app), "erstwhile")),
    "settings": lambda: {name: field.description for name, field in described().items()},
    "pages": lambda: {page.relative_to(REPOSITORY).as_posix(): _prose(page) for page in PAGES},
    "errors": lambda: dict(each for file in SOURCE.rglob("*.py") for each in _raised(file)),
    "dashboard": lambda: dict(each for file in (SOURCE / "dashboard").rglob("*.py") for each in _shown(file)),
    "tools": _tools,
    "verbs": lambda: _documented(_verbs()),
    "types": lambda: _documented(_public()),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_public_texts_use_the_public_words(kind: str) -> None:
    texts = TEXTS[kind]()
    assert len(texts) > 20
    assert _wrong(texts) == {}, f"write instead: {INSTEAD}"


# A participle alone says nothing about what a class holds. `Settled` is part of the interface's definition.
PARTICIPLES = {"Settled"}  # fixed by the interface


def test_public_classes_are_named_by_nouns() -> None:
    alone = {name for name in _public() if re.fullmatch(r"[A-Z][a-z]+(?:ed|en|ld)|\w+Shown", name)}
    assert alone <= PARTICIPLES
