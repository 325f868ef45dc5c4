"""Find the question that a statement answers, and the yes that made a proposal a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from erstwhile.writers.extractive import worth
from erstwhile.writers.extractive.statements import Statement

LINES_BACK: Final = 2
LINES_BACK_FOR_A_DATE: Final = 6
LINES_ON: Final = 4
LONGEST: Final = 80
BARE: Final = 3
FEW: Final = 9  # words of an answer


def question(statements: Sequence[Statement], place: int) -> str:
    """Return the question that a number or date answers, such as "when is your birthday?".

    A topic that people answer one by one ("birthdays!") counts as a question.
    """
    statement = statements[place]
    found = worth.evidence(statement)
    if statement.assistant or statement.question or worth.rejected(statement):
        return ""
    if not found & {"day", "amount"}:
        return ""
    if place and statements[place - 1].line == statement.line:
        return ""
    bare = len(statement.terms) <= BARE and found <= {"day", "amount", "recent"}
    for other in _before(statements, place, LINES_BACK_FOR_A_DATE if bare else LINES_BACK):
        near = statement.line - other.line <= LINES_BACK
        if other.speaker != statement.speaker and not other.assistant and not other.order:
            asks = near and other.question and other.judgement.asking
            opens = bare and other.judgement.occasion and not other.question
            if asks or opens:
                return _quoted(other)
    return ""


def told(statements: Sequence[Statement], place: int) -> str:
    """Return the question about a person that a few words answer, such as "where do you live?"."""
    statement = statements[place]
    if statement.assistant or statement.question or worth.rejected(statement):
        return ""
    if len(statement.text.split()) > FEW:
        return ""
    if place == 0 or statements[place - 1].line == statement.line:
        return ""
    for other in _before(statements, place, 1):
        asked = other.question and other.speaker != statement.speaker
        if asked and statement.signals.told_of.search(other.text):
            return _quoted(other)
    return ""


def agreement(statement: Statement, said: Sequence[Statement]) -> str:
    """Return who agreed to the proposed date, and how; "" if nobody did."""
    if statement.assistant or not statement.question or worth.rejected(statement):
        return ""
    if len(statement.terms) < 2:
        return ""
    if "day" not in worth.evidence(statement) or statement.judgement.asking:
        return ""
    for other in said:
        near = 0 < other.line - statement.line <= LINES_ON
        if near and other.speaker != statement.speaker and not other.order and _says_yes(other):
            return _quoted(other)
    return ""


def _quoted(other: Statement) -> str:
    """Return the text with its speaker's name, so that it is not attributed to someone else."""
    return f"{other.speaker}: {other.text[:LONGEST].strip(' .!~')}"


def _says_yes(statement: Statement) -> bool:
    if statement.assistant:
        return worth.score(statement) > 0 and "day" in worth.evidence(statement)
    return statement.agrees


def _before(statements: Sequence[Statement], place: int, lines: int) -> Iterator[Statement]:
    first = statements[place].line - lines
    return takewhile(lambda other: other.line >= first, reversed(statements[:place]))
