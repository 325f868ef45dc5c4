"""Try a prompt on a stored summary: shows what it would write, and stores nothing."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import html

from erstwhile.api.channels import ChannelShown, Summary
from erstwhile.base.errors import Error
from erstwhile.dashboard import commands, labels, parts
from erstwhile.dashboard.settings import fields
from erstwhile.dashboard.viewer import Viewer
from erstwhile.http.problems import Problem
from erstwhile.layers.preview import Preview

_CHANNELS, _CHUNKS = 200, 100  # that can be chosen from: the latest
_BEGINNING = 60


class TrialCard:
    def __init__(self, viewer: Viewer, prompt: str, text: Callable[[], str], *, works: bool) -> None:
        self._viewer, self._prompt, self._text, self._works = viewer, prompt, text, works
        self._what = "meta" if prompt == "condense" else "chunk"
        self._channel, self._range = viewer.asked("channel"), viewer.asked("range")

    async def draw(self) -> None:
        with parts.card(f"Try on this {labels.of(self._what).label}", "trial"):
            fields.note(
                "Asks the model with the prompt as it stands above, saved or not, and stores nothing. It costs one call."
            )
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
        found = await memory.channels.list(space=self._viewer.space)
        latest = sorted(found, key=_when, reverse=True)[:_CHANNELS]
        named = [each.channel for each in found if each.channel == self._channel]
        return list(dict.fromkeys([*named, *(each.channel for each in latest)]))

    async def _fill(self, channels: list[str]) -> None:
        ranges = await self._ranges()
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
            fields.choice("Channel", {each: each for each in channels}, self._channel, another)
            if ranges:
                fields.choice(labels.of(self._what).label.capitalize(), ranges, self._range, chosen)
                self._button = parts.button("Try it", self._tried, kind="primary")
                self._button.props["disabled"] = not self._works
            else:
                fields.note(
                    f"This channel has no {labels.of(self._what).label} yet. A worker, or `erstwhile settle`, makes what is due."
                )

    async def _ranges(self) -> dict[str, str]:
        """The latest, by first and last message."""
        memory = await self._viewer.reading()
        chat = memory.channel(self._channel, space=self._viewer.space)
        found = await memory.channels.summaries(chat, level=0 if self._what == "chunk" else None)
        fitting = [each for each in found if (each.level > 0) == (self._what == "meta")]
        asked = [each for each in fitting if f"{each.first}-{each.last}" == self._range]
        return {f"{each.first}-{each.last}": _named(each) for each in [*asked, *reversed(fitting[-_CHUNKS:])]}

    async def _tried(self) -> None:
        memory = await self._viewer.writing()
        first, _, last = self._range.partition("-")
        chat = memory.channel(self._channel, space=self._viewer.space)
        self._result.clear()
        with fields.Busy(self._button, "Asking the model…"):
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
        for heading, text in (("It would write", shown.text), ("Stored now", shown.stored)):
            with html.div().classes("stack"):
                html.h3(heading)
                if text:
                    parts.text(text, "sample")
                else:
                    fields.note("Nothing to record." if text is shown.text else "Nothing is stored.")
    cached = f", {shown.cached_tokens:,} of them cached" if shown.cached_tokens else ""
    with html.div().classes("details"):
        html.span(shown.writer)
        html.span(f"{shown.input_tokens:,} tokens in{cached}, {shown.output_tokens:,} out")
        html.span(f"{shown.seconds:.1f} s")
        if shown.text == shown.stored:
            parts.badge("the same text")


def _when(channel: ChannelShown) -> float:
    return channel.last_at.timestamp() if channel.last_at is not None else 0.0


def _named(summary: Summary) -> str:
    beginning = " ".join(summary.text.split())[:_BEGINNING]
    return f"{summary.first}–{summary.last} · {summary.to_at:%Y-%m-%d} · {beginning}"
