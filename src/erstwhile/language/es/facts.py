"""Spanish, the plain patterns."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.facts import NAMED, NUMBERS, Evidence, Signals, words

FACTS: Final = Signals(
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
        name=NAMED,
    ),
    settled=words(r"""
        \bhe (?:reservado|pedido|programado|cancelado)\b
        |\b(?:reserva|pedido|cita) (?:está|ha sido) (?:confirmad|cancelad)
    """),
    dependent=re.compile(r"^(?:ella|él|ellos|ellas|eso|esto)\b", re.IGNORECASE),
)
