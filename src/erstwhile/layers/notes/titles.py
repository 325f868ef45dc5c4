"""Name a conversation without a model: a noun phrase, or somebody's sentence as a quotation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from erstwhile import language
from erstwhile.base.later import late_pattern
from erstwhile.language.time import TokenKind
from erstwhile.text import analyse, detection, sentences, suspect
from erstwhile.text.labels import label
from erstwhile.writers.port import TranscriptLine
from erstwhile.writers.transcript import MESSAGE_CHARACTERS

LONGEST: Final = 60
_MOST_WORDS: Final = 5
MARKS: Final = " .。,;:，；：\"'"
_SHORTEST: Final = 24
_WORDS_KEPT: Final = 20_000
_NOUN, _NUMBER, _JOINT, _SMALL = 1, 2, 4, 8
_OF_DATES: Final = (TokenKind.MONTH, TokenKind.MONTH_NAME, TokenKind.MONTH_VERB, TokenKind.WEEKDAY)
_QUOTES: Final = r'["“”„«»]'
_WORD: Final = late_pattern(r"\S+")
_TAG: Final = late_pattern(r"<[^<>\s]+>")
_TOKEN: Final = late_pattern(r"[^\W_](?:[\w'’-]*[^\W_])?|[^\w\s]")
_CLAUSE: Final = late_pattern(r"[,，、;；:：()（）—–\n]|\s-\s")
_SPACED: Final = late_pattern(r"[a-zà-öø-ÿ]", re.IGNORECASE)
_UNSPACED: Final = late_pattern(r"[\u1100-\u11ff\u2e80-\uffdc]")


def title(lines: Sequence[TranscriptLine]) -> str:
    """Return the phrase that the conversation comes back to most, and a second one if there is room."""
    texts = [_without_links(line.text[:MESSAGE_CHARACTERS]) for line in lines]
    spoken = detection.dominant(texts)
    phrases = list(dict.fromkeys(phrase for text in texts for phrase in _phrases(text, spoken)))
    terms = {
        phrase: frozenset(found) for phrase in phrases if (found := analyse.query_terms(phrase))
    }
    shared = Counter(term for text in texts for term in set(analyse.query_terms(text)))

    def worth(phrase: str) -> float:
        told = sum([1 + 0.5 * (shared[term] - 1) for term in terms[phrase]])
        return told * (1.3 if _is_name(phrase) else 1.0) / (2 + len(terms[phrase]))

    ranked = sorted(terms, key=worth, reverse=True)  # of equal ones the first
    if not ranked:
        return _cited(lines[0].speaker, " ".join(" ".join(texts).split()))
    best = ranked[0]
    if not _SPACED.search(best) or _UNSPACED.search(best):
        author = next(line.speaker for line, text in zip(lines, texts, strict=True) if best in text)
        return _cited(author, best)
    second = next(
        (each for each in ranked[1:] if not terms[each] & terms[best] and _is_name(each)), ""
    )
    both = f"{best}, {second}" if second and len(best.split()) < _MOST_WORDS else best
    named = both if len(both) <= LONGEST else best
    return named[0].upper() + named[1:]


def _phrases(text: str, spoken: str) -> Iterator[str]:
    for sentence in sentences.split(text):
        if suspect.is_order(sentence) or suspect.reasons(sentence):
            continue  # a title is printed without its author
        if _SPACED.search(sentence):
            yield from _of_words(sentence, spoken)
        else:  # without spaces between words: a whole clause that is short
            yield from (
                part
                for each in _CLAUSE.split(sentence)
                if 1 < len(part := each.strip(" .!?。！？~～…")) <= 24
            )


def _of_words(sentence: str, spoken: str) -> Iterator[str]:
    """Return runs of words that name something; small words only between two of them."""
    roles = _roles(spoken)
    run: list[str] = []
    joint: list[str] = []
    for token in (*_TOKEN.findall(sentence), "."):
        role = roles[token]
        if (role & _NOUN or (run and role & _NUMBER)) and len(run) + len(joint) < _MOST_WORDS:
            run += [*joint, token]
            joint = []
        elif run and (role & _JOINT or (joint and role & _SMALL)) and len(joint) < 2:
            joint.append(token)
        else:
            while role & (_NOUN | _NUMBER) and run and not roles[run[-1]] & _NOUN:
                run.pop()  # too long: "for 12" says nothing without "October"
            if run:
                yield " ".join(run)
            run, joint = ([token], []) if role & _NOUN else ([], [])


class _Roles(dict[str, int]):
    """What words can be in a title, of those that came up."""

    def __init__(self, spoken: str) -> None:
        super().__init__()
        self._verbs, self._small, self._joints = _verbs(spoken), _small(spoken), _joints(spoken)
        self._dates = _dates(spoken)

    def __missing__(self, token: str) -> int:
        if len(self) >= _WORDS_KEPT:
            self.clear()
        low = token.lower()
        word = len(token) > 1 and token[0].isalnum() and "'" not in token.removesuffix("'s")
        role = _JOINT * (low in self._joints) | _SMALL * (low in self._small)
        if low not in self._verbs:
            noun = word and low not in self._small
            dated = token.isdigit() or analyse.folded(low) in self._dates
            role |= _NUMBER if dated else _NOUN * noun
        return self.setdefault(token, role)


@cache
def _roles(spoken: str) -> _Roles:
    return _Roles(spoken)


def _is_name(phrase: str) -> bool:
    return any(word[0].isupper() for word in phrase.split())


@cache
def _verbs(spoken: str) -> frozenset[str]:
    """Return words that say what somebody does, and so are no part of a name."""
    known = language.of(spoken) if spoken in language.codes() else None
    listed = known.sentences.verbs.split() if known and known.sentences else []
    return frozenset([*listed, *(known.irregular if known else ())])


@cache
def _small(spoken: str) -> frozenset[str]:
    return language.of(spoken).stopwords if spoken in language.codes() else frozenset()


@cache
def _joints(spoken: str) -> frozenset[str]:
    known = language.of(spoken).sentences if spoken in language.codes() else None
    return frozenset(known.joints.split() if known else ())


@cache
def _dates(spoken: str) -> frozenset[str]:
    """Return months and weekdays, with which no name begins: "May for the studio"."""
    known = language.of(spoken).time if spoken in language.codes() else None
    return (
        frozenset(word for word, (kind, _) in known.words.items() if kind in _OF_DATES)
        if known
        else frozenset()
    )


def quoted(author: str, sentence: str) -> str:
    """Return a sentence as a title: a quotation with its author. No mark inside can close it."""
    inside = re.sub(_QUOTES, "'", sentence).strip(MARKS) or "…"
    return f'{label(author)}: "{inside}"'


def as_name(title: str) -> str:
    """Return a title in quotation marks, so that beside other words it is nobody's statement."""
    if not title or title.endswith('"'):
        return title
    inside = re.sub(_QUOTES, "'", title)
    return f'"{inside}"'


def _cited(author: str, sentence: str) -> str:
    """Quote a sentence, or the first words of it."""
    room = max(_SHORTEST, LONGEST - len(quoted(author, "")))
    if len(sentence) > room:
        sentence = sentence[:room].rpartition(" ")[0] or sentence[:room]
    return quoted(author, sentence)


def _without_links(text: str) -> str:
    if "://" not in text and "<" not in text:
        return text
    return _WORD.sub(lambda word: " " if "://" in word[0] else _TAG.sub(" ", word[0]), text)
