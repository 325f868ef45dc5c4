"""What "last week" was, on the day it was said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from erstwhile.writers.extractive.dates import resolve, span

MONDAY = datetime(2025, 3, 3, 18, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("yesterday", "en", "yesterday (2 Mar 2025)"),
        ("three days ago", "en", "three days ago (28 Feb 2025)"),
        ("last month", "en", "last month (Feb 2025)"),
        ("last Friday", "en", "last Friday (28 Feb 2025)"),
        ("next Friday", "en", "next Friday (7 or 14 Mar 2025)"),
        ("next Monday", "en", "next Monday (10 Mar 2025)"),
        ("in 2 years", "en", "in 2 years (2027)"),
        ("I haven't run in 2 years", "en", "I haven't run in 2 years"),
        ("my first win in 3 weeks", "en", "my first win in 3 weeks"),
        ("It didn't work, I leave in 2 years", "en", "It didn't work, I leave in 2 years (2027)"),
        ("this weekend", "en", "this weekend (weekend of 8 Mar 2025)"),
        ("어제", "ko", "어제(2025년 3월 2일)"),
        ("다음 주 금요일에", "ko", "다음 주 금요일(2025년 3월 14일)에"),
        ("3년 전에", "ko", "3년 전(2022년)에"),
        ("昨天", "zh", "昨天（2025年3月2日）"),
        ("下周三", "zh", "下周三（2025年3月12日）"),
        ("两年前", "zh", "两年前（2023年）"),
        ("来月", "ja", "来月（2025年4月）"),
        ("Nächsten Freitag", "de", "Nächsten Freitag (7 oder 14. März 2025)"),
        ("vor zwei Wochen", "de", "vor zwei Wochen (Woche vom 17. Februar 2025)"),
        ("Guten Morgen", "de", "Guten Morgen"),
        ("letztes Jahr", "de", "letztes Jahr (2024)"),
        ("el viernes pasado", "es", "el viernes pasado (28 de febrero de 2025)"),
        ("la próxima semana", "es", "la próxima semana (semana del 10 de marzo de 2025)"),
        ("por la mañana", "es", "por la mañana"),
        ("il y a trois jours", "fr", "il y a trois jours (28 février 2025)"),
        ("le mois prochain", "fr", "le mois prochain (avril 2025)"),
        ("on Friday", "en", "on Friday"),
        ("last straw", "en", "last straw"),
        ("999 years ago", "en", "999 years ago (1026)"),
    ],
)
def test_relative_dates_are_spelled_out(text: str, language: str, expected: str) -> None:
    assert resolve(text, MONDAY, language) == expected
    assert resolve(text, None, language) == text


def test_dates_at_the_edge_of_time_are_left_alone() -> None:
    assert resolve("yesterday", datetime(1, 1, 1, tzinfo=UTC), "en") == "yesterday"
    assert span(MONDAY.date(), MONDAY.date() + timedelta(days=40)) == "3 Mar 2025 – 12 Apr 2025"
