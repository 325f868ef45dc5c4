"""German, Spanish and French, the plain patterns."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.writers.extractive.signals import NUMBERS, Evidence, Signals, words

_NAME: Final = re.compile(r"[a-zà-ÿ,] (?!I\b)[A-ZÀ-Þ][\w'-]+")

GERMAN: Final = Signals(
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

SPANISH: Final = Signals(
    filler=words(r"""
        \b(?:hola|buenas|buenos días|buenas (?:tardes|noches)|gracias|muchas gracias|de nada|ok|vale|sí|si|no|claro
            |genial|qué bien|jaja\w{0,20}|adiós|hasta (?:luego|mañana|pronto)|perfecto|exacto|bien|muy|felicidades
            |guay|ya|pues|bueno|wow|es|eso)\b
    """),
    opening=words(r"""
        ^(?:(?:hola|sí|no|bien|bueno|pues|ah|oh|vale|claro|por cierto|además|y|pero|gracias
            |jaja\w{0,9})[,!. ]{1,3}){1,4}
    """),
    question=words(r"[?¿]|^(?:qué|quién|dónde|cuándo|por qué|cómo|cuál|cuánto)\b"),
    unreal=words(r"""
        \b(?:si yo|si (?:pudiera|fuera|tuviera)|ojalá|quizás?|tal vez|deberías|podrías|me gustaría|imagina)\b
        |^(?:por favor|escribe|explica|ayúdame|dame|dime|haz)\b
    """),
    vague=words(r"\bme (?:gusta|encanta)\W{0,3}$|\bte (?:aviso|cuento|quiero)\b"),
    primary=(
        (
            4,
            words(r"""
                \b(?:me llamo|mi nombre es|soy (?:de|alérgic[oa]|vegetarian[oa]|vegan[oa]|un[oa]?\b|\w{4,14}(?:or|ora
                    |ista|ero|era|ico|ica|ogo|oga|ante|ente)\b)|vivo en|trabajo (?:en|de|como|para)|estudio|nací
                    |tengo \d\d años|mi cumpleaños)
                |alergi|alérgic
            """),
        ),
        (
            3,
            words(r"""
                \b(?:no )?me (?:gustan?|encantan?|fascinan?)\b|\b(?:odio|prefiero|adoro|detesto)\b
                |\bmi \w{3,14} favorit[oa]\b
            """),
        ),
        (
            3,
            words(r"""
                \b(?:voy a|vamos a|pienso|planeo|te prometo|hemos decidido|decidimos|decidí|quedamos (?:en|a)
                    |me voy a)\b
            """),
        ),
        (
            3,
            words(r"""
                \b(?:me mudé|nos mudamos|compré|vendí|empecé|dejé|conseguí|renuncié|me casé|gané|perdí|reservé|aprobé
                    |visité|conocí|adopté|me apunté|me gradué|fui a|viajé)\b
                |\b(?:me he|he|hemos) (?:mudado|comprado|vendido|empezado|dejado|conseguido|reservado|aprobado
                    |adoptado|apuntado|ido)\b
            """),
        ),
        (
            3,
            words(r"""
                \b(?:mi|mis|nuestr[oa]) (?:herman[oa]s?|madre|padre|mamá|papá|mujer|marido|espos[oa]|novi[oa]
                    |hij[oa]s?|perr[oa]|gat[oa]|abuel[oa]|jef[ea]|padres|ti[oa]|prim[oa])\b
            """),
        ),
        (4, words(r"\bya no\b|\bantes\b[^.?!]{2,60}\bahora\b|\bpor primera vez\b|\bmi primer")),
    ),
    evidence=Evidence(
        day=words(r"""
                \b(?:ayer|hoy|mañana|anteayer|la semana (?:pasada|que viene|próxima)|el (?:lunes|martes|miércoles
                    |jueves|viernes|sábado|domingo)|el (?:mes|año) (?:pasado|que viene))\b
            """),
        amount=NUMBERS,
        name=_NAME,
    ),
    settled=words(r"""
        \bhe (?:reservado|pedido|programado|cancelado)\b
        |\b(?:reserva|pedido|cita) (?:está|ha sido) (?:confirmad|cancelad)
    """),
    dependent=re.compile(r"^(?:ella|él|ellos|ellas|eso|esto)\b", re.IGNORECASE),
)

FRENCH: Final = Signals(
    filler=words(r"""
        \b(?:bonjour|salut|coucou|bonsoir|bonne (?:nuit|journée|soirée)|merci(?: beaucoup)?|de rien|ok|oui|non
            |d'accord|super|génial|cool|mdr|haha\w{0,9}|à (?:demain|bientôt|plus)|parfait|exactement|bien sûr|ouais
            |bravo|félicitations|c'est|très|bien|trop|ça|va)\b
    """),
    opening=words(r"^(?:(?:salut|oui|non|ouais|ah|oh|bon|bah|ben|au fait|alors|et|mais|merci|haha)[,!. ]{1,3}){1,4}"),
    question=words(r"\?\W{0,3}$|^(?:qui|quoi|où|quand|pourquoi|comment|quel(?:le)?s?|est-ce)\b"),
    unreal=words(r"""
        \bsi (?:j'étais|j'avais|je pouvais|on pouvait)\b
        |\b(?:j'aimerais|je voudrais|peut-être|tu devrais|tu pourrais|j'espère|imagine)\b
        |^(?:s'il (?:te|vous) plaît|écris|explique|aide|donne|dis)\b
    """),
    vague=words(r"\bj'(?:aime|adore)(?: (?:bien|ça|trop))*\W{0,3}$|\bje (?:t'aime|te dis|vais voir)\b"),
    primary=(
        (
            4,
            words(r"""
                \bje m'appelle\b|\bj'habite\b
                |\bje (?:vis|travaille|bosse|suis (?:né|née|de|allergique|végétarien|végane?|enceinte|marié|un|une
                    |\w{4,14}(?:eur|euse|ier|ière|iste|ien|ienne)\b)|viens de|parle|fais des études)
                |\bj'ai \d\d ans\b|\bmon (?:anniversaire|métier|travail|adresse)\b|\ballerg(?:ique|ie)\b
            """),
        ),
        (
            3,
            words(r"""
                \bj'(?:aime|adore|apprécie)\b|\bje (?:n'aime|déteste|préfère|ne mange|ne bois)\b
                |\bmon \w{3,14} préféré|\bma \w{3,14} préférée
            """),
        ),
        (
            3,
            words(r"""
                \b(?:je vais|on va|nous allons|je compte|je prévois|je te promets|j'ai décidé|on a décidé
                    |nous avons décidé|je partirai)\b
            """),
        ),
        (
            3,
            words(r"""
                \b(?:j'ai|on a|nous avons) (?:\w{4,8} )?(?:acheté|vendu|commencé|quitté|trouvé|réservé|gagné|perdu
                    |adopté|visité|rencontré|démissionné|déménagé|réussi|arrêté|obtenu)\b
                |\b(?:je suis|on est) (?:allée?|partie?|rentrée?|inscrite?)\b
                |\bje me suis (?:mariée?|inscrite?|cassée?|installée?)\b
            """),
        ),
        (
            3,
            words(r"""
                \b(?:ma|mon|mes|notre|nos) (?:sœur|soeur|frère|mère|père|maman|papa|femme|mari|copine|copain|fille
                    |fils|chien|chienne|chat|chatte|grand-mère|grand-père|patron|parents|enfants|cousine?)\b
            """),
        ),
        (
            4,
            words(r"\b(?:ne|n')[^.?!]{1,30} plus\b|\bavant\b[^.?!]{2,60}\bmaintenant\b|\b(?:pour la )?première fois\b"),
        ),
    ),
    evidence=Evidence(
        day=words(r"""
                \b(?:hier|aujourd'hui|demain|avant-hier|après-demain|la semaine (?:dernière|prochaine)|(?:lundi|mardi
                    |mercredi|jeudi|vendredi|samedi|dimanche)|le mois (?:dernier|prochain)|l'année (?:dernière
                    |prochaine))\b
            """),
        amount=NUMBERS,
        name=_NAME,
    ),
    settled=words(r"""
        \bj'ai (?:réservé|commandé|programmé|annulé)\b|\b(?:réservation|commande) (?:est|a été) (?:confirmée|annulée)
    """),
    dependent=re.compile(r"^(?:elles?|ils?|ça|cela|c')\b", re.IGNORECASE),
)
