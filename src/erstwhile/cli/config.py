"""Settings, the doctor, and the structure of the database."""

from __future__ import annotations

import asyncio
from typing import Any

import typer

from erstwhile.base import setting_list
from erstwhile.base.settings import load, variable
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, check_database, group, with_memory

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
    output.print_result(
        rows, output.TableRows("setting, value, from, what it does", table), json=json
    )


@config.command("secret")
def secret(json: Json = False) -> None:
    """Print a new secret for ERSTWHILE_SECRET_KEY, which encrypts keys. It is not stored."""
    from erstwhile.configuration.encryption import new_secret

    made = new_secret()
    output.print_result({"secret_key": made}, lambda: typer.echo(made), json=json)
