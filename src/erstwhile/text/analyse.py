"""The one analyser: text to search terms, for what is indexed and for what is asked, the same on
every database.

NFKC, case-fold, words; Chinese, Japanese and Korean as overlapping bigrams, in documents and questions
also as single characters; other words as Snowball stems. A term is lower case, at most 64 characters,
and holds letters, digits and marks only, so no index takes it apart again.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise
from typing import Final

import Stemmer

from erstwhile.base.later import late_pattern
from erstwhile.language import DEFAULT, codes, languages, of, voters

LONGEST: Final = 64

# Han, kana, Hangul and their letters-in-pieces: one run of these becomes bigrams.
_CJK: Final = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7c6\ud7cb-\ud7fb\uf900-\ufa6d\ufa70-\ufad9"
    "\U00020000-\U0002a6df\U0002a700-\U0002b738\U0002b740-\U0002b81d\U0002b820-\U0002cea1\U0002ceb0-\U0002ebe0"
    "\U00030000-\U0003134a"
)
# Of these, those of which one can be a word: kana are only sounds.
_WRITTEN_WORDS: Final = (
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufa6d\ufa70-\ufad9"
    "\U00020000-\U0002a6df\U0002a700-\U0002b738\U0002b740-\U0002b81d\U0002b820-\U0002cea1\U0002ceb0-\U0002ebe0"
    "\U00030000-\U0003134a"
)
# Thai, Lao, Myanmar, Khmer: also written without spaces; bigrams of a letter with its marks. Their
# signs are no letters.
_UNSPACED: Final = "".join(
    letter
    for first, last in ((0xE01, 0xEDF), (0x1000, 0x109F), (0x1780, 0x17D3))
    for letter in map(chr, range(first, last + 1))
    if unicodedata.category(letter)[0] in "LMN"
)
# Invisible: zero-width and bidi controls, soft hyphen, variation selectors, tags, Hangul fillers.
_INVISIBLE: Final = late_pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
_APOSTROPHES: Final = late_pattern("[\u2018\u2019\u02bc\u02b9\uff07\u201b\u0060\u00b4]")
_CONTRACTION: Final = late_pattern(r"(?<=[^\W_])(?:(?<=n)'t|'(?:s|ll|re|ve|d|m))(?![^\W_])")
_ASCII_WORD: Final = late_pattern(r"[a-z0-9]+")
_CJK_CHARACTER: Final = late_pattern(f"[{_CJK}]")
_UNSPACED_CHARACTER: Final = late_pattern(f"[{_UNSPACED}]")

# Where Snowball has a stemmer for the script. Other scripts keep their words whole.
_SCRIPTS: Final = (
    *(("\u0370", "\u03ff", "greek"), ("\u0400", "\u052f", "russian")),
    *(("\u0531", "\u0587", "armenian"), ("\u0610", "\u06ff", "arabic")),
    *(("\u0750", "\u077f", "arabic"), ("\u0900", "\u097f", "hindi")),
    *(("\u0b82", "\u0bff", "tamil"), ("\u1f00", "\u1fff", "greek")),
)
_LATIN_END: Final = "\u024f"
_STROKES: Final = str.maketrans(
    dict(zip("øłđæœıþðħŋ", ("o", "l", "d", "ae", "oe", "i", "th", "d", "h", "n"), strict=True))
)


def terms(text: str) -> list[str]:
    """Return every term of `text`, in order, repeated as often as it occurs."""
    words = _words(_clean(text))
    return _stemmed(words, _other_language(words))


def document_terms(text: str) -> list[str]:
    """Return the terms a document is found by: with the single characters of Chinese, Japanese and
    Korean, many of which are words."""
    return terms(text) if text.isascii() else [*terms(text), *_characters(text)]


def query_terms(text: str) -> list[str]:
    """Return the terms worth asking for: each once, without stop words, unless nothing would be
    left."""
    kept, words, other = _sifted(text)
    return list(dict.fromkeys(_stemmed(kept, other) or _stemmed(words, other)))


def question_terms(text: str) -> list[str]:
    """Return the terms a question asks for: the same, with single characters."""
    return with_characters(query_terms(text), text)


def with_characters(found: list[str], text: str) -> list[str]:
    """Add the single characters of a question to its other terms."""
    if not _CJK_CHARACTER.search(text):
        return found
    return list(dict.fromkeys([*found, *_characters(_question().sub(" ", _clean(text)))]))


def telling_terms(text: str) -> set[str]:
    """Return the terms that say something: none where all are stop words."""
    kept, _, other = _sifted(text)
    return set(_stemmed(kept, other))


def folded(text: str) -> str:
    """Lower case, without accents: how words are compared that are not looked up."""
    return unicodedata.normalize("NFC", _unaccented(_clean(text)))


def stems(word: str, language: str) -> set[str]:
    """Return the terms of one folded word, in this language and in English."""
    return set(_stemmed([word], language if language != DEFAULT and language in codes() else ""))


def _sifted(text: str) -> tuple[list[str], list[str], str]:
    """Return the words without stop words, all of them, and their language, if not English."""
    cleaned = _clean(text)
    words = _words(cleaned)
    other = _other_language(words)
    # One such word alone can be part of a name: "Die Hard", "La La Land".
    english = of(DEFAULT).stopwords
    own = of(other).stopwords if other else english
    stop = own if len({word for word in words if word in own}) > 1 else english
    telling = words if cleaned.isascii() else _words(_question().sub(" ", cleaned))
    kept = [word for word in telling if word not in english and word not in stop]
    return kept, words, other


def _clean(text: str) -> str:
    """Lower case, composed, nothing invisible, contractions resolved (don't → dont, Alice's →
    alice)."""
    if text.isascii():
        text = text.lower()
    else:
        text = _stacked_marks().sub(r"\1", _INVISIBLE.sub("", text))
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).lower()
        # Normalising can bring out what was hidden in a compatibility character.
        text = _APOSTROPHES.sub("'", _INVISIBLE.sub("", text))
    return _CONTRACTION.sub(_uncontract, text) if "'" in text else text


def _uncontract(match: re.Match[str]) -> str:
    return "t" if match[0] == "'t" else ""


def _words(cleaned: str) -> list[str]:
    """Yield words, cut at the longest term; a run of a script that is indexed as bigrams is one uncut
    word."""
    if cleaned.isascii():
        words: list[str] = _ASCII_WORD.findall(cleaned)
        if max(map(len, words), default=0) <= LONGEST:
            return words
        return [word[:LONGEST] for word in words]
    return [run or word[:LONGEST] for run, word in _any_word().findall(cleaned)]


@cache
def _any_word() -> re.Pattern[str]:
    letter = rf"[^\W_{_CJK}{_UNSPACED}]"
    return re.compile(rf"([{_CJK}]+|[{_UNSPACED}]+)|({letter}(?:{letter}|[{_marks()}])*)")


@cache
def _question() -> re.Pattern[str]:
    """Question words of languages that are indexed as bigrams: taken out of a query before it is
    cut up."""
    return re.compile("|".join(each.questions for each in languages() if each.questions))


@cache
def _cluster() -> re.Pattern[str]:
    return re.compile(f".[{_marks()}]{{0,4}}")


@cache
def _stacked_marks() -> re.Pattern[str]:
    """More marks on one letter than any language has: ordering them would take quadratic time."""
    return re.compile(f"([{_marks()}]{{4}})[{_marks()}]+")


@cache
def _marks() -> str:
    """Return combining marks, as the inside of a character class; Python's `\\w` leaves them out.

    Of the basic plane only: with one character beyond it the class is no longer a bitmap and fifty
    times slower."""
    every = map(chr, range(0x300, 0x10000))
    return "".join(each for each in every if unicodedata.category(each) in ("Mn", "Mc"))


def _other_language(words: list[str]) -> str:
    """Return the language, if not English, that the stop words of a Latin-script text speak for; ""
    for English or none."""
    if _foreign_voters().isdisjoint(words):
        return ""  # each word that speaks for another language speaks for English too
    votes = Counter(chain.from_iterable(filter(None, map(voters().get, words))))
    english = votes.pop("en", 0)
    if not votes:
        return ""
    best = max(votes, key=votes.__getitem__)
    return best if votes[best] > english else ""


@cache
def _foreign_voters() -> frozenset[str]:
    return frozenset(word for word, languages in voters().items() if DEFAULT not in languages)


def _stemmed(words: list[str], other: str) -> list[str]:
    if not other:
        if all(map(str.isascii, words)):
            return list(map(_english.__getitem__, words))
        words = list(map(of(DEFAULT).irregular.get, words, words))
    found: list[str] = []
    known = _known_terms(other)
    for word in words:
        found.extend(known[word] if len(word) <= LONGEST else _terms_of(word, other))
    return found


class _EnglishStems(dict[str, str]):
    """The stems of the words that came up, which takes a sixth of the time of stemming them again."""

    def __missing__(self, word: str) -> str:
        if len(self) >= 20_000:
            self.clear()
        stem: str = _stemmer("english").stemWord(of(DEFAULT).irregular.get(word, word))
        return self.setdefault(word, stem)


_english: Final = _EnglishStems()


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of the words that came up, beside a language: a megabyte of one accented letter is 300,000 words."""

    def __init__(self, other: str) -> None:
        super().__init__()
        self._other = other

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= 20_000:
            self.clear()
        return self.setdefault(word, tuple(_terms_of(word, self._other)))


@cache
def _known_terms(other: str) -> _Terms:
    return _Terms(other)


def _terms_of(word: str, other: str) -> Iterator[str]:
    first = word[0]
    if first <= _LATIN_END or "\u1e00" <= first <= "\u1eff":
        yield from _latin(word, other)
    elif _CJK_CHARACTER.match(first):
        yield from _pairs(word)
    elif _UNSPACED_CHARACTER.match(first):
        yield from _pairs(_cluster().findall(word))
    else:
        language = next((name for low, high, name in _SCRIPTS if low <= first <= high), "")
        yield (_stemmer(language).stemWord(word) if language else "") or word


def _latin(word: str, other: str) -> Iterator[str]:
    """Yield the English stem, so that a word asked for by itself finds it, and the stem of the
    text's language if it differs.

    English is stemmed without accents: people write both résumé and resume. Other languages need
    theirs to be stemmed."""
    english = _stemmer("english").stemWord(_unaccented(word)) or word
    yield english[:LONGEST]
    stemmer = of(other).stemmer if other else ""
    if stemmer:
        own = _unaccented(_stemmer(stemmer).stemWord(word))[:LONGEST]
        if own and own != english:
            yield own


def _unaccented(word: str) -> str:
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFD", word)
    return "".join(c for c in letters if not unicodedata.combining(c)).translate(_STROKES)


def _characters(text: str) -> list[str]:
    """Return the characters of Chinese, Japanese and Korean words that are words themselves, or may
    be."""
    return _character().findall(_clean(text)) if _CJK_CHARACTER.search(text) else []


@cache
def _character() -> re.Pattern[str]:
    """Han and Hangul, but for what only joins words; one that stands alone is a term already."""
    joining = "".join(each.joining_characters for each in languages())
    letter = f"[{_WRITTEN_WORDS}]"
    return re.compile(f"(?![{joining}])(?:(?<=[{_CJK}]){letter}|{letter}(?=[{_CJK}]))")


def _pairs(run: str | list[str]) -> Iterator[str]:
    if len(run) == 1:
        yield run[0]
    for left, right in pairwise(run):
        yield left + right


class _Stemmers(threading.local):
    """PyStemmer objects are not thread-safe, so each thread has its own."""

    def __init__(self) -> None:
        self.by_language: dict[str, Stemmer.Stemmer] = {}


_stemmers: Final = _Stemmers()


def _stemmer(language: str) -> Stemmer.Stemmer:
    found = _stemmers.by_language.get(language)
    if found is None:
        # Without its cache, which is slower than stemming.
        found = _stemmers.by_language[language] = Stemmer.Stemmer(language, 0)
    return found
