"""Retention: how long each kind is kept, where that is set, and what would expire now."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import html, ui

from erstwhile.dashboard import parts
from erstwhile.dashboard.settings import fields
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event


class RetentionPart(fields.SettingsPart):
    def __init__(self, viewer: Viewer) -> None:
        super().__init__(viewer)
        self._fields: dict[str, ui.input] = {}
        self._was: dict[str, str] = {}

    async def draw(self) -> None:
        memory = await self._viewer.reading()
        kept = (await self.in_force())["retention"]
        self._was, going = fields.days(kept.value), await memory.archive.expiring(space=self._viewer.space)
        self._box.clear()
        with self._box, parts.card("How long each kind is kept"):
            fields.note(
                f"Set by {kept.source}." if kept.value != "never" else "Nothing is set: everything is kept for good."
            )
            with fields.table("Kind", "Kept for", "Would expire now"):
                for kind, label in fields.KINDS.items():
                    with html.tr():
                        with fields.cell("Kind"):
                            html.strong(label)
                        with fields.cell("Kept for"):
                            self._days(kind, label)
                        with fields.cell("Would expire now"):
                            html.span(f"{getattr(going, kind):,}")
            fields.note(
                "A worker expires every hour what has been kept long enough, unless a job still needs it. Memories made from an "
                "expired message stay. Empty means for good."
            )
            if self._viewer.may_write:
                with html.div().classes("row"):
                    parts.button("Save for this space", self._saved, kind="primary")
                    if kept.own:
                        parts.button("Use the server's again", self._taken_back)
                    html.span().classes("grow")
                    self._run = parts.button("Run now", self._expired, kind="danger")
                    self._run.props["disabled"] = not self._was

    def _days(self, kind: str, label: str) -> None:
        days = self._was.get(kind, "")
        if self._viewer.may_write:
            with html.div().classes("days"):
                self._fields[kind] = fields.line(f"{label}: days", days, hint="for good", bare=True)
                html.span("days").classes("quiet-text")
        else:
            html.span(f"{days} days" if days else "for good")

    def _typed(self) -> dict[str, str]:
        return {kind: str(field.value or "").strip() for kind, field in self._fields.items()}

    async def _saved(self) -> None:
        await self.configure(retention=fields.retention(self._typed()))
        await self.done("Saved for this space. Nothing expires before the next run.")

    async def _taken_back(self) -> None:
        await self.configure(retention="")
        await self.done("The server's retention is in force again.")

    async def _expired(self) -> None:
        if not await self.confirm(
            "Expire now what has been kept long enough?", "Run now", more="It is removed for good, also from search."
        ):
            return
        memory = await self._viewer.writing()
        with fields.Busy(self._run, "Running…"):
            gone = await memory.archive.expire(space=self._viewer.space)
        await self.done(fields.expired(gone))

    async def changed(self, _events: Sequence[Event]) -> None:
        if {kind: days for kind, days in self._typed().items() if days} == self._was:
            await self.draw()
