"""Settings: prompts, models, API keys, retention, privacy and about. The part is in the address."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Sequence
from functools import partial

from nicegui import html

import erstwhile
from erstwhile.base import setting_list
from erstwhile.base.setting_list import Setting
from erstwhile.dashboard import parts
from erstwhile.dashboard.figures import jobs
from erstwhile.dashboard.settings import fields, keys, models, privacy, prompts
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer

_ONE_AT_A_TIME = asyncio.Lock()  # the doctor reads the whole database


async def _show_about(viewer: Viewer) -> None:
    memory = await viewer.reading()
    findings = await memory.doctor(quick=True)
    found = setting_list.list_settings(memory.settings)
    with parts.card("erstwhile"), html.dl().classes("pairs"):
        kind = (
            "Postgres"
            if memory.settings.database.startswith(("postgresql:", "postgres:"))
            else "SQLite"
        )
        where = next(each.value for each in found if each.name == "database")
        database = f"{kind}: {where}" if viewer.caller.admin else kind
        versions = {"Version": erstwhile.__version__, "Python": platform.python_version()}
        for name, value in {**versions, "Database": database}.items():
            html.dt(name)
            html.dd(value).props("dir=auto")
    with parts.card("Doctor"):
        with parts.tag("div", "stack") as box:
            jobs.findings(viewer, findings)

        async def examine() -> None:
            memory = await viewer.reading()
            async with _ONE_AT_A_TIME:
                found = await memory.doctor()
            with parts.redrawn(box):
                jobs.findings(viewer, found)

        with html.div().classes("row"):
            parts.button("Check the whole database", examine, busy="Reading…")
    if viewer.caller.admin:
        _settings(found)
    else:
        fields.note("The server's settings are shown to those with an admin key.")


def _settings(found: Sequence[Setting]) -> None:
    left = [each for each in found if each.source == "default"]
    changed = [each for each in found if each.source != "default"]
    with parts.card("Settings of the server"):
        fields.note(
            "Set in the environment or in erstwhile.toml where the server starts. Secrets are not shown."
        )
        for heading, some, open in (
            ("Set", changed, True),
            ("Left at their defaults", left, False),
        ):
            rows = [
                (
                    partial(html.code, each.variable),
                    partial(parts.said, fields.shown(each.value) or "–"),
                    "environment" if each.source == "environment" else fields.where(each),
                    partial(parts.said, each.description, "quiet-text"),
                )
                for each in some
            ]
            with parts.section(heading, len(some), open=open):
                fields.table(("Setting", "Value", "From", "What it does"), rows)


_PARTS = {
    "prompts": ("Prompts", prompts.show),
    "models": ("Models", models.ModelsPart.show),
    "keys": ("API keys", keys.show),
    "retention": ("Retention", privacy.RetentionPart.show),
    "privacy": ("Privacy", privacy.PrivacyPart.show),
    "about": ("About", _show_about),
}


@page("/settings")
async def settings(viewer: Viewer) -> None:
    await viewer.reading()
    part = viewer.asked("part", "prompts")
    if part not in _PARTS:
        part = "prompts"
    parts.title("Settings")
    with html.nav().classes("tabs").props('aria-label="Settings"'):
        for name, (label, _) in _PARTS.items():
            parts.link(
                label, viewer.url("/settings", part=name), here="page" if name == part else None
            )
    await _PARTS[part][1](viewer)
