"""What held when, and who said it: worked out before anything is drawn."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

from erstwhile.dashboard.people import timeline
from erstwhile.dashboard.people.timeline import TimedMemory
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.layers.structured.model import StructuredMemory

NOW = datetime(2026, 12, 31, tzinfo=UTC)


def at(month: int, day: int = 1, year: int = 2026) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def held(
    value: str, since: datetime, until: datetime | None = None, about: str = "Home", said_by: str | None = "ann"
) -> TimedMemory:
    ended_by = "next" if until is not None else None
    return TimedMemory(value, about, f"Ann lives in {value}.", value, since, until, said_by, "square", 1, ended_by)


def test_what_took_anothers_place_stands_behind_it_in_one_row() -> None:
    moves = [held("Busan", at(7), at(10)), held("Seoul", at(1), at(7)), held("Jeju", at(10))]
    (lane,) = timeline.timeline(moves, NOW).lanes
    (row,) = lane.rows
    assert [bar.held.value for bar in row] == ["Seoul", "Busan", "Jeju"]
    assert lane.changed
    assert (row[0].left, round(row[0].width)) == (0, 50)
    for bar, following in itertools.pairwise(row):
        assert abs(bar.left + bar.width - following.left) < 0.01
    assert round(row[2].left + row[2].width, 1) == 100
    assert timeline.in_words(lane) == (
        "Seoul 1 Jan 2026 until 1 Jul 2026; Busan 1 Jul 2026 until 1 Oct 2026; Jeju since 1 Oct 2026"
    )


def test_what_holds_at_the_same_time_stands_in_rows_below_each_other() -> None:
    skills = [held("Korean", at(1), about="Skill"), held("cello", at(2), about="Skill")]
    (lane,) = timeline.timeline(skills, NOW).lanes
    assert [len(row) for row in lane.rows] == [1, 1]
    assert not lane.changed


def test_changes_come_first_and_the_latest_of_them_on_top() -> None:
    made = timeline.timeline(
        [
            held("tea", at(11), about="Drink"),
            held("nurse", at(1), at(3), about="Job"),
            held("teacher", at(3), about="Job"),
            held("Seoul", at(1), at(9)),
            held("Busan", at(9)),
        ],
        NOW,
    )
    assert [lane.about for lane in made.lanes] == ["Home", "Job", "Drink"]


def test_what_held_for_a_moment_can_be_seen_and_pushes_nothing_out() -> None:
    """A day in twenty years, and one that began just now."""
    start = at(1, year=2006)
    moves = [
        held("Seoul", start, NOW - timedelta(days=1)),
        held("Busan", NOW - timedelta(days=1), NOW),
        held("Jeju", NOW),
    ]
    (row,) = timeline.timeline(moves, NOW).lanes[0].rows
    assert all(bar.width >= 1 for bar in row)
    assert all(bar.thin for bar in row[1:])
    assert row[-1].left + row[-1].width <= 100.01
    for bar, following in itertools.pairwise(row):
        assert bar.left + bar.width <= following.left + 0.01


def test_ticks_fall_on_days_months_or_years_as_the_time_is_long() -> None:
    def labels(since: datetime) -> list[str]:
        made = timeline.timeline([held("Seoul", since)], NOW)
        assert all(0 <= tick.left <= 92 for tick in made.ticks)
        assert 1 <= len(made.ticks) <= 7
        return [tick.label for tick in made.ticks]

    assert labels(NOW - timedelta(days=5))[0] == "27 Dec"
    assert labels(NOW - timedelta(days=60))[0] == "2 Nov"
    assert labels(at(1, 15))[:2] == ["Mar 2026", "May 2026"]
    assert "2020" in labels(at(1, year=2014))
    assert labels(at(1, year=1800))[0] == "1800"
    assert labels(at(1, year=1)) != []


def test_nothing_and_one_instant_have_a_time_too() -> None:
    assert timeline.timeline([], NOW).lanes == ()
    (lane,) = timeline.timeline([held("Seoul", NOW)], NOW).lanes
    assert 0 <= lane.bars[0].left <= 100
    future = timeline.timeline([held("Mars", NOW + timedelta(days=30))], NOW)
    assert future.until == NOW + timedelta(days=30)


def _structured(slot: str, value: str) -> StructuredMemory:
    return StructuredMemory(
        id=f"str_{value}", type="fact", text=f"Ann: {value}.", person="ann", subject="Ann", said_by="bob", slot=slot, value=value,
        confidence=1.0, done=False, due=None, at=at(2), valid_from=at(1), valid_to=None, superseded_by=None, restates=None,
        channel="square", seq=4, first_seq=1, last_seq=10, writer="w", draft=False, edited_by=None,
    )  # fmt: skip


def _profile(section: str, text: str, slot: str = "", value: str = "", *, absorbed: bool = False) -> ProfileFact:
    return ProfileFact(
        id=f"prf_{text}", person="ann", section=section, text=text, note=None, said_by=None, channel="", seq=None, slot=slot,
        value=value, flag="", at=at(3), valid_to=at(3) if absorbed else None, superseded_by="x" if absorbed else None, writer="w",
        draft=False,
    )  # fmt: skip


def test_what_both_know_is_shown_once() -> None:
    made = timeline.gathered(
        [_structured("home", "Busan")],
        [
            _profile("bio", "Ann lives in Busan.", "home", "busan"),
            _profile("bio", "Ann: Busan."),
            _profile("skills", "Plays the cello."),
            _profile("skills", "Plays.", absorbed=True),
        ],
    )
    assert [(each.about, each.value) for each in made] == [("Home", "Busan"), ("Skill", "Plays the cello.")]
    assert [each.said_by for each in made] == ["bob", "ann"]
