"""Japanese words for time. As in Chinese, the entries without a meaning are words and names that hold another."""

from __future__ import annotations

from typing import Final

from erstwhile.language import meaning
from erstwhile.language.time import TimeWords, TokenKind, table
from erstwhile.language.zh.time import NUMERALS, OTHER_WORDS, SHORT_YEAR

# Japanese reads what could be Chinese too.
_OTHER_WORDS: Final = f"""{OTHER_WORDS},
    今日子, 今日的, 三日月, 一日中, 祖先, 優先, 优先, 先日本, 前田, 前回, 前半, 前川, 前例, 春子, 春香, 春樹, 夏子, 夏美, 夏目,
    秋子, 秋葉, 冬子, 週刊, 年齢, 年上, 年下, 今回, 来年度, 今度, 日曜大工, この年, この日, その年
"""
_WORDS: Final = table(
    (TokenKind.UNKNOWN, {None: _OTHER_WORDS}),
    (
        TokenKind.FIXED,
        {
            meaning.TODAY: "今日, きょう, 本日",
            meaning.YESTERDAY: "昨日, きのう",
            meaning.BEFORE_YESTERDAY: "一昨日, おととい, おとつい",
            meaning.Calendar("day", -3): "一昨昨日, さきおととい",
            meaning.TOMORROW: "明日, あした, あす",
            meaning.AFTER_TOMORROW: "明後日, あさって",
            meaning.THIS_MORNING: "今朝, けさ",
            meaning.TONIGHT: "今晩, 今夜",
            meaning.LAST_NIGHT: "昨夜, 昨晩, ゆうべ",
            meaning.RECENTLY: "近頃, このごろ, この頃",
            meaning.OTHER_DAY: "先日, この前, こないだ, この間, このあいだ, ここ数日",
            meaning.NOT_LONG_AGO: "ちょっと前, 少し前",
            meaning.WHILE_AGO: "しばらく前, だいぶ前",
            meaning.LONG_AGO: "昔, ずっと前, ずいぶん前",
            meaning.Ago("week", 2): "半月前",
            meaning.Ago("month", 6): "半年前",
        },
    ),
    (TokenKind.RELATIVE, {-2: "先々, 先先", -1: "先", 0: "今, この", 1: "来, 次の", 2: "再来"}),
    (
        TokenKind.YEAR_WORD,
        {-2: "一昨年, おととし", -1: "昨年, 去年, 前年", 0: "今年, ことし, 本年", 1: "来年", 2: "再来年"},
    ),
    (TokenKind.PAST, {None: "過去, ここ", meaning.RECENTLY: "最近"}),
    (TokenKind.FEW, {None: "数, 何"}),
    (TokenKind.DAY, {None: "日, 日間"}),
    (TokenKind.YEAR, {None: "年, 年間"}),
    (
        TokenKind.UNIT,
        {
            "minute": "分, 分間",
            "hour": "時間",
            "week": "週, 週間",
            "weekend": "週末",
            "month": "月, ヶ月, ヶ月間, か月, か月間, カ月, カ月間, ケ月, ケ月間, 箇月",
        },
    ),
    (TokenKind.QUARTER_UNIT, {None: "四半期"}),
    (
        TokenKind.QUARTER,
        {number: f"第{number}四半期, 第{word}四半期" for number, word in enumerate("一二三四", start=1)},
    ),
    (TokenKind.WEEKDAY, {number: f"{day}曜日, {day}曜" for number, day in enumerate("月火水木金土日")}),
    (
        TokenKind.SEASON,
        {
            meaning.SPRING: "春",
            meaning.SUMMER: "夏",
            meaning.AUTUMN: "秋",
            meaning.WINTER: "冬",
            meaning.FIRST_HALF: "上半期",
            meaning.SECOND_HALF: "下半期",
        },
    ),
    (TokenKind.AGO, {"before": "前に, 前まで, 以前, より前", None: "前, まえ"}),
    (TokenKind.HENCE, {"after": "後に", None: "後"}),
    (TokenKind.OF, {None: "の, ほど, くらい, ぐらい", "in": "に"}),
    (TokenKind.PART, {0: "初め, 始め, はじめ, 上旬, 初旬, 初頭, 頭", 1: "中旬, 半ば, 中頃", 2: "末, 終わり, 下旬"}),
    (TokenKind.HOURS, {meaning.MORNING: "朝, 午前", meaning.AFTERNOON: "午後, 昼", meaning.EVENING: "夜, 晩, 夕方"}),
    (TokenKind.CONNECTIVE, {"since": "から, 以降, 以来", "until": "まで, までに", "after": "より後"}),
    (TokenKind.JOINER, {"and": "と"}),
    (TokenKind.CLOSER, {None: "間"}),
    (TokenKind.EVERY, {None: "毎週, 毎年, 毎月, 毎, 每, 每年, 每月"}),
)
# Words that point at the past without saying when.
_POINTING: Final = """
    この前, この間, こないだ, このあいだ, 前回, 以前, 先日, 前に言, 前に話, 前に聞, 前にも, 昔, かつて, あの時, あのとき, 当時,
    その時, そのとき, 覚えて, さっき, 先ほど
"""
TIME: Final = TimeWords(
    "ja",
    "kana",
    _WORDS,
    month_marks=("月",),
    year_marks=("年度", "年"),
    connectives_follow=True,
    pointing=_POINTING,
    numerals=NUMERALS,
    short_year=SHORT_YEAR,
)
