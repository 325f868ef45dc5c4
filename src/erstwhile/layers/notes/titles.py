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
from erstwhile.language import Language
from erstwhile.text import analyse, detection, noun_runs, nouns, sentences, suspect
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
_LONGEST_CLAUSE: Final = 24  # characters
_LEAST: Final = 0.5  # how much a word tells at least, to name anything: more than "one" or "thing"
_END: Final = (nouns.OTHER, 0.0)
_ADJECTIVES_BEHIND: Final = ("fr", "es")
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
    """`told`: how much its words tell; `quoted`: it is a clause, of a language whose nouns nobody
    knows."""

    text: str
    told: float
    quoted: bool = False


def title(lines: Sequence[TranscriptLine], summary: str = "", values: Sequence[str] = ()) -> str:
    """Return the phrase that the conversation comes back to most, or that its summary has, and a
    second one if there is room. Without one, a value of its memories, or a quotation."""
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
        named = next((each for each in values if _is_short(each)), "")
        return named or _cited(lines[0].speaker, " ".join(" ".join(texts).split()))
    best = ranked[0]
    if found[best].quoted:
        author = next(line.speaker for line, text in zip(lines, texts, strict=True) if best in text)
        return _cited(author, best)
    second = next((each for each in ranked[1:] if not terms[each] & terms[best]), "")
    both = f"{best}, {second}" if second and worth(second) >= _SECOND * worth(best) else best
    named = both if len(both) <= LONGEST else best
    return named[0].upper() + named[1:]


def _phrases(texts: Sequence[str], spoken: str, speakers: frozenset[str]) -> Iterator[_Phrase]:
    known = _Words.of(spoken, _likely(texts))
    split: list[tuple[list[str], int]] = []
    for sentence in chain.from_iterable(map(sentences.split, texts)):
        if suspect.is_order(sentence) or suspect.reasons(sentence):
            continue  # a title is printed without its author
        if _SPACED.search(sentence):
            verbs = known.opening_verbs.match(sentence) if known.opening_verbs else None
            opening = len(_TOKEN.findall(verbs[0])) if verbs else 0
            split.append((_TOKEN.findall(sentence)[:_MOST_TOKENS], opening))
        else:
            yield from _without_spaces(sentence, spoken, speakers)
    tokens = [each for each, _ in split]
    classes = nouns.classes(tokens) if tokens else ()
    for (words, opening), read in zip(split, classes, strict=True):
        short = _SHORT if len(words) < _FEWEST_TOKENS else 1.0
        marked = [*((nouns.OTHER, 0.0) for _ in read[:opening]), *read[opening:]]
        for phrase in _of_words(words, marked, known, speakers):
            yield _Phrase(phrase.text, phrase.told * short)


def _without_spaces(sentence: str, spoken: str, speakers: frozenset[str]) -> Iterator[_Phrase]:
    """Yield the nouns of a sentence without Latin letters; of a language whose nouns nobody knows,
    whole clauses that are short."""
    code = spoken if noun_runs.knows(spoken) else detection.dominant([sentence])
    if noun_runs.knows(code):
        runs = (each for each in noun_runs.runs(sentence, code) if each not in speakers)
        yield from (_Phrase(each, float(len(analyse.query_terms(each)))) for each in runs)
        return
    for each in _CLAUSE.split(sentence):
        part = each.strip(" .!?。！？~～…")
        if 1 < len(part) <= _LONGEST_CLAUSE and not part[0].isdigit():
            yield _Phrase(part, float(len(analyse.query_terms(part))), quoted=True)


def _of_words(
    tokens: Sequence[str],
    read: Sequence[tuple[int, float]],
    known: _Words,
    speakers: frozenset[str],
) -> Iterator[_Phrase]:
    """Return runs of nouns with their adjectives; small words only between two of them."""
    capitalised = known.capitalised and any(token[0].isupper() for token in tokens[1:])
    run: list[tuple[str, int, float]] = []
    joint: list[str] = []
    before = ("", *tokens)
    for token, (role, tells), last in zip((*tokens, "."), (*read, _END), before, strict=True):
        low = token.lower()
        if role != nouns.OTHER and (
            not _names(token, tells)
            or low in known.small
            or low in speakers  # whoever is spoken to
            or analyse.folded(low) in known.times
            or (capitalised and role == nouns.NOUN and token == low)
            or (analyse.folded(low) in known.verbs and last.lower() not in known.determiners)
        ):
            role = nouns.OTHER
        if role != nouns.OTHER and len(run) + len(joint) < _MOST_WORDS:
            run += [*((each, nouns.OTHER, 0.0) for each in joint), (token, role, tells)]
            joint = []
        elif run and known.joins(
            low, joint, named=run[-1][0] != tokens[0] and run[-1][0].istitle()
        ):
            joint.append(token)
        elif run or role != nouns.OTHER:
            yield from _phrase(run, known.code)
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


@dataclass(frozen=True, slots=True)
class _Words:
    """What is known of the words of a conversation. `times`: words of time and units, which name no
    conversation: "May for the studio"; `verbs`: words that are verbs without a determiner."""

    code: str
    joints: frozenset[str] = frozenset()
    name_joints: frozenset[str] = frozenset()
    small: frozenset[str] = frozenset()
    own: re.Pattern[str] | None = None
    capitalised: bool = False
    times: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    determiners: frozenset[str] = frozenset()
    opening_verbs: re.Pattern[str] | None = None

    @classmethod
    @cache
    def of(cls, code: str, likely: tuple[str, ...]) -> _Words:
        """`code`: the language by whose rules nouns are joined; `likely`: those whose verbs and times
        are no nouns."""
        known = [language.of(each) for each in likely]
        told = [each.nouns for each in known if each.nouns]
        times = [word for each in known if each.time for word in each.time.words]
        units = " ".join(each.nouns.units for each in language.languages() if each.nouns)
        framed = [each.claims.framing for each in known if each.claims and _marks_nouns(each)]
        verbs = "|".join(each.opening_verbs for each in told if each.opening_verbs)
        shared = (
            frozenset([*times, *units.split()]),
            frozenset(" ".join(framed).split()),
            frozenset(" ".join(each.determiners for each in told).split()),
            re.compile(verbs, re.IGNORECASE) if verbs else None,
        )
        if code not in language.codes():
            return cls(code, frozenset(), frozenset(), frozenset(), None, False, *shared)
        spoken = language.of(code)
        own = spoken.pronouns.first_person if spoken.pronouns else ""
        return cls(
            code,
            frozenset(spoken.sentences.joints.split() if spoken.sentences else ()),
            frozenset(spoken.nouns.name_joints.split() if spoken.nouns else ()),
            spoken.stopwords,
            re.compile(own, re.IGNORECASE) if own else None,
            spoken.nouns is not None and spoken.nouns.capitalised,
            *shared,
        )

    def joins(self, word: str, before: Sequence[str], *, named: bool) -> bool:
        """Return whether a word may stand between two nouns. What belongs to the speaker, and what
        follows a name, as a rule belongs to the verb: "moved to Leeds with my husband"."""
        if before:
            return len(before) < 2 and word in self.small and not self._is_own(word)
        return word in (self.name_joints if named and not self.capitalised else self.joints)

    def _is_own(self, word: str) -> bool:
        return self.own is not None and self.own.fullmatch(word) is not None


def _marks_nouns(known: Language) -> bool:
    return known.nouns is not None and bool(known.nouns.determiners)


def _likely(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the languages that a conversation in Latin letters may be in: a short one, as "Vivo en
    Sevilla", has words of several or of none."""
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(detection.votes(text))
    most = max(counted.values(), default=0)
    given = (code for code, votes in counted.items() if votes == most) if most else language.codes()
    return tuple(code for code in given if language.of(code).has("nouns"))


def _is_short(value: str) -> bool:
    """Return whether a value of a memory can be a title."""
    words = value.split()
    spoiled = suspect.is_order(value) or suspect.reasons(value)
    return 0 < len(words) <= _MOST_WORDS and len(value) <= LONGEST and not spoiled


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
