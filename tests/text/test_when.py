"""What holds for expressions of time in every language, on every calendar, and on any text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from erstwhile.text.when import refers_back, spans
from erstwhile.text.when.find import MOST
from erstwhile.text.when.grammar import NAMES, RULES

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)

# Words of all the grammars, so that made-up texts come close to something.
WORDS = """
    may March 7 7th 2023 in on last this next week month year ago before after since until between and from to the of
    a few days early end Q1 2023-05-07 9999-12-31 0001-01-01 31/12/9999 yesterday Monday summer vor einer Woche Ende März
    il y a deux ans dernière été hace dos semanas pasado mayo 지난 주 달 3일 전 5월 7일 2023년 부터 까지 사흘 작년 여름 말
    上 周 五 个月 三 年 前 去年 月 日 之前 从 到 最近 几 天 先週 の 金曜日 から まで 今 ㋀ ﷺ ½ - , . 0 99 999 2199 1900 29 February
"""
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(WORDS.split()), max_size=14).flatmap(
        lambda words: st.sampled_from(["", " ", "\n", " - "]).map(lambda gap: gap.join(words))
    ),
)
ZONES = st.one_of(
    st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes))),
    st.sampled_from(["Asia/Seoul", "America/Sao_Paulo", "Europe/Berlin", "Pacific/Apia"]).map(ZoneInfo),
)
MOMENTS = st.builds(lambda moment, zone: moment.replace(tzinfo=zone), st.datetimes(), ZONES)


@given(TEXTS, MOMENTS)
@example("last year, in 1000 years, 999 years ago, next month", datetime.min.replace(tzinfo=UTC))
@example("last year, this year, next month, tomorrow, in 999 years", datetime.max.replace(tzinfo=UTC))
@example("yesterday and today", datetime.min.replace(tzinfo=timezone(timedelta(hours=14))))
@example("today until tomorrow", datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))))
@example("29 February", datetime(1904, 1, 1, tzinfo=UTC))
def test_any_text_at_any_time_gives_sound_spans(query: str, now: datetime) -> None:
    found = spans(query, now)
    assert len(found) <= MOST
    reached = 0
    for span in found:
        assert reached <= span.start < span.end <= len(query)
        assert span.text == query[span.start : span.end]
        assert span.first is not None or span.last is not None
        assert all(moment is None or moment.utcoffset() == timedelta(0) for moment in (span.first, span.last))
        assert span.first is None or span.last is None or span.first < span.last
        reached = span.end


@given(TEXTS)
def test_what_points_back_is_written_there(query: str) -> None:
    assert refers_back(query) in query


def test_a_query_says_at_most_so_much() -> None:
    assert len(spans("yesterday, " * 30, NOW)) == MOST
    assert spans("x" * 2_000 + " yesterday", NOW) == []
    assert spans("", NOW) == []


def test_a_span_tells_its_words() -> None:
    (span,) = spans("Was haben wir  seit März besprochen?", NOW)
    assert (span.text, span.start, span.end) == ("seit März", 15, 24)
    (span,) = spans("ＹＥＳＴＥＲＤＡＹ!", NOW)
    assert span.text == "ＹＥＳＴＥＲＤＡＹ"


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=9))), "2025-12-30T15:00..2025-12-31T15:00"),
        (datetime(2026, 3, 29, 12, 0, tzinfo=ZoneInfo("Europe/Berlin")), "2026-03-27T23:00..2026-03-28T23:00"),
        (datetime(2026, 3, 30, 12, 0, tzinfo=ZoneInfo("Europe/Berlin")), "2026-03-28T23:00..2026-03-29T22:00"),
        (datetime(2026, 1, 1, 0, 30), "2025-12-31T00:00..2026-01-01T00:00"),  # noqa: DTZ001 - without a zone it is UTC
    ],
)
def test_a_day_is_that_of_the_asker(now: datetime, expected: str) -> None:
    (span,) = spans("yesterday", now)
    assert span.first
    assert span.last
    assert f"{span.first:%Y-%m-%dT%H:%M}..{span.last:%Y-%m-%dT%H:%M}" == expected


@pytest.mark.parametrize(
    ("query", "now", "expected"),
    [
        ("in March", "2026-03-01", "2026-03-01..2026-04-01"),
        ("in March", "2026-02-28", "2025-03-01..2025-04-01"),
        # Said in March, last March is not this one.
        ("last March", "2026-03-15", "2025-03-01..2025-04-01"),
        ("next March", "2026-03-15", "2027-03-01..2027-04-01"),
        ("last Friday", "2026-11-20", "2026-11-13..2026-11-14"),
        ("on Friday", "2026-11-20", "2026-11-20..2026-11-21"),
        ("next Friday", "2026-11-20", "2026-11-27..2026-11-28"),
        ("last weekend", "2026-11-16", "2026-11-14..2026-11-16"),
        ("last weekend", "2026-11-15", "2026-11-07..2026-11-09"),
        ("this winter", "2027-01-15", "2026-12-01..2027-03-01"),
        ("last winter", "2027-01-15", "2025-12-01..2026-03-01"),
        ("last month", "2026-01-31", "2025-12-01..2026-01-01"),
        ("a month ago", "2026-03-31", "2026-02-13..2026-03-16"),
        ("last quarter", "2026-02-10", "2025-10-01..2026-01-01"),
        ("on 31 December", "2026-12-30", "2025-12-31..2026-01-01"),
        ("on the 31st", "2026-03-01", "2026-01-31..2026-02-01"),
        ("last week", "2026-11-15", "2026-11-02..2026-11-09"),
    ],
)
def test_the_edges_of_calendars(said: Callable[..., str], query: str, now: str, expected: str) -> None:
    assert said(query, datetime.fromisoformat(now).replace(hour=12, tzinfo=UTC)) == expected


def test_the_language_of_a_query_says_which_number_is_the_day(said: Callable[..., str]) -> None:
    assert said("what did we do on 5/7/2023") == "2023-05-07..2023-05-08"
    assert said("was haben wir denn am 5/7/2023 noch nicht gemacht") == "2023-07-05..2023-07-06"


def test_languages_mix(said: Callable[..., str]) -> None:
    assert said("last week 회의랑 어제 회의") == "2026-11-09..2026-11-16, 2026-11-17..2026-11-18"
    assert said("上周的 meeting on Monday") == "2026-11-09..2026-11-16, 2026-11-16..2026-11-17"


def test_rules_are_spelled_in_names_that_exist() -> None:
    without_classes = (re.sub(r"\[[^]]*\]", "", pattern) for pattern, _ in RULES)
    spelled = {name for pattern in without_classes for name in re.findall(r"\b[a-z]{2,}(?:_[a-z]+)*\b", pattern)}
    assert spelled - NAMES.keys() == set()


HOSTILE = [
    "1",
    "1-",
    "2023-",
    "2023. 5. ",
    "a ",
    "the ",
    "before the ",
    "between May and ",
    "last ",
    "week ",
    "of ",
    "may ",
    "from March to ",
    "le jour de ",
    "il y a ",
    "vor der ",
    "지난",
    "3일 ",
    "의",
    "上",
    "一",
    "年",
    "の",
    "から",
    "\u0301",
    "e\u0301\u0327",
    "\u1100\u1161",
    "ﷺ",
    "'",
    " ",
    "remember ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_text_takes_about_twice_the_time(piece: str) -> None:
    """Side by side, the best of several, so that a busy machine slows both. Quadratic would be four, worse is more."""

    def best(length: int) -> float:
        text = (piece * length)[:length]
        started = time.process_time()
        spans(text, NOW)
        refers_back(text)
        return time.process_time() - started

    best(2_000)
    half, whole = zip(*((best(1_000), best(2_000)) for _ in range(7)), strict=True)
    assert min(whole) < 3.5 * min(half) + 0.002


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("what did we decide last time?", "last time"),
        ("Remember when we went to Jeju", "Remember when"),
        ("earlier you said something else", "earlier you said"),
        ("the other day I told you", "the other day"),
        ("has he been here before?", "before"),
        ("didn't you use to live there? I used to", "used to"),
        ("之前说过的那家餐厅", "之前"),
        ("我以前住在哪", "以前"),
        ("上次我們聊到哪", "上次"),
        ("你还记得我的猫吗", "还记得"),
        ("지난번에 말한 거", "지난번"),
        ("예전에 살던 집", "예전에"),
        ("저번에 뭐라고 했지", "저번에"),
        ("この前の話", "この前"),
        ("前回どこまで話した", "前回"),
        ("以前話した本", "以前"),
        ("Wo war ich damals?", "damals"),
        ("was haben wir letztes Mal gesagt", "letztes Mal"),
        ("Was habe ich früher gemacht", "früher"),
        ("qu'as-tu dit la dernière fois", "la dernière fois"),
        ("tu te souviens de mon chat", "tu te souviens"),
        ("¿qué dije la última vez?", "la última vez"),
        ("¿te acuerdas de mi gato?", "te acuerdas"),
        ("", ""),
        ("what is my cat called", ""),
        ("before we leave, water the plants", ""),
        ("走过去", ""),
        ("내일 뭐 하지", ""),
        ("明日の天気", ""),
        ("Wie heißt meine Katze", ""),
        ("comment s'appelle mon chat", ""),
        ("cómo se llama mi gato", ""),
    ],
)
def test_words_that_point_back(query: str, words: str) -> None:
    assert refers_back(query) == words
