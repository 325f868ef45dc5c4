"""Settings, the doctor, the structure of the database, and the plugin for coding agents."""

from __future__ import annotations

import asyncio
import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from erstwhile.base import setting_list
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.base.settings import load, variable
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, check_database, group, with_memory
from erstwhile.cli.output import TableRows

config = group()
_SIGNS = {"ok": "✓", "note": "·", "problem": "✗"}


def doctor(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Find problems and say what to do. Exits with 1 when there is one."""
    check_database(database)
    findings = with_memory(lambda memory: memory.doctor(), database, space)
    if json:
        output.print_json(findings)
    else:
        for each in findings:
            output.paragraph(each.what, f"{_SIGNS[each.level]} ")
            if each.advice:
                output.paragraph(each.advice, "  → ")
    if any(each.level == "problem" for each in findings):
        raise typer.Exit(1)


def migrate(database: Database = None, json: Json = False) -> None:
    """Update the structure of the database."""
    from erstwhile.api.memory import migrate as update_structure

    applied = asyncio.run(update_structure(database))
    done = f"Applied {', '.join(applied)}." if applied else "Up to date."
    output.print_result({"applied": applied}, done, json=json)


@config.command("show")
def show(database: Database = None, json: Json = False) -> None:
    """List every setting: its value, its source, and what it does. Secrets are hidden."""
    settings = load(database=database)
    rows: dict[str, dict[str, Any]] = {
        each.name: {
            "value": each.value,
            "source": "command line" if each.source == "given" else each.source,
            "description": each.description,
        }
        for each in setting_list.list_settings(settings)
    }
    values = {name: row["value"] for name, row in rows.items()}
    values["model"] = f"{values['model'] or '(not set)'} → {settings.chosen_model}"
    rows["model"]["in_force"] = settings.chosen_model
    table = (
        (variable(name), values[name], row["source"], row["description"])
        for name, row in rows.items()
    )
    output.print_result(rows, TableRows("setting, value, from, what it does", table), json=json)


@config.command("secret")
def secret(json: Json = False) -> None:
    """Print a new secret for ERSTWHILE_SECRET_KEY, which encrypts keys. It is not stored."""
    from erstwhile.configuration.encryption import new_secret

    made = new_secret()
    output.print_result({"secret_key": made}, lambda: typer.echo(made), json=json)


coding = group()

Host = Annotated[str, typer.Argument(metavar="AGENT", help="claude-code, codex or cursor.")]


class PluginError(Error):
    """A coding agent refused the plugin."""


@coding.command("install")
def install(
    host: Host,
    url: Annotated[str, typer.Option(help="The server.", metavar="URL")] = "http://127.0.0.1:8765",
    key: Annotated[str, "A key of the space; - reads it from stdin."] = "",
    space: Annotated[str, "The space."] = "default",
    person: Annotated[str, "Who you are. Default: your user name."] = "",
) -> None:
    """Install the plugin: hooks that recall and store, and the MCP tools."""
    from erstwhile_coding.install import ServerAddress
    from erstwhile_coding.install import install as install_plugin

    with _plugin(host):
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(f"{url!r} is not an address. Use http://… or https://….")
        key = sys.stdin.readline().strip() if key == "-" else key
        address = ServerAddress(url.rstrip("/"), key, space, person or getpass.getuser())
        for line in install_plugin(host, address):
            output.note(line)


@coding.command("remove")
def remove(host: Host) -> None:
    """Remove the plugin. What was remembered stays."""
    from erstwhile_coding.install import remove as remove_plugin

    with _plugin(host):
        for line in remove_plugin(host):
            output.note(line)


@contextmanager
def _plugin(host: str) -> Iterator[None]:
    """Check the name of an agent, and report what it refuses."""
    from erstwhile_coding.install import HOSTS, NotInstalled

    if host not in HOSTS:
        raise InvalidInput(f"Unknown agent {host!r}. Use {', '.join(HOSTS[:-1])} or {HOSTS[-1]}.")
    try:
        yield
    except NotInstalled as refused:
        raise PluginError(str(refused)) from None
