"""Check what a model wrote against the messages it cites, without a model.

A memory is borne out if its people, names, numbers and dates are in the messages, and enough of its
other words. Words that only frame what was said (`language/<code>/words.toml`, `claims`) don't count.
In another language than the messages only names and numbers can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import islice
from typing import Final, Literal

from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass
from erstwhile.language import codes, languages, of
from erstwhile.language.patterns import Claims
from erstwhile.text import analyse, detection
from erstwhile.writers.port import TranscriptLine
from erstwhile.writers.replies import replies_to, takes_up

ENOUGH: Final = 0.6  # the share of its content words that must be in the messages
_WORD: Final = late_pattern(
    r"\d+(?:[.,:]\d+)*|[^\W\d_\u1100-\uffdc]+(?:['’][^\W\d_\u1100-\uffdc]+)*|[^\W\d_a-zA-Z]+"
)
_THOUSANDS: Final = late_pattern(r"\d{1,3}(?:[.,]\d{3})+")
_POSSESSIVE: Final = late_pattern(r"['’]s?$")
_HANGUL: Final = late_pattern("[가-힣]")
_HAN: Final = late_pattern("[\u3005\u30f5\u30f6\u3400-\u9fff]+|[\u30a1-\u30fc]{2,}")
_KANA: Final = late_pattern("[\u3041-\u30ff]")
_UNSPACED: Final = late_pattern("[\u3041-\u30ff\u3400-\u9fff]")
_SPACED: Final = r"[^\W\u1100-\uffdc]"  # a letter of a script with spaces between words, or a digit
_CLAUSE: Final = late_pattern(r"[.!?,;:\n\"“”。！？，、；：—–]")
_SENTENCE_ENDS: Final = frozenset('.!?:;\n"“«¿¡(')
_LEADING: Final = frozenset(" \t*-•'‘")  # may stand between the end of a sentence and the next word
_STEM, _ALIKE = 4, 0.6  # letters, and the share of the longer word, that two forms of a word share


@dataclass(frozen=True, slots=True)
class CitedMessages:
    """The messages that a memory rests on: the cited ones, the few before them, and the labels of all
    who take part. `joint`: it is a sentence of a summary, which tells what several said together."""

    cited: Sequence[TranscriptLine]
    before: Sequence[TranscriptLine] = ()
    people: frozenset[str] = frozenset()
    joint: bool = False

    @property
    def lines(self) -> list[TranscriptLine]:
        return [*self.before, *self.cited]

    @property
    def text(self) -> str:
        return "\n".join(each.text for each in self.lines)

    def about(self, claim: str) -> CitedMessages:
        """Leave out what others say, if it is not about those whom the claim names."""
        lines = self.lines
        known = self.people | {each.speaker for each in lines}
        named = frozenset(name for name in known if names(name, claim))
        if not named:
            return self
        denies = _denies(claim)
        mentions = [any(names(name, each.text) for name in named) for each in lines]
        told = [
            line.speaker in named
            or mentions[place]
            or (self.joint and not _pronouns("first_person").search(line.text))
            or (any(mentions[max(0, place - 2) : place]) and bool(_someone().search(line.text)))
            or (reply is not None and reply.speaker in named and takes_up(reply, line, denies))
            for place, (line, reply) in enumerate(zip(lines, replies_to(lines), strict=True))
        ]
        kept = [line for line, tells in zip(lines, told, strict=True) if tells]
        before = sum(told[: len(self.before)])
        return replace(self, cited=kept[before:], before=kept[:before])


def unborne(claim: str, evidence: CitedMessages) -> str:
    """Return what of a memory the messages do not bear out, or "": person, number, name, denial, subject or words."""
    from erstwhile.writers.claim_dates import without_dates  # only where a model writes

    language = detection.dominant([claim])
    claim = without_dates(claim, evidence.lines)
    about = evidence.about(claim)
    said = about.text
    spoken = _Spoken.of(said)
    speakers = {each.speaker for each in evidence.lines}
    labels = [each for name in speakers for each, _ in _words(name)]
    people = {_folded(each) for each in labels}
    years = {str(each.at.year) for each in evidence.lines if each.at}
    words = list(_words(claim))
    telling = [each for each in _telling(claim, language) if not _is_label(each, people)]
    if not about.cited or _wrong_person(claim, evidence) or _of_another(claim, telling, evidence):
        return "person"
    numbers = {_number(each) for each, _ in words} - {"", *years, *map(_number, labels)}
    if not numbers <= spoken.numbers:
        return "number"
    names: list[str] = []
    if not _capitalises_nouns(language):
        names = [each for each, inside in words if inside and each[0].isupper()]
    kin = [unit for each, _ in words if _is_kin(each) for unit in _units(each)]
    if not all(_is_label(each, people) or spoken.holds(each) for each in (*names, *kin)):
        return "name"
    if _denies(claim) and not _denies(said):
        return "denial"
    if _pronouns("others").match(claim):
        return "subject"  # "She works …" does not say who
    japanese = _KANA.search(claim) and _KANA.search(evidence.text)  # a short reply may have no kana
    if not japanese and other_script(claim, "\n".join(each.text for each in about.cited)):
        return ""
    held = sum(map(spoken.holds, telling))
    return "words" if held < ENOUGH * len(telling) else ""


@dataclass(frozen=True, slots=True)
class _Spoken:
    """The words of messages, in the forms in which they are compared."""

    text: str
    language: str
    words: frozenset[str]
    terms: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    @lru_cache(maxsize=8)  # the claims of one answer are mostly compared with the same messages
    def of(cls, text: str) -> _Spoken:
        words = [each for each, _ in _words(text)]
        folded = frozenset(_folded(each) for each in words)
        language = detection.dominant([text])
        terms = frozenset(term for word in folded for term in analyse.stems(word, language))
        numbers = frozenset(_number(each) for each in words)
        return cls(analyse.folded(text), language, folded, terms, numbers)

    def holds(self, word: str) -> bool:
        if _UNSPACED.search(word) or _HANGUL.search(word):
            return any(each in self.text for each in _synonyms(word))
        forms = {_folded(word), *_synonyms(_folded(word))}
        if forms & self.words or self.terms & analyse.stems(_folded(word), self.language):
            return True
        return any(_same_stem(form, each) for form in forms for each in self.words)


def _wrong_person(claim: str, evidence: CitedMessages) -> bool:
    """Return whether it is about somebody who takes part but neither says it nor is spoken of."""
    speakers = {each.speaker for each in evidence.cited}
    named = {name for name in evidence.people | speakers if names(name, claim)}
    mentioned = {name for name in named if names(name, evidence.text)}
    strangers = named - mentioned - {each.speaker for each in evidence.lines}
    return bool(strangers) or (bool(named) and not (named & speakers or mentioned))


def _of_another(claim: str, telling: Sequence[str], evidence: CitedMessages) -> bool:
    """Return whether a speaker says of someone else ("he bought") what the memory says of the
    speaker."""
    own = [each for each in evidence.cited if _begins(claim, each.speaker)]
    if not own or _reports().match(claim[len(own[0].speaker) :].lstrip()):
        return False
    people = evidence.people - {own[0].speaker}
    if evidence.joint and any(names(name, claim) for name in people):
        return False  # it tells of several at once
    for word in telling:
        parts = (part for each in own for part in _clauses_before(word, each.text))
        subjects = [_subject(part, people) for part in parts]
        if subjects:
            told = "".join(islice(_clauses_before(word, claim), 1))
            if _pronouns("others").search(told):
                return False  # the memory does not say it of the speaker either
            return all(subject == "other" for subject in subjects)
    return False


def _clauses_before(word: str, text: str) -> Iterator[str]:
    """Yield what precedes a word in its clause, wherever it stands."""
    for clause in _CLAUSE.split(text):
        for match in _WORD.finditer(clause):
            if _folded(match[0]) == _folded(word) or (_UNSPACED.search(word) and word in match[0]):
                yield clause[: match.start()] + match[0].partition(word)[0]
                break


def _subject(clause: str, people: frozenset[str]) -> str:
    """Return of whom a clause speaks last: "own", "other", or "" if it does not say."""
    own = max((each.end() for each in _pronouns("first_person").finditer(clause)), default=-1)
    other = max((each.end() for each in _pronouns("others").finditer(clause)), default=-1)
    named = any(names(name, clause) for name in people)
    if _of_kin(clause):
        return "other"
    if own < 0 and (other >= 0 or named):
        return "other"
    return "other" if other > own else "own" if own >= 0 else ""


def _of_kin(clause: str) -> bool:
    """Return whether a clause begins with somebody of the speaker's family ("My sister Kaya is …"),
    and not with both ("My sister and I …")."""
    begins = [word for word, _ in islice(_words(clause), 3)]
    own = _pronouns("first_person")
    if not begins or not own.fullmatch(begins[0]) or not any(map(_is_kin, begins[1:])):
        return False
    return len(own.findall(clause)) == 1


@cache
def _pronouns(which: Literal["first_person", "others"]) -> re.Pattern[str]:
    known = [getattr(each.pronouns, which) for each in languages() if each.pronouns]
    return re.compile("|".join(filter(None, known)), re.IGNORECASE)


@cache
def _someone() -> re.Pattern[str]:
    """Return a pattern of the words for somebody who was named before, in any place."""
    starts = [each.pronouns.other_start for each in languages() if each.pronouns]
    begins = [rf"(?<!\w)(?:{each})" for each in starts if each]
    return re.compile("|".join([_pronouns("others").pattern, *begins]), re.IGNORECASE)


@cache
def _reports() -> re.Pattern[str]:
    known = [each.sentences.said for each in languages() if each.sentences]
    return re.compile("|".join(filter(None, known)), re.IGNORECASE)


def names(name: str, text: str) -> bool:
    """Return whether a text names somebody. What follows a name in Chinese, Japanese or Korean may
    be a particle."""
    if _HANGUL.search(name) or _UNSPACED.search(name):
        return name in text
    return _named(name).search(text) is not None


def _begins(text: str, name: str) -> bool:
    """Return whether a text begins with somebody, and not with what is theirs."""
    rest = text[len(name) :]
    return text.startswith(name) and not (_is_spaced(rest[:1]) or _possessive().match(rest))


@cache
def _possessive() -> re.Pattern[str]:
    return re.compile("|".join(each.possessive for each in _claims() if each.possessive))


@lru_cache(maxsize=256)
def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!{_SPACED}){re.escape(name)}(?:['’]?s)?(?!{_SPACED})", re.IGNORECASE)


def _is_label(word: str, people: set[str]) -> bool:
    folded = _folded(word)
    if _HANGUL.search(word):
        return any(folded.startswith(each) or each.startswith(folded) for each in people)
    return folded in people or folded.removesuffix("s") in people


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each word and whether it stands inside of a sentence."""
    for match in _WORD.finditer(text):
        if _HANGUL.match(match[0]) and _is_spaced(text[match.start() - 1 : match.start()]):
            continue  # what is counted, or the particle of a name: 2년째, Wei는
        place = match.start()
        while place and text[place - 1] in _LEADING:
            place -= 1
        yield match[0], place > 0 and text[place - 1] not in _SENTENCE_ENDS


def _is_spaced(letter: str) -> bool:
    return letter.isalnum() and letter < "\u1100"


def _capitalises_nouns(code: str) -> bool:
    known = of(code).nouns if code in codes() else None
    return known is not None and known.capitalised


def _folded(word: str) -> str:
    return analyse.folded(_POSSESSIVE.sub("", word))


def _number(word: str) -> str:
    if word[0].isdigit():
        plain = re.sub("[.,]", "", word) if _THOUSANDS.fullmatch(word) else word
        return plain.lstrip("0") or "0"
    return _number_words().get(word.casefold(), "")


@cache
def _number_words() -> dict[str, str]:
    listed = [each.numbers.split() for each in _claims()]
    return {word: str(number) for words in listed for number, word in enumerate(words, start=2)}


def _telling(claim: str, language: str) -> list[str]:
    """Return the words that say something, each once; of scripts without spaces, pairs of letters."""
    known = of(language) if language in codes() else None
    idle = _framing() | (known.stopwords if known else frozenset()) | of("en").stopwords
    found: dict[str, None] = {}
    for word, _ in _words(claim):
        if _number(word):
            continue
        for unit in _units(word):
            plain = _folded(unit)
            if plain not in idle and unit.casefold() not in idle and len(plain) > 1:
                found[unit] = None
    return list(found)


def _units(word: str) -> Iterator[str]:
    if _UNSPACED.search(word):
        for run in _HAN.findall(_joining().sub(" ", word)):
            yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))
    elif _HANGUL.match(word):
        if len(word) != 2 or word[1] not in _particles():
            yield word[:2]  # what follows is mostly a particle or an ending
    else:
        yield word


@cache
def _joining() -> re.Pattern[str]:
    """Return the words and characters, in scripts without spaces, that say nothing by themselves."""
    words = sorted((each for each in _framing() if _UNSPACED.search(each)), key=len, reverse=True)
    letters = "".join(each.joining_characters for each in languages() if each.script != "hangul")
    return re.compile("|".join(filter(None, [*words, f"[{letters}]" if letters else ""])))


@cache
def _particles() -> str:
    tables = [table for each in languages() for table in (each.names, each.claims) if table]
    return "".join(table.particles for table in tables)


@cache
def _framing() -> frozenset[str]:
    return frozenset(word for each in _claims() for word in each.framing.split())


@cache
def _kin() -> frozenset[str]:
    return frozenset(word for each in _claims() for word in each.kin.split())


def _claims() -> list[Claims]:
    return [each.claims for each in languages() if each.claims]


def _is_kin(word: str) -> bool:
    plain = _POSSESSIVE.sub("", word).casefold()
    starts = [plain[:2], plain[:3]] if _HANGUL.match(plain) else []
    return any(each in _kin() for each in (plain, *starts))


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for alike in (group.split() for each in _claims() for group in each.alike.split(";")):
        for word in alike:
            end = 2 if _HANGUL.search(word) else None
            groups[analyse.folded(word)[:end]] = tuple(alike)
    return groups


def _synonyms(word: str) -> tuple[str, ...]:
    return tuple(analyse.folded(each) for each in (word, *_groups().get(analyse.folded(word), ())))


def _same_stem(one: str, other: str) -> bool:
    longer = max(len(one), len(other))
    if min(len(one), len(other)) < _STEM:
        return False
    letters = enumerate(zip(one, other, strict=False))
    shared = next((n for n, (a, b) in letters if a != b), min(len(one), len(other)))
    return shared >= max(_STEM, _ALIKE * longer)


@cache
def _denial() -> re.Pattern[str]:
    known = [each.negation for each in languages() if each.negation]
    plain = [rf"(?<!\w)(?:{'|'.join(each.no.split())})(?!\w)" for each in _claims()]
    patterns = [pattern for each in known for pattern in (each.denial, each.negated)]
    return re.compile("|".join(filter(None, [*patterns, *plain])), re.IGNORECASE)


def _denies(text: str) -> bool:
    return _denial().search(text) is not None


def other_script(claim: str, said: str) -> bool:
    """Return whether a memory and its messages are mostly in different scripts. Only names and
    numbers are compared then."""
    written = detection.main_script(said)
    return bool(written) and detection.main_script(claim) != written
