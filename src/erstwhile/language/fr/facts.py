"""French, the plain patterns."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.facts import NAMED, NUMBERS, Evidence, Signals, words

FACTS: Final = Signals(
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
        name=NAMED,
    ),
    settled=words(r"""
        \bj'ai (?:réservé|commandé|programmé|annulé)\b|\b(?:réservation|commande) (?:est|a été) (?:confirmée|annulée)
    """),
    dependent=re.compile(r"^(?:elles?|ils?|ça|cela|c')\b", re.IGNORECASE),
)
