"""Search: messages and memories, filtered by kind, person, channel, writer and time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date, timedelta
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.base.records import dataclass
from erstwhile.base.trust import TIERS
from erstwhile.dashboard import commands, labels, parts
from erstwhile.dashboard.parts import tag
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.search.model import BrowseCounts, BrowsePage, Facet, Hit
from erstwhile.text import analyse

SIZE = 20  # results on a page
_BESIDE = ("chunk", "meta", "fact", "brief")  # kinds in the pane beside a conversation
_NAMES = ("person", "channel", "since", "until", "writer")


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Empty means no filter. `page` counts from 1; `cursor` is that of a later one."""

    q: str = ""
    kinds: tuple[str, ...] = ()
    person: str = ""
    channel: str = ""
    since: str = ""
    until: str = ""
    writer: str = ""
    trust: str = ""
    page: int = 1
    cursor: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str], page: int) -> SearchFilters:
        names = [each.name for each in fields(cls) if each.name not in ("kinds", "page")]
        words = {name: given.get(name, "") for name in names}
        kinds = dict.fromkeys(filter(None, map(str.strip, given.get("kinds", "").split(","))))
        return cls(kinds=tuple(kinds), page=page, **words)

    @property
    def asked(self) -> dict[str, Any]:
        """The parameters of `browse`."""
        given = {name: getattr(self, name) or None for name in (*_NAMES, "trust")}
        given["trust"] = self.trust if self.trust in TIERS else None
        return {**given, "kinds": list(self.kinds) or None}

    @property
    def skipped(self) -> int:
        return (self.page - 1) * SIZE

    def address(self, **changes: Any) -> dict[str, str | int | None]:
        """Return the parameters of a link; another filter starts at its first page."""
        changed = replace(self, **{"page": 1, "cursor": "", **changes})
        words = {name: getattr(changed, name) or None for name in ("q", *_NAMES, "trust", "cursor")}
        page = changed.page if changed.page > 1 else None
        return {**words, "kinds": ",".join(changed.kinds) or None, "page": page}

    def hidden(self, *without: str) -> dict[str, str]:
        carried = {name: str(value) for name, value in self.address().items() if value is not None}
        return {name: value for name, value in carried.items() if name not in without}

    def toggled(self, kind: str) -> dict[str, str | int | None]:
        others = tuple(each for each in self.kinds if each != kind)
        return self.address(kinds=others if kind in self.kinds else (*self.kinds, kind))

    def in_month(self, month: str) -> bool:
        return (self.since, self.until) == of_month(month)

    def chips(self) -> list[tuple[str, str, dict[str, str | int | None]]]:
        """Return the chosen filters: name, value, and the address without it."""
        made = [("kind", kind, self.toggled(kind)) for kind in self.kinds]
        chosen = {sort: getattr(self, sort) for sort in (*_NAMES, "trust") if getattr(self, sort)}
        made += [(sort, value, self.address(**{sort: ""})) for sort, value in chosen.items()]
        return made


def of_month(month: str) -> tuple[str, str]:
    first = date.fromisoformat(f"{month}-01")
    last = (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    return first.isoformat(), last.isoformat()


def place(hit: Hit) -> tuple[str, dict[str, str | int | None]]:
    page = labels.of(hit.kind).page
    if page == "notes":
        return "/notes", {"note": hit.id}
    if page == "person" and hit.person is not None:
        return "/people/person", {"person": hit.person}
    chosen = {"memory": hit.id} if hit.kind in _BESIDE else {}  # its messages are highlighted there
    return "/conversations/channel", {"channel": hit.channel, "seq": hit.seq, **chosen}


SHOWN = 260  # characters of a text
_BEFORE = 60  # of these, before the first word found
_LONGEST = 20_000  # characters that are looked through
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u30ff\u3105-\u312f\u3400-\u9fff\ua960-\ud7fb\uf900-\ufad9\uff66-\uffdc]"
)


class SnippetPart(NamedTuple):
    text: str
    found: bool


def pieces(text: str, terms: Collection[str]) -> list[SnippetPart]:
    """Cut a text into pieces. `terms` are as in the index."""
    wanted = frozenset(terms)
    found = list(_joined(_matches(text[:_LONGEST], wanted))) if wanted else []
    start = max(0, found[0][0] - _BEFORE) if found and found[0][1] > SHOWN else 0
    end = min(len(text), start + SHOWN)
    made: list[SnippetPart] = [SnippetPart("… ", False)] if start else []
    at = start
    for first, last in found:
        if last > end:
            break
        made += [SnippetPart(text[at:first], False), SnippetPart(text[first:last], True)]
        at = last
    made.append(SnippetPart(text[at:end], False))
    if end < len(text):
        made.append(SnippetPart(" …", False))
    return [piece for piece in made if piece.text]


def _matches(text: str, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    for match in _WORD.finditer(text):
        word, first = match[0], match.start()
        if _DENSE.search(word):
            yield from _pairs(word, first, wanted)
        elif wanted.intersection(analyse.terms(word)):
            yield first, match.end()


def _pairs(run: str, first: int, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs: in scripts without spaces two characters in a row are a term; one where it is alone."""
    if len(run) == 1 and wanted.intersection(analyse.terms(run)):
        yield first, first + 1
    for at, (left, right) in enumerate(pairwise(run), start=first):
        if wanted.intersection(analyse.terms(left + right)):
            yield at, at + 2


def _joined(found: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    held: tuple[int, int] | None = None
    for first, last in found:
        if held is not None and first <= held[1]:
            held = (held[0], max(held[1], last))
            continue
        if held is not None:
            yield held
        held = (first, last)
    if held is not None:
        yield held


_AT_ONCE = 0.4  # seconds that the page waits for its results
_PAUSE = 2.0  # seconds between two counts of new results
_MONTHS = 12  # that are shown at first


@page("/search")
async def search(viewer: Viewer) -> None:
    filters = SearchFilters.of(viewer.given, viewer.page_number)
    memory = await viewer.reading()

    async def look() -> BrowsePage:
        asked = filters.asked | {"cursor": filters.cursor or None, "limit": SIZE}
        found = await memory.memories.browse(filters.q, **asked)
        facets = (each.value for each in found.counts.channels)
        await viewer.read_titles((*facets, *(hit.channel for hit in found)))
        return found

    looking = asyncio.create_task(look())
    await asyncio.wait({looking}, timeout=_AT_ONCE)
    await viewer.read_titles([filters.channel])
    parts.title("Search")
    with html.form(action="/search", method="get").classes("search-form") as form:
        form.props("role=search data-search")
        box = tag("input", "plain", type="search", name="q", value=filters.q)
        box.props('autocomplete=off dir=auto placeholder="Words in messages and memories"')
        box.props["aria-label"] = "Search messages and memories"
        parts.submit("Search", "primary")
        space = {"space": viewer.space} if viewer.given.get("space") else {}
        given = filters.hidden("q") | space
        for name, value in given.items():  # after the box, which is what "/" goes to
            tag("input", type="hidden", name=name, value=value)
    _chips(viewer, filters)

    def show() -> None:
        with parts.redrawn(shown):
            hint = _found(viewer, filters, looking.result())
        _watched(viewer, filters, looking.result().total or 0, hint)

    with tag("div", "found") as shown:
        if looking.done():
            show()
            return
        with html.div().classes("looking").props("role=status"):
            parts.spinner()
            once = "The first search in a large space reads its index, which takes a moment."
            html.p(f"Searching… {once}")

    async def later() -> None:
        try:
            await asyncio.shield(looking)
        finally:
            shown.clear()
        show()

    ui.timer(0.05, later, once=True)


def _chips(viewer: Viewer, filters: SearchFilters) -> None:
    chips = filters.chips()
    if not chips:
        return
    with html.div().classes("row chips").props("role=group aria-label='Chosen filters'"):
        for sort, value, without in chips:
            heading, words = sort, value
            if sort == "kind":
                words = labels.of(value).label
            elif sort == "channel":
                heading, words = "conversation", viewer.title_of(value)
            url = viewer.url("/search", **without)
            with parts.link("", url, "chip", name=f"Remove {heading} {words}"):
                html.span(heading).classes("sort")
                parts.said(words, "one-line")
                html.span("×").props("aria-hidden=true")
        if len(chips) > 1:
            url = viewer.url("/search", q=filters.q or None)
            parts.link("Remove all", url, "button quiet small")


def _found(viewer: Viewer, filters: SearchFilters, found: BrowsePage) -> Element:
    """Return the place for the hint about new results."""
    with html.div().classes("search-columns"):
        _facets(viewer, filters, found.counts)
        with html.div().classes("stack"):
            hint = _count(viewer, filters, found)
            if found:
                with tag("ol", "list results", start=filters.skipped + 1):
                    for hit in found:
                        _result(viewer, hit, found.counts.names, found.counts.words)
            else:
                if filters.cursor:
                    parts.empty("There is nothing more.")
                    parts.link("To the first page", viewer.url("/search", **filters.address()))
                elif filters.q or filters.chips():
                    parts.empty("Nothing was found. Remove a filter, or try other words.")
                else:
                    nothing = "This space is empty. What is added can be found here."
                    commands.nothing_yet(viewer, nothing)
            _pages(viewer, filters, found)
    return hint


def _count(viewer: Viewer, filters: SearchFilters, found: BrowsePage) -> Element:
    first, last = filters.skipped + 1, filters.skipped + len(found)
    with html.div().classes("row between counted"):
        if found:
            order = "best first" if filters.q else "newest first"
            parts.quiet(f"{first:,} to {last:,} of {found.total:,}, {order}")
            if not filters.trust:
                url = viewer.url("/search", **filters.address(trust="user"))
                parts.link("Only what people said", url)
        return tag("div", "hint", role="status", aria_live="polite")


def _result(viewer: Viewer, hit: Hit, names: Mapping[str, str], words: Sequence[str]) -> None:
    where, values = place(hit)
    with html.li().classes("result").props("data-row"):
        with html.div().classes("details"):
            labels.badge(hit.kind)
            labels.tier(hit.trust)
            parts.said(names.get(hit.person or "", hit.person), "who")
            where_said = viewer.title_of(hit.channel)
            parts.said(where_said if hit.seq is None else f"{where_said} #{hit.seq}")
            parts.moment(hit.at)
        with tag("a", "text snippet", href=viewer.url(where, **values), dir="auto"):
            for piece in pieces(hit.text, words):
                (html.mark if piece.found else html.span)(piece.text)


def _pages(viewer: Viewer, filters: SearchFilters, found: BrowsePage) -> None:
    def at(page: int, cursor: str = "") -> str:
        return viewer.url("/search", **filters.address(page=page, cursor=cursor))

    first = at(1) if filters.cursor else None
    later = at(filters.page + 1, found.next) if found.next else None
    place = f"Page {filters.page:,} of {-(-(found.total or 0) // SIZE):,}"
    parts.pages(first, later, parts.FIRST_OR_NEXT, place)


def _facets(viewer: Viewer, filters: SearchFilters, counts: BrowseCounts) -> None:
    def chosen(sort: str, value: str) -> Address:
        here = getattr(filters, sort) == value
        return filters.address(**{sort: "" if here else value}), here

    def kind(value: str) -> Address:
        return filters.toggled(value), value in filters.kinds

    def month(value: str) -> Address:
        since, until = ("", "") if filters.in_month(value) else of_month(value)
        return filters.address(since=since, until=until), filters.in_month(value)

    with html.details().classes("facets"):
        html.summary("Filters").classes("button")
        with html.div().classes("stack"):
            kinds = {each.value: labels.of(each.value).label for each in counts.kinds}
            _facet(viewer, "Kind", counts.kinds, kind, kinds)
            _facet(viewer, "Person", counts.people, partial(chosen, "person"), counts.names)
            channel = partial(chosen, "channel")
            _facet(viewer, "Conversation", counts.channels, channel, viewer.titles)
            _facet(viewer, "Writer", counts.writers, partial(chosen, "writer"), {})
            _facet(viewer, "Month", counts.months, month, {}, most=_MONTHS)
            with parts.form(viewer, "/search", "dates", **filters.hidden("since", "until")):
                parts.entry("From", "since", filters.since[:10], type="date")
                parts.entry("To", "until", filters.until[:10], type="date")
                parts.submit("Apply", name="Apply the dates")


Address = tuple[dict[str, str | int | None], bool]  # of a link to a choice, and whether it is made


def _facet(
    viewer: Viewer,
    heading: str,
    values: Sequence[Facet],
    choice: Callable[[str], Address],
    names: Mapping[str, str],
    *,
    most: int = 8,
) -> None:
    def listed(those: Sequence[Facet]) -> None:
        largest = max(each.count for each in those)
        with html.ul():
            for each in those:
                address, chosen = choice(each.value)
                url, here = viewer.url("/search", **address), "true" if chosen else None
                with html.li(), parts.link("", url, "value", here=here) as link:
                    link.props["style"] = f"--share: {round(100 * each.count / largest)}%"
                    parts.said(names.get(each.value, each.value), "one-line")
                    html.span(f"{each.count:,}").classes("number")

    if not values:
        return
    with html.section().classes("facet"):
        html.h2(heading)
        listed(values[:most])
        if len(values) > most:
            with html.details().classes("more"):
                html.summary(f"{len(values) - most} more")
                listed(values[most:])


def _watched(viewer: Viewer, filters: SearchFilters, total: int, hint: Element) -> None:
    """Hint at new results: the list that is being read must not move."""

    async def again() -> None:
        memory = await viewer.reading()
        now = (await memory.memories.browse(filters.q, limit=1, **filters.asked)).total or 0
        with parts.redrawn(hint):
            if now != total:
                words = f"{now - total:,} new" if now > total else f"{total - now:,} fewer"
                url = viewer.url("/search", **filters.address())
                name = f"{words} results. Show them"
                parts.link(f"{words} · show", url, "button small", name=name)

    viewer.again(again, pause=_PAUSE)
