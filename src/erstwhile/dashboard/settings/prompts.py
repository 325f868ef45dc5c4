"""Prompts: shown, compared with the default, edited, tried on a summary, saved and reset."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from nicegui import html, ui

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.configuration import prompts as choices
from erstwhile.configuration.prompts import CurrentPrompt
from erstwhile.dashboard import parts
from erstwhile.dashboard.settings import fields
from erstwhile.dashboard.settings.trial import TrialCard
from erstwhile.dashboard.viewer import Viewer
from erstwhile.events.model import Event

_OWNERS = {"default": "default", "space": "this space's own", "person": "this person's own"}


async def show(viewer: Viewer) -> None:
    memory = await viewer.reading()
    person = viewer.asked("person") or None
    shown = {each.name: each for each in await memory.prompts.list(space=viewer.space, person=person)}
    name = viewer.asked("name", "summarise")
    chosen = shown[choices.known(name)]
    model = next(each for each in await memory.spaces.configuration(space=viewer.space) if each.name == "model").value
    if model == "extractive":
        _no_effect(viewer)
    with html.div().classes("prompts"):
        with html.div().classes("stack"):
            _list(viewer, list(shown.values()), chosen, person)
            _whose(viewer, chosen, person)
        with html.div().classes("stack"):
            editor = PromptEditor(viewer, chosen, person)
            editor.draw()
            if viewer.may_write:
                trial = TrialCard(viewer, name, editor.text, works=model != "extractive")
                await trial.draw()
    viewer.live(editor.changed, kinds=("settings",))


def _no_effect(viewer: Viewer) -> None:
    with html.div().classes("callout").props("role=note"):
        html.p(
            "This space has no model: memories are extractive drafts, and prompts have no effect on them. What you save here "
            "is used as soon as there is a model."
        )
        parts.link("Choose a model", viewer.url("/settings", part="models"), "button")


def _list(viewer: Viewer, shown: Sequence[CurrentPrompt], chosen: CurrentPrompt, person: str | None) -> None:
    with html.nav().classes("prompt-list").props('aria-label="Prompts"'):
        for each in shown:
            kind, about = fields.PROMPTS.get(each.name, (each.name, ""))
            url = viewer.url("/settings", part="prompts", name=each.name, person=person)
            link = html.a(href=url).classes("here" if each.name == chosen.name else "")
            if each.name == chosen.name:
                link.props["aria-current"] = "true"
            with link:
                with html.span().classes("row between"):
                    html.strong(kind)
                    parts.badge(each.whose, "" if each.whose == "default" else "good")
                html.span(about).classes("quiet-text")


def _whose(viewer: Viewer, chosen: CurrentPrompt, person: str | None) -> None:
    """Choose, in the address, between the space and one person."""
    with parts.card("For whom", "compact"):
        if person is not None:
            parts.text(f"For messages by {person} alone.")
            parts.link("For the whole space", viewer.url("/settings", part="prompts", name=chosen.name))
        else:
            fields.note("For the whole space. A person's own prompt is used where all ten messages are theirs.")
        with parts.form(viewer, "/settings", "row bottom", part="prompts", name=chosen.name):
            with parts.field("A person's id", "grow"):
                html.input_(type="text", name="person", value=person or "", required=True, maxlength="512")
            html.button("Show", type="submit").classes("button")
        if chosen.people:
            fields.note("Have one of their own:")
            with html.div().classes("row"):
                for each in chosen.people[:20]:
                    parts.link(each, viewer.url("/settings", part="prompts", name=chosen.name, person=each), "badge")
                if len(chosen.people) > 20:
                    html.span(f"and {len(chosen.people) - 20:,} more").classes("quiet-text")


def _differences(found: Sequence[DiffPart]) -> None:
    with html.div().classes("text diff").props("dir=auto"):
        for piece in found:
            {"same": html.span, "gone": html.del_, "new": html.ins}[piece.kind](piece.text)


class PromptEditor:
    """Shows the prompt in force; what is typed is tried and saved only on demand."""

    def __init__(self, viewer: Viewer, shown: CurrentPrompt, person: str | None) -> None:
        self._viewer, self._shown, self._person = viewer, shown, person
        self._area: ui.textarea | None = None

    def text(self) -> str:
        return self._shown.instructions if self._area is None else str(self._area.value or "")

    @property
    def _own(self) -> bool:
        return self._shown.whose == ("person" if self._person else "space")

    def draw(self) -> None:
        kind, about = fields.PROMPTS.get(self._shown.name, (self._shown.name, ""))
        with parts.card(f"{kind} ({self._shown.name})"):
            with html.div().classes("row"):
                html.span(about).classes("quiet-text")
                html.span().classes("grow")
                self._badge = parts.badge("")
            if self._viewer.may_write:
                self._field()
            else:
                html.pre(self._shown.instructions).classes("block").props("dir=auto")
            self._compared()
        self._refresh()

    def _field(self) -> None:
        self._area = (
            ui.textarea(value=self._shown.instructions, on_change=self._refresh)
            .props('outlined autogrow debounce=250 aria-label="Prompt" input-class=prompt-text spellcheck=false')
            .classes("prompt-field")
        )
        self._area.props["maxlength"] = str(choices.LONGEST + 1000)
        with html.div().classes("row placeholders"):
            html.span("Filled in for you:").classes("quiet-text")
            for name in self._shown.placeholders:
                made = html.code(f"{{{name}}}")
                made.props["title"] = fields.PLACEHOLDERS.get(name, name)
                html.span(fields.PLACEHOLDERS.get(name, name)).classes("quiet-text")
        self._state = html.p().classes("prompt-state").props("role=status")
        with html.div().classes("row"):
            self._save = parts.button("Save", self._saved, kind="primary")
            self._back = parts.button("Discard", self._discarded, kind="quiet")
            html.span().classes("grow")
            self._reset = parts.button("Reset to default", self._resetting, kind="danger")

    def _compared(self) -> None:
        made = parts.Section("Compared with the default")
        self._count, self._diff = made.count, made.inside

    def _refresh(self) -> None:
        """After every change: show the differences, and whether it can be saved."""
        parts.reword(self._badge, _OWNERS[self._shown.whose])
        found = pieces(self._shown.default, self.text())
        changed = sum(len(piece.text.split()) for piece in found if piece.kind != "same")
        parts.reword(self._count, f"{changed:,} words differ" if changed else "no difference")
        self._diff.clear()
        with self._diff:
            if changed:
                _differences(found)
            else:
                fields.note("It is the default, word for word.")
        if self._area is not None:
            self._say(self._wrong())

    def _wrong(self) -> str:
        try:
            choices.checked(self.text())
        except InvalidInput as error:
            return str(error)
        return ""

    def _say(self, wrong: str) -> None:
        dirty = self.text().strip() != self._shown.instructions.strip()
        left = choices.LONGEST - len(self.text().strip())
        said = wrong or ("Not saved yet." if dirty else "Saved." if self._own else "This is in force.")
        self._state._text = f"{said} {left:,} characters left." if left < 1000 and not wrong else said
        self._state.classes(replace="prompt-state" + (" wrong" if wrong else " dirty" if dirty else ""))
        self._state.update()
        for button, able in ((self._save, dirty and not wrong), (self._back, dirty), (self._reset, self._own)):
            button.props["disabled"] = not able
            button.update()

    async def _saved(self) -> None:
        memory = await self._viewer.writing()
        was = self._shown
        await memory.prompts.set(was.name, self.text(), space=self._viewer.space, person=self._person)
        await self._reread()
        parts.toast("Saved. What is made from now on uses it.", undo=lambda: self._undo(was))

    async def _undo(self, was: CurrentPrompt) -> None:
        memory, space = await self._viewer.writing(), self._viewer.space
        if was.whose == ("person" if self._person else "space"):
            await memory.prompts.set(was.name, was.instructions, space=space, person=self._person)
        else:
            await memory.prompts.reset(was.name, space=space, person=self._person)
        await self._reread(show=True)

    async def _resetting(self) -> None:
        memory = await self._viewer.writing()
        was = self._shown
        await memory.prompts.reset(was.name, space=self._viewer.space, person=self._person)
        await self._reread(show=True)
        parts.toast("Reset. What is made from now on uses the prompt you see.", undo=lambda: self._undo(was))

    def _discarded(self) -> None:
        if self._area is not None:
            self._area.set_value(self._shown.instructions)

    async def _reread(self, *, show: bool = False) -> None:
        memory = await self._viewer.reading()
        found = await memory.prompts.list(space=self._viewer.space, person=self._person)
        self._shown = next(each for each in found if each.name == self._shown.name)
        if self._area is not None and show:
            self._area.set_value(self._shown.instructions)
        self._refresh()

    async def changed(self, _events: Sequence[Event]) -> None:
        """Follow changes by others; what someone is typing stays."""
        before = self._shown
        untouched = self._area is None or self.text().strip() == before.instructions.strip()
        await self._reread(show=untouched)
        if not untouched and self.text().strip() != self._shown.instructions.strip() != before.instructions.strip():
            parts.toast("Someone else has changed this prompt meanwhile. Saving puts yours in its place.", wrong=True)


Kind = Literal["same", "gone", "new"]

_FEWEST = 3  # words in a row that count as left alone between two changes
_WORDS = re.compile(r"\S+|\n|[^\S\n]+")


@dataclass(frozen=True, slots=True)
class DiffPart:
    kind: Kind
    text: str


def pieces(old: str, new: str) -> list[DiffPart]:
    """In reading order; of a replacement, the old text first."""
    return [piece for piece in _pieces(_WORDS.findall(old), _WORDS.findall(new)) if piece.text]


def _pieces(old: list[str], new: list[str]) -> Iterator[DiffPart]:
    gone, came = "", ""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        words = "".join(old[a:b])
        if what == "equal" and (not (gone or came) or _telling(words)):
            yield DiffPart("gone", gone)
            yield DiffPart("new", came)
            yield DiffPart("same", words)
            gone, came = "", ""
        else:  # a few words in both are no match between two changes
            gone, came = gone + words, came + "".join(new[c:d])
    yield DiffPart("gone", gone)
    yield DiffPart("new", came)


def _telling(words: str) -> bool:
    return len(words.split()) >= _FEWEST or "\n\n" in words
