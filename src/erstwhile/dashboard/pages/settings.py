"""Settings: prompts, models, API keys, retention, privacy and about. The part is in the address."""

from __future__ import annotations

import asyncio
import platform

from nicegui import html
from nicegui.element import Element

import erstwhile
from erstwhile.api.memory import Memory
from erstwhile.base import setting_list
from erstwhile.dashboard import parts
from erstwhile.dashboard.figures import jobs
from erstwhile.dashboard.settings import fields, keys, models, privacy, prompts
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer

_ONE_AT_A_TIME = asyncio.Lock()  # the doctor reads the whole database


async def _show_about(viewer: Viewer) -> None:
    memory = await viewer.reading()
    findings = await memory.doctor(space=viewer.space, quick=True)
    with parts.card("erstwhile"):
        fields.pairs(
            {
                "Version": erstwhile.__version__,
                "Python": platform.python_version(),
                "Database": _database(viewer, memory),
            }
        )
    with parts.card("Doctor"):
        box = html.div().classes("stack")
        with box:
            jobs.findings(viewer, findings)
        with html.div().classes("row"):
            button = parts.button("Check the whole database", lambda: _examined(viewer, box, button))
    if viewer.caller.admin:
        _settings(memory)
    else:
        fields.note("The server's settings are shown to those with an admin key.")


def _database(viewer: Viewer, memory: Memory) -> str:
    kind = "Postgres" if memory.settings.database.startswith(("postgresql:", "postgres:")) else "SQLite"
    found = next(each for each in setting_list.list_settings(memory.settings) if each.name == "database")
    return f"{kind}: {found.value}" if viewer.caller.admin else kind


async def _examined(viewer: Viewer, box: Element, button: Element) -> None:
    memory = await viewer.reading()
    with fields.Busy(button, "Reading…"):
        async with _ONE_AT_A_TIME:
            findings = await memory.doctor(space=viewer.space)
    box.clear()
    with box:
        jobs.findings(viewer, findings)


def _settings(memory: Memory) -> None:
    found = setting_list.list_settings(memory.settings)
    changed = [each for each in found if each.source != "default"]
    with parts.card("Settings of the server"):
        fields.note("Set in the environment or in erstwhile.toml where the server starts. Secrets are not shown.")
        left = [each for each in found if each.source == "default"]
        for heading, some, open in (("Set", changed, True), ("Left at their defaults", left, False)):
            with parts.section(heading, len(some), open=open), fields.table("Setting", "Value", "From", "What it does"):
                for each in some:
                    with html.tr():
                        with fields.cell("Setting"):
                            html.code(each.variable)
                        with fields.cell("Value"):
                            html.span(fields.shown(each.value) or "–").props("dir=auto")
                        with fields.cell("From"):
                            html.span(fields.where(each) if each.source != "environment" else "environment")
                        with fields.cell("What it does"):
                            html.span(each.description).classes("quiet-text")


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
            link = parts.link(label, viewer.url("/settings", part=name), "here" if name == part else "")
            if name == part:
                link.props["aria-current"] = "page"
    await _PARTS[part][1](viewer)
