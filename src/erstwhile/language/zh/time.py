"""Chinese words for time, simplified and traditional. Nothing stands between words, so the entries without a meaning are
words that hold another: 以前 + 天气 is no 前天."""

from __future__ import annotations

from typing import Final

from erstwhile.language import meaning
from erstwhile.language.time import Numerals, TimeWords, TokenKind, table

_WEEK: Final = ("周", "週", "星期", "礼拜", "禮拜")
OTHER_WORDS: Final = """
    马上, 馬上, 晚上好, 早上好, 路上, 网上, 網上, 线上, 線上, 身上, 以上, 世上, 天上, 地上, 手上, 车上, 車上, 船上, 山上, 海上,
    街上, 床上, 楼上, 樓上, 实际上, 實際上, 基本上, 事实上, 事實上, 以下, 一下, 楼下, 樓下, 天下, 地下, 线下, 線下, 聪明, 聰明,
    说明, 說明, 证明, 證明, 发明, 發明, 文明, 透明, 今日头条, 今日頭條, 明日方舟, 明日香, 过去年轻, 過去年輕, 先天后天, 先天後天,
    后天性, 後天性, 后来, 後來, 后面, 後面, 后悔, 後悔, 后果, 後果, 前面, 前台, 前后, 前後, 目前, 提前, 前天气, 一天到晚, 整天,
    每天, 天天, 上次, 下次, 这次, 這次, 首先, 原先, 事先, 年级, 年級, 年轻, 年輕, 年龄, 年齡, 前途, 前妻, 前男友, 前女友, 前任,
    春节, 春節, 秋千, 上面, 下面, 上海, 上班, 下班, 日本, 天气, 天氣, 周围, 周圍, 周边, 週邊, 周期, 週期, 周到, 周年, 週年,
    前天津, 五月天, 四季, 十月怀胎, 去年轻, 明年轻
"""
_WORDS: Final = table(
    (TokenKind.UNKNOWN, {None: OTHER_WORDS}),
    (
        TokenKind.FIXED,
        {
            meaning.TODAY: "今天, 今日, 今儿, 今兒",
            meaning.YESTERDAY: "昨天, 昨日, 昨儿",
            meaning.BEFORE_YESTERDAY: "前天, 前日",
            meaning.Calendar("day", -3): "大前天",
            meaning.TOMORROW: "明天, 明日, 明儿",
            meaning.AFTER_TOMORROW: "后天, 後天",
            meaning.Calendar("day", 3): "大后天, 大後天",
            meaning.THIS_MORNING: "今早, 今晨",
            meaning.TONIGHT: "今晚, 今夜",
            meaning.LAST_NIGHT: "昨晚, 昨夜",
            meaning.RECENTLY: "近来, 近來, 近期",
            meaning.OTHER_DAY: "前几天, 前幾天, 前些天, 前两天, 前兩天, 前些日子, 这几天, 這幾天",
            meaning.Few("year", until_now=True): "前几年, 前幾年, 前些年, 前两年, 前兩年",
            meaning.Few("month", until_now=True): "前几个月, 前幾個月, 前两个月, 前兩個月",
            meaning.Few("week", until_now=True): "前几周, 前幾週, 前两周, 前兩週, 前几个星期, 前两个星期",
            meaning.NOT_LONG_AGO: "不久前, 不久以前, 不久之前, 前不久, 前阵子, 前陣子, 前段时间, 前段時間",
            meaning.WHILE_AGO: "一阵子以前, 好一阵子前, 一段时间前, 一段時間前",
            meaning.LONG_AGO: "很久以前, 很久之前, 很久前, 好久以前, 好久之前, 多年前, 多年以前",
            meaning.Ago("week", 2): "半个月前, 半個月前, 半个月以前, 半个月之前",
            meaning.Ago("week", 6): "一个半月前, 一個半月前",
            meaning.Ago("month", 6): "半年前, 半年以前, 半年之前",
        },
    ),
    (
        TokenKind.RELATIVE,
        {
            -2: "上上, 上上个, 上上個",
            -1: "上, 上个, 上個, 上一, 上一个, 上一個",
            0: "这, 這, 这个, 這個, 本, 今",
            1: "下, 下个, 下個, 下一, 下一个, 下一個",
            2: "下下, 下下个, 下下個",
        },
    ),
    (
        TokenKind.YEAR_WORD,
        {-3: "大前年", -2: "前年", -1: "去年, 上一年", 0: "今年, 本年", 1: "明年, 来年, 來年", 2: "后年, 後年"},
    ),
    (TokenKind.PAST, {None: "过去, 過去, 过去的, 過去的, 近", meaning.RECENTLY: "最近, 最近的"}),
    (TokenKind.FEW, {None: "几, 幾, 数, 數, 好几, 好幾"}),
    (TokenKind.DAY, {None: "天, 日"}),
    (TokenKind.DAY_MARK, {None: "号, 號"}),
    (TokenKind.YEAR, {None: "年"}),
    (
        TokenKind.UNIT,
        {
            "minute": "分钟, 分鐘",
            "hour": "小时, 小時, 个小时, 個小時, 钟头, 鐘頭, 个钟头",
            "week": ", ".join([*_WEEK, "个星期", "個星期", "个礼拜", "個禮拜", "个周"]),
            "weekend": "周末, 週末",
            "month": "月, 个月, 個月",
        },
    ),
    (TokenKind.QUARTER_UNIT, {None: "季度, 个季度, 個季度"}),
    (
        TokenKind.QUARTER,
        {
            number: f"第{word}季度, 第{word}季, 第{number}季度, 第{number}季"
            for number, word in enumerate("一二三四", start=1)
        },
    ),
    (
        TokenKind.WEEKDAY,
        {
            number: ", ".join(f"{week}{day}" for week in _WEEK for day in days)
            for number, days in enumerate(("一", "二", "三", "四", "五", "六", "日天"))
        },
    ),
    (
        TokenKind.SEASON,
        {
            meaning.SPRING: "春天, 春季, 春",
            meaning.SUMMER: "夏天, 夏季, 夏",
            meaning.AUTUMN: "秋天, 秋季, 秋",
            meaning.WINTER: "冬天, 冬季, 冬",
            meaning.FIRST_HALF: "上半年",
            meaning.SECOND_HALF: "下半年",
        },
    ),
    (TokenKind.AGO, {"before": "前, 以前, 之前"}),
    (TokenKind.HENCE, {"after": "后, 後, 之后, 之後", "since": "以后, 以後"}),
    (TokenKind.OF, {None: "的, 份"}),
    (TokenKind.PART, {0: "初, 上旬", 1: "中旬, 中", 2: "底, 末, 下旬"}),
    (
        TokenKind.HOURS,
        {
            meaning.MORNING: "早上, 上午, 早晨, 凌晨, 清晨",
            meaning.AFTERNOON: "下午, 中午",
            meaning.EVENING: "晚上, 夜里, 夜裡, 半夜, 傍晚",
        },
    ),
    (TokenKind.CONNECTIVE, {"since": "以来, 以來, 起, 开始, 開始", "until": "为止, 為止"}),
    (TokenKind.OPENER, {"from": "自从, 自從, 从, 從, 自", "between": "在"}),
    (TokenKind.JOINER, {"to": "到, 至", "and": "和, 与, 與, 跟"}),
    (TokenKind.CLOSER, {None: "之间, 之間, 间, 間, 期间"}),
    (TokenKind.EVERY, {None: "每, 每个, 每個, 每年, 每月, 每周, 每週"}),
)
NUMERALS: Final = Numerals(
    {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2},
    ten="十",
    run="[〇零一二两兩三四五六七八九十]{1,4}",
)
SHORT_YEAR: Final = "年 ?[0-9]{1,2}月"
# Words that point at the past without saying when.
_POINTING: Final = """
    之前, 以前, 上次, 上一次, 上回, 前几天, 前幾天, 前些天, 前两天, 前兩天, 前阵子, 前陣子, 前段时间, 前段時間, 当时, 當時, 那时候,
    那時候, 那时, 那時, 那次, 从前, 從前, 过去, 過去, 曾经, 曾經, 早先, 先前, 记得吗, 記得嗎, 还记得, 還記得, 你记得, 你記得,
    很久前, 好久前, 不久前
"""
TIME: Final = TimeWords(
    "zh",
    "han",
    _WORDS,
    month_marks=("月份", "月"),
    year_marks=("年",),
    connectives_follow=True,
    weekdays_by_week=True,
    pointing=_POINTING,
    not_pointing="过去一下|過去一下|走过去|走過去|从前面|從前面|以前往",
    numerals=NUMERALS,
    short_year=SHORT_YEAR,
)
