"""What to look for in a sentence, as one small set of patterns per language.

Every pattern is bounded: no quantifier inside a quantifier over the same characters, so hostile text stays linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

NEVER: Final = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Signals:
    """`primary` says how strongly a sentence asks to be kept, `bonus` adds to it; most others speak against it."""

    filler: re.Pattern[str]
    """Words of greeting, thanks, laughter and agreement: a sentence of nothing else is left out."""
    opening: re.Pattern[str]
    """What a sentence can lose at its start without losing anything."""
    question: re.Pattern[str]
    unreal: re.Pattern[str]
    """Wishes, hypotheses, advice, requests: nothing that is so."""
    vague: re.Pattern[str]
    """Looks like a statement and says nothing: "I love it", "I'll let you know"."""
    primary: tuple[tuple[int, re.Pattern[str]], ...]
    bonus: tuple[tuple[int, re.Pattern[str]], ...] = ()
    settled: re.Pattern[str] = NEVER
    """What makes an assistant's sentence worth keeping: it booked, confirmed or promised something."""
    addressed: re.Pattern[str] = NEVER
    """Speaks to the other one: often a compliment or comfort, seldom news."""
    dependent: re.Pattern[str] = NEVER
    """Opens with a pronoun that only the sentence before explains."""
    before_question: re.Pattern[str] = NEVER
    """A statement and, after it, a question in the same sentence: the two groups."""
    fewest_terms: int = 2


def words(pattern: str) -> re.Pattern[str]:
    """A pattern blind to case. Line breaks and indentation are for the reader and no part of it."""
    return re.compile(unfolded(pattern), re.IGNORECASE)


def exact(pattern: str) -> re.Pattern[str]:
    """The same where case tells names from words."""
    return re.compile(unfolded(pattern))


def unfolded(pattern: str) -> str:
    return "".join(line.strip() for line in pattern.splitlines())


# Attempts to give orders to whoever reads the memory later. They are never a fact, in any language.
ORDERS: Final = words(r"""
    \b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|prompts?|rules?|everything|guidelines)\b
    |\byou (?:are|must|will) now\b|\b(?:system|developer) (?:prompt|message|mode)\b|\bjailbreak
    |\bfrom now on,? (?:you|always|never)\b|\byou (?:must|should|have to) (?:always|never|only)\b
    |\b(?:always|never) (?:answer|respond|reply|reveal|say)\b|(?:이전|위의?|앞의?|모든) ?(?:지시|명령|프롬프트|규칙)
    |시스템 ?프롬프트|(?:忽略|无视|忘记|不要理会).{0,10}(?:指令|指示|提示|规则|内容)|系统提示
    |(?:ignorier|vergiss|ignora|olvida|ignore[zr]?|oublie).{0,30}(?:anweisung|instruc|consigne|regeln)
    |(?:以前|上記|これまで)の(?:指示|命令)
""")

# Digits and shapes that mean the same everywhere.
NUMBERS: Final = re.compile(
    r"[$€£¥₩]\s?\d|\d\s?(?:€|%|km\b|kg\b|cm\b|m[gl]\b|mins?\b|hours?\b|hrs?\b|miles?\b|people\b|usd\b|eur\b|k\b)"
    r"""
        |\b\d{1,2}:\d{2}\b|\b\d{1,2}\s?(?:am|pm)\b|\b\d{2,4}[- ]\d{3,4}[- ]\d{3,4}\b
        |\b[\w.]{1,40}@[\w-]{1,40}\.\w{2,10}\b
    """,
    re.IGNORECASE,
)
