"""Structured memories without a model: what people say of themselves in plain words, and nothing that has to be guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from erstwhile.text import analyse
from erstwhile.writers.extractive import notes_chinese, notes_english, notes_korean, statements
from erstwhile.writers.extractive.notes import LONGEST_VALUE, Rule, Rules
from erstwhile.writers.extractive.statements import Statement
from erstwhile.writers.port import StructuredNote, TranscriptLine

CONFIDENCE: Final = 0.5  # a pattern matched; nobody has understood anything
SPEAKS: Final = "user"
MOST_WORDS: Final = 6  # of what someone likes

RULES: Final[dict[str, Rules]] = {"en": notes_english.RULES, "ko": notes_korean.RULES, "zh": notes_chinese.RULES}
_OWN_WORDS: Final = {
    "i": "they",
    "i'm": "they are",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
} | {"we": "they", "us": "them", "our": "their", "ours": "theirs"}
_OWN: Final = re.compile(rf"\b(?:{'|'.join(sorted(_OWN_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)
# Sentences in quotation marks are somebody else's, or made up; a title in them stays.
_SAID: Final = r"(?:said|says?|saying|told|tells|asked|wrote|writes|replied|answered|goes|(?:was|were|is|are) like)"
_QUOTATION: Final = re.compile(
    rf"(?P<before>\b{_SAID}(?: \w{{1,20}})?[,:：，]? ?|[说說道问問][:：，]? ?)?"
    r"""(?P<quote>"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』"""
    r"""|‘(?:[^’\n]|’(?=\w)){1,400}’(?!\w)|(?<!\w)'(?:[^'\n]|'(?=\w)){1,400}'(?!\w))"""
    r"(?P<after> ?(?:이?라고|이?라며|이?라면서|하고|고))?",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|my|me|we|we['’](?:re|ve)|our)\b|[我咱]|(?<![가-힣])(?:저|나|제|내|우리|저희)[가-힣]{0,2}(?![가-힣])",
    re.IGNORECASE,
)
_DAY: Final = re.compile(r"\b(?P<day>20\d\d-\d\d-\d\d)\b")


def note(lines: Sequence[TranscriptLine]) -> tuple[StructuredNote, ...]:
    found: dict[tuple[object, ...], StructuredNote] = {}
    lines = [replace(line, text=_own_words(line.text)) for line in lines]
    for statement in statements.read(lines):
        line = lines[statement.line]
        if line.role == SPEAKS and not (statement.question or statement.order or statement.text.isupper()):
            for each in _noted(statement, line):
                found.setdefault((each.type, each.subject, each.slot, each.value.casefold(), each.done), each)
    return tuple(found.values())


def _own_words(text: str) -> str:
    """Without what is quoted."""

    def left(match: re.Match[str]) -> str:
        quoted = match["before"] or match["after"] or _FIRST_PERSON.search(match["quote"])
        return f'{match["before"] or ""}""{match["after"] or ""}' if quoted else match[0]

    return _QUOTATION.sub(left, text)


def _noted(statement: Statement, line: TranscriptLine) -> Iterator[StructuredNote]:
    rules = RULES.get(statement.language)
    text = statement.judged
    if rules is None or rules.maybe.search(text) or rules.others.search(text):
        return
    taken: set[tuple[str, str, bool]] = set()
    unreal = statement.signals.unreal.search(text) is not None
    for rule in rules.rules:
        taste = rule.slot in ("likes", "dislikes")
        family = (rule.type, "taste" if taste else rule.slot, rule.done and not taste)
        match = rule.pattern.search(text) if family not in taken and (rule.request or not unreal) else None
        value = _value(match, rules, rule) if match else ""
        if match and value:
            taken.add(family)
            yield _memory(rule, value, match, (statement, line))


def _value(match: re.Match[str], rules: Rules, rule: Rule) -> str:
    """What was found, without what it can lose; "" when it is nothing to keep."""
    value = _group(match, "value").strip(" .!~'’\"")
    if rules.useless.match(value):
        return ""
    shorter = rules.ending.sub("", value).strip()
    words = len(shorter.split())
    enough = bool(analyse.query_terms(shorter)) and len(shorter) <= LONGEST_VALUE
    if rule.type == "preference":
        enough = enough and words <= MOST_WORDS
    if rule.type == "todo":  # "I have to go" is none
        enough = enough and (words > 1 or not shorter.isascii())
    return shorter if enough else ""


def _group(match: re.Match[str], name: str) -> str:
    """The first of the groups `value`, `value2`, … that took part."""
    return next((found for key, found in match.groupdict().items() if key.rstrip("0123456789") == name and found), "")


def _memory(rule: Rule, value: str, match: re.Match[str], said: tuple[Statement, TranscriptLine]) -> StructuredNote:
    statement, line = said
    what = _group(match, "what").lower()
    told = _OWN.sub(lambda own: _OWN_WORDS[own[0].lower()], value) if statement.language == "en" else value
    speaker = "The user" if line.speaker == line.role else statement.speaker
    return StructuredNote(
        type=rule.type,
        text=rule.says.format(name=speaker, value=told, what=what),
        message=statement.line + 1,
        subject=value if rule.entity else line.speaker,
        slot=rule.slot.format(what=what),
        value=told,
        confidence=CONFIDENCE,
        due=_due(statement) if rule.type == "todo" and not rule.done else None,
        done=rule.done,
    )


def _due(statement: Statement) -> str | None:
    written = _DAY.search(statement.text)
    if written:
        return written["day"]
    text = statement.text.lower()
    for word, days in RULES[statement.language].today:
        if statement.at is not None and re.search(rf"\b{word}\b" if word.isascii() else word, text):
            return (statement.at + timedelta(days=days)).date().isoformat()
    return None
