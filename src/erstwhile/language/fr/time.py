"""French words for time, without accents (été is read as ete)."""

from __future__ import annotations

from typing import Final

from erstwhile.language import meaning
from erstwhile.language.time import TimeWords, TokenKind, table

_WORDS: Final = table(
    (
        TokenKind.FIXED,
        {
            meaning.TODAY: "aujourd hui",
            meaning.YESTERDAY: "hier",
            meaning.BEFORE_YESTERDAY: "avant hier",
            meaning.TOMORROW: "demain",
            meaning.AFTER_TOMORROW: "apres demain",
            meaning.LAST_NIGHT: "la nuit derniere, cette nuit",
            meaning.RECENTLY: "recemment, dernierement, ces derniers temps, ces temps ci",
            meaning.OTHER_DAY: "l autre jour, l autre soir, il y a peu",
            meaning.Few("day", until_now=True): "ces derniers jours, les derniers jours",
            meaning.Few("week", until_now=True): "ces dernieres semaines, les dernieres semaines",
            meaning.Few("month", until_now=True): "ces derniers mois, les derniers mois",
            meaning.Few("year", until_now=True): "ces dernieres annees, les dernieres annees",
            meaning.WHILE_AGO: "il y a quelque temps, il y a un moment, il y a un certain temps",
            meaning.LONG_AGO: "il y a longtemps, autrefois, jadis",
        },
    ),
    (
        TokenKind.RELATIVE_AFTER,
        {
            -2: "avant derniere, avant dernier",
            -1: "dernier, derniere, derniers, dernieres, passe, passee, passes, passees",
        },
    ),
    (TokenKind.RELATIVE, {0: "ce, cet, cette, ces"}),
    (TokenKind.RELATIVE_EITHER, {1: "prochain, prochaine, prochains, prochaines"}),
    (
        TokenKind.NUMBER_WORD,
        {
            1: "un, une",
            2: "deux",
            3: "trois",
            4: "quatre",
            5: "cinq",
            6: "six",
            7: "sept",
            8: "huit",
            9: "neuf",
            10: "dix",
            11: "onze",
            12: "douze",
            15: "quinze",
        },
    ),
    (TokenKind.FEW, {None: "quelques, plusieurs"}),
    (TokenKind.ORDINAL_WORD, {1: "premier, premiere", 2: "deuxieme, second", 3: "troisieme", 4: "quatrieme"}),
    (TokenKind.DAY, {None: "jour, jours"}),
    (TokenKind.YEAR, {None: "an, ans, annee, annees"}),
    (
        TokenKind.UNIT,
        {
            "minute": "minute, minutes",
            "hour": "heure, heures",
            "week": "semaine, semaines",
            "weekend": "week end, weekend, week ends",
            "month": "mois",
            "quarter": "trimestre, trimestres",
        },
    ),
    (
        TokenKind.MONTH,
        {
            1: "janvier",
            2: "fevrier",
            4: "avril",
            6: "juin",
            7: "juillet",
            8: "aout",
            9: "septembre",
            10: "octobre",
            11: "novembre",
            12: "decembre",
        },
    ),
    (TokenKind.MONTH_NAME, {3: "mars", 5: "mai"}),
    (TokenKind.WEEKDAY, {0: "lundi", 1: "mardi", 2: "mercredi", 3: "jeudi", 4: "vendredi", 5: "samedi", 6: "dimanche"}),
    (
        TokenKind.SEASON,
        {meaning.SPRING: "printemps", meaning.SUMMER: "ete", meaning.AUTUMN: "automne", meaning.WINTER: "hiver"},
    ),
    (TokenKind.QUARTER, {1: "t1", 2: "t2", 3: "t3", 4: "t4"}),
    (TokenKind.AGO_FIRST, {None: "il y a, ya, y a"}),
    (TokenKind.IN, {"hence": "dans", "to": "au", None: "en, au mois de, le mois de, courant, pendant"}),
    (
        TokenKind.OF,
        {None: "environ, a peu pres, le, la, les, l, de, du, des, d, mon, ma, mes, notre, nos, son, sa, leur, ton, ta"},
    ),
    (TokenKind.PART, {0: "debut, au debut", 1: "mi, milieu", 2: "fin, a la fin"}),
    (
        TokenKind.HOURS,
        {
            meaning.MORNING: "matin, au matin",
            meaning.AFTERNOON: "apres midi, midi",
            meaning.EVENING: "soir, au soir, nuit",
        },
    ),
    (
        TokenKind.CONNECTIVE,
        {
            "since": "depuis, a partir de, a partir du, des le",
            "before": "avant",
            "after": "apres",
            "until": "jusqu a, jusqu en, jusqu au, jusqu",
        },
    ),
    (TokenKind.OPENER, {"between": "entre"}),
    (TokenKind.JOINER, {"to": "a, au mois d", "and": "et"}),
    (TokenKind.EVERY, {None: "chaque, tous les, toutes les"}),
    (TokenKind.UNKNOWN, {None: "la derniere fois, ce mars"}),
)
# Words that point at the past without saying when.
_POINTING: Final = """
    la derniere fois, derniere fois, l autre fois, l autre jour, auparavant, autrefois, jadis, a l epoque, precedemment,
    tu te souviens, vous vous souvenez, te rappelles tu, tu te rappelles, tu m avais dit, je t avais dit, il y a longtemps,
    il y a quelque temps
"""
TIME: Final = TimeWords(
    "fr",
    "latin",
    _WORDS,
    ordinal="er(?![a-z])",
    doubtful=frozenset(("hier", "t1", "t2", "t3", "t4", "dans un an")),
    pointing=_POINTING,
)
