"""Dates as people read them, and what "last week" was on the day it was said.

Only what has one reading is resolved to a day; a week stays a week, and where two days are meant by different people
("next Friday") both are given.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Final

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY: Final = {"ko": "{0}년 {1}월 {2}일", "zh": "{0}年{1}月{2}日", "ja": "{0}年{1}月{2}日"}
_MONTH: Final = {"ko": "{0}년 {1}월", "zh": "{0}年{1}月", "ja": "{0}年{1}月"}
_YEAR: Final = {"ko": "{0}년", "zh": "{0}年", "ja": "{0}年"}
_WEEK: Final = {"ko": "{0} 주간", "zh": "{0}那一周", "ja": "{0}の週", "en": "week of {0}"}

_BRACKETS: Final = {"ko": "({0})", "zh": "（{0}）", "ja": "（{0}）"}

_ENGLISH_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_KOREAN_DAYS: Final = "월화수목금토일"
_CHINESE_DAYS: Final = "一二三四五六日"
_SMALL: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10} | {
    numeral: value for value, numeral in enumerate("一二三四五六七八九十", 1)
}
_SMALL["两"] = 2


def day(on: date, language: str = "en") -> str:
    if language in _DAY:
        return _DAY[language].format(on.year, on.month, on.day)
    return f"{on.day} {_MONTHS[on.month - 1]} {on.year}" if language == "en" else on.isoformat()


def span(first: date, last: date, language: str = "en") -> str:
    """The days from `first` to `last`, as briefly as is clear."""
    if first == last:
        return day(first, language)
    if language == "en" and (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{day(last)}"
    return f"{day(first, language)} – {day(last, language)}"


def resolve(text: str, said: datetime | None, language: str) -> str:
    """`text` with the first few relative dates followed by what they were, in parentheses."""
    if said is None or language not in _RELATIVE:
        return text
    pattern, read = _RELATIVE[language]
    today = said.date()

    def spelled(match: re.Match[str]) -> str:
        try:
            meant = read(match, today)
        except (OverflowError, ValueError):  # a date before year 1 or after 9999
            meant = ""
        return match[0] + _BRACKETS.get(language, " ({0})").format(meant) if meant else match[0]

    return pattern.sub(spelled, text, count=3)


def _month(today: date, months: int, language: str) -> str:
    index = today.year * 12 + today.month - 1 + months
    year, month = index // 12, index % 12 + 1
    if language in _MONTH:
        return _MONTH[language].format(year, month)
    return f"{_MONTHS[month - 1]} {year}"


def _year(today: date, years: int, language: str) -> str:
    return _YEAR.get(language, "{0}").format(today.year + years)


def _week(today: date, weeks: int, language: str) -> str:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return _WEEK[language].format(day(monday, language))


def _weekday(today: date, weeks: int, weekday: int) -> date:
    return today - timedelta(days=today.weekday()) + timedelta(weeks=weeks, days=weekday)


def _distance(today: date, number: int, unit: str, language: str) -> str:
    """`number` of days, weeks, months or years from today; the longer the unit, the coarser what is claimed."""
    if unit == "day":
        return day(today + timedelta(days=number), language)
    if unit == "week":
        return _week(today, number, language)
    return _month(today, number, language) if unit == "month" else _year(today, number, language)


_ENGLISH: Final = re.compile(
    r"\b(?:(?P<near>day before yesterday|day after tomorrow|yesterday|today|tomorrow|tonight|last night"
    r"|this (?:morning|evening))"
    r"|(?P<which>last|next|this) (?P<period>weekend|week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?! of\b)"
    r"|(?P<number>\d{1,3}|an?|one|two|three|four|five|six|ten) (?P<unit>day|week|month|year)s? ago"
    r"|in (?P<ahead>\d{1,3}|an?|one|two|three|four|five|six|ten) (?P<later>day|week|month|year)s?(?! of\b))\b(?!')",
    re.IGNORECASE,
)
_NEAR: Final = {"day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1, "day after tomorrow": 2}


def _read_english(match: re.Match[str], today: date) -> str:
    if match["near"]:
        return day(today + timedelta(days=_NEAR.get(match["near"].lower(), 0)))
    if match["number"]:
        return _distance(today, -_number(match["number"]), match["unit"].lower(), "en")
    if match["ahead"]:
        return _distance(today, _number(match["ahead"]), match["later"].lower(), "en")
    step = {"last": -1, "this": 0, "next": 1}[match["which"].lower()]
    period = match["period"].lower()
    if period == "weekend":
        return f"weekend of {day(_weekday(today, step, 5))}"
    if period in _ENGLISH_DAYS:
        return _english_weekday(today, step, _ENGLISH_DAYS.index(period))
    return _distance(today, step, period, "en")


def _english_weekday(today: date, step: int, weekday: int) -> str:
    if step < 0:
        return day(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1))
    if step == 0:
        return day(_weekday(today, 0, weekday))
    coming = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    after = _weekday(today, 1, weekday)
    return day(coming) if coming == after else _either(coming, after)


def _either(one: date, other: date) -> str:
    return f"{one.day} or {day(other)}" if one.month == other.month else f"{day(one)} or {day(other)}"


_KOREAN: Final = re.compile(
    r"(?<![가-힣])(?:(?P<near>그저께|그제|어제|어젯밤|오늘|내일|모레)"
    r"|(?P<which>지난|저번|이번|다음|담)\s?(?P<period>주|달)(?:\s?(?P<weekday>[월화수목금토일])요일)?|(?P<year>작년|올해|내년)"
    r"|(?P<number>\d{1,3})\s?(?P<unit>일|주|달|개월|년)\s?(?P<side>전|후|뒤))"
)
_CHINESE: Final = re.compile(
    r"(?P<near>前天|昨天|昨晚|今天|今晚|明天|明晚|后天)"
    r"|(?P<which>上|这|下)个?(?P<period>周|星期|礼拜|月)(?P<weekday>[一二三四五六日天](?![个次下年天周]))?|(?P<year>前年|去年|明年)"
    r"|(?P<number>\d{1,3}|[一二三四五六七八九十两])(?P<unit>天|周|个星期|个月|年)(?P<side>前|后)"
)
_JAPANESE: Final = re.compile(
    r"(?P<near>一昨日|おととい|昨日|今日|明後日|明日)|(?P<which>先|今|来)(?P<period>週|月)(?:の(?P<weekday>[月火水木金土日])曜日?)?"
    r"|(?P<year>去年|来年)|(?P<number>\d{1,3})(?P<unit>日|週間|か月|ヶ月|年)(?P<side>前|後)"
)
_STEPS: Final = {
    "지난": -1,
    "저번": -1,
    "이번": 0,
    "다음": 1,
    "담": 1,
    "上": -1,
    "这": 0,
    "下": 1,
    "先": -1,
    "今": 0,
    "来": 1,
}
_OFFSETS: Final = {
    "그저께": -2,
    "그제": -2,
    "어제": -1,
    "어젯밤": -1,
    "오늘": 0,
    "내일": 1,
    "모레": 2,
    "前天": -2,
    "昨天": -1,
    "昨晚": -1,
    "今天": 0,
    "今晚": 0,
    "明天": 1,
    "明晚": 1,
    "后天": 2,
    "一昨日": -2,
    "おととい": -2,
    "昨日": -1,
    "今日": 0,
    "明日": 1,
    "明後日": 2,
}
_YEARS: Final = {"작년": -1, "올해": 0, "내년": 1, "前年": -2, "去年": -1, "明年": 1, "来年": 1}
_UNITS: Final = {"일": "day", "주": "week", "달": "month", "개월": "month", "년": "year", "天": "day", "周": "week"} | {
    "个星期": "week",
    "个月": "month",
    "年": "year",
    "日": "day",
    "週間": "week",
    "か月": "month",
    "ヶ月": "month",
}
_WEEKDAYS: Final = {
    letter: index for letters in (_KOREAN_DAYS, _CHINESE_DAYS, "月火水木金土日") for index, letter in enumerate(letters)
}


def _reader(language: str) -> Callable[[re.Match[str], date], str]:
    def read(match: re.Match[str], today: date) -> str:
        if match["near"]:
            return day(today + timedelta(days=_OFFSETS[match["near"]]), language)
        if match["year"]:
            return _year(today, _YEARS[match["year"]], language)
        if match["number"]:
            sign = -1 if match["side"] in ("전", "前") else 1
            return _distance(today, sign * _number(match["number"]), _UNITS[match["unit"]], language)
        step = _STEPS[match["which"]]
        if match["period"] in ("달", "月"):
            return _month(today, step, language)
        if match["weekday"]:
            return day(_weekday(today, step, _WEEKDAYS.get(match["weekday"], 6)), language)
        return _week(today, step, language)

    return read


def _number(written: str) -> int:
    return int(written) if written.isdecimal() else _SMALL[written.lower()]


_RELATIVE: Final[dict[str, tuple[re.Pattern[str], Callable[[re.Match[str], date], str]]]] = {
    "en": (_ENGLISH, _read_english),
    "ko": (_KOREAN, _reader("ko")),
    "zh": (_CHINESE, _reader("zh")),
    "ja": (_JAPANESE, _reader("ja")),
}
