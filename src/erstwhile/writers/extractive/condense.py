"""Summarise consecutive summaries: the best sentence of each, then the best others, with dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.text import analyse, detection, sentences, similarity, suspect, tokens
from erstwhile.writers.extractive import dates, markdown, statements, worth
from erstwhile.writers.extractive.statements import Statement
from erstwhile.writers.extractive.summary import DASH, LABEL, ended, summarise
from erstwhile.writers.port import TranscriptLine

MOST_TOKENS: Final = 190
LONGEST_PIECE: Final = 40
LONGEST_SOURCE: Final = 4000
_AT_A_TIME: Final = 10  # lines per summary
_SPARE: Final = 20  # tokens that joining the pieces may add

_HEAD: Final = re.compile(rf"^([^:：\n]{{0,50}}\d[^:：\n]{{0,30}}){DASH}")


@dataclass(frozen=True, slots=True)
class _Piece:
    source: int
    head: str
    speaker: str
    text: str
    terms: tuple[str, ...]
    statement: Statement

    @property
    def cost(self) -> int:
        named = tokens.count(self.speaker) + 1 if self.speaker else 0
        return min(tokens.count(self.text), LONGEST_PIECE) + named


def condense(lines: Sequence[TranscriptLine], most: int = MOST_TOKENS) -> str:
    pieces = [piece for number, line in enumerate(lines) for piece in _pieces(number, line)]
    rows = similarity.vectors([piece.terms for piece in pieces])
    central = similarity.central(rows)
    worth = [round(c + _information(p), 6) for c, p in zip(central, pieces, strict=True)]
    return _rendered([pieces[index] for index in _chosen(pieces, worth, rows, most)])


def _pieces(number: int, line: TranscriptLine) -> list[_Piece]:
    """Return the sentences of a summary, each with the date and speaker that precede it."""
    found: list[_Piece] = []
    head = dates.day(line.at.date(), detection.dominant([line.text])) if line.at else ""
    for text, _ in markdown.plain(line.text[:LONGEST_SOURCE]):
        match = _HEAD.match(text)
        head = match[1] if match else head
        speaker = ""
        for sentence in sentences.split(text[match.end() :] if match else text):
            label = LABEL.match(sentence)
            speaker = label[1] if label else speaker
            said = sentence[label.end() :] if label else sentence
            statement = statements.single(said, detection.dominant([said]))
            whole = statement.text == said  # nothing was left out of it
            terms = (whole and statement.terms) or tuple(analyse.query_terms(said))
            if terms and not (statement.order if whole else suspect.is_order(said)):
                found.append(_Piece(number, head, speaker, said, terms, statement))
    return found


def _information(piece: _Piece) -> float:
    value = 0.06 * min(10, len(piece.terms))
    value += 0.25 * min(6, worth.score(piece.statement))
    value += 0.3 if any(map(str.isdigit, piece.text)) else 0.0
    value += 0.2 if re.search(r"\w,? [A-Z][a-z]", piece.text) else 0.0
    return value - (0.6 if piece.text.endswith(("?", "？", "…")) else 0.0)


def _chosen(
    pieces: Sequence[_Piece], worth: Sequence[float], rows: Sequence[similarity.Vector], most: int
) -> list[int]:
    ranked = sorted(range(len(pieces)), key=lambda index: (-worth[index], index))
    firsts: dict[int, int] = {}
    for index in ranked:
        firsts.setdefault(pieces[index].source, index)
    chosen: list[int] = []
    heads = dict.fromkeys(piece.head for piece in pieces)
    room = most - sum(tokens.count(head) + 2 for head in heads if head)
    for index in [*firsts.values(), *(index for index in ranked if index not in firsts.values())]:
        new = all(similarity.cosine(rows[index], rows[other]) < 0.5 for other in chosen)
        if new and pieces[index].cost <= room:
            chosen.append(index)
            room -= pieces[index].cost
    return sorted(chosen)


def _rendered(chosen: Sequence[_Piece]) -> str:
    """Format a line per date, with each speaker named once in it."""
    rows: list[str] = []
    head = speaker = None
    for piece in chosen:
        text = ended(tokens.cut(piece.text, LONGEST_PIECE), piece.statement.language)
        if not rows or piece.head != head:
            rows.append(f"{piece.head}{DASH}" if piece.head else "")
            head, speaker = piece.head, None
        elif not rows[-1].endswith(" "):
            rows[-1] += " "
        if piece.speaker and piece.speaker != speaker:
            text = f"{piece.speaker}: {text}"
        speaker = piece.speaker
        rows[-1] += text
    return "\n".join(rows).strip()


def fold(lines: Sequence[TranscriptLine], cap: int) -> str:
    """Return a running summary: the last one and that of the new turns, within `cap` tokens."""
    kept = [line for line in lines if line.role == "summary"]
    said = [line for line in lines if line.role != "summary"]
    for start in range(0, len(said), _AT_A_TIME):
        group = said[start : start + _AT_A_TIME]
        text = summarise(group)
        kept.append(TranscriptLine(speaker="", text=text, at=group[0].at, role="summary"))
    return condense([line for line in kept if line.text], max(_SPARE, cap - _SPARE))
