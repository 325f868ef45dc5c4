"""The spans of a query: every language that could have written it reads it, and the longest
readings count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from itertools import chain
from typing import Final, NamedTuple

from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass
from erstwhile.language import languages
from erstwhile.language.meaning import Meaning
from erstwhile.language.time import TimeWords
from erstwhile.text.detection import votes
from erstwhile.text.when.expressions import Expressions, expressions
from erstwhile.text.when.folding import LONGEST, FoldedText, fold
from erstwhile.text.when.future import resolve_ahead
from erstwhile.text.when.grammar import Anchors, anchors, longest_words
from erstwhile.text.when.resolve import Window, aware, window
from erstwhile.text.when.tokenizer import words as words_of

MOST: Final = 8

_LATIN_OR_DIGIT: Final = late_pattern("[a-z0-9]")
_HANGUL: Final = late_pattern("[\uac00-\ud7a3]")
_HAN: Final = late_pattern("[\u3400-\u9fff]")
_HEAD: Final = late_pattern("[a-z]+|[0-9]|[^\\x00-\\x7f]")  # of a token
_SENTENCES: Final = late_pattern(r"(?<=[^\W\d_]{2}[.!?…]) +(?=\S)(?![a-z0-9])|\n+|(?<=[。！？])")
_SENTENCE_ENDS: Final = ".!?…\n。！？"
_MOMENT: Final = timedelta(microseconds=1)
_DIGITS: Final = frozenset("0123456789")
_LONGEST_DAYS: Final = 3660  # ten years: what took longer has no time worth finding
_FOUND: Final = 8  # tokens take as long to read as one expression to understand
_KANA: Final = late_pattern("[\u3041-\u30fa]")


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """`query[start:end]` says `text`, which is from `first` (inclusive) to `last` (exclusive), in
    UTC; None is open.

    Days are those of the zone the question was asked in. What is not `certain` ("recently") should
    rank, not rule out."""

    first: datetime | None
    last: datetime | None
    text: str
    start: int
    end: int
    certain: bool


class _Reading(NamedTuple):
    start: int
    end: int
    window: Window


class Effort:
    """How much of the messages of a batch may be read for times: what is left goes down with each text, token and
    expression. It is far more than a thousand messages of talk take. A megabyte of nothing but dates, in a thousand
    messages, took 10 s of CPU; with a limit it takes half a second, and its last messages have no time."""

    def __init__(self, messages: int) -> None:
        self.left = 100_000 + 100 * messages

    def spend(self, text: str, said: int, found: Sequence[Expressions]) -> None:
        self.left -= said + _FOUND * sum(len(each.found) for each in found)
        self.left -= 0 if text.isascii() else len(text)


def spans(query: str, now: datetime) -> list[TimeSpan]:
    """Return what `query`, asked at `now`, says about time: in order of appearance, not
    overlapping, at most `MOST`."""
    if now.utcoffset() is None:
        now = now.replace(tzinfo=UTC)
    folded = fold(query)
    found: list[TimeSpan] = []
    for reading in _readings(folded.text, query, now, _expressed(folded.text, query)):
        span = _span(reading, folded, query, now)
        # Two readings can come from one character: a compatibility character folds to several.
        if span and not (found and span.start < found[-1].end):
            found.append(span)
    return found[:MOST]


def _expressed(text: str, query: str, effort: Effort | None = None) -> list[Expressions]:
    """Return what is said about time in a query, folded to `text`, in each language that may have
    written it, the likeliest first."""
    said = words_of(text)
    reading = _readers(text, said)  # nobody reads most messages: they say nothing about time
    found = [told for each in reading if (told := expressions(text, each, said))]
    if effort:
        effort.spend(text, len(said) * len(reading), found)
    if len(found) > 1:
        speaking = votes(query[:LONGEST])
        found.sort(key=lambda each: -speaking.get(each.language.code, 0))
    return found


def _told_days(sentence: str, now: datetime, effort: Effort | None) -> list[tuple[int, int]]:
    """Return how many days each time that a sentence of a message tells lies in, and the first. Their places in it are
    rarely needed."""
    text = sentence.lower() if sentence.isascii() else fold(sentence).text
    expressed = _expressed(text, sentence, effort)
    if not expressed:
        return []
    local = now.replace(tzinfo=None)
    expressed = [resolve_ahead(each, local) for each in expressed]
    if len(expressed) == 1 and expressed[0].is_plain() and len(expressed[0].found) <= MOST:
        times = expressed[0].found  # what has a side is open
        days = [_days_of(each.meaning, local) for each in times if each.side is None]
    else:
        days = [_days(each.window) for each in _readings(text, sentence, now, expressed)[:MOST]]
    return list(filter(None, days))


def _readings(
    text: str, query: str, now: datetime, expressed: Sequence[Expressions]
) -> list[_Reading]:
    """Return the readings of what is said, in order. Where some overlap, the longest counts; of one
    length, that of the likelier language."""
    local = now.replace(tzinfo=None)
    found = [
        _Reading(start, end, window)
        for each in expressed
        for (start, end), expression in zip(each.places(), each.found, strict=True)
        if text[start:end] not in each.language.doubtful or _is_spoken(each.language, query)
        if (window := expression.window(local))
    ]
    taken = bytearray(len(text))
    kept: list[_Reading] = []
    for reading in sorted(found, key=lambda each: each.start - each.end):
        if not any(taken[reading.start : reading.end]):
            taken[reading.start : reading.end] = b"\1" * (reading.end - reading.start)
            kept.append(reading)
    return sorted(kept, key=lambda each: each.start)


def _is_spoken(language: TimeWords, query: str) -> bool:
    """Return whether no other language is likelier."""
    speaking = votes(query[:LONGEST])
    return speaking.get(language.code, 0) == max(speaking.values())


_Reader = tuple[TimeWords, Anchors]  # a language, and what a text must have one of


def _readers(text: str, said: Sequence[str]) -> list[TimeWords]:
    """Return the languages in which a text may say something about time. `said`: its words and marks."""
    if not text.isascii():
        heads = frozenset(_HEAD.findall(text))
        return [each for each, needed in _languages(text) if _has_one(heads, needed)]
    latin = _of_script("latin")
    if not _DIGITS.isdisjoint(said):
        return [each for each, _ in latin]
    needed = _plain_anchors()
    there = needed.keys() & said
    if not there:
        return []
    near = [each for word in there for each in needed[word]]
    told = {number for others, number in near if not others or others.issubset(said)}
    return [latin[number][0] for number in sorted(told)]


def _has_one(heads: frozenset[str], needed: Anchors) -> bool:
    return any(others <= heads for head in needed.keys() & heads for others in needed[head])


@cache
def _plain_anchors() -> Mapping[str, Sequence[tuple[frozenset[str], int]]]:
    """Return the anchors of all languages in Latin letters, with the number of each language."""
    found: dict[str, list[tuple[frozenset[str], int]]] = {}
    for number, (_, needed) in enumerate(_of_script("latin")):
        for word, others in needed.items():
            found.setdefault(word, []).extend((each, number) for each in others)
    return found


def _languages(text: str) -> list[_Reader]:
    """Return those whose script is in the text. Where there is kana, Chinese characters are
    Japanese."""
    found: list[_Reader] = []
    if _HANGUL.search(text):
        found += _of_script("hangul")
    if _KANA.search(text.replace("の", "")):
        found += _of_script("kana")
    elif _HAN.search(text):
        found += [*_of_script("han"), *_of_script("kana")]
    if _LATIN_OR_DIGIT.search(text):
        found += _of_script("latin")
    return found


@cache
def _of_script(script: str) -> list[_Reader]:
    known = [each.time for each in languages() if each.script == script and each.time]
    return [(each, anchors(each)) for each in known]


def _span(reading: _Reading, folded: FoldedText, query: str, now: datetime) -> TimeSpan | None:
    try:
        first, last = aware(reading.window.first, now), aware(reading.window.last, now)
    except (
        ValueError,
        OverflowError,
    ):  # the first and the last year, in a zone whose day begins outside them
        return None
    if first and last and first >= last:
        return None
    start, end = folded.origin(reading.start, reading.end)
    return TimeSpan(first, last, query[start:end], start, end, reading.window.certain)


@cache
def _pointing(only: str = "") -> re.Pattern[str]:
    """Spaced words stand by themselves; those of other scripts anywhere. `only`: languages of this script."""
    known = [each.time for each in languages() if only in ("", each.script) and each.time]
    latin = [each for each in known if each.script == "latin"]
    spaced = "|".join(
        re.escape(words).replace(r"\ ", "[ '-]{1,2}")
        for words in _listed(each.pointing for each in latin)
    )
    others = _listed(each.pointing for each in known if each not in latin)
    unspaced = "|".join(map(re.escape, others))
    alone = "|".join(each.pointing_alone for each in latin if each.pointing_alone)
    other = "|".join(each.not_pointing for each in known if each.not_pointing)
    found = [f"(?P<other>{other})", f"(?<![a-z])(?:(?:{spaced})(?![a-z])|{alone})", unspaced]
    return re.compile("|".join(filter(None, found)))


@cache
def _pointing_words() -> tuple[tuple[str, ...], re.Pattern[str]]:
    """One of these words, or the pattern, is in every text in ASCII that points at the past. Few have one, and the
    whole pattern takes long to compile."""
    latin = [each.time for each in languages() if each.script == "latin" and each.time]
    longest = {max(words.split(), key=len) for words in _listed(each.pointing for each in latin)}
    alone = "|".join(each.pointing_alone for each in latin if each.pointing_alone)
    return tuple(longest), re.compile(alone)


def _may_point(text: str) -> bool:
    words, alone = _pointing_words()
    return any(map(text.__contains__, words)) or alone.search(text) is not None


def _listed(words: Iterable[str]) -> list[str]:
    found = {each.strip() for listed in words for each in listed.split(",")} - {""}
    return sorted(found, key=lambda each: (-len(each), each))


def refers_back(query: str) -> str:
    """Return the first words of `query` that point at the past without saying when (last time, 之前, 지난번), "" if none
    do. A search with such words is widened."""
    folded = fold(query)
    if folded.text.isascii() and not _may_point(folded.text):
        return ""
    for match in _pointing("latin" if folded.text.isascii() else "").finditer(folded.text):
        if match["other"] is None:
            start, end = folded.origin(match.start(), match.end())
            return query[start:end]
    return ""


@cache
def words() -> frozenset[str]:
    """Return the words by which one can tell that a text in Latin letters says something about time."""
    return frozenset[str]().union(*(longest_words(each) for each, _ in _of_script("latin")))


def asks_when(query: str) -> bool:
    """Return whether a question asks for a time: when, how long, in which year."""
    folded = fold(query).text
    return any(pattern.search(folded) for pattern in _asking("latin" if folded.isascii() else ""))


@cache
def _asking(only: str) -> list[re.Pattern[str]]:
    known = [each.time for each in languages() if only in ("", each.script) and each.time]
    return [re.compile(each.asking) for each in known if each.asking]


def happened(text: str, said: datetime, effort: Effort | None = None) -> tuple[int, int] | None:
    """Return when what a message tells of happened or will happen: its first day, counted from the day it was `said`
    (in UTC), and how many days. Of several times that of the fewest days counts; a vague or open one doesn't. Nothing is
    read once the `effort` is spent."""
    text = text[:LONGEST]
    sentences = [text]
    if any(map(text.__contains__, _SENTENCE_ENDS)):
        if text.isascii() and not _readers(plain := text.lower(), words_of(plain)):
            return None
        sentences = _SENTENCES.split(text)
    told = [
        _told_days(each, said, effort) for each in sentences if effort is None or effort.left > 0
    ]
    days, first = min(chain.from_iterable(told), default=(0, 0))
    return (first - said.toordinal(), days) if 0 < days <= _LONGEST_DAYS else None


@lru_cache(maxsize=1024)  # the messages of one batch mostly have one time
def _days_of(meaning: Meaning, now: datetime) -> tuple[int, int] | None:
    found = window(meaning, now)
    return found and _days(found)


def _days(window: Window) -> tuple[int, int] | None:
    """Return how many days a window lies in, and the first; none of a vague or an open one."""
    first, last, certain = window
    if not (certain and first and last and first < last):
        return None
    day = first.toordinal()
    return (last - _MOMENT).toordinal() + 1 - day, day
