"""Search: messages and memories, filtered by kind, person, channel, writer and time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.dashboard import commands, labels, parts
from erstwhile.dashboard.search_filters import SIZE, SearchFilters, of_month, pieces, place
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.search.model import Browsed, Facet, Hit

_AT_ONCE = 0.4  # seconds that the page waits for its results
_PAUSE = 2.0  # seconds between two counts of new results
_MONTHS = 12  # that are shown at first


@page("/search")
async def search(viewer: Viewer) -> None:
    filters = SearchFilters.of(viewer.given, viewer.number("page", 1))
    memory = await viewer.reading()
    looking = asyncio.ensure_future(
        memory.memories.browse(filters.q, space=viewer.space, offset=filters.offset, limit=SIZE, **filters.asked)
    )
    await asyncio.wait({looking}, timeout=_AT_ONCE)
    parts.title("Search")
    _form(viewer, filters)
    _chips(viewer, filters)
    shown: Element = html.div().classes("found")
    with shown:
        if looking.done():
            hint = _found(viewer, filters, looking.result())
            _watched(viewer, filters, looking.result().total, hint)
            return
        with html.div().classes("looking").props("role=status"):
            html.span().classes("spinner").props("aria-hidden=true")
            html.p("Searching… The first search in a large space reads its index, which takes a moment.")

    async def later() -> None:
        try:
            found = await asyncio.shield(looking)
        finally:
            shown.clear()
        with shown:
            hint = _found(viewer, filters, found)
        _watched(viewer, filters, found.total, hint)

    ui.timer(0.05, later, once=True)


# What is asked


def _form(viewer: Viewer, filters: SearchFilters) -> None:
    with html.form(action="/search", method="get").classes("search-form").props("role=search data-search"):
        box = html.input_(type="search", name="q", value=filters.q).classes("plain").props("autocomplete=off dir=auto")
        box.props["placeholder"] = "Words in messages and memories"
        box.props["aria-label"] = "Search messages and memories"
        html.button("Search", type="submit").classes("button primary")
        _carried(viewer, filters.hidden("q"))  # after the box, which is what "/" goes to


def _carried(viewer: Viewer, values: Mapping[str, str]) -> None:
    for name, value in values.items():
        html.input_(type="hidden", name=name, value=value)
    if viewer.given.get("space"):
        html.input_(type="hidden", name="space", value=viewer.space)


def _chips(viewer: Viewer, filters: SearchFilters) -> None:
    chips = filters.chips()
    if not chips:
        return
    with html.div().classes("row chips").props("role=group aria-label='Chosen filters'"):
        for sort, value, without in chips:
            made = parts.link("", viewer.url("/search", **without), "chip")
            made.props["aria-label"] = f"Remove {sort} {value}"
            with made:
                html.span(sort).classes("sort")
                html.span(labels.of(value).label if sort == "kind" else value).classes("one-line").props("dir=auto")
                html.span("×").props("aria-hidden=true")
        if len(chips) > 1:
            parts.link("Remove all", viewer.url("/search", q=filters.q or None), "button quiet small")


# What is found


def _found(viewer: Viewer, filters: SearchFilters, found: Browsed) -> Element:
    """Returns the place for the hint about new results."""
    with html.div().classes("search-columns"):
        _facets(viewer, filters, found)
        with html.div().classes("stack"):
            hint = _count(viewer, filters, found)
            if found.hits:
                listed = html.ol().classes("list results")
                listed.props["start"] = filters.offset + 1
                with listed:
                    for hit in found.hits:
                        _result(viewer, hit, found.names, found.words)
            else:
                _nothing(viewer, filters, found)
            _pages(viewer, filters, found.total)
    return hint


def _count(viewer: Viewer, filters: SearchFilters, found: Browsed) -> Element:
    first, last = filters.offset + 1, filters.offset + len(found.hits)
    with html.div().classes("row between counted"):
        if found.hits:
            order = "best first" if filters.q else "newest first"
            parts.quiet(f"{first:,} to {last:,} of {found.total:,}, {order}")
            if not filters.trust:
                parts.link("Only what people said", viewer.url("/search", **filters.address(trust="user")))
        hint: Element = html.div().classes("hint").props("role=status aria-live=polite")
    return hint


def _result(viewer: Viewer, hit: Hit, names: Mapping[str, str], words: Sequence[str]) -> None:
    where, values = place(hit)
    with html.li().classes("result").props("data-row"):
        with html.div().classes("details"):
            labels.badge(hit.kind)
            labels.tier(hit.trust)
            if hit.person is not None:
                html.span(names.get(hit.person, hit.person)).classes("who").props("dir=auto")
            if hit.channel:
                html.span(hit.channel if hit.seq is None else f"{hit.channel} #{hit.seq}").props("dir=auto")
            parts.moment(hit.at)
        made: Element = html.a(href=viewer.url(where, **values)).classes("text snippet").props("dir=auto")
        with made:
            for piece in pieces(hit.text, words):
                (html.mark if piece.found else html.span)(piece.text)


def _nothing(viewer: Viewer, filters: SearchFilters, found: Browsed) -> None:
    if found.total:
        parts.empty("There are not that many pages.")
        parts.link("To the first page", viewer.url("/search", **filters.address()))
    elif filters.q or filters.chips():
        parts.empty("Nothing was found. Remove a filter, or try other words.")
    else:
        commands.nothing_yet(viewer, "This space is empty. What is added can be found here.")


def _pages(viewer: Viewer, filters: SearchFilters, total: int) -> None:
    last = -(-total // SIZE)

    def at(page: int) -> str | None:
        return viewer.url("/search", **filters.address(page=page)) if 1 <= page <= last else None

    if last > 1:
        place = f"Page {filters.page:,} of {last:,}"
        parts.pages(at(filters.page - 1), at(filters.page + 1), ("Previous", "Next"), place)


# How much there is of what


def _facets(viewer: Viewer, filters: SearchFilters, found: Browsed) -> None:
    with html.details().classes("facets"):
        html.summary("Filters").classes("button")
        with html.div().classes("stack"):
            _facet(
                "Kind",
                found.kinds,
                lambda each: (filters.toggled(each.value), each.value in filters.kinds),
                viewer,
                names={each.value: labels.of(each.value).label for each in found.kinds},
            )
            for heading, sort, values in (
                ("Person", "person", found.people),
                ("Channel", "channel", found.channels),
                ("Writer", "writer", found.writers),
            ):
                chosen = getattr(filters, sort)
                _facet(
                    heading,
                    values,
                    lambda each, sort=sort, chosen=chosen: (  # type: ignore[misc]
                        filters.address(**{sort: "" if each.value == chosen else each.value}),
                        each.value == chosen,
                    ),
                    viewer,
                    names=found.names if sort == "person" else None,
                )
            _dates(viewer, filters, found.months)


Choice = Callable[[Facet], tuple[dict[str, str | int | None], bool]]


def _facet(
    heading: str,
    values: Sequence[Facet],
    choice: Choice,
    viewer: Viewer,
    *,
    names: Mapping[str, str] | None = None,
    most: int = 8,
) -> None:
    if not values:
        return
    with html.section().classes("facet"):
        html.h2(heading)
        _values(values[:most], choice, viewer, names or {})
        if len(values) > most:
            with html.details().classes("more"):
                html.summary(f"{len(values) - most} more")
                _values(values[most:], choice, viewer, names or {})


def _values(values: Sequence[Facet], choice: Choice, viewer: Viewer, names: Mapping[str, str]) -> None:
    most = max(each.count for each in values)
    with html.ul():
        for each in values:
            address, chosen = choice(each)
            with html.li():
                link: Element = html.a(href=viewer.url("/search", **address)).classes("value")
                link.props["style"] = f"--share: {round(100 * each.count / most)}%"
                if chosen:
                    link.classes("here").props["aria-current"] = "true"
                with link:
                    html.span(names.get(each.value, each.value)).classes("one-line").props("dir=auto")
                    html.span(f"{each.count:,}").classes("number")


def _dates(viewer: Viewer, filters: SearchFilters, months: Sequence[Facet]) -> None:
    def choice(each: Facet) -> tuple[dict[str, str | int | None], bool]:
        since, until = ("", "") if filters.in_month(each.value) else of_month(each.value)
        return filters.address(since=since, until=until), filters.in_month(each.value)

    _facet("Month", months, choice, viewer, most=_MONTHS)
    with parts.form(viewer, "/search", "dates", **filters.hidden("since", "until")):
        for name, label, value in (("since", "From", filters.since), ("until", "To", filters.until)):
            with parts.field(label):
                html.input_(type="date", name=name, value=value[:10])
        html.button("Apply", type="submit").classes("button").props["aria-label"] = "Apply the dates"


# What comes meanwhile


def _watched(viewer: Viewer, filters: SearchFilters, total: int, hint: Element) -> None:
    """Hint at new results: the list that is being read must not move."""

    async def told(_: object) -> None:
        memory = await viewer.reading()
        now = (await memory.memories.browse(filters.q, space=viewer.space, limit=1, **filters.asked)).total
        hint.clear()
        if now != total:
            with hint:
                words = f"{now - total:,} new" if now > total else f"{total - now:,} fewer"
                made = parts.link(f"{words} · show", viewer.url("/search", **filters.address()), "button small")
                made.props["aria-label"] = f"{words} results. Show them"

    viewer.live(told, pause=_PAUSE)
