"""Past requests, filtered and in pages."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import html

from erstwhile.api.memory import Memory
from erstwhile.dashboard import parts
from erstwhile.dashboard.viewer import Viewer
from erstwhile.requests.figures import PATH_NAMES, duration
from erstwhile.requests.model import Request

_PAGE = 25
# Names in the address that are not the question's own.
_FILTERS = ("words", "in", "who", "op", "only")
_OPS = (("", "Any"), ("context", "context"), ("ask", "ask"), ("search", "search"))
_ONLY = (
    ("", "All"),
    ("complained", "With feedback"),
    ("truncated", "The budget dropped something"),
    ("empty", "Nothing found"),
    ("failed", "Failed"),
    ("real", "Without trials"),
    ("trial", "Only trials"),
)


async def past(viewer: Viewer, memory: Memory) -> None:
    before = viewer.asked("before") or None
    found = await memory.requests.list(
        space=viewer.space,
        channel=viewer.asked("in") or None,
        person=viewer.asked("who") or None,
        op=viewer.asked("op") or None,
        words=viewer.asked("words"),
        only=viewer.asked("only") or None,
        cursor=before,
        limit=_PAGE,
    )
    chosen = {name: viewer.asked(name) or None for name in _FILTERS}
    with parts.card("Past requests"):
        _filters(viewer)
        if not found:
            _nothing(any(chosen.values()) or before is not None)
        else:
            _table(viewer, found)
        newer = viewer.url("/recall", **chosen) if before is not None else None
        older = viewer.url("/recall", **chosen, before=found.next) if found.next else None
        parts.pages(newer, older, ("Newest", "Older"))


def _nothing(narrowed: bool) -> None:
    if narrowed:
        parts.quiet("No request matches.")
    else:
        parts.empty(
            "Nothing was asked yet. Ask above, or from a terminal:", 'erstwhile context CHANNEL "What do you know?"'
        )


def _filters(viewer: Viewer) -> None:
    with parts.form(viewer, "/recall", "lab-past-form"):
        with parts.field("Question holds"):
            html.input_(type="search", name="words", value=viewer.asked("words")).props("dir=auto")
        with parts.field("Conversation"):
            html.input_(name="in", value=viewer.asked("in"), list="lab-channels", autocomplete="off")
        with parts.field("Who asked"):
            html.input_(name="who", value=viewer.asked("who"), list="lab-people", autocomplete="off")
        with parts.field("Way of asking"):
            parts.select("op", _OPS, viewer.asked("op"))
        with parts.field("Only"):
            parts.select("only", _ONLY, viewer.asked("only"))
        with html.div().classes("lab-ask"):
            html.button("Show", type="submit").classes("button")


def _table(viewer: Viewer, requests: Sequence[Request]) -> None:
    numbers = ("Lines", "Tokens", "Took")
    with parts.table("Asked", "Question", "Found by", *numbers, numbers=numbers, classes="lab-past"):
        for each in requests:
            _row(viewer, each)


def _row(viewer: Viewer, request: Request) -> None:
    with html.tr().props("data-row"):
        with html.td().classes("lab-when"):
            parts.moment(request.at)
        with html.td().classes("lab-says"), html.div().classes("stack"):
            parts.link(
                _short(request.query) or "Without a question", viewer.url("/recall", request=request.id), "lab-question"
            )
            _details(request)
        named = PATH_NAMES.get(request.path, "nothing") + (" (fallback)" if request.fallback else "")
        html.td(named if request.searched else "not searched").props["data-label"] = "Found by"
        took = request.retrieval_ms + (request.model_ms or 0)
        for label, figure in (
            ("Lines", f"{request.items:,}"),
            ("Tokens", f"{request.tokens:,}" if request.budget else "–"),
            ("Took", duration(took)),
        ):
            html.td(figure).classes("number").props["data-label"] = label


def _details(request: Request) -> None:
    with html.div().classes("details"):
        parts.badge(request.op)
        if request.trial:
            parts.badge("trial")
        if request.complaint is not None:
            parts.badge("feedback", "bad")
        if request.error_stage is not None:
            parts.badge(f"failed: {request.error_stage}", "bad")
        if request.truncated:
            parts.badge("cut by the budget", "warn")
        if request.channel is not None:
            html.span(f"in {request.channel}").props("dir=auto")
        if request.person is not None:
            html.span(f"asked by {request.person}").props("dir=auto")
        if request.complaint:
            html.span(f"“{_short(request.complaint)}”").props("dir=auto")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
