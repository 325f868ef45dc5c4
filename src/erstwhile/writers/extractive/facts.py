"""Facts: statements about someone that will still matter later, as "- " bullets that stand on their own.

Precision first. A statement needs a primary signal of its language, must not be a question, a wish, an order or advice,
and must hold words of its own. What an assistant says counts only when it settled something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from erstwhile.writers.extractive import dates
from erstwhile.writers.extractive.statements import ASSISTANT, Statement, read
from erstwhile.writers.port import Line

LONGEST_FACT: Final = 200
ENOUGH: Final = 3
SAME: Final = 0.6

_CLAUSE: Final = re.compile(
    r"[,;，；、—–]\s?|\s(?:and|but|because|so|which|und|aber|pero|y|et|mais)\s|(?<=[고서데지만])\s"
)
_STOPS: Final = " .!~～。！…,，;；"


@dataclass(frozen=True, slots=True)
class _Fact:
    place: int
    score: int
    statement: Statement
    text: str


def extract(lines: Sequence[Line]) -> str:
    found = _attached(read(lines))
    most = max(3, -(-len(lines) * 8 // 10))
    chosen = sorted(sorted(_merged(found), key=lambda fact: (-fact.score, fact.place))[:most], key=lambda f: f.place)
    return "\n".join(_bullet(fact) for fact in chosen)


def score(statement: Statement) -> int:
    """How strongly a statement asks to be kept; 0 for what must not be."""
    signals, text = statement.signals, statement.judged
    if statement.question or statement.order or signals.unreal.search(text):
        return 0
    if len(statement.terms) < 1 or signals.vague.search(text):
        return 0
    if statement.assistant:
        return 4 if signals.settled.search(text) else 0
    if statement.listed and len(statement.terms) > 12:
        return 0
    matched = [weight for weight, pattern in signals.primary if pattern.search(text)]
    strongest = max(matched, default=0)
    if strongest == 0 or (strongest < 4 and len(statement.terms) < signals.fewest_terms):
        return 0
    total = strongest + min(2, len(matched) - 1) + sum(w for w, pattern in signals.bonus if pattern.search(text))
    # A weak signal needs company: a date, a number, a name or a second signal.
    return total if total >= ENOUGH else 0


def _attached(statements: Sequence[Statement]) -> list[_Fact]:
    """Facts in order. "She is a nurse" is no fact by itself: it joins the fact before it, or is left out."""
    facts: list[_Fact] = []
    for place, statement in enumerate(statements):
        if statement.signals.dependent.match(statement.judged) or _continues(facts, statement):
            _join(facts, place, statement)
        elif worth := score(statement):
            facts.append(_Fact(place, worth, statement, _shortened(statement.text)))
    return facts


def _continues(facts: Sequence[_Fact], statement: Statement) -> bool:
    """What an assistant settled comes in several sentences: "It is booked. Confirmation number: …"."""
    return statement.assistant and bool(facts) and facts[-1].statement.line == statement.line and score(statement) > 0


def _join(facts: list[_Fact], place: int, statement: Statement) -> None:
    before = facts[-1] if facts else None
    if before is None or before.place != place - 1 or before.statement.line != statement.line:
        return
    joined = f"{before.text.rstrip(_STOPS)}. {statement.text.rstrip(_STOPS)}"
    if statement.question or statement.order or statement.signals.unreal.search(statement.judged):
        return
    if len(statement.terms) >= statement.signals.fewest_terms and len(joined) <= LONGEST_FACT - 20:
        facts[-1] = _Fact(place, before.score, before.statement, joined)


def _merged(facts: Sequence[_Fact]) -> list[_Fact]:
    """Of facts that say nearly the same, the stronger one."""
    kept: list[_Fact] = []
    for fact in sorted(facts, key=lambda fact: (-fact.score, -len(fact.text), fact.place)):
        if not any(_same(fact, other) for other in kept):
            kept.append(fact)
    return kept


def _same(one: _Fact, other: _Fact) -> bool:
    left, right = set(one.statement.terms), set(other.statement.terms)
    shared = len(left & right)
    if one.statement.speaker != other.statement.speaker:
        return left == right
    return shared >= SAME * len(left | right) or shared >= 0.8 * min(len(left), len(right))


def _bullet(fact: _Fact) -> str:
    said = fact.statement
    text = dates.resolve(fact.text.strip(_STOPS), said.at, said.language)
    if len(text) > LONGEST_FACT:
        text = fact.text.strip(_STOPS)
    speaker = said.speaker
    if said.assistant and speaker.lower() != ASSISTANT:
        speaker = f"{speaker} ({ASSISTANT})"
    when = f" ({dates.day(said.at.date(), said.language)})" if said.at else ""
    return f"- {speaker}{when}: {text}"


def _shortened(text: str) -> str:
    """At most the longest fact, ending where a clause ends if one does in the second half."""
    room = LONGEST_FACT - 30
    if len(text) <= room:
        return text
    cuts = [match.start() for match in _CLAUSE.finditer(text, room // 2, room)]
    end = cuts[-1] if cuts else text.rfind(" ", room // 2, room)
    return text[: end if end > 0 else room].rstrip(_STOPS) + "…"
