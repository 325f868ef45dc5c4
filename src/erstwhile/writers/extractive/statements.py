"""Split chat lines into statements: one sentence each, cleaned and judged, with its speaker."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from itertools import islice
from typing import Final

from erstwhile import language
from erstwhile.base.records import dataclass
from erstwhile.language.facts import NEVER, Signals
from erstwhile.text import analyse, detection, labels, sentences
from erstwhile.writers.extractive import markdown
from erstwhile.writers.extractive.judgement import Judgement, is_order, judge, signals_of
from erstwhile.writers.port import TranscriptLine

LONGEST_LINE: Final = 1200
ASSISTANT: Final = "assistant"
ROLES: Final = ("assistant", "user", "system")
MOST_PEOPLE: Final = 40

_LETTER: Final = re.compile(r"[^\W\d_]")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_LONG_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_SENTENCES_KEPT: Final = 40
_LINES_KEPT: Final = 1024  # a brief is made of the same lines, in other groups
_CHUNKS_KEPT: Final = 64  # the jobs of a chunk run one after the other and read the same lines


@dataclass(frozen=True, slots=True)
class Statement:
    line: int
    speaker: str
    assistant: bool
    at: datetime | None
    language: str
    text: str
    judged: str
    """The text as the patterns expect it, which may differ from the original."""
    terms: tuple[str, ...]
    question: bool
    listed: bool
    named: bool
    """Whether it talks about someone in the conversation, not only to them."""
    agrees: bool
    filler: bool

    @property
    def judgement(self) -> Judgement:
        return judge(self.language, self.judged)

    @property
    def signals(self) -> Signals:
        return signals_of(self.language)

    @property
    def order(self) -> bool:
        """Whether it tries to command whoever reads this later."""
        return is_order(self.text)


def read(lines: Sequence[TranscriptLine]) -> tuple[Statement, ...]:
    """Return every sentence in order; those of only greetings and the like are marked as filler."""
    return _read(tuple(lines))


@lru_cache(maxsize=_CHUNKS_KEPT)
def _read(lines: tuple[TranscriptLine, ...]) -> tuple[Statement, ...]:
    common = detection.dominant(line.text[:LONGEST_LINE] for line in lines)
    people = _people(lines)
    found: list[Statement] = []
    for number, line in enumerate(lines):
        spoken = _language(line.text[:LONGEST_LINE], common)
        found += [replace(each, line=number) for each in _of_line(line, spoken, people)]
    return tuple(found)


@lru_cache(maxsize=_LINES_KEPT)
def _of_line(line: TranscriptLine, spoken: str, people: re.Pattern[str]) -> tuple[Statement, ...]:
    pieces = [
        (sentence, listed)
        for text, listed in markdown.plain(line.text[:LONGEST_LINE])
        for sentence in sentences.split(text)
    ]
    if line.role == ASSISTANT:
        pieces = _confirmed(pieces, signals_of(spoken))
    return tuple(
        _statement(line, spoken, part, listed=listed, people=people)
        for sentence, listed in pieces[:_SENTENCES_KEPT]
        for part in _parts(sentence, spoken)
    )


def single(sentence: str, spoken: str) -> Statement:
    """Judge one sentence by itself."""
    return _statement(TranscriptLine(speaker="", text=sentence), spoken, sentence, listed=False, people=NEVER)


def name(line: TranscriptLine) -> str:
    """Return the label of the speaker, or the role."""
    return line.role if line.speaker == line.role else labels.label(line.speaker) or line.role


def _language(text: str, common: str) -> str:
    """Return the language of a line; for a short one in Latin letters, the conversation's."""
    own = detection.dominant([text])
    if own == common or not detection.by_words(own) or not detection.by_words(common):
        return own
    votes = detection.votes(text)
    return common if votes.get(common, 0) + 1 >= votes.get(own, 0) else own


def _confirmed(pieces: list[tuple[str, bool]], signals: Signals) -> list[tuple[str, bool]]:
    """Join "Noted." at the start of a message with what was noted."""
    if len(pieces) < 2 or not signals.confirmation.match(pieces[0][0]):
        return pieces
    return [(f"{pieces[0][0]} {pieces[1][0]}", pieces[1][1]), *pieces[2:]]


def _parts(sentence: str, spoken: str) -> list[str]:
    """Split a statement from its question: "I'm vegetarian, what can I eat there?"."""
    if not sentence.rstrip().endswith(("?", "？")):
        return [sentence]
    match = signals_of(spoken).before_question.match(sentence)
    return [match[1], match[2]] if match else [sentence]


@cache
def _tail() -> re.Pattern[str]:
    """Return a pattern of laughter and emoji at the end of a sentence."""
    known = [each.sentences for each in language.languages() if each.sentences]
    words = "|".join(each.laughter for each in known if each.laughter)
    letters = "".join(each.laughter_letters for each in known)
    return re.compile(
        rf"(?:[\s~～♡♥{letters}\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d]|\b(?:{words})\b){{1,60}}(?=[.!]{{0,3}}$)",
        re.IGNORECASE,
    )


def _people(lines: Sequence[TranscriptLine]) -> re.Pattern[str]:
    """Return the names of people talked about: at the end or before a comma they are addressed."""
    names = dict.fromkeys(name(line).lower() for line in lines if line.role != ASSISTANT)
    known = [re.escape(each) for each in names if len(each) > 1 and each not in ROLES][:MOST_PEOPLE]
    if not known:
        return NEVER
    return re.compile(rf"(?<![a-z])(?:{'|'.join(known)})(?![a-z]|\s*[,.!?]|\s*$)", re.IGNORECASE)


def _statement(line: TranscriptLine, spoken: str, sentence: str, *, listed: bool, people: re.Pattern[str]) -> Statement:
    signals = signals_of(spoken)
    text = _opened(signals, _tail().sub("", sentence))
    terms = tuple(analyse.query_terms(text)) if _LETTER.search(text) else ()
    return Statement(
        line=0,
        speaker=name(line),
        assistant=line.role == ASSISTANT,
        at=line.at,
        language=spoken,
        text=text,
        judged=signals.formal(text),
        terms=terms,
        question=signals.question.search(sentence) is not None,
        listed=listed,
        named=people.search(text) is not None,
        agrees=signals.agreement.match(sentence) is not None,
        filler=_is_filler(signals, text, terms),
    )


def _opened(signals: Signals, sentence: str) -> str:
    """Remove an "Oh, btw, " at the start."""
    rest = signals.opening.sub("", sentence, count=1)
    if not rest or rest == sentence:
        return sentence
    return rest[0].upper() + rest[1:] if sentence[0].isupper() else rest


def _is_filler(signals: Signals, text: str, terms: Sequence[str]) -> bool:
    """Whether only greetings, thanks and the like are there, and at most one name."""
    if not terms or len(text) < 2:
        return True
    words = [match.end() for match in islice(_LONG_WORD.finditer(text), 2)]
    if len(words) == 2 and not any(signals.filler.match(text, place) for place in range(words[1])):
        return False  # two words that stay, whatever follows
    rest = signals.filler.sub(" ", text)
    letters = [word for word in _LETTERS.findall(rest) if len(word) > 1 or not word.isascii()]
    digits = any(character.isdigit() for character in rest)
    return not digits and (not letters or (len(letters) == 1 and len(letters[0]) <= 12 and letters[0][0].isupper()))
