"""The documentation is true: every setting and command is in it as it is, links lead somewhere, and its examples run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from pydantic.fields import FieldInfo

from erstwhile.base.settings import described, variable
from erstwhile.cli.app import app

REPOSITORY = Path(__file__).parents[2]
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def test_every_setting_is_documented_as_it_is() -> None:
    page = (REPOSITORY / "docs" / "settings.md").read_text()
    rows = [f"| `{variable(name)}` | {_default(field)} | {field.description} |" for name, field in described().items()]
    assert [row for row in rows if row not in page] == []
    assert page.count("\n| `ERSTWHILE_") == len(rows)


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    value = value.get_secret_value() if hasattr(value, "get_secret_value") else value
    return f"`{value}`" if value not in ("", {}) else ""


def _commands() -> list[str]:
    group = typer.main.get_command(app)
    assert hasattr(group, "commands")
    return [
        f"{name} {below}" if hasattr(command, "commands") else name
        for name, command in group.commands.items()
        for below in getattr(command, "commands", [""])
    ]


def test_every_command_is_documented() -> None:
    page = (REPOSITORY / "docs" / "commands.md").read_text()
    assert [name for name in _commands() if f"`erstwhile {name}" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    "page",
    [REPOSITORY / "README.md", *(REPOSITORY / "docs" / f"{name}.md" for name in ("start", "privacy", "erasing"))],
    ids=lambda page: page.name,
)
def test_the_examples_of_a_page_run_one_after_the_other(page: Path, tmp_path: Path) -> None:
    examples = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert examples
    for example in examples:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", example], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
