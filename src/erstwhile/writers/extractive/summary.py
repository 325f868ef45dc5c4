"""A summary is a few of the conversation's own sentences, with who said them and when. Nothing is reworded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from erstwhile.text import language, tokens
from erstwhile.writers.extractive import centrality, dates, facts
from erstwhile.writers.extractive.statements import Statement, read
from erstwhile.writers.port import Line

MOST_TOKENS: Final = 105
MOST_SENTENCES: Final = 4
LONGEST_SENTENCE: Final = 45
CANDIDATES: Final = 200
SAME: Final = 0.6
UNSPACED: Final = ("zh", "ja")
DASH: Final = " — "
LABEL: Final = re.compile(r"^([^\s:：.!?。！？][^:：.!?。！？\n]{0,39})[:：] ?(?=\S)")


def summarise(lines: Sequence[Line]) -> str:
    statements = [s for s in read(lines) if not s.order][:CANDIDATES]
    if not statements:
        # Nothing but greetings: then those were the conversation.
        statements = [s for s in read(lines, keep_filler=True) if s.text and not s.order][:CANDIDATES]
    chosen = [statements[index] for index in _chosen(statements)]
    if not chosen:
        return ""
    spoken = language.dominant(statement.text for statement in chosen)
    return _dated([line.at for line in lines if line.at], spoken) + _rendered(chosen)


def _chosen(statements: Sequence[Statement]) -> list[int]:
    rows = centrality.vectors([statement.terms for statement in statements])
    central = centrality.central(rows)
    with_assistant = any(statement.assistant for statement in statements)
    worth = [
        round(value + _information(statement, with_assistant), 6)
        for value, statement in zip(central, statements, strict=True)
    ]
    texts = [statement.text for statement in statements]
    return pick(worth, rows, lambda index: min(tokens.count(texts[index]), LONGEST_SENTENCE) + 3)


def pick(worth: Sequence[float], rows: Sequence[centrality.Vector], cost: Callable[[int], int]) -> list[int]:
    """The best few within the budget, each unlike those before it; in the order they were said."""
    chosen: list[int] = []
    room = MOST_TOKENS
    left = list(range(len(worth)))
    while left and len(chosen) < MOST_SENTENCES:
        best = max(left, key=lambda index: (round(worth[index] - 1.2 * _nearest(index, chosen, rows), 6), -index))
        left.remove(best)
        new = _nearest(best, chosen, rows) < SAME
        if new and worth[best] > 0 and cost(best) <= room and (len(chosen) < 2 or worth[best] > 0.5):
            chosen.append(best)
            room -= cost(best)
    return sorted(chosen)


def _nearest(index: int, chosen: Sequence[int], rows: Sequence[centrality.Vector]) -> float:
    return max((centrality.cosine(rows[index], rows[other]) for other in chosen), default=0.0)


def _information(statement: Statement, with_assistant: bool) -> float:
    """What a reader would miss: facts first, then plain statements, then questions; an assistant's list items last."""
    fact = facts.score(statement)
    value = 0.3 * min(6, fact)
    if not fact and statement.signals.addressed.search(statement.judged):
        value -= 0.4
    value += 0.05 * min(8, len(statement.terms))
    value += 0.1 * sum(1 for _, pattern in statement.signals.bonus if pattern.search(statement.judged))
    if len(statement.terms) < statement.signals.fewest_terms:
        value -= 0.6
    if statement.question:
        # To an assistant, what was asked is what the conversation was about.
        value += 0.5 if with_assistant and not statement.assistant else -0.5
    elif statement.signals.unreal.search(statement.judged):
        value -= 0.5
    if statement.signals.dependent.match(statement.judged):
        value -= 0.4
    if statement.assistant:
        value -= 1.2 if statement.listed else 0.7
    return value


def _dated(times: Sequence[datetime], spoken: str) -> str:
    days = sorted(time.date() for time in times)
    return dates.span(days[0], days[-1], spoken) + DASH if days else ""


def _rendered(chosen: Sequence[Statement]) -> str:
    parts: list[str] = []
    speaker = ""
    for statement in chosen:
        text = dates.resolve(tokens.cut(statement.text, LONGEST_SENTENCE), statement.at, statement.language)
        # Named again before "Alice: …", so that nobody can put words in another's mouth by typing a name and a colon.
        if statement.speaker != speaker or LABEL.match(text):
            parts.append(f" {statement.speaker}: ")
        elif statement.language not in UNSPACED:
            parts.append(" ")
        speaker = statement.speaker
        parts.append(ended(text, statement.language))
    return "".join(parts).strip()


def ended(text: str, spoken: str) -> str:
    if text.endswith((".", "!", "?", "…", "。", "！", "？", '"', "”", "」")):
        return text
    return text.rstrip(",;:，；：、~～ ") + ("。" if spoken in UNSPACED else ".")
