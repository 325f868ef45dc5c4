"""Extract facts: statements that will still matter later, as "- " bullets that stand alone.

Precision first. A statement needs a high score (`worth`) and must not be a question, a wish, an
order or advice. What an assistant says counts only if it settled something. A fact includes what it
needs to be understood: the sentence that a pronoun refers to, the question it answers, who agreed
to it (`answers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.language import languages
from erstwhile.writers.extractive import answers, clauses, dates, signs, standing, usefulness, worth
from erstwhile.writers.extractive.judgement import Judgement
from erstwhile.writers.extractive.statements import ASSISTANT, Statement, read
from erstwhile.writers.port import TranscriptLine

LONGEST_FACT: Final = 200
SAME: Final = 0.6
ANSWERED: Final = 2  # messages later, so that one of somebody else may be between
UNSPACED: Final = ("zh", "ja")

_STOPS: Final = " .!~～。！…,，;；"


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """`text` is that of the statements from `first` to `last`."""

    first: int
    last: int
    score: int
    statement: Statement
    text: str
    aside: str = ""


def extract(lines: Sequence[TranscriptLine]) -> str:
    said = read(lines)
    people = frozenset(each.speaker.lower() for each in said if len(each.speaker) > 1)
    statements = [statement for statement in said if not statement.filler]
    facts = _useful(complete(found(statements, said), people))
    facts += _useful(complete(parts(statements, facts), people))
    most = max(3, -(-max(len(lines), len(said) // 2) * 8 // 10))
    chosen = sorted(
        sorted(_merged(facts), key=lambda fact: (-fact.score, fact.first))[:most],
        key=lambda f: f.first,
    )
    return "\n".join(_bullet(fact) for fact in chosen)


def complete(facts: Iterable[ExtractedFact], people: frozenset[str]) -> list[ExtractedFact]:
    """Keep what can be understood alone, without what tells nothing at both ends."""
    return [
        fact
        for fact in map(_cut, facts)
        if standing.stands(fact.text, fact.aside, fact.statement, people)
    ]


def _useful(facts: Sequence[ExtractedFact]) -> list[ExtractedFact]:
    """Keep facts that a reader would find useful."""
    asked = [(each.text, each.aside, strength(each)) for each in facts]
    return [
        fact
        for fact, score in zip(facts, usefulness.scores(asked), strict=True)
        if signs.useful(fact.text, fact.aside, fact.statement, score)
    ]


def strength(fact: ExtractedFact) -> int:
    """Return the weight of the strongest pattern in its text."""
    said = fact.statement
    judged: Judgement = said.judgement
    if fact.text != said.text:
        judged = Judgement(said.language, said.signals.formal(fact.text))
    return max(judged.weights, default=0)


def _cut(fact: ExtractedFact) -> ExtractedFact:
    said = fact.statement
    text = standing.without_trailer(standing.without_opener(fact.text, said), said)
    if not said.assistant:
        text = clauses.without_tail(text, said)
    return fact if text == fact.text else replace(fact, text=text)


def parts(
    statements: Sequence[Statement], facts: Sequence[ExtractedFact]
) -> Iterator[ExtractedFact]:
    """Yield what is lasting in sentences that are no facts as a whole."""
    told = {place for fact in facts for place in range(fact.first, fact.last + 1)}
    for place, statement in enumerate(statements):
        clause = clauses.telling(statement) if place not in told else None
        if clause:
            text = _shortened(clause.text)
            yield ExtractedFact(place, place, worth.score(clause), clause, text)


def found(statements: Sequence[Statement], said: Sequence[Statement]) -> list[ExtractedFact]:
    """Return facts in order. "She is a nurse" is joined to the sentence before it, or left out."""
    facts: list[ExtractedFact] = []
    for place, statement in enumerate(statements):
        leaning = _leans(statement) or _continues(facts, statement)
        if leaning and _join(facts, place, statement):
            continue
        fact = _explained(statements, place, said) if leaning else _alone(statement, place, said)
        if fact:
            facts.append(fact)
    return facts


def _leans(statement: Statement) -> bool:
    """Return whether it needs another sentence to be understood."""
    return statement.judgement.dependent or (
        statement.judgement.fragment and not statement.assistant
    )


def _continues(facts: Sequence[ExtractedFact], statement: Statement) -> bool:
    """Return whether an assistant continues what it settled: "It is booked. Confirmation number:
    …"."""
    after = bool(facts) and facts[-1].statement.line == statement.line
    return statement.assistant and after and worth.score(statement) > 0


def _join(facts: list[ExtractedFact], place: int, statement: Statement) -> bool:
    """Add a statement to the fact before it in the same message. Return whether it fits."""
    before = facts[-1] if facts else None
    if before is None or not (_follows(before, place, statement) or _goes_on(before, statement)):
        return False
    telling = len(statement.terms) >= statement.signals.fewest_terms or bool(
        worth.evidence(statement)
    )
    if telling and not statement.question and not worth.rejected(statement):
        joined = _together(before.text, statement)
        if len(joined) <= LONGEST_FACT - 20:
            facts[-1] = replace(before, last=place, text=joined)
            return True
    return False


def _follows(before: ExtractedFact, place: int, statement: Statement) -> bool:
    return before.last == place - 1 and before.statement.line == statement.line


def _goes_on(before: ExtractedFact, statement: Statement) -> bool:
    """Return whether "she" is the one woman of what the speaker said just before, in another
    message."""
    said, signals = before.statement, statement.signals
    near = said.speaker == statement.speaker and 0 < statement.line - said.line <= ANSWERED
    if not near or statement.assistant or not signals.pronoun.match(statement.text):
        return False
    people = signals.women if statement.text.lower().startswith(("she", "her")) else signals.men
    return len(people.findall(before.text)) == 1 and signals.pronoun.search(before.text) is None


def _explained(
    statements: Sequence[Statement], place: int, said: Sequence[Statement]
) -> ExtractedFact | None:
    """Return a fact with what it depends on: the question it answers, or the sentence before it."""
    statement = statements[place]
    asked = answers.told(statements, place) or answers.question(statements, place)
    if asked:
        return ExtractedFact(
            place, place, worth.ENOUGH, statement, _shortened(statement.text), asked
        )
    fact = _alone(statement, place, said)
    before = (
        statements[place - 1] if place and statements[place - 1].line == statement.line else None
    )
    if (
        fact is None
        and before
        and before.judgement.fragment
        and statement.judgement.fragment
        and not statement.question
    ):
        found = worth.evidence(before) | worth.evidence(statement)
        if worth.concrete(found) and not worth.rejected(statement) and not statement.assistant:
            fact = ExtractedFact(place, place, worth.ENOUGH, statement, statement.text)
    if (
        fact
        and before
        and not before.order
        and not before.question
        and not (before.judgement.dependent and statement.judgement.dependent)
    ):
        joined = _together(before.text, statement)
        if len(joined) <= LONGEST_FACT - 20:
            return replace(fact, first=place - 1, text=joined)
    return None if statement.judgement.dependent else fact


def _alone(statement: Statement, place: int, said: Sequence[Statement]) -> ExtractedFact | None:
    value = worth.score(statement)
    agreed = "" if value else answers.agreement(statement, said)
    if not value and not agreed:
        return None
    return ExtractedFact(
        place, place, value or worth.ENOUGH, statement, _shortened(statement.text), agreed
    )


def _together(text: str, statement: Statement) -> str:
    before = text.rstrip(_STOPS)
    stop = " " if before.endswith(("?", "？")) else "。" if statement.language in UNSPACED else ". "
    return f"{before}{stop}{statement.text.rstrip(_STOPS)}"


def _merged(facts: Sequence[ExtractedFact]) -> list[ExtractedFact]:
    """Keep the stronger one of facts that say nearly the same."""
    kept: list[ExtractedFact] = []
    for fact in sorted(facts, key=lambda fact: (-fact.score, -len(fact.text), fact.first)):
        if not any(_same(fact, other) for other in kept):
            kept.append(fact)
    return kept


def _same(one: ExtractedFact, other: ExtractedFact) -> bool:
    left, right = set(one.statement.terms), set(other.statement.terms)
    shared = len(left & right)
    if one.statement.speaker != other.statement.speaker:
        return left == right
    return shared >= SAME * len(left | right) or shared >= 0.8 * min(len(left), len(right))


def _bullet(fact: ExtractedFact) -> str:
    said = fact.statement
    text = dates.resolve(fact.text.strip(_STOPS), said.at, said.language)
    if len(text) > LONGEST_FACT:
        text = fact.text.strip(_STOPS)
    if fact.aside and len(text) + len(fact.aside) + 3 <= LONGEST_FACT:
        text = f"{text} ({fact.aside})"
    speaker = said.speaker
    if said.assistant and speaker.lower() != ASSISTANT:
        speaker = f"{speaker} ({ASSISTANT})"
    when = f" ({dates.day(said.at.date(), said.language)})" if said.at else ""
    return f"- {speaker}{when}: {text}"


def _shortened(text: str) -> str:
    """Shorten a fact that is too long, at the end of a clause if possible."""
    room = LONGEST_FACT - 30
    if len(text) <= room:
        return text
    cuts = [match.start() for match in _clause().finditer(text, room // 2, room)]
    end = cuts[-1] if cuts else text.rfind(" ", room // 2, room)
    return text[: end if end > 0 else room].rstrip(_STOPS) + "…"


@cache
def _clause() -> re.Pattern[str]:
    """Return a pattern of where one clause ends and the next begins."""
    known = [each.sentences for each in languages() if each.sentences]
    words = "|".join(each.clauses for each in known if each.clauses)
    endings = "".join(f"|{each.clause_endings}" for each in known if each.clause_endings)
    return re.compile(rf"[,;，；、—–]\s?|\s(?:{words})\s{endings}")
