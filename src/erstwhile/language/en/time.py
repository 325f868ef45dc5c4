"""English words for time."""

from __future__ import annotations

from typing import Final

from erstwhile.language import meaning
from erstwhile.language.time import TimeWords, TokenKind, table

_WORDS: Final = table(
    (
        TokenKind.FIXED,
        {
            meaning.TODAY: "today, earlier today",
            meaning.YESTERDAY: "yesterday",
            meaning.BEFORE_YESTERDAY: "day before yesterday",
            meaning.TOMORROW: "tomorrow",
            meaning.AFTER_TOMORROW: "day after tomorrow",
            meaning.TONIGHT: "tonight",
            meaning.Calendar("week", -2): "week before last",
            meaning.Calendar("week", 2): "week after next",
            meaning.Calendar("weekend", -2): "weekend before last",
            meaning.Calendar("month", -2): "month before last",
            meaning.Hours(meaning.BEFORE_YESTERDAY, *meaning.EVENING): "night before last",
            meaning.Few("day", until_now=True): "recent days",
            meaning.Few("week", until_now=True): "recent weeks",
            meaning.Few("month", until_now=True): "recent months",
            meaning.Few("year", until_now=True): "recent years",
            meaning.RECENTLY: "recently, lately, as of late",
            meaning.OTHER_DAY: "the other day, the other night, the other week",
            meaning.NOT_LONG_AGO: "not long ago, not so long ago",
            meaning.WHILE_AGO: "a while ago, a while back, some time ago, sometime ago, awhile ago",
            meaning.LONG_AGO: "long ago, a long time ago, ages ago, back in the day",
        },
    ),
    (TokenKind.RELATIVE, {-1: "last, previous", 0: "this, current", 1: "next, coming, upcoming"}),
    (TokenKind.YEAR_WORD, {-2: "year before last"}),
    (TokenKind.PAST, {None: "past"}),
    (
        TokenKind.NUMBER_WORD,
        {
            1: "a, an, one",
            2: "two, a couple, a couple of, couple of, couple",
            3: "three",
            4: "four",
            5: "five",
            6: "six, half a dozen",
            7: "seven",
            8: "eight",
            9: "nine",
            10: "ten",
            11: "eleven",
            12: "twelve, a dozen",
            15: "fifteen",
            20: "twenty",
            30: "thirty",
        },
    ),
    (TokenKind.FEW, {None: "few, a few, several, some, a handful of"}),
    (
        TokenKind.ORDINAL_WORD,
        {
            1: "first",
            2: "second",
            3: "third",
            4: "fourth",
            5: "fifth",
            6: "sixth",
            7: "seventh",
            8: "eighth",
            9: "ninth",
            10: "tenth",
        },
    ),
    (TokenKind.DAY, {None: "day, days"}),
    (TokenKind.YEAR, {None: "year, years, yr, yrs"}),
    (
        TokenKind.UNIT,
        {
            "minute": "minute, minutes, min, mins",
            "hour": "hour, hours",
            "week": "week, weeks",
            "weekend": "weekend, weekends",
            "month": "month, months",
            "quarter": "quarter, quarters",
        },
    ),
    (
        TokenKind.MONTH,
        {1: "january", 2: "february", 7: "july", 9: "september", 10: "october", 11: "november", 12: "december"},
    ),
    (TokenKind.MONTH_NAME, {4: "april", 6: "june", 8: "august"}),
    (TokenKind.MONTH_VERB, {3: "march", 5: "may"}),
    (
        TokenKind.MONTH_SHORT,
        {
            1: "jan",
            2: "feb",
            3: "mar",
            4: "apr",
            6: "jun",
            7: "jul",
            8: "aug",
            9: "sep, sept",
            10: "oct",
            11: "nov",
            12: "dec",
        },
    ),
    (
        TokenKind.WEEKDAY,
        {0: "monday", 1: "tuesday", 2: "wednesday", 3: "thursday", 4: "friday", 5: "saturday", 6: "sunday"},
    ),
    (
        TokenKind.WEEKDAY_SHORT,
        {0: "mon", 1: "tue, tues", 2: "wed, weds", 3: "thu, thur, thurs", 4: "fri", 5: "sat", 6: "sun"},
    ),
    (
        TokenKind.SEASON,
        {meaning.SPRING: "spring", meaning.SUMMER: "summer", meaning.AUTUMN: "autumn, fall", meaning.WINTER: "winter"},
    ),
    (TokenKind.QUARTER, {1: "q1", 2: "q2", 3: "q3", 4: "q4"}),
    (TokenKind.AGO, {None: "ago, back"}),
    (TokenKind.HENCE, {None: "from now"}),
    (TokenKind.IN, {"hence": "in", None: "within, during, around, throughout, back in, over the"}),
    (TokenKind.ON, {None: "on"}),
    (TokenKind.OF, {None: "the, of, s, my, our, his, her, their, your, that"}),
    (TokenKind.PART, {0: "early, beginning, start", 1: "mid, middle", 2: "late, end"}),
    (
        TokenKind.HOURS,
        {
            meaning.MORNING: "morning, in the morning",
            meaning.AFTERNOON: "afternoon, in the afternoon",
            meaning.EVENING: "evening, night, in the evening, at night",
        },
    ),
    (
        TokenKind.CONNECTIVE,
        {
            "since": "since, ever since",
            "before": "before, prior to, earlier than",
            "after": "after, later than",
            "until": "until, till, up to, by",
        },
    ),
    (TokenKind.OPENER, {"from": "from", "between": "between"}),
    (TokenKind.JOINER, {"to": "to", "and": "and"}),
    (TokenKind.CLOSER, {None: "onwards, onward"}),
    (TokenKind.EVERY, {None: "every, each"}),
    (TokenKind.UNKNOWN, {None: "may be, may have, march on, this may, last time, next time, this time"}),
)
# Words that point at the past without saying when.
_POINTING: Final = """
    last time, the last time, previous time, the other day, the other night, the other week, remember when, remember that,
    remember how, remember the time, do you remember, you remember, do you recall, as i said, as i told you, like i said,
    earlier you said, you said earlier, you told me earlier, i said earlier, i told you earlier, earlier, previously,
    in the past, back then, back when, back in the day, a while ago, a while back, some time ago, long ago, long time ago,
    ages ago, not long ago, once said, once told, once mentioned, used to, said before, told you before, told me before,
    talked about before, mentioned before, discussed before, we talked about, we discussed, we spoke about, have i ever,
    did i ever, did we ever, have we ever, did i tell you, did i mention, have i told you, have i mentioned
"""
# "before" by itself only where nothing follows it that it could be before.
_BEFORE: Final = "before(?= {0,3}(?:$|[?!.,;]))"
TIME: Final = TimeWords(
    "en",
    "latin",
    _WORDS,
    ordinal="(?:st|nd|rd|th)(?![a-z])",
    day_first=False,
    pointing=_POINTING,
    pointing_alone=_BEFORE,
)
