"""How Japanese writes dates, and says when something was."""

from typing import Final

from erstwhile.language.dates import Dates, Relative

DATES: Final = Dates(
    pattern=(
        r"(?P<near>一昨日|おととい|昨日|今日|明後日|明日)|(?P<which>先|今|来)(?P<period>週|月)(?:の(?P<weekday>[月火水木金土日])曜日?)?"
        r"|(?P<year>去年|来年)|(?P<number>\d{1,3})(?P<unit>日|週間|か月|ヶ月|年)(?P<side>前|後)"
    ),
    day="{0}年{1}月{2}日",
    month="{0}年{1}月",
    year="{0}年",
    week="{0}の週",
    brackets="（{0}）",
    relative=Relative(
        near={"一昨日": -2, "おととい": -2, "昨日": -1, "今日": 0, "明日": 1, "明後日": 2},
        which={"先": -1, "今": 0, "来": 1},
        years={"去年": -1, "来年": 1},
        units={"日": "day", "週間": "week", "か月": "month", "ヶ月": "month", "年": "year"},
        weekdays="月火水木金土日",
        month="月",
        before="前",
    ),
)
