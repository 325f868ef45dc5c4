"""German, the plain patterns."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.facts import NUMBERS, Evidence, Signals, words

FACTS: Final = Signals(
    filler=words(r"""
        \b(?:hallo|hi|hey|moin|servus|guten (?:morgen|tag|abend)|gute nacht|danke(?: schön| dir)?|bitte|gern(?:e)?|ok
            |okay|ja|nein|genau|klar|cool|super|toll|schön|haha\w{0,9}|lol|tschüss|bis (?:morgen|bald|dann|später)
            |alles klar|stimmt|ach so|wow|krass|echt|glückwunsch|sehr|das|ist|so)\b
    """),
    opening=words(r"""
        ^(?:(?:hallo|hey|ja|nein|ach|oh|also|übrigens|na ja|naja|klar|genau|danke|und|aber|wow|haha)[,!. ]{1,3}){1,4}
    """),
    question=words(r"""
        \?\W{0,3}$|^(?:was|wer|wo|wann|warum|wie|wieso|welche[rsn]?|kannst du|hast du|bist du|willst du)\b
    """),
    unreal=words(r"""
        \b(?:wenn ich|würde|wäre|hätte|könnte|vielleicht|du solltest|hoffentlich|angenommen)\b
        |^(?:bitte|schreib|erklär|hilf|zeig|gib)\w{0,3}\b
    """),
    vague=words(r"\bich (?:liebe|mag) (?:es|das|dich)\b|\bich (?:melde mich|schau mal|überlege)\b"),
    primary=(
        (
            4,
            words(r"""
                \bich (?:heiße|wohne|lebe|arbeite|studiere|komme aus|bin (?:\d\d|allergisch|schwanger|verheiratet
                    |vegetarier|veganer|[a-zäöü]{3,14}in\b|von beruf)|bin (?:nach|umgezogen))\b
                |\bmein (?:name|geburtstag|job|beruf)\b|\ballerg(?:isch|ie)\b
            """),
        ),
        (
            3,
            words(r"""
                \bich (?:\w{3,10} )?(?:mag|liebe|hasse|bevorzuge|esse kein|trinke kein)\w{0,3}\b
                |\b(?:mein|meine) lieblings\w{2}|\bich \w{2,20}[^.?!]{0,40} (?:gern|gerne|am liebsten)\b
            """),
        ),
        (
            3,
            words(r"""
                \b(?:ich|wir) (?:werde|werden|habe vor|plane|planen|verspreche|wollen|will)\b
                |\b(?:beschlossen|entschieden|vereinbart|ausgemacht)\b
            """),
        ),
        (
            3,
            words(r"""
                \b(?:ich|wir) (?:habe|haben|bin|sind)\b[^.?!]{2,100}\b(?:gekauft|verkauft|gezogen|angefangen|gekündigt
                    |geheiratet|gewonnen|verloren|gebucht|bestanden|besucht|getroffen|bekommen|angemeldet|gefahren
                    |geflogen|umgezogen|adoptiert)\b
            """),
        ),
        (
            3,
            words(r"""
                \b(?:mein|meine|unser|unsere) (?:schwester|bruder|mutter|vater|mama|papa|frau|mann|freundin|freund
                    |tochter|sohn|hund|katze|oma|opa|chef|chefin|eltern|kinder|kollegin|kollege)\b
            """),
        ),
        (
            4,
            words(r"""
                \bnicht mehr\b|\bkeine? [^.?!]{2,30} mehr\b|\bfrüher\b[^.?!]{2,60}\b(?:jetzt|heute)\b
                |\bzum ersten mal\b|\baufgehört\b
            """),
        ),
    ),
    evidence=Evidence(
        day=words(r"""
                \b(?:gestern|heute|morgen|vorgestern|übermorgen|(?:letzten?|nächsten?|diesen?|kommenden?) (?:woche
                    |monat|jahr|\w{3,7}tag)|am \w{3,7}tag|seit \d{4})\b
            """),
        amount=NUMBERS,
    ),
    settled=words(r"""
        \bich habe [^.]{1,60}(?:gebucht|reserviert|bestellt|storniert)\b
        |\b(?:buchung|reservierung|bestellung) (?:ist|wurde) (?:bestätigt|storniert)
    """),
    dependent=re.compile(r"^(?:sie|er|es|das|dies)\b", re.IGNORECASE),
)
