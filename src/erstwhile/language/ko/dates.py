"""How Korean writes dates, and says when something was."""

from typing import Final

from erstwhile.language.dates import Dates, Relative

DATES: Final = Dates(
    pattern=(
        r"(?<![가-힣])(?:(?P<near>그저께|그제|어제|어젯밤|오늘|내일|모레)"
        r"|(?P<which>지난|저번|이번|다음|담)\s?(?P<period>주|달)(?:\s?(?P<weekday>[월화수목금토일])요일)?|(?P<year>작년|올해|내년)"
        r"|(?P<number>\d{1,3})\s?(?P<unit>일|주|달|개월|년)\s?(?P<side>전|후|뒤))"
    ),
    day="{0}년 {1}월 {2}일",
    month="{0}년 {1}월",
    year="{0}년",
    week="{0} 주간",
    brackets="({0})",
    relative=Relative(
        near={"그저께": -2, "그제": -2, "어제": -1, "어젯밤": -1, "오늘": 0, "내일": 1, "모레": 2},
        which={"지난": -1, "저번": -1, "이번": 0, "다음": 1, "담": 1},
        years={"작년": -1, "올해": 0, "내년": 1},
        units={"일": "day", "주": "week", "달": "month", "개월": "month", "년": "year"},
        weekdays="월화수목금토일",
        month="달",
        before="전",
    ),
)
