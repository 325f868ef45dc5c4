"""The documentation is true: every setting and command is in it as it is, and links lead somewhere (examples: test_docs_examples.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from erstwhile.base.setting_fields import SettingField
from erstwhile.base.settings import described, variable
from erstwhile.cli.app import app

REPOSITORY = Path(__file__).parents[2]
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def test_every_setting_is_documented_as_it_is() -> None:
    page = (REPOSITORY / "docs" / "reference" / "settings.md").read_text()
    rows = [f"| `{variable(name)}` | {_default(field)} | {field.description} |" for name, field in described().items()]
    assert [row for row in rows if row not in page] == []
    assert page.count("\n| `ERSTWHILE_") == len(rows)


def _default(field: SettingField) -> str:
    value = field.default.get_secret_value() if hasattr(field.default, "get_secret_value") else field.default
    return f"`{value}`" if value not in ("", {}) else ""


def _commands(group: Any, path: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{path}{name} ")
        else:
            yield path + name


COMMANDS = tuple(_commands(typer.main.get_command(app)))


def test_every_command_is_documented() -> None:
    page = (REPOSITORY / "docs" / "reference" / "commands.md").read_text()
    assert [name for name in COMMANDS if not re.search(rf"`erstwhile {name}[ `]", page)] == []


def _named(text: str) -> set[str]:
    """The commands that a text tells people to run: in quotes, in code, at a prompt, after a colon; no prose."""
    return set(
        re.findall(r"(?:[`>\]\"]|: |\$ |^)erstwhile (?!keeps|listens)([a-z]+(?: [a-z-]+)*)", text, flags=re.MULTILINE)
    )


def _exists(named: str) -> bool:
    """Whether it is a command, with words for it, or a group."""
    return any(f"{named} ".startswith(f"{each} ") or f"{each} ".startswith(f"{named} ") for each in COMMANDS)


def test_every_command_that_is_named_exists() -> None:
    written = (path for suffix in ("py", "html", "sql", "md") for path in (REPOSITORY / "src").rglob(f"*.{suffix}"))
    sources = [path for path in written if not path.is_relative_to(REPOSITORY / "src/erstwhile/http/site")]
    wrong = {
        f"{path.relative_to(REPOSITORY)}: erstwhile {named}"
        for path in [*PAGES, REPOSITORY / "CHANGELOG.md", *sources]
        for named in _named(path.read_text())
        if not _exists(named)
    }
    assert sorted(wrong) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []
