"""Name a conversation without a model: a noun phrase, or somebody's sentence as a quotation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Final

from erstwhile import language
from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass
from erstwhile.text import analyse, detection, nouns, sentences, suspect
from erstwhile.text.labels import label
from erstwhile.writers.port import TranscriptLine
from erstwhile.writers.transcript import MESSAGE_CHARACTERS

LONGEST: Final = 60
_MOST_WORDS: Final = 5
MARKS: Final = " .。,;:，；：\"'"
_SHORTEST: Final = 24
_MOST_TOKENS: Final = 120  # of a sentence
_FEWEST_TOKENS: Final = 3
_SHORT: Final = 0.5  # how much a word counts that is all of a sentence: as a rule an exclamation
_SECOND: Final = 0.5  # how much a second phrase is worth at least, of the first
_UNKNOWN: Final = 0.8  # how much a name tells that is no known word
_LEAST: Final = 0.5  # how much a word tells at least, to name anything: more than "one" or "thing"
_END: Final = (nouns.OTHER, 0.0)
_ADJECTIVES_BEHIND: Final = ("fr", "es")
_UNITS: Final = (
    *("km", "kg", "min", "mins", "hrs", "gb", "mb"),
    *("euro", "euros", "pound", "pounds", "dollar", "dollars", "quid"),
)
_QUOTES: Final = r'["“”„«»]'
_WORD: Final = late_pattern(r"\S+")
_TAG: Final = late_pattern(r"<[^<>\s]+>")
# "Dr." before a name is one token: sentences don't end there.
_TOKEN: Final = late_pattern(
    r"[A-ZÄÖÜ][a-zäöüé]{0,3}\.(?=\s[A-ZÀ-ÖØ-Þ])|[^\W_](?:[\w'’-]*[^\W_])?|[^\w\s]"
)
_SHORT_IS = ("'s", "’s")
_DRAWN_OUT: Final = late_pattern(r"(\w)\1\1")
_CLAUSE: Final = late_pattern(r"[,，、;；:：()（）—–\n]|\s-\s")
_SPACED: Final = late_pattern(r"[a-zà-öø-ÿ]", re.IGNORECASE)
_UNSPACED: Final = late_pattern(r"[\u1100-\u11ff\u2e80-\uffdc]")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """`told`: how much its words tell."""

    text: str
    told: float


def title(lines: Sequence[TranscriptLine], summary: str = "") -> str:
    """Return the phrase that the conversation comes back to most, or that its summary has, and a
    second one if there is room."""
    texts = [_without_links(line.text[:MESSAGE_CHARACTERS]) for line in lines]
    spoken = detection.dominant(texts)
    speakers = frozenset(word for line in lines for word in line.speaker.lower().split())
    found = {phrase.text: phrase for phrase in _phrases(texts, spoken, speakers)}
    terms = {phrase: frozenset(terms) for phrase in found if (terms := analyse.query_terms(phrase))}
    shared = Counter(term for text in texts for term in set(analyse.query_terms(text)))

    def worth(phrase: str) -> float:
        named = any(word[0].isupper() for word in phrase.split())
        again = sum([shared[term] - 1 for term in terms[phrase]]) / len(terms[phrase])
        told = found[phrase].told * (1 + 0.5 * again) / (2 + len(terms[phrase]))
        return told * (1.3 if named else 1.0) * (1.5 if phrase in summary else 1.0)

    ranked = sorted(terms, key=worth, reverse=True)  # of equal ones the first
    if not ranked:
        return _cited(lines[0].speaker, " ".join(" ".join(texts).split()))
    best = ranked[0]
    if not _SPACED.search(best) or _UNSPACED.search(best):
        author = next(line.speaker for line, text in zip(lines, texts, strict=True) if best in text)
        return _cited(author, best)
    second = next((each for each in ranked[1:] if not terms[each] & terms[best]), "")
    both = f"{best}, {second}" if second and worth(second) >= _SECOND * worth(best) else best
    named = both if len(both) <= LONGEST else best
    return named[0].upper() + named[1:]


def _phrases(texts: Sequence[str], spoken: str, speakers: frozenset[str]) -> Iterator[_Phrase]:
    split: list[list[str]] = []
    for sentence in chain.from_iterable(map(sentences.split, texts)):
        if suspect.is_order(sentence) or suspect.reasons(sentence):
            continue  # a title is printed without its author
        if _SPACED.search(sentence):
            split.append(_TOKEN.findall(sentence)[:_MOST_TOKENS])
        else:  # without spaces between words: a whole clause that is short
            yield from (
                _Phrase(part, float(len(analyse.query_terms(part))))
                for each in _CLAUSE.split(sentence)
                if 1 < len(part := each.strip(" .!?。！？~～…")) <= 24 and not part[0].isdigit()
            )
    for tokens, read in zip(split, nouns.classes(split) if split else (), strict=True):
        short = _SHORT if len(tokens) < _FEWEST_TOKENS else 1.0
        for phrase in _of_words(tokens, read, spoken, speakers):
            yield _Phrase(phrase.text, phrase.told * short)


def _of_words(
    tokens: Sequence[str], read: Sequence[tuple[int, float]], spoken: str, speakers: frozenset[str]
) -> Iterator[_Phrase]:
    """Return runs of nouns with their adjectives; small words only between two of them."""
    joints, small, dates = _known(spoken)
    run: list[tuple[str, int, float]] = []
    joint: list[str] = []
    for token, (role, tells) in zip((*tokens, "."), (*read, _END), strict=True):
        low = token.lower()
        if role != nouns.OTHER and (
            not _names(token, tells)
            or low in small
            or low in speakers  # whoever is spoken to
            or analyse.folded(low) in dates
        ):
            role = nouns.OTHER
        if role != nouns.OTHER and len(run) + len(joint) < _MOST_WORDS:
            run += [*((each, nouns.OTHER, 0.0) for each in joint), (token, role, tells)]
            joint = []
        elif run and (low in joints if not joint else len(joint) < 2 and low in small):
            joint.append(token)
        elif run or role != nouns.OTHER:
            yield from _phrase(run, spoken)
            run, joint = ([(token, role, tells)] if role != nouns.OTHER else []), []


def _names(token: str, tells: float) -> bool:
    """Return whether a word can be part of a name: it tells something, or is written like the name
    of something."""
    if len(token) < 2 or not token[0].isalpha() or _DRAWN_OUT.search(token):
        return False
    return tells >= _LEAST or (token[0].isupper() and not tells and not token.isupper())


def _phrase(run: list[tuple[str, int, float]], spoken: str) -> Iterator[_Phrase]:
    """Yield a run as a phrase, if there is a noun in it. An adjective stands behind its noun only
    in languages that say it so."""
    while run and (
        run[-1][0].endswith(".") or (run[-1][1] != nouns.NOUN and spoken not in _ADJECTIVES_BEHIND)
    ):
        run = run[:-1]
    if any(role == nouns.NOUN for _, role, _ in run):
        told = sum([max(tells, _UNKNOWN) for _, role, tells in run if role != nouns.OTHER])
        text = " ".join(word for word, _, _ in run)
        yield _Phrase(text[:-2] if text.endswith(_SHORT_IS) else text, told)


@cache
def _known(spoken: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return words of a language that join others, small words, and words of time and units, which
    name no conversation: "May for the studio"."""
    if spoken not in language.codes():
        return frozenset(), frozenset(), frozenset(_UNITS)
    of = language.of(spoken)
    joints = of.sentences.joints.split() if of.sentences else ()
    return (
        frozenset(joints),
        of.stopwords,
        frozenset([*(of.time.words if of.time else ()), *_UNITS]),
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
