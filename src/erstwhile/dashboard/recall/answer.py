"""An answer explained: its context, its tokens, the source of each line, and every candidate."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from nicegui import events, html

from erstwhile.api.memory import Memory
from erstwhile.context.model import Context, ContextPart
from erstwhile.dashboard import dialogs, labels, parts
from erstwhile.dashboard.parts import tag
from erstwhile.dashboard.recall import diagnosis
from erstwhile.dashboard.recall.diagnosis import ContextQuery, Mention, Verdict
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.part import Item
from erstwhile.requests.model import Explanation, Request
from erstwhile.search.model import Hit, Source

_WORDS = {
    "metas": "meta summaries",
    "chunks": "summaries",
    "related": "related messages",
    "recent": "recent messages",
    "turns": "recent messages",
}


def code(viewer: Viewer, query: ContextQuery, *, keyed: bool) -> None:
    """Show the same question as code. A key is never in it, only the variable that holds it."""
    url = str(viewer.request.base_url).rstrip("/")
    with parts.section("The same as code", open=False), html.div().classes("grid"):
        for name, write in (("Python", diagnosis.python), ("cURL", diagnosis.curl)):
            text = write(query, url, keyed=keyed)
            with html.div().classes("stack"):
                with html.div().classes("row between"):
                    html.h3(name)
                    parts.copy(text, f"Copy as {name}")
                tag("pre", "block", text, data_code=name)
        if keyed:
            parts.quiet(f"Put your key into the variable {diagnosis.KEY} first.")


def context(made: Context) -> None:
    """Show the context as text and as messages, byte for byte what the API returns."""
    with parts.card("The context, as the model gets it", "lab-pane"):
        with html.div().classes("row"):
            for value, label in (("text", "As text"), ("messages", "As messages")):
                pressed = value == "text"
                parts.control("button small", label, pressed=pressed, data_lab_view=value)
            html.span().classes("grow")
            parts.copy(made.text, "Copy text")
            written = json.dumps(list(made.messages), ensure_ascii=False, indent=2)
            parts.copy(written, "Copy messages")
        with html.div().props("data-lab-panel=text"):
            if not made.text:
                parts.empty("The context is empty: no message or memory fits the question.")
            shape = {"dir": "auto", "tabindex": 0, "aria_label": "Text"}
            text = tag("pre", "block verbatim", made.text, **shape)
            text.props("data-verbatim").set_visibility(bool(made.text))
        with tag("div", "stack", data_lab_panel="messages", hidden=True):
            for each in made.messages:
                html.h3(each["role"]).classes("quiet-text")
                html.pre(each["content"]).classes("block verbatim").props("dir=auto data-message")
            parts.quiet("Your app adds the question after these.")


def tokens(request: Request) -> None:
    if not request.budget or not request.parts:
        return
    rows = list(request.parts.items())
    given = sum(request.parts.values())
    used = max(request.tokens, given)
    rows += [("preface", used - given)] if used > given else []
    rows.append(("unused", max(0, request.budget - used)))
    shown = [(_WORDS.get(name, name), count, _colour(name)) for name, count in rows]
    spoken = ", ".join(f"{name} {count:,} tokens" for name, count, _ in shown)
    whole = max(request.budget, used)
    pieces = [(1000 * count / whole, colour) for _, count, colour in shown]
    stacked_bar("lab-bar", spoken, pieces, digits=2)
    with html.ul().classes("lab-legend"):
        for name, count, colour in shown:
            with html.li():
                html.span().classes("swatch").style["background"] = colour
                html.span(name)
                html.span(f"{count:,}").classes("number quiet-text")


def stacked_bar(
    classes: str, spoken: str, pieces: Iterable[tuple[float, str]], *, digits: int = 1
) -> None:
    """Draw pieces of a width of 1000, one after the other; `spoken` is for screen readers."""
    at = 0.0
    shape = {"viewBox": "0 0 1000 20", "preserveAspectRatio": "none"}
    with tag("svg", classes, role="img", aria_label=spoken, **shape):
        for width, colour in pieces:
            place = {"x": f"{at:.{digits}f}", "width": f"{width:.{digits}f}"}
            tag("rect", y=0, height=20, fill=colour, **place)
            at += width


def _colour(name: str) -> str:
    """Return the colour of a part, from `recall.css`."""
    return f"var(--part-{name}, var(--part-other))"


def lines(viewer: Viewer, made: Context, why: Explanation | None, channel: str) -> None:
    """List every line with its source. The lines of a part are made when it is opened."""
    if not made.parts:
        return
    hops: dict[str, str] = {}
    if why:
        for each in why.seen:
            hops[each.candidate.id] = diagnosis.found_for(each.candidate.hop, why.request)
    total = sum(len(part.items) for part in made.parts)
    with parts.section("Source of each line", total, open=False):
        for part in made.parts:
            heading = f"{_WORDS.get(part.name, part.name)} · {part.tokens:,} tokens"
            parts.later(heading, len(part.items), partial(_part, viewer, part, hops, channel))


def _part(viewer: Viewer, part: ContextPart, hops: Mapping[str, str], channel: str) -> None:
    with html.ul().classes("list"):
        for item in part.items:
            with html.li().classes("stack"):
                parts.text(item.text, "code")
                with html.div().classes("details"):
                    labels.badge(item.kind)
                    parts.said(hops.get(item.id, ""))
                    _source(viewer, item, item.channel or channel)


def _source(viewer: Viewer, item: Item, channel: str) -> None:
    if item.first > 0:
        many = "" if item.first == item.last else f"–{item.last}"
        place(viewer, channel, item.first, f"{viewer.title_of(channel)} #{item.first}{many}")
        return

    async def opened() -> None:
        memory = await viewer.reading()
        source = await memory.memories.sources(item.id)
        found = _messages(source)
        await viewer.read_titles(each.channel for each in found)
        with parts.redrawn(slot):
            for each in found:
                place(viewer, each.channel, each.seq)
            if source.expired:
                html.span(f"{source.expired} no longer kept")

    with tag("span") as slot:
        label = parts.count(len(item.sources), "source")
        name = f"{label} of: {item.text[:80]}"
        parts.button(label, opened, kind="quiet small", name=name)


def _messages(source: Source) -> list[Source]:
    if source.kind == "message":
        return [source]
    return [message for each in source.sources for message in _messages(each)]


def place(viewer: Viewer, channel: str | None, seq: int | None, label: str = "") -> None:
    """Link to a message, or to its conversation where there is none."""
    if channel:
        name = viewer.title_of(channel)
        words = name if seq is None else label or f"{name} #{seq}"
        parts.message_link(viewer, channel, seq, words, "lab-place")


def way(request: Request, *, split: bool = False) -> None:
    """Show how it was answered. `split`: a model was to split the question."""
    with html.dl().classes("lab-way"):
        for what, how in diagnosis.summary(request, split=split):
            with html.div():
                html.dt(what)
                html.dd(how).props("dir=auto")


_LOOKED = 60  # hits of the search for what was expected
_CLOSEST = 12
_KINDS = {diagnosis.MISSED: "bad", diagnosis.ELSEWHERE: "warn", diagnosis.UNSEARCHED: "warn"}
_TYPED = "(event) => emit(new FormData(event.target).get('expected'))"


async def looked_for(memory: Memory, expected: str) -> list[Hit]:
    if not expected.strip():
        return []
    return await memory.search(expected, limit=_LOOKED, trial=True)


def box(viewer: Viewer, answered: tuple[Explanation, Context | None], said: Sequence[Hit]) -> None:
    """Explain at once what is `expected` in the address; `said` are the hits of a search for it."""
    expected = viewer.asked("expected")
    with parts.section("Why is something missing?", open=bool(expected)):
        with html.form().classes("row lab-forgot") as form:
            field = tag("input", "plain grow", type="text", name="expected", value=expected)
            field.props('autocomplete=off aria-label="What you expected"')
            field.props["placeholder"] = "What did you expect? “closed on Wednesdays”"
            parts.submit("Look", "primary")
        slot = html.div().classes("stack").props("role=status aria-live=polite")

        async def looked(event: events.GenericEventArguments) -> None:
            typed = str(event.args or "")
            memory = await viewer.reading()
            found = await looked_for(memory, typed)
            await viewer.read_titles(hit.channel for hit in found)
            with parts.redrawn(slot):
                _told(viewer, diagnosis.explain(typed, answered[0], found, answered[1]))

        form.on("submit.prevent", looked, js_handler=_TYPED)
        if expected:
            with slot:
                _told(viewer, diagnosis.explain(expected, answered[0], said, answered[1]))


def _told(viewer: Viewer, verdict: Verdict) -> None:
    html.p(verdict.headline).classes("lab-verdict")
    if verdict.help:
        parts.quiet(verdict.help)
    if verdict.places:
        with html.ul().classes("list"):
            for each in verdict.places[:_CLOSEST]:
                _place(viewer, each)
        if len(verdict.places) > _CLOSEST:
            parts.quiet(f"And {len(verdict.places) - _CLOSEST} more.")
    if verdict.nearest:
        html.p("What comes closest:")
        with html.ul().classes("list"):
            for hit in verdict.nearest:
                with html.li().classes("stack"):
                    parts.text(hit.text[:400])
                    with html.div().classes("details"):
                        labels.badge(hit.kind)
                        place(viewer, hit.channel, hit.seq)


def _place(viewer: Viewer, each: Mention) -> None:
    with html.li().classes("stack"):
        parts.text(each.text[:400] + ("…" if len(each.text) > 400 else ""))
        with html.div().classes("details"):
            parts.badge(each.became, _KINDS.get(each.became) or diagnosis.colour(each.became))
            parts.said(each.words)
        with html.div().classes("details"):
            labels.badge(each.kind)
            place(viewer, each.channel, each.seq)
            if each.at is not None:
                parts.moment(each.at)


def feedback(viewer: Viewer, request: str, noted: str | None) -> None:
    slot = html.div().classes("row")

    def show(said: str | None) -> None:
        async def give_feedback() -> None:
            note = await dialogs.ask_text("What was missed?", said or "", save="Send feedback")
            if note is None:
                return
            memory = await viewer.writing()
            await memory.requests.feedback(request, note.strip())
            show(note.strip())
            dialogs.toast("Saved. The report counts it, unless it was a trial.")

        with parts.redrawn(slot):
            if said is not None:
                parts.badge("Something was missed", "bad")
                parts.said(said)
            if viewer.may_write:
                label = "Something was missed" if said is None else "Change the feedback"
                parts.button(label, give_feedback)

    show(noted)
