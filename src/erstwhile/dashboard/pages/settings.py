"""Settings: prompts, models, API keys, retention, privacy and about. The part is in the address."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from nicegui import html

import erstwhile
from erstwhile.base import setting_list
from erstwhile.base.setting_list import Setting
from erstwhile.dashboard import commands, jobs, parts, paths
from erstwhile.dashboard.settings import fields, models, privacy, prompts
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.http import permissions
from erstwhile.keys.model import Key

_ENDS = {
    "": "never",
    "1d": "in a day",
    "30d": "in 30 days",
    "90d": "in 90 days",
    "365d": "in a year",
}
_USUAL = "90d"
_REVOKED_SHOWN = 50


async def show(viewer: Viewer) -> None:
    if not viewer.may_write:
        fields.note("Keys are shown to those who may make them. This key may only read.")
        return
    await KeysPart(viewer).draw()


class KeysPart(fields.SettingsPart):
    def __init__(self, viewer: Viewer) -> None:
        self._new = parts.tag("div")
        super().__init__(viewer)
        self._admin = viewer.caller.admin
        self._for, self._ends, self._reads = "", _USUAL, False

    async def draw(self) -> None:
        memory = await self._viewer.writing()
        found = await memory.keys.list(**self._whose)
        live = [key for key in found if key.revoked_at is None]
        gone = [key for key in found if key.revoked_at is not None]
        self._for = "admin" if self._admin and not found else "space"
        own = next((key.expires_at for key in live if key.id == self._viewer.caller.key), None)
        self._offered = ends(own, datetime.now(UTC))
        self._ends = _USUAL if _USUAL in self._offered else ""
        with parts.redrawn(self._box):
            self._form(first=self._admin and not found)
            with parts.card("Keys" if self._admin else "Keys of this space"):
                if live:
                    self._table(live)
                else:
                    parts.empty(
                        "There is no key: the server answers whoever is on its own machine.",
                        commands.example(self._viewer, "keys create --admin"),
                    )
            if gone:
                gone.sort(key=lambda key: key.created_at, reverse=True)
                with parts.section("Revoked", len(gone), open=False):
                    self._table(gone[:_REVOKED_SHOWN])

    @property
    def _whose(self) -> dict[str, Any]:
        return {"admin": True} if self._admin else {"space": self._viewer.space}

    def _table(self, keys: list[Key]) -> None:
        def name(key: Key) -> None:
            html.strong(key.name or "(no name)").props("dir=auto")
            html.div(key.id).classes("quiet-text code")

        def opens(key: Key) -> None:
            parts.said("every space" if key.space is None else key.space)
            with html.div().classes("row"):
                scope = "all spaces" if key.read_only else "admin"
                parts.badge_if(key.space is None, scope, "warn")
                parts.badge_if(key.read_only, "read only")
                parts.badge_if(key.id == self._viewer.caller.key, "this one", "good")

        def revoke(key: Key) -> None:
            if key.revoked_at is None:
                said = f"Revoke {key.name or key.id}"
                parts.button("Revoke", partial(self._revoked, key), kind="danger small", name=said)

        def moment(at: datetime | None) -> None:
            if at is None:
                html.span("never").classes("quiet-text")
            else:
                parts.moment(at)

        rows = []
        for key in keys:
            ended = partial(moment, key.revoked_at or key.expires_at)
            used = partial(moment, key.used_at)
            rows.append(
                (partial(name, key), partial(opens, key), used, ended, partial(revoke, key))
            )
        fields.table(("Name", "Opens", "Last used", "Ends", ""), rows)

    def _form(self, *, first: bool) -> None:
        with parts.card("Make a key"):
            if first:
                fields.note(
                    "There is no key yet. Once there is one, everyone needs one, you too: make an admin key first, "
                    "and sign in with it.",
                    "warn",
                )
            with html.div().classes("grid"):
                self._name = fields.line("Name", hint="whose it is, for example bot")
                opens = {"space": f"the space {self._viewer.space}"}
                opens |= {"admin": "every space (admin)"} if self._admin else {}
                fields.choice("Opens", opens, self._for, partial(setattr, self, "_for"))
                fields.choice("Ends", self._offered, self._ends, partial(setattr, self, "_ends"))
            fields.tick("It may only read", partial(setattr, self, "_reads"))
            with html.div().classes("row"):
                parts.button("Make the key", self._made, kind="primary")

    async def _made(self) -> None:
        memory, caller = await self._viewer.writing(), self._viewer.caller
        admin = self._for == "admin" and caller.admin
        expires = await permissions.limit_expiry(self._ends or None, caller, memory)
        space, name = None if admin else self._viewer.space, str(self._name.value or "")
        made = await memory.keys.create(
            space=space, admin=admin, name=name, read_only=self._reads, expires=expires
        )
        with parts.redrawn(self._new), parts.card("Your new key", "new-key"):
            html.p("Copy it now: it is not shown again.")
            parts.command(made.key)
            parts.button("I have it", self._put_away, kind="quiet")
        self._reads = False
        if caller.key or self._viewer.token:
            await self.draw()
            return
        with parts.redrawn(self._box):
            needed = "From now on a key is needed here, too. Copy it, then sign in with it."
            fields.note(needed, "warn")
            parts.link("Sign in", paths.LOGIN, "button primary")

    def _put_away(self) -> None:
        self._new.clear()

    async def _revoked(self, key: Key) -> None:
        own = key.id == self._viewer.caller.key
        more = "It ends for good, within about a second on every server."
        if own:
            more += " It is the key you are signed in with: you will have to sign in with another."
        if not await self.confirm(f"Revoke {key.name or key.id}?", "Revoke", more=more):
            return
        memory = await self._viewer.writing()
        await memory.keys.revoke(key.id, **self._whose)
        if not own:
            await self.done(f"Revoked {key.name or key.id}.")


def ends(own: datetime | None, now: datetime) -> dict[str, str]:
    """Return the lifetimes to choose from: a key can't outlive the key it is made with."""
    if own is None:
        return _ENDS
    lasting = {each: now + timedelta(days=int(each[:-1])) for each in _ENDS if each}
    fitting = {each: _ENDS[each] for each, at in lasting.items() if at < own}
    return {"": "when your own key does", **fitting}


_ONE_AT_A_TIME = asyncio.Lock()  # the doctor reads the whole database


async def _show_about(viewer: Viewer) -> None:
    memory = await viewer.reading()
    findings = await memory.doctor(quick=True)
    found = setting_list.list_settings(memory.settings)
    with parts.card("erstwhile"), html.dl().classes("pairs"):
        postgres = memory.settings.database.startswith(("postgresql:", "postgres:"))
        kind = "Postgres" if postgres else "SQLite"
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
        sorts = (("Set", changed, True), ("Left at their defaults", left, False))
        for heading, some, open in sorts:
            rows = []
            for each in some:
                set_in = "environment" if each.source == "environment" else fields.where(each)
                value = partial(parts.said, fields.shown(each.value) or "–")
                about = partial(parts.said, each.description, "quiet-text")
                rows.append((partial(html.code, each.variable), value, set_in, about))
            with parts.section(heading, len(some), open=open):
                fields.table(("Setting", "Value", "From", "What it does"), rows)


_PARTS = {
    "prompts": ("Prompts", prompts.show),
    "models": ("Models", models.ModelsPart.show),
    "keys": ("API keys", show),
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
            here = "page" if name == part else None
            parts.link(label, viewer.url("/settings", part=name), here=here)
    await _PARTS[part][1](viewer)
