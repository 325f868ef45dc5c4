"""Find memories with a type by patterns: what people say plainly about themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache, lru_cache
from typing import Final

from erstwhile import language
from erstwhile.language.memory_rules import MemoryRules, PatternRule, group
from erstwhile.text import analyse
from erstwhile.writers.extractive import statements, worth
from erstwhile.writers.extractive.judgement import rule_bits, rules_of
from erstwhile.writers.extractive.statements import Sentence, Statement
from erstwhile.writers.port import TranscriptLine, TypedNote

IN_PASSING: Final = frozenset(("home", "job", "relationship"))
"""What people also say in jokes, and as the reason for something else."""
PLAIN: Final = IN_PASSING | frozenset(
    ("name", "age", "birthday", "employer", "pet", "diet", "allergy", "decision")
)
CONFIDENCE: Final = 0.5  # a pattern matched; nothing was understood
SPEAKS: Final = "user"
MOST_WORDS: Final = 6  # of something that someone likes
LONGEST_VALUE: Final = 80

_QUOTES: Final = (
    r"""\"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』"""
    r"|‘(?:[^’\n]|’(?=\w)){1,400}’(?!\w)|(?<!\w)'(?:[^'\n]|'(?=\w)){1,400}'(?!\w)"
)
_QUOTE: Final = re.compile(r"[\"“„«「『‘]|(?<!\w)'")  # how each of them begins
_DAY: Final = re.compile(r"\b(?P<day>20\d\d-\d\d-\d\d)\b")


def note(lines: Sequence[TranscriptLine]) -> tuple[TypedNote, ...]:
    found: dict[tuple[str, str], TypedNote] = {}
    lines = [_without_quotations(line) for line in lines]
    for statement in statements.read(lines):
        line = lines[statement.line]
        if line.role == SPEAKS and not (
            statement.question or statement.order or statement.text.isupper()
        ):
            for each in _noted(statement, line):
                found.setdefault((line.speaker, each.text.casefold()), each)
    return tuple(found.values())


def _without_quotations(line: TranscriptLine) -> TranscriptLine:
    text = _own_words(line.text)
    return line if text == line.text else replace(line, text=text)


def _own_words(text: str) -> str:
    """Return the text without quotations."""
    if not _QUOTE.search(text):
        return text

    def left(match: re.Match[str]) -> str:
        quoted = match["before"] or match["after"] or _first_person().search(match["quote"])
        return f'{match["before"] or ""}""{match["after"] or ""}' if quoted else match[0]

    return _quotation().sub(left, text)


@cache
def _quotation() -> re.Pattern[str]:
    """Return a pattern of quoted sentences, which are somebody else's or made up; titles stay."""
    known = [each.sentences for each in language.languages() if each.sentences]
    said = "|".join(each.said for each in known if each.said)
    quoted = "|".join(each.quoted for each in known if each.quoted)
    return re.compile(f"(?P<before>{said})?(?P<quote>{_QUOTES})(?P<after>{quoted})?", re.IGNORECASE)


@cache
def _first_person() -> re.Pattern[str]:
    known = [each.pronouns.first_person for each in language.languages() if each.pronouns]
    return re.compile("|".join(filter(None, known)), re.IGNORECASE)


def plain(sentence: Sentence) -> frozenset[str]:
    """Return what somebody says in plain words about themselves (name, home, work, what they can't
    eat) or that they decided."""
    found = (rule.slot or rule.type for rule, _, _ in matches(sentence))
    return PLAIN.intersection(found)


def _noted(statement: Statement, line: TranscriptLine) -> Iterator[TypedNote]:
    for rule, value, match in matches(statement.judgement):
        if rule.slot == "name" and value.casefold() == statement.speaker.casefold():
            continue  # "Mina is called Mina"
        yield typed_note(rule, value, match, (statement, line))


@lru_cache(maxsize=worth.KEPT)
def matches(sentence: Sentence) -> list[tuple[PatternRule, str, re.Match[str]]]:
    """Return the rules that a sentence matches, each with its value."""
    rules = rules_of(sentence.language)
    if rules is None or sentence.has("maybe") or sentence.has("others"):
        return []
    found: list[tuple[PatternRule, str, re.Match[str]]] = []
    taken: set[tuple[str, str, bool]] = set()
    for rule, bits in rule_bits(sentence.language):
        if not sentence.candidates & bits or (sentence.unreal and not rule.request):
            continue
        taste = rule.slot in ("likes", "dislikes") or rule.slot.startswith("preferred ")
        family = (rule.type, "taste" if taste else rule.slot, rule.done and not taste)
        match = rule.pattern.search(sentence.judged) if family not in taken else None
        value = _value(match, rules, rule) if match else ""
        if match and value:
            taken.add(family)
            found.append((rule, value, match))
    return found


def _value(match: re.Match[str], rules: MemoryRules, rule: PatternRule) -> str:
    """Return the value that was found, shortened; "" if it is not worth keeping."""
    value = group(match, "value").strip(" .!~'’\"")
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


def typed_note(
    rule: PatternRule, value: str, match: re.Match[str], said: tuple[Statement, TranscriptLine]
) -> TypedNote:
    statement, line = said
    what = group(match, "what")
    told = _by_others(value, statement.language)
    speaker = "The user" if line.speaker == line.role else statement.speaker
    who = group(match, "who")
    return TypedNote(
        type=rule.type,
        text=rule.says.format(
            name=who or speaker, value=told, what=what, of=f" for {who}" if who else ""
        ),
        message=statement.line + 1,
        subject=value if rule.entity else who or line.speaker,
        slot=rule.slot.format(what=what.lower()),
        value=told,
        confidence=CONFIDENCE,
        due=_due(statement) if rule.type == "todo" and not rule.done else None,
        done=rule.done,
    )


def _by_others(value: str, spoken: str) -> str:
    """Replace words such as "my" by how others say them."""
    rules = rules_of(spoken)
    pattern = _own_words_of(spoken)
    return (
        pattern.sub(lambda own: rules.by_others[own[0].lower()], value)
        if rules and pattern
        else value
    )


@cache
def _own_words_of(spoken: str) -> re.Pattern[str] | None:
    rules = rules_of(spoken)
    words = sorted(rules.by_others, key=len, reverse=True) if rules else ()
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE) if words else None


def _due(statement: Statement) -> str | None:
    written = _DAY.search(statement.text)
    if written:
        return written["day"]
    text = statement.text.lower()
    rules = rules_of(statement.language)
    for word, days in rules.today if rules else ():
        if statement.at is not None and re.search(rf"\b{word}\b" if word.isascii() else word, text):
            return (statement.at + timedelta(days=days)).date().isoformat()
    return None
