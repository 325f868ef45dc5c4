"""Summarise: a few sentences of the conversation, unchanged, with who said them and when."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.text import detection, similarity, tokens
from erstwhile.writers.extractive import dates, facts, worth
from erstwhile.writers.extractive.statements import Statement, read
from erstwhile.writers.port import TranscriptLine

MOST_TOKENS: Final = 105
MOST_SENTENCES: Final = 4
MOST_SMALL_TALK: Final = 2
WORTHY: Final = 0.4  # what a further sentence must be worth
SMALL_TALK: Final = 0.3
LONGEST_SENTENCE: Final = 45
CANDIDATES: Final = 200
SAME: Final = 0.6
CENTRAL: Final = 0.5  # what being like the other sentences counts
UNSPACED: Final = ("zh", "ja")
DASH: Final = " — "
LABEL: Final = re.compile(r"^([^\s:：.!?。！？](?:[^:：.!?。！？\n]|\.(?=\w)){0,109})[:：] ?(?=\S)")


@dataclass(frozen=True, slots=True)
class _Candidate:
    statement: Statement
    text: str
    terms: tuple[str, ...]
    fact: int


def summarise(lines: Sequence[TranscriptLine]) -> str:
    said = [statement for statement in read(lines) if statement.text and not statement.order]
    # If there are only greetings, they are the conversation.
    statements = ([statement for statement in said if not statement.filler] or said)[:CANDIDATES]
    candidates = _candidates(statements, said)
    chosen = [candidates[index] for index in _chosen(candidates)]
    if not chosen:
        return ""
    spoken = detection.dominant(candidate.text for candidate in chosen)
    return _dated([line.at for line in lines if line.at], spoken) + _rendered(chosen)


def _candidates(statements: Sequence[Statement], said: Sequence[Statement]) -> list[_Candidate]:
    """Return facts with the sentences they need, and all other sentences."""
    found = facts.found(statements, said)
    covered = {place for fact in found for place in range(fact.first, fact.last + 1)}
    places = []
    for fact in found:
        terms = _terms(statements, fact)
        places.append((fact.first, _Candidate(fact.statement, fact.text, terms, fact.score)))
    rest = (each for each in enumerate(statements) if each[0] not in covered)
    places += [(place, _Candidate(each, each.text, each.terms, 0)) for place, each in rest]
    return [candidate for _, candidate in sorted(places, key=lambda each: each[0])]


def _terms(statements: Sequence[Statement], fact: facts.ExtractedFact) -> tuple[str, ...]:
    inside = statements[fact.first : fact.last + 1]
    return tuple(dict.fromkeys(term for each in inside for term in each.terms))


def _chosen(candidates: Sequence[_Candidate]) -> list[int]:
    rows = similarity.vectors([candidate.terms for candidate in candidates])
    central = similarity.central(rows)
    # If an assistant says little, a question is one between people.
    by_assistant = sum(candidate.statement.assistant for candidate in candidates)
    with_assistant = by_assistant * 4 > len(candidates)
    # Small talk is left out if there are facts; otherwise a little of it is used.
    told = sum(1 for each in candidates if each.fact and not each.statement.assistant)
    talk = SMALL_TALK * min(2, told)
    values = []
    for value, each in zip(central, candidates, strict=True):
        worth = CENTRAL * value + _information(each, with_assistant)
        values.append(round(worth - (0 if each.fact else talk), 6))
    some = with_assistant or any(candidate.fact for candidate in candidates)

    def cost(index: int) -> int:
        return min(tokens.count(candidates[index].text), LONGEST_SENTENCE) + 3

    return pick(values, rows, cost, MOST_SENTENCES if some else MOST_SMALL_TALK)


def pick(
    worth: Sequence[float], rows: Sequence[similarity.Vector], cost: Callable[[int], int], most: int
) -> list[int]:
    """Choose the best few within the budget, each unlike the others, in their order."""
    chosen: list[int] = []
    room = MOST_TOKENS
    nearest = [0.0] * len(worth)  # how like the nearest of the chosen ones each is
    values = [round(value, 6) for value in worth]
    left = list(range(len(worth)))
    while left and len(chosen) < most:
        best = max(left, key=values.__getitem__)  # of equal ones the first
        left.remove(best)
        new = nearest[best] < SAME
        worthy = not chosen or worth[best] > WORTHY
        if new and worthy and cost(best) <= room:
            chosen.append(best)
            room -= cost(best)
            for index in left:
                nearest[index] = max(nearest[index], similarity.cosine(rows[index], rows[best]))
                values[index] = round(worth[index] - 1.2 * nearest[index], 6)
    return sorted(chosen)


def _information(candidate: _Candidate, with_assistant: bool) -> float:
    """Rank sentences: facts, statements, questions, then an assistant's list items."""
    statement, fact = candidate.statement, candidate.fact
    value = 0.3 * min(6, fact)
    if not fact and statement.judgement.addressed:
        value -= 0.4
    value += 0.08 * min(12, len(statement.terms))
    value += 0.2 * len(worth.evidence(statement))
    if len(statement.terms) < statement.signals.fewest_terms:
        value -= 0.6
    if statement.question and not fact:
        # With an assistant, the questions are what the conversation was about.
        value += 0.5 if with_assistant and not statement.assistant else -0.5
    elif statement.judgement.unreal:
        value -= 0.5
    if statement.judgement.dependent and not fact:
        value -= 0.2
    if statement.assistant:
        value -= 1.4 if statement.listed else 1.0
    return value


def _dated(times: Sequence[datetime], spoken: str) -> str:
    days = sorted(time.date() for time in times)
    return dates.span(days[0], days[-1], spoken) + DASH if days else ""


def _rendered(chosen: Sequence[_Candidate]) -> str:
    parts: list[str] = []
    speaker = spoken = ""
    for candidate in chosen:
        said = candidate.statement
        text = dates.resolve(tokens.cut(candidate.text, LONGEST_SENTENCE), said.at, said.language)
        # Name the speaker again before "Alice: …": a typed name must not look like a speaker.
        if said.speaker != speaker or LABEL.match(text):
            parts.append(f" {said.speaker}: ")
        elif said.language not in UNSPACED or spoken not in UNSPACED:
            parts.append(" ")
        speaker, spoken = said.speaker, said.language
        parts.append(ended(text, said.language))
    return "".join(parts).strip()


def ended(text: str, spoken: str) -> str:
    if text.endswith((".", "!", "?", "…", "。", "！", "？", '"', "”", "」")):
        return text
    return text.rstrip(",;:，；：、~～ ") + ("。" if spoken in UNSPACED else ".")
