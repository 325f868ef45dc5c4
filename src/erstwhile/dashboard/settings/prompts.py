"""Prompts: shown, compared with the default, edited, tried on a summary, saved and reset."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

from nicegui import html, ui

from erstwhile.api.channels import Summary
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.configuration import prompts as choices
from erstwhile.configuration.prompts import CurrentPrompt
from erstwhile.dashboard import commands, dialogs, labels, parts
from erstwhile.dashboard.settings import fields
from erstwhile.dashboard.viewer import Viewer
from erstwhile.http.problems import Problem
from erstwhile.layers.preview import Preview

Kind = Literal["same", "gone", "new"]

_FEWEST = 3  # words in a row that count as left alone between two changes
_WORDS = re.compile(r"\S+|\n|[^\S\n]+")
# Pairs of equal words that are compared; a text that repeats one word thousands of times is shown as
# a replacement of what is between its equal ends.
_MOST_PAIRS = 20_000


@dataclass(frozen=True, slots=True)
class DiffPart:
    kind: Kind
    text: str


def pieces(old: str, new: str) -> list[DiffPart]:
    """Return the pieces in reading order; of a replacement, the old text first."""
    return [piece for piece in _pieces(_WORDS.findall(old), _WORDS.findall(new)) if piece.text]


def _pieces(old: list[str], new: list[str]) -> Iterator[DiffPart]:
    gone, came = "", ""
    for what, a, b, c, d in _changes(old, new):
        words = "".join(old[a:b])
        told = len(words.split()) >= _FEWEST or "\n\n" in words
        if what == "equal" and (told or not (gone or came)):
            yield DiffPart("gone", gone)
            yield DiffPart("new", came)
            yield DiffPart("same", words)
            gone, came = "", ""
        else:  # a few words in both are no match between two changes
            gone, came = gone + words, came + "".join(new[c:d])
    yield DiffPart("gone", gone)
    yield DiffPart("new", came)


def _changes(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return what is equal and what is not, as difflib does, in time that a page can wait."""
    counts = Counter(word for word in new if not word.isspace())
    if sum(counts[word] for word in old) <= _MOST_PAIRS:
        return SequenceMatcher(str.isspace, old, new, autojunk=False).get_opcodes()
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    ends = len(old) - last, len(new) - last
    middle = ("replace", first, ends[0], first, ends[1])
    end = ("equal", ends[0], len(old), ends[1], len(new))
    return [("equal", 0, first, 0, first), middle, end]


def _common(one: list[str], other: list[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


_OWNERS = {"default": "default", "space": "this space's own", "person": "this person's own"}


async def show(viewer: Viewer) -> None:
    memory = await viewer.reading()
    person = viewer.asked("person") or None
    shown = {each.name: each for each in await memory.prompts.list(person=person)}
    name = viewer.asked("name", "summarise")
    chosen = shown[choices.known(name)]
    configured = await memory.spaces.configuration()
    model = next(each.value for each in configured if each.name == "model")
    if model == "extractive":
        with html.div().classes("callout").props("role=note"):
            html.p(
                "This space has no model: memories are extractive drafts, and prompts have no effect on them. What "
                "you save here is used as soon as there is a model."
            )
            parts.link("Choose a model", viewer.url("/settings", part="models"), "button")
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
    viewer.again(editor.changed, kinds=("settings",))


def _list(
    viewer: Viewer, shown: Sequence[CurrentPrompt], chosen: CurrentPrompt, person: str | None
) -> None:
    with html.nav().classes("prompt-list").props('aria-label="Prompts"'):
        for each in shown:
            ours = choices.default(each.name)
            url = viewer.url("/settings", part="prompts", name=each.name, person=person)
            with parts.link("", url, here="true" if each.name == chosen.name else None):
                with html.span().classes("row between"):
                    html.strong(ours.title)
                    parts.badge(each.whose, "" if each.whose == "default" else "good")
                html.span(ours.about).classes("quiet-text")


def _whose(viewer: Viewer, chosen: CurrentPrompt, person: str | None) -> None:
    """Choose, in the address, between the space and one person."""
    with parts.card("For whom", "compact"):
        if person is not None:
            parts.text(f"For messages by {person} alone.")
            url = viewer.url("/settings", part="prompts", name=chosen.name)
            parts.link("For the whole space", url)
        else:
            fields.note(
                "For the whole space. A person's own prompt is used where all ten messages are theirs."
            )
        with parts.form(viewer, "/settings", "row bottom", part="prompts", name=chosen.name):
            with parts.field("A person's id", "grow"):
                own = person or ""
                parts.tag("input", name="person", value=own, required=True, maxlength=512)
            html.button("Show", type="submit").classes("button")
        if chosen.people:
            fields.note("Have one of their own:")
            with html.div().classes("row"):
                for each in chosen.people[:20]:
                    url = viewer.url("/settings", part="prompts", name=chosen.name, person=each)
                    parts.link(each, url, "badge")
                if len(chosen.people) > 20:
                    html.span(f"and {len(chosen.people) - 20:,} more").classes("quiet-text")


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
        ours = choices.default(self._shown.name)
        with parts.card(f"{ours.title} ({ours.name})"):
            with html.div().classes("row"):
                html.span(ours.about).classes("quiet-text")
                html.span().classes("grow")
                self._badge = parts.badge("")
            if self._viewer.may_write:
                self._field()
            else:
                html.pre(self._shown.instructions).classes("block").props("dir=auto")
            compared = parts.Section("Compared with the default")
            self._count, self._diff = compared.count, compared.inside
        self._refresh()

    def _field(self) -> None:
        self._area = ui.textarea(value=self._shown.instructions, on_change=self._refresh)
        self._area.props('outlined autogrow debounce=250 aria-label="Prompt" spellcheck=false')
        self._area.props("input-class=prompt-text").classes("prompt-field")
        self._area.props["maxlength"] = str(choices.LONGEST + 1000)
        with html.div().classes("row placeholders"):
            html.span("Filled in for you:").classes("quiet-text")
            for name in self._shown.placeholders:
                meant = fields.PLACEHOLDERS.get(name, name)
                parts.tag("code", "", f"{{{name}}}", title=meant)
                html.span(meant).classes("quiet-text")
        self._state = html.p().classes("prompt-state").props("role=status")
        with html.div().classes("row"):
            self._save = parts.button("Save", self._saved, kind="primary")
            self._back = parts.button("Discard", self._discarded, kind="quiet")
            html.span().classes("grow")
            self._reset = parts.button("Reset to default", self._resetting, kind="danger")

    def _refresh(self) -> None:
        """Show, after every change, the differences and whether it can be saved."""
        parts.reword(self._badge, _OWNERS[self._shown.whose])
        found = pieces(self._shown.default, self.text())
        changed = sum(len(piece.text.split()) for piece in found if piece.kind != "same")
        parts.reword(self._count, f"{changed:,} words differ" if changed else "no difference")
        with parts.redrawn(self._diff):
            if changed:
                shown = {"same": html.span, "gone": html.del_, "new": html.ins}
                with html.div().classes("text diff").props("dir=auto"):
                    for piece in found:
                        shown[piece.kind](piece.text)
            else:
                fields.note("It is the default, word for word.")
        if self._area is None:
            return
        try:
            choices.checked(self.text())
            self._say("")
        except InvalidInput as error:
            self._say(str(error))

    def _say(self, wrong: str) -> None:
        dirty = self.text().strip() != self._shown.instructions.strip()
        left = choices.LONGEST - len(self.text().strip())
        state = "Not saved yet." if dirty else "Saved." if self._own else "This is in force."
        said = wrong or state
        counts = left < 1000 and not wrong
        self._state._text = f"{said} {left:,} characters left." if counts else said
        kind = " wrong" if wrong else " dirty" if dirty else ""
        self._state.classes(replace=f"prompt-state{kind}")
        self._state.update()
        able = {self._save: dirty and not wrong, self._back: dirty, self._reset: self._own}
        for button, may in able.items():
            button.props["disabled"] = not may
            button.update()

    async def _saved(self) -> None:
        memory = await self._viewer.writing()
        was = self._shown
        await memory.prompts.set(was.name, self.text(), person=self._person)
        await self._reread()
        dialogs.toast("Saved. What is made from now on uses it.", undo=lambda: self._undo(was))

    async def _undo(self, was: CurrentPrompt) -> None:
        memory = await self._viewer.writing()
        if was.whose == ("person" if self._person else "space"):
            await memory.prompts.set(was.name, was.instructions, person=self._person)
        else:
            await memory.prompts.reset(was.name, person=self._person)
        await self._reread(show=True)

    async def _resetting(self) -> None:
        memory = await self._viewer.writing()
        was = self._shown
        await memory.prompts.reset(was.name, person=self._person)
        await self._reread(show=True)
        dialogs.toast(
            "Reset. What is made from now on uses the prompt you see.", undo=lambda: self._undo(was)
        )

    def _discarded(self) -> None:
        if self._area is not None:
            self._area.set_value(self._shown.instructions)

    async def _reread(self, *, show: bool = False) -> None:
        memory = await self._viewer.reading()
        found = await memory.prompts.list(person=self._person)
        self._shown = next(each for each in found if each.name == self._shown.name)
        if self._area is not None and show:
            self._area.set_value(self._shown.instructions)
        self._refresh()

    async def changed(self) -> None:
        """Follow changes by others; what someone is typing stays."""
        before = self._shown
        typed, was = self.text().strip(), before.instructions.strip()
        untouched = self._area is None or typed == was
        await self._reread(show=untouched)
        if not untouched and typed != self._shown.instructions.strip() != was:
            other = "Someone else has changed this prompt meanwhile."
            dialogs.toast(f"{other} Saving puts yours in its place.", wrong=True)


_CHANNELS, _CHUNKS = 200, 100  # that can be chosen from: the latest
_BEGINNING = 60


class TrialCard:
    def __init__(
        self, viewer: Viewer, prompt: str, text: Callable[[], str], *, works: bool
    ) -> None:
        self._viewer, self._prompt, self._text, self._works = viewer, prompt, text, works
        self._what = "meta" if prompt == "condense" else "chunk"
        self._channel, self._range = viewer.asked("channel"), viewer.asked("range")

    async def draw(self) -> None:
        with parts.card(f"Try on this {labels.of(self._what).label}", "trial"):
            asks = "Asks the model with the prompt as it stands above, saved or not, and stores nothing."
            fields.note(f"{asks} It costs one call.")
            channels = await self._channels()
            if not channels:
                commands.nothing_yet(self._viewer, "There is no conversation yet to try it on.")
                return
            if self._channel not in channels:
                self._channel = channels[0]
            self._form = html.div().classes("row trial-form")
            self._result = html.div().props("aria-live=polite")
            await self._fill(channels)

    async def _channels(self) -> list[str]:
        memory = await self._viewer.reading()
        named = await memory.channels.list(channels=[self._channel] if self._channel else [])
        found = [*named, *await memory.channels.list(order="recent", limit=_CHANNELS)]
        self._viewer.titles.update({each.channel: each.title for each in found if each.title})
        return list(dict.fromkeys(each.channel for each in found))

    async def _fill(self, channels: list[str]) -> None:
        memory = await self._viewer.reading()
        chat = memory.channel(self._channel)
        found = await memory.channels.summaries(chat, level=0 if self._what == "chunk" else None)
        fitting = [each for each in found if (each.level > 0) == (self._what == "meta")]
        asked = [each for each in fitting if f"{each.first}-{each.last}" == self._range]
        ranges = {
            f"{each.first}-{each.last}": _named(each)
            for each in [*asked, *reversed(fitting[-_CHUNKS:])]
        }
        if self._range not in ranges:
            self._range = next(iter(ranges), "")
        self._form.clear()

        async def another(channel: str) -> None:
            self._channel, self._range = channel, ""
            self._result.clear()
            await self._fill(channels)

        def chosen(range: str) -> None:
            self._range = range
            self._result.clear()

        with self._form:
            named = {each: self._viewer.title_of(each) for each in channels}
            fields.choice("Conversation", named, self._channel, another)
            if ranges:
                fields.choice(labels.of(self._what).label.capitalize(), ranges, self._range, chosen)
                self._button = parts.button("Try it", self._tried, kind="primary")
                self._button.props["disabled"] = not self._works
            else:
                none = f"This conversation has no {labels.of(self._what).label} yet."
                fields.note(f"{none} A worker, or `erstwhile settle`, makes what is due.")

    async def _tried(self) -> None:
        memory = await self._viewer.writing()
        first, _, last = self._range.partition("-")
        chat = memory.channel(self._channel)
        self._result.clear()
        with parts.busy_button(self._button, "Asking the model…"):
            try:
                shown = await memory.prompts.preview(
                    chat, int(first), int(last), prompt=self._prompt, instructions=self._text()
                )
            except (Error, Problem) as error:
                with self._result:
                    parts.problem(f"{error} Nothing was stored.")
                return
        if not self._result.is_deleted:
            with self._result:
                _show(shown)


def _show(shown: Preview) -> None:
    with html.div().classes("compare"):
        for heading, text, nothing in (
            ("It would write", shown.text, "Nothing to record."),
            ("Stored now", shown.stored, "Nothing is stored."),
        ):
            with html.div().classes("stack"):
                html.h3(heading)
                if text:
                    parts.text(text, "sample")
                else:
                    fields.note(nothing)
    cached = f", {shown.cached_tokens:,} of them cached" if shown.cached_tokens else ""
    with html.div().classes("details"):
        html.span(shown.writer)
        html.span(f"{shown.input_tokens:,} tokens in{cached}, {shown.output_tokens:,} out")
        html.span(f"{shown.seconds:.1f} s")
        if shown.text == shown.stored:
            parts.badge("the same text")


def _named(summary: Summary) -> str:
    beginning = " ".join(summary.text.split())[:_BEGINNING]
    return f"{summary.first}–{summary.last} · {summary.to_at:%Y-%m-%d} · {beginning}"
