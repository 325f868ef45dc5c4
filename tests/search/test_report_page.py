"""The page of the report: one file that runs nothing, fetches nothing, and shows what people typed as they typed it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from html.parser import HTMLParser

import pytest
from test_report import EMPTY, OVER

from erstwhile.base.settings import load
from erstwhile.requests.figures import shown, sparkline
from erstwhile.requests.model import Latency, Report, ReportDay, Request, RequestCounts, TokenUsage
from erstwhile.requests.page import page
from erstwhile.requests.plots import Plot, Series, svg
from erstwhile.requests.recommendations import recommend

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><script>alert(1)</script>",
    "</title><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "`<b>x</b>` &lt;script&gt;",
    "javascript:alert(1)",
]
PAGE = "html head meta title style body main h1 h2 h3 p div span b i u br table tr th td code footer"
PLOT = "svg line text path polyline circle rect"
TAGS = {*PAGE.split(), *PLOT.split()}


class Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.data: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in ("meta", "br", "line", "path", "polyline", "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.data.append(data)


def days(count: int) -> tuple[ReportDay, ...]:
    return tuple(
        ReportDay(
            day=date(2026, 3, 2) + timedelta(days=n),
            counts=RequestCounts()
            if n % 3 == 2
            else RequestCounts(requests=n + 5, queries=5, contexts=4, thin=2, words=4, truncated=n % 4),
            retrieval=Latency() if n % 3 == 2 else Latency(5.0 + n, 20.0 + n),
            model=Latency(900, 1500) if n % 2 else Latency(),
            whole=Latency() if n % 3 == 2 else Latency(5.0 + n, 2000.0 + n),
            feedback=0,
        )
        for n in range(count)
    )


def made(report: Report, requests: list[Request] | None = None) -> str:
    return page(report, recommend(report, load()), requests or [])


def requests_of(texts: list[str]) -> list[Request]:
    return [
        Request(
            f"req_{n}",
            EMPTY.until,
            "context",
            query=text,
            feedback=text,
            path=text,
            error_stage=text if n % 2 else None,
        )
        for n, text in enumerate(texts)
    ]


def test_what_people_typed_stays_text() -> None:
    evil = replace(OVER, space=EVIL[0], spent=tuple(TokenUsage(text, text, 1, 1, 1, 1) for text in EVIL), daily=days(7))
    read = Reader(made(evil, requests_of(EVIL)))
    assert read.tags <= TAGS
    assert [name for name, _ in read.attributes if name.startswith("on") or name in ("href", "src", "xlink:href")] == []
    assert read.open == []
    shown_text = "".join(read.data)
    for text in EVIL[:-2]:
        assert text in shown_text


@pytest.mark.parametrize("count", [1, 2, 7, 60])
def test_the_page_needs_nothing_from_elsewhere(count: int) -> None:
    text = made(replace(OVER, daily=days(count)), requests_of(["where?"]))
    assert not re.search(r"//|@import|url\(|<script|<link|<iframe", text)
    assert "default-src 'none'" in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text
    assert "NaN" not in text
    assert "None" not in text
    assert Reader(text).open == []


def test_an_empty_report_is_a_page_too() -> None:
    nothing = replace(
        EMPTY, requests=0, queries=0, thin=None, truncated=None, retrieval=Latency(), model=Latency(), spent=()
    )
    text = made(replace(nothing, whole=Latency(), tokens_per_request=None, daily=days(1)[:0]))
    assert "Not enough data" in text
    assert Reader(text).open == []


def strokes(drawn: str, kind: str) -> list[float]:
    """How high each piece of a stroke begins."""
    found = re.search(f'class="{kind}" d="([^"]+)"', drawn)
    return [float(piece) for piece in re.findall(r"M[\d.]+,([\d.]+)", found[1])] if found else []


def test_thresholds_are_drawn_where_they_are() -> None:
    plot = Plot("Thin", [day.day for day in days(4)], [Series("thin", [0.6, 0.3, None, 0.0])], "share", threshold=0.3)
    drawn = svg(plot)
    (limit,) = strokes(drawn, "limit")
    heights = strokes(drawn, "dots")
    assert limit == heights[1], "the day at the threshold lies on it"
    assert heights[0] < limit < heights[2]
    assert len(heights) == 3, "a day without a value has no dot"
    assert len(strokes(drawn, "line")) == 2, "and leaves a gap"
    assert "2026-03-04: thin –" in drawn


def test_a_lone_day_in_a_long_period_is_seen() -> None:
    values: list[float | None] = [None] * 40 + [0.5] + [None] * 19
    plot = Plot("Thin", [day.day for day in days(60)], [Series("thin", values)], "share")
    assert len(strokes(svg(plot), "dots")) == 1


@pytest.mark.parametrize(("count", "strips"), [(1, 1), (92, 92), (93, 47), (360, 90)])
def test_every_day_is_in_a_tooltip_however_long_the_period(count: int, strips: int) -> None:
    every = [date(2026, 3, 2) + timedelta(days=n) for n in range(count)]
    drawn = svg(Plot("Requests", every, [Series("requests", [1.0] * count)], shape="bar"))
    assert drawn.count("<title>") == strips
    assert all(f"{day}: requests 1" in drawn for day in every)


@pytest.mark.parametrize("top", [1, 2, 3, 7, 9, 10, 11, 24, 99, 101, 2345, 99_999])
def test_counts_are_marked_with_whole_round_numbers(top: int) -> None:
    drawn = svg(Plot("Requests", [date(2026, 3, 2)], [Series("requests", [float(top)])], shape="bar"))
    labels = re.findall(r'text-anchor="end">([\d.,]+)( k)?<', drawn)
    ticks = [float(label.replace(",", "")) * (1000 if k else 1) for label, k in labels]
    assert ticks[0] == 0
    assert 2 <= len(ticks) <= 5
    assert ticks[-1] >= top
    assert all(tick % 1 == 0 for tick in ticks)


def test_numbers_read_well() -> None:
    assert [shown(value, "share") for value in (None, 0.0, 0.004, 0.05, 0.256, 1.0)] == [
        "–",
        "0%",
        "0.4%",
        "5%",
        "26%",
        "100%",
    ]
    assert [shown(value, "ms") for value in (0.4, 9.96, 12.3, 999.6, 2540)] == [
        "0.4 ms",
        "10 ms",
        "12 ms",
        "1 s",
        "2.5 s",
    ]
    assert (shown(3, "per week"), shown(3.0, "seconds")) == ("3 per week", "3 s")
    assert sparkline([0, 0.5, None, 1], 1.0) == "▁▅·█"
    assert sparkline([0.0, 0.0]) == "▁▁"
    assert sparkline([]) == ""
