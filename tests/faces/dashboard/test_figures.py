"""What the overview and the report are made of, without a browser."""

from __future__ import annotations

import csv
import io
import shlex
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from erstwhile.dashboard.commands import ExampleCommands
from erstwhile.dashboard.pages import downloads
from erstwhile.dashboard.pages.overview import RecountPause, Tally
from erstwhile.dashboard.pages.report import dollars, format_price, total
from erstwhile.events.model import Event
from erstwhile.requests import trends
from erstwhile.requests.model import Latency, Report, ReportDay, RequestCounts, TokenUsage
from erstwhile.requests.plots import Drawing, Plot, Series, axis
from erstwhile.requests.recommendations import recommend
from erstwhile.search.space_counts import SpaceCounts

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAYS = [NOW.date() - timedelta(days=ago) for ago in (2, 1, 0)]


def event(kind: str, action: str = "added", after: float = 1, **more: int) -> Event:
    return Event("c", NOW + timedelta(seconds=after), kind, action, "id", **more)  # type: ignore[arg-type]


def test_counters_follow_what_is_heard_of_until_they_are_counted_anew() -> None:
    held = SpaceCounts("default", NOW, NOW, 10, 1, 2, {"chunk": 1}, ())
    tally = Tally(held)
    tally.hear([event("message", seq=11, until=15), event("fact"), event("fact"), event("chunk", "removed")])
    tally.hear([event("message", after=-1, seq=10, until=10), event("job", "parked"), event("chunk", "edited")])
    assert (tally.messages, tally.memories, tally.total) == (15, {"chunk": 0, "fact": 2}, 2)
    tally.settle(held)
    assert (tally.messages, tally.total) == (10, 1)


def test_counting_rests_the_longer_the_longer_it_takes() -> None:
    rest = RecountPause()
    assert not rest.ready(0)
    rest.changed()
    assert rest.ready(0)
    rest.done(0, took=0.3)
    rest.changed()
    assert not rest.ready(5)
    assert rest.ready(6.1)


@pytest.mark.parametrize(
    ("unit", "values", "ceiling", "suffix"),
    [
        ("share", [0.1, None, 0.32], 40, "%"),
        ("share", [1.0, 0, 0], 100, "%"),
        ("count", [0, 0, 0], 1, ""),
        ("count", [1, 2, 3], 3, ""),
        ("count", [12_000, 1, None], 15, " k"),
        ("count", [10_000, 1, None], 10, " k"),
        ("ms", [3, 90, 40], 100, " ms"),
        ("ms", [3, 2500, 40], 3, " s"),
    ],
)
def test_an_axis_ends_at_a_round_number(unit: str, values: list[float | None], ceiling: float, suffix: str) -> None:
    found = axis(Plot("x", DAYS, [Series("a", values)], unit))
    assert (found.ceiling, found.suffix) == (ceiling, suffix)
    assert found.ceiling / found.step <= 4
    assert found.label(found.ticks[-1]) == f"{ceiling}{suffix}"
    assert unit != "count" or all(tick % 1 == 0 for tick in found.ticks), "not 2.5 k, 5 k, 7.5 k"


def test_a_threshold_is_always_inside_and_a_gap_stays_a_gap() -> None:
    plot = Plot("Cut", DAYS, [Series("share", [None, 0.05, None])], "share", threshold=0.4)
    drawn = {each.kind: each.path for each in Drawing(plot).strokes}
    assert drawn["dots"].count("M") == drawn["line"].count("M") == 1
    assert axis(plot).ceiling >= 40
    limit, top = (
        float(path.partition(",")[2].partition("H")[0]) for path in (drawn["limit"], drawn["grid"].split("M")[-1])
    )
    assert top <= limit < float(drawn["dots"].partition(",")[2].partition("h")[0])
    assert plot.gist == "Cut, by day, 02-27 to 03-01: share 5%; the threshold is 40%."
    stacked = Plot("x", DAYS, [Series("a", [1, 2, 3]), Series("b", [3, None, 3])], shape="bar")
    assert axis(stacked).ceiling >= 6


def report() -> Report:
    spent = (TokenUsage("chat", "openai:gpt-4o", 1, 60, 0, 0), TokenUsage("fold", "openai:gpt-4o", 1, 40, 0, 0))
    daily = tuple(
        ReportDay(
            (NOW - timedelta(days=ago)).date(),
            RequestCounts(requests=4, queries=4, contexts=2, thin=1, truncated=2, words=3, tokens=800),
            Latency(5, 9),
            Latency(),
            Latency(5, 4000),
            feedback=2,
            missed=1,
            spent=spent,
        )
        for ago in (2, 1, 0)
    )
    nothing = dict.fromkeys(("summaries", "words", "trigram", "meaning", "recent"), None)
    return Report(
        "default", NOW - timedelta(days=2), NOW, 3, 30, 12, {}, nothing, 0.25, 0, 0, 0, 0, 1.0, 0,
        Latency(5, 9), Latency(), Latency(5, 4000), {}, 400, spent, 0.4, 6, 0.25, None, daily,
    )  # fmt: skip


def test_every_figure_of_the_advisor_is_plotted_and_judged_in_words() -> None:
    from erstwhile.base.settings import Settings

    made = report()
    found = {each.advice.metric: each for each in trends.trends(made, recommend(made, Settings()))}
    assert len(found) == 8
    cut = found["truncated by the budget"]
    assert (cut.state, cut.kind, cut.value, cut.threshold) == ("passed", "bad", "100%", "40%")
    assert found["fewer than 3 hits by words"].plot.series[0].values == [0.25] * 3
    assert found["meaning was needed"].plot.series[0].values == [0.25] * 3
    assert found["feedback: it forgot"].plot.series[0].values == [2, 4, 6]
    assert found["p95 latency"].plot.series[0].values == [4.0] * 3
    assert found["cost of making memories"].plot.series[0].values == [0.4] * 3
    assert found["fallback used"].state == "ok"


def test_the_table_and_the_sheet_have_what_the_plots_have() -> None:
    from erstwhile.base.settings import Settings

    made = report()
    plots = trends.plots(made)
    header, rows = trends.table(plots)
    assert rows[0][0] == "03-01"
    assert {len(row) for row in rows} == {len(header)}
    assert rows[0][header.index("Found something, by path: words")] == "75%"
    names, cells = trends.sheet(made, recommend(made, Settings()))
    assert [row[0] for row in cells] == ["2026-02-27", "2026-02-28", "2026-03-01"]
    assert cells[0][names.index("Tokens per context (count)")] == 400


def test_a_spreadsheet_finds_no_formula() -> None:
    written = downloads.csv_text(["day", "=cmd()"], [["+1", "@x"], ["-2", -2], ['a,"b"\n', None]])
    assert list(csv.reader(io.StringIO(written))) == [
        ["day", "'=cmd()"], ["'+1", "'@x"], ["'-2", "-2"], ['a,"b"\n', ""],
    ]  # fmt: skip


def test_commands_are_for_this_server_and_show_no_password() -> None:
    here = ExampleCommands("http://127.0.0.1:8765", "/data/my chat.db", "it's mine", keyed=True)
    words = shlex.split(here.remember())
    assert words[2] == "http://127.0.0.1:8765/v1/spaces/it%27s%20mine/people/alice/remember"
    assert "Authorization: Bearer $KEY" in words
    assert shlex.split(here.run("import chat.jsonl"))[3:] == ["--database", "/data/my chat.db", "--space", "it's mine"]
    served = ExampleCommands("http://m", "postgresql://me:secret@db/erstwhile", "default", keyed=False)
    for command in (served.say(), served.run("import chat.jsonl")):
        assert "secret" not in command
    assert served.completed("Start `erstwhile worker`.") == 'Start `erstwhile worker --database "$ERSTWHILE_DATABASE"`.'


def test_list_prices_where_there_are_any() -> None:
    million = TokenUsage("chat", "openai:gpt-4o", 1, 1_000_000, 0, 0)
    cached = TokenUsage("chat", "openai:gpt-4o", 1, 1_000_000, 0, 1_000_000)
    full, less, own, unknown = dollars(
        [
            million,
            cached,
            TokenUsage("fold", "openai-compatible:gpt-4o", 1, 9, 9, 0),
            TokenUsage("fold", "who:knows", 1, 9, 9, 0),
        ]
    )
    assert full is not None
    assert less is not None
    assert full > less > 0
    assert own is unknown is None
    assert format_price(Decimal("0.001")) == "under $0.01"
    assert total([Decimal(1), None]) == "$1.00 at list prices, without the models that have none,"
    assert total([Decimal(1)]) == "$1.00 at list prices"
    assert total([None]) == "No list price is known"
