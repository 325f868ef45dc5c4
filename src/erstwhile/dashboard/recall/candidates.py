"""Every candidate of a request as a row that opens, its score as a stacked bar, and what was withheld."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nicegui import html, ui

from erstwhile.api.memory import Memory
from erstwhile.api.page import every
from erstwhile.base.clock import moment
from erstwhile.base.records import dataclass
from erstwhile.dashboard import labels, parts
from erstwhile.dashboard.recall import wording
from erstwhile.dashboard.viewer import Viewer
from erstwhile.requests.model import CandidateShown, Explanation, Request
from erstwhile.search.model import Hit
from erstwhile.search.trace import FLOOR

_SMALLEST: Final = 0.005  # evidence below this is shown as none
_WITHHELD: Final = 8  # of other conversations that are named
_SEARCHED: Final = 40
_RELEVANCE: Final = "relevance"
_COLOURS: Final = {name: f"var(--part-{number % 10})" for number, name in enumerate(wording.EVIDENCE)}


@dataclass(frozen=True, slots=True)
class WithheldHit:
    """What a search of the whole space finds and this request may not see, or did not look at."""

    hit: Hit
    badge: str
    why: str


async def withheld(memory: Memory, space: str, why: Explanation) -> list[WithheldHit]:
    """Find what is closest to the question in conversations that this request did not see, and say why."""
    request = why.request
    if not request.searched or not request.query or request.channel is None:
        return []
    seen = {each.candidate.id for each in why.seen}
    hits = await memory.search(request.query, space=space, limit=_SEARCHED, trial=True)
    other = [hit for hit in hits if hit.id not in seen and hit.channel and hit.channel != request.channel]
    audiences = {each.channel: each for each in await every(memory.channels.visibility, space=space)} if other else {}
    found: list[WithheldHit] = []
    for hit in other:
        audience = audiences.get(hit.channel)
        if audience is not None and (not audience.everyone or (hit.seq or 0) < audience.since):
            who = ", ".join(audience.people.values()) or "those who are in it"
            more = (
                f" and {audience.count - len(audience.people):,} more" if audience.count > len(audience.people) else ""
            )
            why_not = f"“{hit.channel}” is private: only {who}{more} may see what was said there."
            found.append(WithheldHit(hit, "private", why_not))
        elif request.scope == "channel":
            why_not = f"It was said in “{hit.channel}”, and only “{request.channel}” was searched. Choose another “Where to look”."
            found.append(WithheldHit(hit, "not searched", why_not))
    found.sort(key=lambda each: each.badge != "private")
    return found[:_WITHHELD]


def candidates(viewer: Viewer, why: Explanation, others: Sequence[WithheldHit] = ()) -> None:
    """List the candidates, at most forty; the browser sorts and filters them."""
    with parts.card("Every candidate", "lab-pane"):
        if not why.seen and not others:
            parts.quiet("There were none.")
            return
        kept = sum(each.candidate.fate in wording.IN for each in why.seen)
        used = [name for name in wording.EVIDENCE if any(_is_there(each, name) for each in why.seen)]
        _filters(len(why.seen), kept, used)
        most = max((sum(_positive(each).values()) for each in why.seen), default=1.0) or 1.0
        with html.div().classes("lab-scroll").props("data-lab-list tabindex=0"):
            for each in why.seen:
                _row(viewer, why.request, each, most)
            if others:
                _withheld(viewer, others)


def _filters(all_of: int, kept: int, used: Sequence[str]) -> None:
    with html.div().classes("row lab-filters"):
        box = html.input_(type="search", placeholder="Contains …").classes("plain").props("data-lab-contains")
        box.props["aria-label"] = "Only candidates that contain"
        fates = (("", "Kept and left out"), ("kept", "Kept"), ("dropped", "Left out"), ("floor", "Below the floor"))
        chooser = parts.select("", fates, "").classes("plain").props("data-lab-fate")
        chooser.props["aria-label"] = "Kept or left out"
        orders = (("rank", "By rank"), *((name, f"By {name}") for name in used))
        order = parts.select("", orders, "rank").classes("plain").props("data-lab-order")
        order.props["aria-label"] = "Order"
        html.span(f"{all_of} shown").classes("quiet-text").props("data-lab-count aria-live=polite")
    with html.div().classes("row lab-key"):
        html.span(f"{kept} of {all_of} are in the answer. A score is the sum of:").classes("quiet-text")
        for name in used:
            with html.span().classes("row") as key:
                key.props["title"] = wording.MEANING[name]
                html.span().classes("swatch").style["background"] = _COLOURS[name]
                html.span(name)


def _is_there(seen: CandidateShown, name: str) -> bool:
    return abs(seen.candidate.parts.get(name, 0.0)) >= _SMALLEST


def _positive(seen: CandidateShown) -> dict[str, float]:
    every = {name: seen.candidate.parts.get(name, 0.0) for name in wording.EVIDENCE}
    return {name: value for name, value in every.items() if value >= _SMALLEST}


def _row(viewer: Viewer, request: Request, seen: CandidateShown, most: float) -> None:
    each = seen.candidate
    row = html.details().classes("candidate").props("data-row")
    row.props["data-fate"] = "kept" if each.fate in wording.IN else "floor" if each.fate == FLOOR else "dropped"
    row.props["data-rank"] = seen.rank
    for name in wording.EVIDENCE:
        row.props[f"data-{name}"] = f"{each.parts.get(name, 0.0):.4f}"
    with row:
        with html.summary():
            html.span(str(seen.rank)).classes("number rank")
            html.span(seen.text if seen.text is not None else "Deleted since.").classes("gist one-line").props(
                "dir=auto"
            )
            parts.badge(each.fate, wording.colour(each.fate))
            _bar(seen, most)
            html.span(f"{each.score:.2f}").classes("number score")
        with html.div().classes("stack inside"):
            parts.text(seen.text if seen.text is not None else "Deleted since.")
            html.p(wording.fate(each.fate)).classes("reason")
            with html.div().classes("details"):
                labels.badge(each.kind)
                labels.tier(seen.trust)
                html.span(f"found by {wording.found_by(each.parts, request)}")
                if each.channel:
                    label = f"{each.channel} #{each.seq}" if each.seq is not None else each.channel
                    parts.message_link(viewer, each.channel, each.seq, label, "lab-place")
                parts.moment(moment(each.at))
            with html.dl().classes("lab-parts"):
                for name in filter(lambda name: _is_there(seen, name), wording.EVIDENCE):
                    html.dt(name.capitalize())
                    html.dd(f"{each.parts[name]:+.2f}").classes("number")
                    html.dd(wording.MEANING[name]).classes("quiet-text")
                if _RELEVANCE in each.parts:
                    html.dt("Relevance")
                    html.dd(f"{each.parts[_RELEVANCE]:.0%}").classes("number")
                    html.dd("How likely it bears on the question. The floor is compared with this.").classes(
                        "quiet-text"
                    )


def _bar(seen: CandidateShown, most: float) -> None:
    """The score, stacked: how much of it each kind of evidence gave."""
    found = _positive(seen)
    bar = ui.element("svg").classes("stacked").props('role=img preserveAspectRatio=none viewBox="0 0 1000 20"')
    bar.props["aria-label"] = ", ".join(f"{name} {value:.2f}" for name, value in found.items()) or "no evidence"
    at = 0.0
    with bar:
        for name, value in found.items():
            piece = ui.element("rect").props("y=0 height=20")
            width = 1000 * value / most
            piece.props["x"], piece.props["width"], piece.props["fill"] = f"{at:.1f}", f"{width:.1f}", _COLOURS[name]
            at += width


def _withheld(viewer: Viewer, others: Sequence[WithheldHit]) -> None:
    with html.div().classes("stack withheld").props("data-withheld"):
        html.h3("Withheld from this answer")
        parts.quiet("A search of the whole space finds these too. Whoever asks here does not get them.")
        for each in others:
            with html.details().classes("candidate"):
                with html.summary():
                    html.span(each.hit.text).classes("gist one-line").props("dir=auto")
                    parts.badge(each.badge, "warn")
                with html.div().classes("stack inside"):
                    parts.text(each.hit.text)
                    html.p(each.why).classes("reason").props("dir=auto")
                    with html.div().classes("details"):
                        labels.badge(each.hit.kind)
                        label = f"{each.hit.channel} #{each.hit.seq}"
                        parts.message_link(viewer, each.hit.channel, each.hit.seq, label, "lab-place")
