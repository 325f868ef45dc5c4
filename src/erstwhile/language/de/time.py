"""German words for time, without the dots on their vowels (März is read as marz) or with an e for them (maerz)."""

from __future__ import annotations

from typing import Final

from erstwhile.language import meaning
from erstwhile.language.time import TimeWords, TokenKind, table


def _endings(*stems: str) -> str:
    return ", ".join(f"{stem}{ending}" for stem in stems for ending in ("e", "en", "er", "es", "em"))


_WORDS: Final = table(
    (
        TokenKind.FIXED,
        {
            meaning.TODAY: "heute",
            meaning.YESTERDAY: "gestern",
            meaning.BEFORE_YESTERDAY: "vorgestern",
            meaning.TOMORROW: "morgen",
            meaning.AFTER_TOMORROW: "ubermorgen, uebermorgen",
            meaning.THIS_MORNING: "heute morgen, heute fruh, heute frueh",
            meaning.Hours(meaning.YESTERDAY, *meaning.MORNING): "gestern morgen, gestern fruh, gestern frueh",
            meaning.LAST_NIGHT: "letzte nacht, heute nacht",
            meaning.RECENTLY: "kurzlich, kuerzlich, in letzter zeit, vor kurzem, zuletzt",
            meaning.OTHER_DAY: "neulich, letztens, unlangst, unlaengst, dieser tage",
            meaning.Few("day", until_now=True): "letzten tage, letzten tagen",
            meaning.Few("week", until_now=True): "letzten wochen",
            meaning.Few("month", until_now=True): "letzten monate, letzten monaten",
            meaning.Few("year", until_now=True): "letzten jahre, letzten jahren",
            meaning.WHILE_AGO: "vor einer weile, vor einiger zeit, vor langerem, vor laengerem",
            meaning.LONG_AGO: "vor langer zeit, vor langem, vor ewigkeiten",
        },
    ),
    (
        TokenKind.RELATIVE,
        {
            -2: _endings("vorletzt"),
            -1: _endings("letzt", "vergangen", "vorig"),
            0: _endings("dies"),
            1: _endings("nachst", "naechst", "kommend"),
            2: _endings("ubernachst", "uebernaechst"),
        },
    ),
    (TokenKind.YEAR_WORD, {0: "heuer"}),
    (
        TokenKind.NUMBER_WORD,
        {
            1: "ein, eine, einem, einer, einen",
            2: "zwei",
            3: "drei",
            4: "vier",
            5: "funf, fuenf",
            6: "sechs",
            7: "sieben",
            8: "acht",
            9: "neun",
            10: "zehn",
            11: "elf",
            12: "zwolf, zwoelf",
        },
    ),
    (TokenKind.FEW, {None: "ein paar, paar, einige, einigen, wenige, wenigen, mehreren"}),
    (TokenKind.ORDINAL_WORD, {1: _endings("erst"), 2: _endings("zweit"), 3: _endings("dritt"), 4: _endings("viert")}),
    (TokenKind.DAY, {None: "tag, tage, tagen"}),
    (TokenKind.YEAR, {None: "jahr, jahre, jahren, jahres"}),
    (
        TokenKind.UNIT,
        {
            "minute": "minute, minuten",
            "hour": "stunde, stunden",
            "week": "woche, wochen",
            "weekend": "wochenende, wochenenden",
            "month": "monat, monate, monaten, monats",
            "quarter": "quartal, quartale, quartalen, quartals",
        },
    ),
    (
        TokenKind.MONTH,
        {
            1: "januar, janner, jaenner",
            2: "februar, feber",
            3: "marz, maerz",
            7: "juli",
            9: "september",
            10: "oktober",
            11: "november",
            12: "dezember",
        },
    ),
    (TokenKind.MONTH_NAME, {4: "april", 5: "mai", 6: "juni", 8: "august"}),
    (
        TokenKind.MONTH_SHORT,
        {
            1: "jan",
            2: "feb",
            3: "mrz",
            4: "apr",
            6: "jun",
            7: "jul",
            8: "aug",
            9: "sep, sept",
            10: "okt",
            11: "nov",
            12: "dez",
        },
    ),
    (
        TokenKind.WEEKDAY,
        {
            0: "montag",
            1: "dienstag",
            2: "mittwoch",
            3: "donnerstag",
            4: "freitag",
            5: "samstag, sonnabend",
            6: "sonntag",
        },
    ),
    (
        TokenKind.SEASON,
        {
            meaning.SPRING: "fruhling, fruehling, fruhjahr, fruehjahr",
            meaning.SUMMER: "sommer, sommers",
            meaning.AUTUMN: "herbst",
            meaning.WINTER: "winter, winters",
        },
    ),
    (TokenKind.QUARTER, {1: "q1", 2: "q2", 3: "q3", 4: "q4"}),
    (TokenKind.AGO_FIRST, {"before": "vor"}),
    (TokenKind.IN, {"hence": "in", None: "im, wahrend, waehrend"}),
    (TokenKind.ON, {None: "am"}),
    (
        TokenKind.OF,
        {
            None: "etwa, ungefahr, ungefaehr, rund, circa, ca, der, die, das, dem, den, des, vom, mein, meine, meiner, meinem, "
            "unser, unsere, unserer, unserem"
        },
    ),
    (TokenKind.PART, {0: "anfang, fruh im", 1: "mitte", 2: "ende, spat im"}),
    (
        TokenKind.HOURS,
        {
            meaning.MORNING: "vormittag, fruh, am morgen",
            meaning.AFTERNOON: "nachmittag, mittag",
            meaning.EVENING: "abend, nacht",
        },
    ),
    (TokenKind.CONNECTIVE, {"since": "seit, ab", "after": "nach", "until": "bis, bis zum, bis zu, bis ende"}),
    (TokenKind.OPENER, {"from": "von", "between": "zwischen"}),
    (TokenKind.JOINER, {"and": "und"}),
    (TokenKind.EVERY, {None: _endings("jed")}),
    (TokenKind.UNKNOWN, {None: "guten morgen, letztes mal, nachstes mal, dieses mal, letzten endes"}),
)
# Words that point at the past without saying when.
_POINTING: Final = """
    damals, letztes mal, letzten mal, das letzte mal, voriges mal, vorhin, fruher, frueher, neulich, letztens, einst,
    vor einer weile, vor einiger zeit, vor langer zeit, weisst du noch, weißt du noch, erinnerst du dich, hatte ich gesagt,
    habe ich dir erzahlt, schon mal, schon einmal
"""
TIME: Final = TimeWords(
    "de", "latin", _WORDS, ordinal=r"\.(?= ?[a-z])", doubtful=frozenset(("morgen", "heute")), pointing=_POINTING
)
