"""The box that explains why something expected is missing, and the button for feedback."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import events, html

from erstwhile.api.memory import Memory
from erstwhile.context.model import Context
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.recall import diagnosis, wording
from erstwhile.dashboard.recall.answer import place
from erstwhile.dashboard.recall.diagnosis import Mention, Verdict
from erstwhile.dashboard.viewer import Viewer
from erstwhile.requests.model import Explanation
from erstwhile.search.model import Hit

_LOOKED = 60  # hits of the search for what was expected
_SHOWN = 12
_KINDS = {diagnosis.MISSED: "bad", diagnosis.ELSEWHERE: "warn", diagnosis.UNSEARCHED: "warn"}
_TYPED = "(event) => emit(new FormData(event.target).get('expected'))"


async def looked_for(memory: Memory, space: str, expected: str) -> list[Hit]:
    """Search the whole space for an expected text."""
    return await memory.search(expected, space=space, limit=_LOOKED, trial=True) if expected.strip() else []


def box(viewer: Viewer, answered: tuple[Explanation, Context | None], said: Sequence[Hit]) -> None:
    """Explain at once what is `expected` in the address; `said` are the hits of a search for it."""
    expected = viewer.asked("expected")
    with parts.card("Why is … missing?"):
        form = html.form().classes("row lab-forgot")
        with form:
            field = html.input_(type="text", name="expected", value=expected, autocomplete="off").classes("plain grow")
            field.props["aria-label"] = "What you expected"
            field.props["placeholder"] = "What did you expect? “closed on Wednesdays”"
            html.button("Look", type="submit").classes("button primary")
        slot = html.div().classes("stack").props("role=status aria-live=polite")

        async def looked(event: events.GenericEventArguments) -> None:
            typed = str(event.args or "")
            memory = await viewer.reading()
            found = await looked_for(memory, viewer.space, typed)
            slot.clear()
            with slot:
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
            for each in verdict.places[:_SHOWN]:
                _place(viewer, each)
        if len(verdict.places) > _SHOWN:
            parts.quiet(f"And {len(verdict.places) - _SHOWN} more.")
    if verdict.nearest:
        html.p("What comes closest:")
        with html.ul().classes("list"):
            for hit in verdict.nearest:
                with html.li().classes("stack"):
                    parts.text(hit.text[:400])
                    with html.div().classes("details"):
                        labels.badge(hit.kind)
                        place(viewer, hit.channel, hit.seq, f"{hit.channel} #{hit.seq}")


def _place(viewer: Viewer, each: Mention) -> None:
    with html.li().classes("stack"):
        parts.text(each.text[:400] + ("…" if len(each.text) > 400 else ""))
        with html.div().classes("details"):
            parts.badge(each.became, _KINDS.get(each.became) or wording.colour(each.became))
            html.span(each.words).props("dir=auto")
        with html.div().classes("details"):
            labels.badge(each.kind)
            place(viewer, each.channel, each.seq, f"{each.channel} #{each.seq}")
            if each.at is not None:
                parts.moment(each.at)


def feedback(viewer: Viewer, request: str, noted: str | None) -> None:
    """The feedback on a request, and the button to give it."""
    slot = html.div().classes("row")
    said = noted

    def shown() -> None:
        slot.clear()
        with slot:
            if said is not None:
                parts.badge("Something was missed", "bad")
                html.span(said).props("dir=auto")
            if viewer.may_write:
                parts.button("Change the feedback" if said is not None else "Something was missed", give_feedback)

    async def give_feedback() -> None:
        nonlocal said
        note = await parts.ask_text("What was missed?", said or "", save="Send feedback")
        if note is None:
            return
        memory = await viewer.writing()
        await memory.requests.feedback(request, note.strip(), space=viewer.space)
        said = note.strip()
        shown()
        parts.toast("Saved. The report counts it, unless it was a trial.")

    shown()
