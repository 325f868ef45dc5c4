"""The elements of the settings forms."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.base import setting_list
from erstwhile.base.records import dataclass
from erstwhile.base.setting_list import Setting
from erstwhile.base.settings import RETAINED
from erstwhile.configuration.space import NEVER, SettingChoice
from erstwhile.dashboard import dialogs, labels, parts
from erstwhile.dashboard.viewer import Viewer
from erstwhile.http import permissions
from erstwhile.layers.retention.model import ExpiryReport

_CHECKED = "(event) => emit(event.target.checked)"
Changed = Callable[[str], Awaitable[None] | None]


def line(
    label: str, value: str = "", *, hint: str = "", secret: bool = False, bare: bool = False
) -> ui.input:
    """Add an input of one line; `bare` hides the label. Password managers stay away."""
    with html.div().classes("setting-line"):
        if not bare:
            html.span(label).props("aria-hidden=true")
        made = ui.input(value=value, password=secret).props("outlined dense autocomplete=off")
    made.props["aria-label"] = label
    if hint:
        made.props["placeholder"] = hint
    if secret:
        made.props["autocomplete"] = "new-password"
    return made


def choice(
    label: str, options: Mapping[str, str], value: str, changed: Changed, *, bare: bool = False
) -> None:
    """Add a choice of one value; `options` are values with their labels."""
    with html.div().classes("setting-line"):
        if not bare:
            html.span(label).props("aria-hidden=true")
        made = parts.select("", options.items(), value, aria_label=label)

    async def told(event: Any) -> None:
        answer = changed(str(event.args))
        if answer is not None:
            await answer

    made.on("change", told, js_handler="(event) => emit(event.target.value)")


def tick(label: str, changed: Callable[[bool], None]) -> None:
    with html.label().classes("row tick"):
        box = html.input_(type="checkbox")
        html.span(label)
    box.on("change", lambda event: changed(bool(event.args)), js_handler=_CHECKED)


def note(words: str, kind: str = "") -> None:
    html.p(words).classes("setting-note").classes(kind)


def table(headings: Sequence[str], rows: Iterable[Sequence[parts.Cell]]) -> None:
    """Add a table that scrolls; on a phone each cell is on a line of its own, with its heading."""
    with html.div().classes("scroll"):
        parts.table(headings, rows, stacked=True)


class SettingsPart(ABC):
    """A part that is redrawn after each change. Dialogs are outside it, and stay."""

    kinds: ClassVar[tuple[str, ...]] = ("settings",)  # events after which it is drawn again

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._aside: Element = html.div()
        self._box: Element = html.div().classes("stack loose")

    @classmethod
    async def show(cls, viewer: Viewer) -> None:
        """Draw the part, and again after changes by others."""
        part = cls(viewer)
        await part.draw()
        viewer.again(part.changed, kinds=cls.kinds)

    @abstractmethod
    async def draw(self) -> None: ...

    async def changed(self) -> None:
        """Follow changes by others. A part in which people type keeps what they typed."""
        await self.draw()

    async def in_force(self) -> dict[str, SpaceSetting]:
        memory = await self._viewer.reading()
        chosen = await memory.spaces.configuration()
        return in_force(chosen, setting_list.list_settings(memory.settings))

    async def configure(self, **values: str) -> None:
        memory = await self._viewer.writing()
        await permissions.configure(self._viewer.caller, memory, self._viewer.space, values)

    async def done(self, words: str, undo: parts.Handler | None = None) -> None:
        """Redraw, then show a toast: the button that was pressed is gone by then."""
        with self._box:
            await self.draw()
            dialogs.toast(words, undo=undo)

    async def confirm(self, question: str, yes: str, more: str) -> bool:
        with self._aside:
            return await dialogs.confirm(question, yes, more=more)


PLACEHOLDERS = {
    "people": "the names of those who speak",
    "language": "the language they speak",
    "dates": "the days of the conversation",
}
ROLES = {
    "light": ("model", "Memories", "Writes summaries, facts, notes and days."),
    "strong": (
        "model_strong",
        "Demanding steps",
        "Writes where more care is needed, such as profiles.",
    ),
    "chat": ("chat_model", "Chat", "Answers people, where the memory is asked to."),
}
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")


@dataclass(frozen=True, slots=True)
class SpaceSetting:
    """A setting of a space, its value, and where it is set."""

    name: str
    value: str
    own: bool
    source: str


def in_force(
    choices: Sequence[SettingChoice], settings: Sequence[Setting]
) -> dict[str, SpaceSetting]:
    server = {each.name: each for each in settings}
    found = {}
    for each in choices:
        where = source(each, server.get(each.name))
        found[each.name] = SpaceSetting(each.name, each.value, each.whose == "space", where)
    return found


def source(choice: SettingChoice, setting: Setting | None) -> str:
    """Return where a setting is set. Some are none of the server's."""
    if choice.whose == "space":
        return "this space"
    if setting is None:
        return "default"
    if choice.name == "model" and not setting.value:
        found = next((key for key in _KEYS if os.environ.get(key)), None)
        return f"the key in {found}" if found else "default"
    return where(setting)


def where(setting: Setting) -> str:
    if setting.source == "given":
        return "given at the start"
    return setting.variable if setting.source == "environment" else setting.source


def days(retention: str) -> dict[str, str]:
    """Return days by kind, from message=30,day=90; a kind that is kept for good is missing."""
    if not retention or retention == NEVER:
        return {}
    pairs = (part.partition("=") for part in retention.split(","))
    return {kind: number for kind, _, number in pairs}


def kinds() -> dict[str, str]:
    """Return the kinds that can be kept for a number of days, with their labels."""
    return {kind: labels.of(kind).plural.capitalize() for kind in RETAINED}


def retention(given: Mapping[str, str]) -> str:
    """Return the value to store for the fields of the form; an empty field means for good."""
    kept = [f"{kind}={given[kind].strip()}" for kind in RETAINED if given.get(kind, "").strip()]
    return ",".join(kept) or NEVER


def expired(gone: ExpiryReport) -> str:
    counts = gone.by_kind.items()
    told = [f"{number:,} {labels.of(kind).plural}" for kind, number in counts if number]
    return f"Expired: {', '.join(told)}." if told else "Nothing was old enough to expire."


def shown(value: object) -> str:
    """Return the value of a setting as text."""
    if isinstance(value, Mapping):
        written = {
            name: f"{each:g}" if isinstance(each, float) else each for name, each in value.items()
        }
        return ", ".join(f"{name}={each}" for name, each in written.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
