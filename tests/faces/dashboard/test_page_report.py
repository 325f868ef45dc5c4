"""The report: every figure of the advisor against its threshold, day by day, for the eye, the ear and the spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime, timedelta

import httpx2
from dashing import Dash
from playwright.sync_api import Page, expect
from test_overview import XSS, put

from erstwhile.base import ids
from erstwhile.requests.model import Request, TokenUsage

METRICS = 8


def asked(count: int = 30, **more: object) -> list[Request]:
    """Half of them cut off by the budget: over its threshold."""
    now = datetime.now(UTC)
    return [
        Request(
            ids.new("req"),
            now - timedelta(days=n % 5),
            "context",
            "chat",
            query=f"Question {n} {XSS}",
            searched=True,
            hits={"words": 5},
            path="words",
            items=3,
            tokens=400,
            truncated=n % 2 == 0,
            retrieval_ms=12.5,
            **more,  # type: ignore[arg-type]
        )
        for n in range(count)
    ]


def test_each_figure_stands_against_its_threshold(dash_on_each: Dash, page: Page) -> None:
    put(dash_on_each, asked(), [TokenUsage("summarise", "openai:gpt-4o", 2, 5000, 100, 0)])
    page.goto("/report")
    expect(page.get_by_role("heading", name=re.compile("of 8 figures passed"))).to_be_visible()
    assert len(dash_on_each.memory.requests.recommendations()) == METRICS
    cut = page.locator(".plot", has=page.get_by_role("heading", name="Truncated by the budget"))
    expect(cut).to_contain_text("passed")
    expect(cut).to_contain_text("50%")
    expect(cut).to_contain_text("threshold 40%")
    expect(cut.get_by_role("code").first).to_have_text("ERSTWHILE_BUDGET")
    expect(cut.get_by_role("img", name=re.compile("the threshold is 40%"))).to_be_visible()
    expect(cut.locator("svg path[stroke='var(--bad)']")).to_have_count(1)
    fallback = page.locator(".plot", has=page.get_by_role("heading", name="Fallback used"))
    expect(fallback).to_contain_text("ok")
    expect(page.locator(".chart[role=img]")).to_have_count(METRICS + 11)
    assert "pwned" not in page.title()


def test_light_and_dark_have_colours_of_their_own(dash: Dash, page: Page) -> None:
    put(dash, asked(), [])
    page.goto("/report")
    line = (
        page.locator(".plot", has=page.get_by_role("heading", name="Fallback used"))
        .locator("svg path[stroke='var(--accent)']")
        .first
    )
    expect(line).to_be_attached()
    before = line.evaluate("each => getComputedStyle(each).stroke")
    page.get_by_role("button", name="Light or dark").click()
    assert line.evaluate("each => getComputedStyle(each).stroke") != before


def test_the_figures_can_be_read_as_a_table_and_taken_away(dash: Dash, page: Page) -> None:
    put(dash, asked(), [])
    page.goto("/report?days=30")
    expect(page.get_by_role("link", name="30 days")).to_have_attribute("aria-current", "true")
    page.get_by_role("link", name="Table").click()
    expect(page.get_by_role("link", name="30 days")).to_have_attribute("aria-current", "true")
    judged = page.get_by_role("region", name="Figures and thresholds")
    expect(judged.get_by_role("row", name="Truncated by the budget")).to_contain_text("passed")
    table = page.get_by_role("region", name="All figures by day").get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(31)
    expect(table.get_by_role("columnheader", name="Truncated by the budget")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download as CSV").click()
    rows = list(csv.DictReader(io.StringIO(started.value.path().read_text())))
    assert len(rows) == 30
    assert sum(float(row["Requests (count)"]) for row in rows) == 30
    taken = httpx2.get(f"{dash.url}/downloads/report.json?days=30").json()
    assert (taken["report"]["requests"], len(taken["advice"])) == (30, METRICS)


def test_a_period_without_anything_says_so(dash: Dash, page: Page) -> None:
    page.goto("/report?days=1")
    expect(page.get_by_text("Nothing was asked of the memory today.")).to_be_visible()
    page.get_by_role("link", name="Look at 90 days").click()
    expect(page.locator(".command code")).to_contain_text("erstwhile search")
    page.goto("/report?days=0")
    expect(page.get_by_role("alert")).to_contain_text("from 1 to")
    page.goto("/report?days=a")
    expect(page.get_by_role("alert")).to_contain_text("must be a number")
    assert httpx2.get(f"{dash.url}/downloads/report.csv?days=x").status_code == 422


def test_on_a_phone_the_report_fits(dash: Dash, page: Page) -> None:
    put(dash, asked(), [TokenUsage("summarise", "openai:gpt-4o", 2, 5000, 100, 0)])
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/report?days=90&view=table")
    expect(page.get_by_role("region", name="All figures by day")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("link", name="Plots").click()
    expect(page.get_by_role("img").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
