"""Korean words for time. Words stand apart but particles are written to them, so an entry ends where a particle may follow."""

from __future__ import annotations

from typing import Final

from erstwhile.language import meaning
from erstwhile.language.time import Numerals, TimeWords, TokenKind, table

_WORDS: Final = table(
    (
        TokenKind.FIXED,
        {
            meaning.TODAY: "오늘, 금일",
            meaning.YESTERDAY: "어제, 어저께",
            meaning.BEFORE_YESTERDAY: "그저께, 그제, 엊그저께",
            meaning.Calendar("day", -3): "그끄저께, 그끄제",
            meaning.TOMORROW: "내일, 낼",
            meaning.AFTER_TOMORROW: "모레, 내일모레",
            meaning.THIS_MORNING: "오늘아침",
            meaning.TONIGHT: "오늘밤, 오늘 밤",
            meaning.LAST_NIGHT: "어젯밤, 어제밤, 간밤, 지난밤, 지난 밤, 엊저녁",
            meaning.Calendar("month", 0): "이달",
            meaning.Calendar("week", 0): "금주",
            meaning.Calendar("week", -1): "전주",
            meaning.ThirdOf(meaning.Year(0, relative=True), 0): "연초",
            meaning.ThirdOf(meaning.Year(0, relative=True), 2): "연말",
            meaning.RECENTLY: "요즘, 요새, 근래",
            meaning.OTHER_DAY: "엊그제, 요전에, 일전에, 요 며칠",
            meaning.NOT_LONG_AGO: "얼마 전, 얼마전",
            meaning.WHILE_AGO: "한참 전, 한참전",
            meaning.LONG_AGO: "옛날, 오래 전, 오래전, 먼 옛날",
            meaning.Few("day"): "며칠 전, 며칠전, 몇일 전, 몇일전",
            meaning.Few("day", until_now=True): "지난 며칠, 최근 며칠",
            meaning.Ago("month", 6): "반년 전, 반년전",
            meaning.Ago("week", 2): "보름 전, 보름전",
        },
    ),
    (TokenKind.RELATIVE, {-2: "지지난, 저저번", -1: "지난, 저번", 0: "이번", 1: "다음, 담, 오는", 2: "다다음"}),
    (
        TokenKind.YEAR_WORD,
        {-2: "재작년, 지지난해", -1: "작년, 지난해, 전년", 0: "올해, 금년, 올", 1: "내년", 2: "내후년"},
    ),
    (TokenKind.PAST, {meaning.RECENTLY: "최근"}),
    (
        TokenKind.NUMBER_WORD,
        {
            1: "한",
            2: "두",
            3: "세, 석",
            4: "네, 넉",
            5: "다섯",
            6: "여섯",
            7: "일곱",
            8: "여덟",
            9: "아홉",
            10: "열",
            11: "열한",
            12: "열두",
        },
    ),
    (TokenKind.FEW, {None: "몇, 수, 여러"}),
    (
        TokenKind.FIXED,
        {
            meaning.Ago("day", number): f"{word} 전, {word}전"
            for number, word in enumerate(
                ("하루", "이틀", "사흘", "나흘", "닷새", "엿새", "이레", "여드레", "아흐레", "열흘"), start=1
            )
        },
    ),
    (
        TokenKind.FIXED,
        {
            meaning.Ago("week", 1): "일주일 전, 일주일전",
            meaning.Rolling("week", 1): "지난 일주일, 최근 일주일, 일주일간",
        },
    ),
    (TokenKind.DAY, {None: "일"}),
    (TokenKind.YEAR, {None: "년, 해"}),
    (
        TokenKind.UNIT,
        {"minute": "분", "hour": "시간", "week": "주, 주일, 주간", "weekend": "주말", "month": "달, 개월"},
    ),
    (TokenKind.QUARTER_UNIT, {None: "분기, 사분기"}),
    (TokenKind.MONTH, {6: "유월", 10: "시월"}),
    (
        TokenKind.WEEKDAY,
        {
            0: "월요일, 월욜",
            1: "화요일, 화욜",
            2: "수요일, 수욜",
            3: "목요일, 목욜",
            4: "금요일, 금욜",
            5: "토요일, 토욜",
            6: "일요일, 일욜",
        },
    ),
    (
        TokenKind.SEASON,
        {
            meaning.SPRING: "봄",
            meaning.SUMMER: "여름",
            meaning.AUTUMN: "가을",
            meaning.WINTER: "겨울",
            meaning.FIRST_HALF: "상반기",
            meaning.SECOND_HALF: "하반기",
        },
    ),
    (TokenKind.AGO, {"before": "전"}),
    (TokenKind.HENCE, {"after": "후, 뒤"}),
    (TokenKind.OF, {"in": "에, 에는, 엔", None: "의, 쯤, 정도, 중, 동안"}),
    (TokenKind.PART, {0: "초, 초순, 초반, 상순", 1: "중순, 중반", 2: "말, 하순, 후반"}),
    (
        TokenKind.HOURS,
        {meaning.MORNING: "아침, 오전, 새벽", meaning.AFTERNOON: "오후, 낮, 점심", meaning.EVENING: "저녁, 밤"},
    ),
    (TokenKind.CONNECTIVE, {"since": "부터, 이후, 이래", "before": "이전", "until": "까지"}),
    (TokenKind.JOINER, {"to": "에서", "and": "와, 과, 하고, 랑"}),
    (TokenKind.CLOSER, {None: "사이"}),
    (TokenKind.EVERY, {None: "매주, 매달, 매년, 매, 매월"}),
    (TokenKind.UNKNOWN, {None: "오늘날, 이월, 일월, 지난번, 저번에, 이번에, 다음번, 다음에"}),
)
_PARTICLES: Final = """
    에 의 은 는 이 가 을 를 도 만 부터 까지 엔 쯤 경 께 달 중 내 동안 간 초 말 정도 과 와 랑 하고 로 으로 보다 처럼 때 날 밤
"""
_NUMERALS: Final = Numerals(
    {character: value for value, character in enumerate("영일이삼사오육칠팔구")},
    ten="십",
    run="[일이삼사오육칠팔구십]{1,3}",
)
# Words that point at the past without saying when.
_POINTING: Final = """
    지난번, 지난 번, 저번에, 저번, 예전에, 예전, 옛날, 전에 말, 전에 얘기, 전에 이야기, 전에 했던, 이전에, 그때, 그 때, 당시,
    얼마 전, 얼마전, 며칠 전, 며칠전, 엊그제, 일전에, 요전에, 아까, 한참 전, 오래전, 오래 전, 기억나, 기억해, 기억하
"""
TIME: Final = TimeWords(
    "ko",
    "hangul",
    _WORDS,
    month_marks=("월달", "월"),
    year_marks=("년도", "년"),
    connectives_follow=True,
    particles=tuple(_PARTICLES.split()),
    pointing=_POINTING,
    numerals=_NUMERALS,
    short_year="년 ?[0-9]{1,2}월",
)
