"""How Chinese writes dates, and says when something was."""

from typing import Final

from erstwhile.language.dates import Dates, Relative

DATES: Final = Dates(
    pattern=(
        r"(?P<near>前天|昨天|昨晚|今天|今晚|明天|明晚|后天)"
        r"|(?P<which>上|这|下)个?(?P<period>周|星期|礼拜|月)(?P<weekday>[一二三四五六日天](?![个次下年天周]))?|(?P<year>前年|去年|明年)"
        r"|(?P<number>\d{1,3}|[一二三四五六七八九十两])(?P<unit>天|周|个星期|个月|年)(?P<side>前|后)"
    ),
    day="{0}年{1}月{2}日",
    month="{0}年{1}月",
    year="{0}年",
    week="{0}那一周",
    brackets="（{0}）",
    relative=Relative(
        near={"前天": -2, "昨天": -1, "昨晚": -1, "今天": 0, "今晚": 0, "明天": 1, "明晚": 1, "后天": 2},
        which={"上": -1, "这": 0, "下": 1},
        years={"前年": -2, "去年": -1, "明年": 1},
        units={"天": "day", "周": "week", "个星期": "week", "个月": "month", "年": "year"},
        weekdays="一二三四五六日",
        month="月",
        before="前",
        numbers={numeral: value for value, numeral in enumerate("一二三四五六七八九十", 1)} | {"两": 2},
    ),
)
