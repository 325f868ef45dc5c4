"""Chat lines as statements: one sentence each, with who said it, cleaned, and judged by its language's signals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from erstwhile.text import analyse, language, sentences
from erstwhile.text.stopwords import STOPWORDS
from erstwhile.writers.extractive import chinese, english, european, japanese, korean, markdown
from erstwhile.writers.extractive.signals import ORDERS, Signals
from erstwhile.writers.port import Line

LONGEST_LINE: Final = 1200
LONGEST_NAME: Final = 40
ASSISTANT: Final = "assistant"

SIGNALS: Final[dict[str, Signals]] = {
    "en": english.SIGNALS,
    "ko": korean.SIGNALS,
    "zh": chinese.SIGNALS,
    "ja": japanese.SIGNALS,
    "de": european.GERMAN,
    "es": european.SPANISH,
    "fr": european.FRENCH,
}
_TAIL: Final = re.compile(
    r"(?:[\s~～♡♥ㅋㅎㅠㅜ\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d]|\b(?:lol|lmao|haha|xd)\b){1,60}(?=[.!]{0,3}$)",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(r"[^\W\d_]")
_SENTENCES_KEPT: Final = 40


@dataclass(frozen=True, slots=True)
class Statement:
    line: int
    speaker: str
    assistant: bool
    at: datetime | None
    language: str
    text: str
    judged: str
    """The text as the signals expect it, which is not always as it was written."""
    terms: tuple[str, ...]
    question: bool
    listed: bool

    @property
    def signals(self) -> Signals:
        return _signals(self.language)

    @property
    def order(self) -> bool:
        """An attempt to command whoever reads this later."""
        return ORDERS.search(self.text) is not None


def read(lines: Sequence[Line], *, keep_filler: bool = False) -> list[Statement]:
    """Every sentence that says something, in order."""
    common = language.dominant(line.text[:LONGEST_LINE] for line in lines)
    found: list[Statement] = []
    for number, line in enumerate(lines):
        spoken = _language(line.text[:LONGEST_LINE], common)
        pieces = [
            (sentence, listed)
            for text, listed in markdown.plain(line.text[:LONGEST_LINE])
            for sentence in sentences.split(text)
        ]
        for sentence, listed in pieces[:_SENTENCES_KEPT]:
            statements = [_statement(number, line, spoken, part, listed) for part in _parts(sentence, spoken)]
            found.extend(statement for statement in statements if keep_filler or not _is_filler(statement))
    return found


def single(sentence: str, spoken: str) -> Statement:
    """One sentence judged by itself."""
    return _statement(0, Line(speaker="", text=sentence), spoken, sentence, listed=False)


def name(line: Line) -> str:
    """The speaker's label on one line, unable to look like a bullet or a heading."""
    label = markdown.one_line(line.speaker)[: LONGEST_NAME * 2].strip("-*•#>:：—– ")[:LONGEST_NAME].rstrip()
    return label or line.role


def _language(text: str, common: str) -> str:
    """A short line in Latin letters gives little away: it is taken to be in the language of the conversation."""
    own = language.dominant([text])
    if own == common or own not in STOPWORDS or common not in STOPWORDS:
        return own
    votes = language.votes(text)
    return common if votes.get(common, 0) + 1 >= votes.get(own, 0) else own


def _parts(sentence: str, spoken: str) -> list[str]:
    """A question often comes with what it is about: "I'm vegetarian, what can I eat there?" says two things."""
    if not sentence.rstrip().endswith(("?", "？")):
        return [sentence]
    match = _signals(spoken).before_question.match(sentence)
    return [match[1], match[2]] if match else [sentence]


def _signals(spoken: str) -> Signals:
    return SIGNALS.get(spoken, english.SIGNALS)


def _statement(number: int, line: Line, spoken: str, sentence: str, listed: bool) -> Statement:
    signals = _signals(spoken)
    question = signals.question.search(sentence) is not None
    text = _opened(signals, _TAIL.sub("", sentence))
    return Statement(
        line=number,
        speaker=name(line),
        assistant=line.role == ASSISTANT,
        at=line.at,
        language=spoken,
        text=text,
        judged=english.formal(text) if signals is english.SIGNALS else text,
        terms=tuple(analyse.query_terms(text)) if _LETTER.search(text) else (),
        question=question,
        listed=listed,
    )


def _opened(signals: Signals, sentence: str) -> str:
    """Without the "Oh, btw, " it starts with."""
    rest = signals.opening.sub("", sentence, count=1)
    if not rest or rest == sentence:
        return sentence
    return rest[0].upper() + rest[1:] if sentence[0].isupper() else rest


def _is_filler(statement: Statement) -> bool:
    """Nothing is left without greetings, thanks and the like, but at most one name."""
    if len(statement.terms) == 0 or len(statement.text) < 2:
        return True
    rest = statement.signals.filler.sub(" ", statement.text)
    letters = [word for word in re.findall(r"[^\W\d_]+", rest) if len(word) > 1 or not word.isascii()]
    digits = any(character.isdigit() for character in rest)
    return not digits and (not letters or (len(letters) == 1 and len(letters[0]) <= 12 and letters[0][0].isupper()))
