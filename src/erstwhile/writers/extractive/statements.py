"""Split chat lines into statements: one sentence each, cleaned and judged, with its speaker."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Final

from erstwhile import language
from erstwhile.base.records import dataclass
from erstwhile.language.facts import NEVER, Signals
from erstwhile.text import analyse, detection, labels, sentences, suspect
from erstwhile.writers.extractive import markdown
from erstwhile.writers.extractive.judgement import Judgement, once, signals_of
from erstwhile.writers.port import TranscriptLine

LONGEST_LINE: Final = 1200
ASSISTANT: Final = "assistant"
ROLES: Final = ("assistant", "user", "system")
MOST_PEOPLE: Final = 40

_LAST: Final = 24  # characters of which some are laughter, where a sentence ends in it
_FIRST: Final = 6  # fillers
_LETTER: Final = re.compile(r"[^\W\d_]")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_SENTENCES_KEPT: Final = 40
_LINES_KEPT: Final = 1024  # briefs and days are made of the same lines, in other groups
_CHUNKS_KEPT: Final = 64  # the jobs of a chunk run one after the other and read the same lines


class Sentence(Judgement):
    """A sentence of a message, whoever said it."""

    def __init__(self, sentence: str, spoken: str, *, assistant: bool, listed: bool) -> None:
        signals = signals_of(spoken)
        self.language, self.assistant, self.listed = spoken, assistant, listed
        self.text = _opened(signals, _without_laughter(sentence))
        self.judged = signals.formal(self.text)
        """The text as the patterns expect it, which may differ from the original."""
        super().__init__(spoken, self.judged)
        self.terms = tuple(analyse.query_terms(self.text)) if _LETTER.search(self.text) else ()
        self.question = signals.question.search(sentence) is not None
        self.agrees = signals.agreement.match(sentence) is not None
        self.filler = _is_filler(signals, self.text, self.terms)

    @once
    def order(self) -> bool:
        """Return whether it tries to command whoever reads this later."""
        return self.has("order") if self.judged == self.text else suspect.is_order(self.text)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with its speaker. `named`: it talks about someone in the conversation, not only to them."""

    line: int
    speaker: str
    at: datetime | None
    named: bool
    judgement: Sentence
    assistant: bool
    language: str
    text: str
    judged: str
    terms: tuple[str, ...]
    question: bool
    listed: bool
    agrees: bool
    filler: bool

    @property
    def signals(self) -> Signals:
        return self.judgement.signals

    @property
    def order(self) -> bool:
        return self.judgement.order


def read(lines: Sequence[TranscriptLine]) -> tuple[Statement, ...]:
    """Return every sentence in order; those of only greetings and the like are marked as filler."""
    return _read(tuple(lines))


@lru_cache(maxsize=_CHUNKS_KEPT)
def _read(lines: tuple[TranscriptLine, ...]) -> tuple[Statement, ...]:
    common = detection.dominant(line.text[:LONGEST_LINE] for line in lines)
    people = _people(lines)
    found: list[Statement] = []
    for number, line in enumerate(lines):
        text, speaker = line.text[:LONGEST_LINE], name(line)
        for each in _sentences(text, _language(text, common), assistant=line.role == ASSISTANT):
            named = people.search(each.text) is not None
            found.append(_statement(each, number, speaker, line.at, named=named))
    return tuple(found)


@lru_cache(maxsize=_LINES_KEPT)
def _sentences(text: str, spoken: str, *, assistant: bool) -> tuple[Sentence, ...]:
    pieces = []
    for line, listed in markdown.plain(text):
        pieces += [(sentence, listed) for sentence in sentences.split(line)]
    if assistant:
        pieces = _confirmed(pieces, signals_of(spoken))
    return tuple(
        Sentence(part, spoken, assistant=assistant, listed=listed)
        for sentence, listed in pieces[:_SENTENCES_KEPT]
        for part in _parts(sentence, spoken)
    )


def single(sentence: str, spoken: str) -> Statement:
    """Judge one sentence by itself."""
    alone = Sentence(sentence, spoken, assistant=False, listed=False)
    return _statement(alone, 0, "user", None, named=False)


def name(line: TranscriptLine) -> str:
    """Return the label of the speaker, or the role."""
    return line.role if line.speaker == line.role else labels.label(line.speaker) or line.role


def _language(text: str, common: str) -> str:
    """Return the language of a line; for a short one in Latin letters, the conversation's."""
    own, by_votes = detection.spoken(text), detection.dominant([text])
    if (
        own != by_votes
        or own == common
        or not detection.by_words(own)
        or not detection.by_words(common)
    ):
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


def _without_laughter(sentence: str) -> str:
    """Remove laughter and emoji from the end of a sentence."""
    laughter, last = _laughter()
    return laughter.sub("", sentence) if last.search(sentence[-_LAST:]) else sentence


@cache
def _laughter() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return a pattern of laughter at the end of a sentence, and one that every such sentence's last characters match."""
    known = [each.sentences for each in language.languages() if each.sentences]
    words = "|".join(each.laughter for each in known if each.laughter)
    letters = "".join(each.laughter_letters for each in known)
    sign = rf"[\s~～♡♥{letters}\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d]"
    end = r"[.!]{0,3}$"
    return (
        re.compile(rf"(?:{sign}|\b(?:{words})\b){{1,60}}(?={end})", re.IGNORECASE),
        re.compile(rf"(?:{sign}|{words}){end}", re.IGNORECASE),
    )


def _people(lines: Sequence[TranscriptLine]) -> re.Pattern[str]:
    """Return the names of people talked about: at the end or before a comma they are addressed."""
    names = dict.fromkeys(name(line).lower() for line in lines if line.role != ASSISTANT)
    known = [re.escape(each) for each in names if len(each) > 1 and each not in ROLES][:MOST_PEOPLE]
    if not known:
        return NEVER
    return re.compile(rf"(?<![a-z])(?:{'|'.join(known)})(?![a-z]|\s*[,.!?]|\s*$)", re.IGNORECASE)


def _statement(
    each: Sentence, line: int, speaker: str, at: datetime | None, *, named: bool
) -> Statement:
    what = (each.assistant, each.language, each.text, each.judged, each.terms)
    how = (each.question, each.listed, each.agrees, each.filler)
    return Statement(line, speaker, at, named, each, *what, *how)


def _opened(signals: Signals, sentence: str) -> str:
    """Remove an "Oh, btw, " at the start."""
    rest = signals.opening.sub("", sentence, count=1).lstrip("-–— ")
    if not rest or rest == sentence:
        return sentence
    return rest[0].upper() + rest[1:] if sentence[0].isupper() else rest


def _words(texts: Sequence[str]) -> list[str]:
    found = _LETTERS.findall("\n".join(texts))
    return [word for word in found if len(word) > 1 or not word.isascii()]


def _is_filler(signals: Signals, text: str, terms: Sequence[str]) -> bool:
    """Return whether only greetings, thanks and the like are there, and at most one name."""
    if not terms or len(text) < 2:
        return True
    between = signals.filler.split(text, _FIRST)  # of most sentences the first words tell
    if len(between) > _FIRST and len(_words(between[:-1])) > 1:
        return False
    letters = _words(signals.filler.split(text) if len(between) > _FIRST else between)
    if len(letters) > 1:
        return False
    if letters and not (len(letters[0]) <= 12 and letters[0][0].isupper()):
        return False
    return not any(map(str.isdigit, signals.filler.sub(" ", text)))
