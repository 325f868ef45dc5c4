"""Every candidate of a request as a row that opens, its score as a stacked bar, and what was
withheld."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nicegui import html

from erstwhile.api.memory import Memory
from erstwhile.base.clock import moment
from erstwhile.base.page import every
from erstwhile.base.records import dataclass
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.recall import diagnosis
from erstwhile.dashboard.recall.answer import place, stacked_bar
from erstwhile.dashboard.viewer import Viewer
from erstwhile.requests.model import ExplainedCandidate, Explanation, Request
from erstwhile.search.model import Hit
from erstwhile.search.trace import FLOOR

_SMALLEST: Final = 0.005  # evidence below this is shown as none
_WITHHELD: Final = 8  # of other conversations that are named
_SEARCHED: Final = 40
_RELEVANCE: Final = "relevance"
_COLOURS: Final = {name: f"var(--part-{n % 10})" for n, name in enumerate(diagnosis.EVIDENCE)}


@dataclass(frozen=True, slots=True)
class WithheldHit:
    """What a search of the whole space finds and this request may not see, or did not look at."""

    hit: Hit
    badge: str
    why: str


async def withheld(memory: Memory, why: Explanation) -> list[WithheldHit]:
    """Find what is closest to the question in conversations that this request did not see."""
    request = why.request
    if not request.searched or not request.query or request.channel is None:
        return []
    seen = {each.candidate.id for each in why.seen}
    hits = await memory.search(request.query, limit=_SEARCHED, trial=True)
    outside = [hit for hit in hits if hit.channel and hit.channel != request.channel]
    other = [hit for hit in outside if hit.id not in seen]
    shown = await every(memory.channels.visibility) if other else []
    audiences = {each.channel: each for each in shown}
    found: list[WithheldHit] = []
    for hit in other:
        audience = audiences.get(hit.channel)
        if audience is not None and (not audience.everyone or (hit.seq or 0) < audience.since):
            who = ", ".join(audience.people.values()) or "those who are in it"
            rest = audience.count - len(audience.people)
            more = f" and {rest:,} more" if rest > 0 else ""
            why_not = f"It was said in private: only {who}{more} may see it."
            found.append(WithheldHit(hit, "private", why_not))
        elif request.scope == "channel":
            only = "It was said in another conversation, and only this one was searched."
            why_not = f"{only} Choose another “Where to look”."
            found.append(WithheldHit(hit, "not searched", why_not))
    found.sort(key=lambda each: each.badge != "private")
    return found[:_WITHHELD]


def candidates(viewer: Viewer, why: Explanation, others: Sequence[WithheldHit] = ()) -> None:
    with parts.card("Every candidate", "lab-pane"):
        if not why.seen and not others:
            parts.quiet("There were none.")
            return
        kept = sum(each.candidate.fate in diagnosis.IN for each in why.seen)
        kinds, seen = diagnosis.EVIDENCE, why.seen
        used = [name for name in kinds if any(_is_there(each, name) for each in seen)]
        _filters(len(why.seen), kept, used)
        most = max((sum(_positive(each).values()) for each in why.seen), default=1.0) or 1.0
        with html.div().classes("lab-scroll").props("data-lab-list tabindex=0"):
            for each in why.seen:
                _row(viewer, why.request, each, most)
            if others:
                _withheld(viewer, others)


def _filters(all_of: int, kept: int, used: Sequence[str]) -> None:
    with html.div().classes("row lab-filters"):
        box = html.input_(type="search", placeholder="Contains …").classes("plain")
        box.props('data-lab-contains aria-label="Only candidates that contain"')
        fates = {"": "All", "kept": "Kept", "dropped": "Left out", "floor": "Below the floor"}
        chosen = parts.select("", fates.items(), "", data_lab_fate=True)
        chosen.classes("plain").props('aria-label="Kept or left out"')
        orders = (("rank", "By rank"), *((name, f"By {name}") for name in used))
        parts.select("", orders, "rank", data_lab_order=True, aria_label="Order").classes("plain")
        html.span(f"{all_of} shown").classes("quiet-text").props("data-lab-count aria-live=polite")
    with html.div().classes("row lab-key"):
        made_of = " A score is the sum of:" if used else ""
        html.span(f"{kept} of {all_of} are in the answer.{made_of}").classes("quiet-text")
        for name in used:
            with parts.tag("span", "row", title=diagnosis.MEANING[name]):
                html.span().classes("swatch").style["background"] = _COLOURS[name]
                html.span(name)


def _is_there(seen: ExplainedCandidate, name: str) -> bool:
    return abs(seen.candidate.parts.get(name, 0.0)) >= _SMALLEST


def _positive(seen: ExplainedCandidate) -> dict[str, float]:
    every = {name: seen.candidate.parts.get(name, 0.0) for name in diagnosis.EVIDENCE}
    return {name: value for name, value in every.items() if value >= _SMALLEST}


def _row(viewer: Viewer, request: Request, seen: ExplainedCandidate, most: float) -> None:
    each = seen.candidate
    text = seen.text if seen.text is not None else "Deleted since."
    fate = "kept" if each.fate in diagnosis.IN else "floor" if each.fate == FLOOR else "dropped"
    of = {"data_row": True, "data_fate": fate, "data_rank": seen.rank}
    with parts.tag("details", "candidate", **of) as row:
        for name in diagnosis.EVIDENCE:
            row.props[f"data-{name}"] = f"{each.parts.get(name, 0.0):.4f}"
        with html.summary():
            html.span(str(seen.rank)).classes("number rank")
            with html.div().classes("gist"):
                parts.said(text, "one-line")
                parts.said(diagnosis.found_for(each.hop, request), "hop one-line")
            parts.badge(each.fate, diagnosis.colour(each.fate))
            if viewer.caller.admin:
                found = _positive(seen)
                counted = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
                spoken = counted or "no evidence"
                bar = [(1000 * value / most, _COLOURS[name]) for name, value in found.items()]
                stacked_bar("stacked", spoken, bar)
                html.span(f"{each.score:.2f}").classes("number score")
        with html.div().classes("stack inside"):
            parts.text(text)
            html.p(diagnosis.fate(each.fate)).classes("reason")
            if each.hop:
                split = each.hop in request.sub_questions
                led = "Found for the sub-question" if split else "What was found first also names"
                html.p(f"{led} “{each.hop}”.").classes("reason").props("dir=auto")
            with html.div().classes("details"):
                labels.badge(each.kind)
                labels.tier(seen.trust)
                if each.parts:
                    html.span(f"found by {diagnosis.found_by(each.parts, request)}")
                place(viewer, each.channel, each.seq)
                parts.moment(moment(each.at))
            with html.dl().classes("lab-parts"):
                for name in filter(lambda name: _is_there(seen, name), diagnosis.EVIDENCE):
                    _evidence(name, f"{each.parts[name]:+.2f}", diagnosis.MEANING[name])
                if _RELEVANCE in each.parts:
                    what = "How likely it bears on the question. The floor is compared with this."
                    _evidence(_RELEVANCE, f"{each.parts[_RELEVANCE]:.0%}", what)


def _evidence(name: str, figure: str, meaning: str) -> None:
    html.dt(name.capitalize())
    html.dd(figure).classes("number")
    html.dd(meaning).classes("quiet-text")


def _withheld(viewer: Viewer, others: Sequence[WithheldHit]) -> None:
    with html.div().classes("stack withheld").props("data-withheld"):
        html.h3("Withheld from this answer")
        these = "A search of the whole space finds these too. Whoever asks here does not get them."
        parts.quiet(these)
        for each in others:
            with html.details().classes("candidate"):
                with html.summary():
                    parts.said(each.hit.text, "gist one-line")
                    parts.badge(each.badge, "warn")
                with html.div().classes("stack inside"):
                    parts.text(each.hit.text)
                    html.p(each.why).classes("reason").props("dir=auto")
                    with html.div().classes("details"):
                        labels.badge(each.hit.kind)
                        place(viewer, each.hit.channel, each.hit.seq)
