"""Times as German, French and Spanish say them, asked on Wednesday, 18 November 2026."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("was habe ich heute gegessen", "2026-11-18..2026-11-19"),
        ("Was hast du gestern gesagt?", "2026-11-17..2026-11-18"),
        ("vorgestern", "2026-11-16..2026-11-17"),
        ("vor drei Tagen", "2026-11-15..2026-11-16"),
        ("vor einer Woche", "2026-11-08..2026-11-15"),
        ("vor zwei Monaten", "2026-09-03..2026-10-04"),
        ("vor 3 Jahren", "2023-01-01..2024-01-01"),
        ("letzte Woche", "2026-11-09..2026-11-16"),
        ("vorletzte Woche", "2026-11-02..2026-11-09"),
        ("Was haben wir letzten Monat besprochen", "2026-10-01..2026-11-01"),
        ("dieses Jahr", "2026-01-01..2027-01-01"),
        ("nächste Woche", "2026-11-23..2026-11-30"),
        ("letztes Wochenende", "2026-11-14..2026-11-16"),
        ("letzten Freitag", "2026-11-13..2026-11-14"),
        ("am Montag", "2026-11-16..2026-11-17"),
        ("im März", "2026-03-01..2026-04-01"),
        ("im Maerz 2023", "2023-03-01..2023-04-01"),
        ("letzten März", "2026-03-01..2026-04-01"),
        ("am 7. Mai", "2026-05-07..2026-05-08"),
        ("7. Mai 2023", "2023-05-07..2023-05-08"),
        ("07.05.2023", "2023-05-07..2023-05-08"),
        ("im Jahr 2022", "2022-01-01..2023-01-01"),
        ("im Sommer 2022", "2022-06-01..2022-09-01"),
        ("letzten Sommer", "2026-06-01..2026-09-01"),
        ("im ersten Quartal 2023", "2023-01-01..2023-04-01"),
        ("Anfang März", "2026-03-01..2026-03-11"),
        ("Ende letzten Jahres", "2025-09-01..2026-01-01"),
        ("Anfang des Jahres", "2026-01-01..2026-05-01"),
        ("gestern Abend", "2026-11-17T17..2026-11-18T05"),
        ("in den letzten drei Tagen", "2026-11-15..2026-11-19"),
        ("seit März", "2026-03-01.."),
        ("vor Mai 2023", "..2023-05-01"),
        ("nach dem 7. Mai 2023", "2023-05-08.."),
        ("bis gestern", "..2026-11-18"),
        ("zwischen März und Mai 2023", "2023-03-01..2023-06-01"),
        ("vor der Reise im Mai 2023", "..2023-06-01"),
        ("neulich", "~2026-11-04..2026-11-18"),
        ("vor ein paar Tagen", "~2026-11-11..2026-11-17"),
    ],
)
def test_german(said: Callable[..., str], query: str, expected: str) -> None:
    assert said(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("qu'est-ce que j'ai mangé aujourd'hui", "2026-11-18..2026-11-19"),
        ("qu’a-t-il dit hier ?", "2026-11-17..2026-11-18"),
        ("avant-hier", "2026-11-16..2026-11-17"),
        ("il y a trois jours", "2026-11-15..2026-11-16"),
        ("il y a deux semaines", "2026-11-01..2026-11-08"),
        ("il y a un an", "2025-01-01..2026-01-01"),
        ("la semaine dernière", "2026-11-09..2026-11-16"),
        ("de quoi avons-nous parlé le mois dernier", "2026-10-01..2026-11-01"),
        ("l'année dernière", "2025-01-01..2026-01-01"),
        ("cette semaine", "2026-11-16..2026-11-23"),
        ("la semaine prochaine", "2026-11-23..2026-11-30"),
        ("le week-end dernier", "2026-11-14..2026-11-16"),
        ("vendredi dernier", "2026-11-13..2026-11-14"),
        ("lundi", "2026-11-16..2026-11-17"),
        ("en mars", "2026-03-01..2026-04-01"),
        ("mars 2023", "2023-03-01..2023-04-01"),
        ("en mars dernier", "2026-03-01..2026-04-01"),
        ("le 7 mai", "2026-05-07..2026-05-08"),
        ("le 1er août 2023", "2023-08-01..2023-08-02"),
        ("7/5/2023, c'était quoi le plan pour nous", "2023-05-07..2023-05-08"),
        ("en 2022", "2022-01-01..2023-01-01"),
        ("l'été 2022", "2022-06-01..2022-09-01"),
        ("l'été dernier", "2026-06-01..2026-09-01"),
        ("au premier trimestre 2023", "2023-01-01..2023-04-01"),
        ("début mars", "2026-03-01..2026-03-11"),
        ("à la mi-mars", "2026-03-11..2026-03-21"),
        ("au début de l'année", "2026-01-01..2026-05-01"),
        ("hier soir", "2026-11-17T17..2026-11-18T05"),
        ("les trois derniers jours", "2026-11-15..2026-11-19"),
        ("depuis mars", "2026-03-01.."),
        ("avant mai 2023", "..2023-05-01"),
        ("jusqu'à hier", "..2026-11-18"),
        ("entre mars et mai 2023", "2023-03-01..2023-06-01"),
        ("avant le voyage de mai 2023", "..2023-06-01"),
        ("récemment", "~2026-10-19..2026-11-19"),
        ("l'autre jour", "~2026-11-04..2026-11-18"),
        ("il y a quelques jours", "~2026-11-11..2026-11-17"),
    ],
)
def test_french(said: Callable[..., str], query: str, expected: str) -> None:
    assert said(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("¿qué comí hoy?", "2026-11-18..2026-11-19"),
        ("qué dijo ayer", "2026-11-17..2026-11-18"),
        ("anteayer", "2026-11-16..2026-11-17"),
        ("hace tres días", "2026-11-15..2026-11-16"),
        ("hace dos semanas", "2026-11-01..2026-11-08"),
        ("hace un año", "2025-01-01..2026-01-01"),
        ("la semana pasada", "2026-11-09..2026-11-16"),
        ("el mes pasado", "2026-10-01..2026-11-01"),
        ("el año pasado", "2025-01-01..2026-01-01"),
        ("esta semana", "2026-11-16..2026-11-23"),
        ("la próxima semana", "2026-11-23..2026-11-30"),
        ("el fin de semana pasado", "2026-11-14..2026-11-16"),
        ("el viernes pasado", "2026-11-13..2026-11-14"),
        ("el lunes", "2026-11-16..2026-11-17"),
        ("en marzo", "2026-03-01..2026-04-01"),
        ("en marzo de 2023", "2023-03-01..2023-04-01"),
        ("marzo del año pasado", "2025-03-01..2025-04-01"),
        ("el 7 de mayo", "2026-05-07..2026-05-08"),
        ("7 de mayo de 2023", "2023-05-07..2023-05-08"),
        ("en 2022", "2022-01-01..2023-01-01"),
        ("el verano de 2022", "2022-06-01..2022-09-01"),
        ("el verano pasado", "2026-06-01..2026-09-01"),
        ("el primer trimestre de 2023", "2023-01-01..2023-04-01"),
        ("a principios de marzo", "2026-03-01..2026-03-11"),
        ("a finales del año pasado", "2025-09-01..2026-01-01"),
        ("anoche", "2026-11-17T17..2026-11-18T05"),
        ("ayer por la tarde", "2026-11-17T12..2026-11-17T21"),
        ("los últimos tres días", "2026-11-15..2026-11-19"),
        ("desde marzo", "2026-03-01.."),
        ("antes de mayo de 2023", "..2023-05-01"),
        ("después del 7 de mayo de 2023", "2023-05-08.."),
        ("hasta ayer", "..2026-11-18"),
        ("entre marzo y mayo de 2023", "2023-03-01..2023-06-01"),
        ("antes del viaje de mayo de 2023", "..2023-06-01"),
        ("el otro día", "~2026-11-04..2026-11-18"),
        ("hace unos días", "~2026-11-11..2026-11-17"),
    ],
)
def test_spanish(said: Callable[..., str], query: str, expected: str) -> None:
    assert said(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "Was haben wir hier besprochen",
        "vor der Reise",
        "Jan und Mai sind Freunde",
        "Zimmer 2022",
        "jeden Montag",
        "in 5 Minuten",
        "guten Morgen, wie geht es dir",
        "j'ai été malade",
        "avant le voyage",
        "la planète Mars",
        "son dernier livre",
        "chaque lundi",
        "la chambre 2022",
        "pan con mayo",
        "antes del viaje",
        "todos los lunes",
        "hace calor",
        "habitación 2022",
        "esta mesa",
    ],
)
def test_european_false_friends(said: Callable[..., str], query: str) -> None:
    assert said(query) == ""
