"""Settings: prompts, models, API keys, retention, privacy and about. The part is in the address."""

from __future__ import annotations

from nicegui import html

from erstwhile.dashboard import parts
from erstwhile.dashboard.settings import about, keys, models, privacy, prompts, retention
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer

_PARTS = {
    "prompts": ("Prompts", prompts.show),
    "models": ("Models", models.show),
    "keys": ("API keys", keys.show),
    "retention": ("Retention", retention.show),
    "privacy": ("Privacy", privacy.show),
    "about": ("About", about.show),
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
