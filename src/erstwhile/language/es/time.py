"""Spanish words for time, without accents (año is read as ano)."""

from __future__ import annotations

from typing import Final

from erstwhile.language import meaning
from erstwhile.language.time import TimeWords, TokenKind, table

_TARDE: Final = (12, 21)
_WORDS: Final = table(
    (
        TokenKind.FIXED,
        {
            meaning.TODAY: "hoy",
            meaning.YESTERDAY: "ayer",
            meaning.BEFORE_YESTERDAY: "anteayer, antes de ayer, antier",
            meaning.TOMORROW: "manana",
            meaning.AFTER_TOMORROW: "pasado manana",
            meaning.THIS_MORNING: "esta manana",
            meaning.TONIGHT: "esta noche",
            meaning.LAST_NIGHT: "anoche",
            meaning.RECENTLY: "recientemente, ultimamente",
            meaning.OTHER_DAY: "el otro dia, la otra noche, hace poco",
            meaning.Few("day", until_now=True): "ultimos dias",
            meaning.Few("week", until_now=True): "ultimas semanas",
            meaning.Few("month", until_now=True): "ultimos meses",
            meaning.Few("year", until_now=True): "ultimos anos",
            meaning.WHILE_AGO: "hace tiempo, hace un tiempo, hace rato, hace un rato",
            meaning.LONG_AGO: "hace mucho, hace mucho tiempo, hace anos",
        },
    ),
    (
        TokenKind.RELATIVE_AFTER,
        {-1: "pasado, pasada, pasados, pasadas", 1: "que viene, siguiente", -2: "antepasado, antepasada"},
    ),
    (TokenKind.RELATIVE, {-1: "el pasado, la pasada", 0: "este, esta, estos, estas"}),
    (
        TokenKind.RELATIVE_EITHER,
        {-1: "ultimo, ultima, ultimos, ultimas, anterior", 1: "proximo, proxima, proximos, proximas"},
    ),
    (
        TokenKind.NUMBER_WORD,
        {
            1: "un, una, uno",
            2: "dos, un par de",
            3: "tres",
            4: "cuatro",
            5: "cinco",
            6: "seis",
            7: "siete",
            8: "ocho",
            9: "nueve",
            10: "diez",
            11: "once",
            12: "doce",
            15: "quince",
        },
    ),
    (TokenKind.FEW, {None: "unos, unas, algunos, algunas, varios, varias, pocos, pocas, unos pocos, unas pocas"}),
    (
        TokenKind.ORDINAL_WORD,
        {1: "primer, primero, primera", 2: "segundo, segunda", 3: "tercer, tercero, tercera", 4: "cuarto, cuarta"},
    ),
    (TokenKind.DAY, {None: "dia, dias"}),
    (TokenKind.YEAR, {None: "ano, anos"}),
    (
        TokenKind.UNIT,
        {
            "minute": "minuto, minutos",
            "hour": "hora, horas",
            "week": "semana, semanas",
            "weekend": "fin de semana, fines de semana, finde",
            "month": "mes, meses",
            "quarter": "trimestre, trimestres",
        },
    ),
    (
        TokenKind.MONTH,
        {
            1: "enero",
            2: "febrero",
            3: "marzo",
            6: "junio",
            7: "julio",
            8: "agosto",
            9: "septiembre, setiembre",
            10: "octubre",
            11: "noviembre",
            12: "diciembre",
        },
    ),
    (TokenKind.MONTH_NAME, {4: "abril", 5: "mayo"}),
    (
        TokenKind.WEEKDAY,
        {0: "lunes", 1: "martes", 2: "miercoles", 3: "jueves", 4: "viernes", 5: "sabado", 6: "domingo"},
    ),
    (
        TokenKind.SEASON,
        {meaning.SPRING: "primavera", meaning.SUMMER: "verano", meaning.AUTUMN: "otono", meaning.WINTER: "invierno"},
    ),
    (TokenKind.QUARTER, {1: "t1", 2: "t2", 3: "t3", 4: "t4"}),
    (TokenKind.AGO_FIRST, {None: "hace"}),
    (TokenKind.AGO, {None: "atras"}),
    (TokenKind.IN, {"hence": "dentro de", None: "en, durante"}),
    (
        TokenKind.OF,
        {None: "aproximadamente, mas o menos, casi, el, la, los, las, de, del, mi, mis, nuestro, nuestra, su, tu"},
    ),
    (
        TokenKind.PART,
        {0: "principios, principio, inicios, inicio, comienzos", 1: "mediados", 2: "finales, final, fines, fin"},
    ),
    (
        TokenKind.HOURS,
        {
            meaning.MORNING: "por la manana, en la manana",
            _TARDE: "tarde, por la tarde, en la tarde",
            meaning.EVENING: "noche, por la noche, en la noche",
        },
    ),
    (
        TokenKind.CONNECTIVE,
        {"since": "desde, a partir de, a partir del", "before": "antes", "after": "despues", "until": "hasta"},
    ),
    (TokenKind.OPENER, {"between": "entre"}),
    (TokenKind.JOINER, {"to": "a, al", "and": "y, e"}),
    (TokenKind.EVERY, {None: "cada, todos los, todas las"}),
    (TokenKind.UNKNOWN, {None: "hoy en dia, de la manana, la ultima vez, esta vez, la proxima vez"}),
)
# Words that point at the past without saying when.
_POINTING: Final = """
    la ultima vez, ultima vez, la otra vez, el otro dia, anteriormente, antes dijiste, dijiste antes, hace tiempo,
    hace un tiempo, hace mucho, en el pasado, en aquel entonces, en aquella epoca, te acuerdas, se acuerda, recuerdas cuando,
    recuerdas que, te dije, te conte
"""
TIME: Final = TimeWords(
    "es", "latin", _WORDS, ordinal="[oº](?![a-z])", doubtful=frozenset(("t1", "t2", "t3", "t4")), pointing=_POINTING
)
