"""How people talk with an assistant, in a language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from erstwhile.base.records import dataclass
from erstwhile.language import Language, codes, languages, of

_LOOKED_AT = 2000  # characters of a message: who asks for something says so soon
_BEGINNING = 3  # characters of a cue; every cue has so many
_REMEMBERED = 20_000  # words
_LONG = 24  # characters; longer words hardly ever come again


@dataclass(frozen=True, slots=True)
class AssistantTalk:
    """How a language says it."""

    replied: str = ""
    """Matches if the question is about what the assistant said: "you recommended", but not "can you recommend"."""
    standing: str = ""
    """Words, between semicolons, by which a speaker says how they want something from now on."""
    cues: str = ""
    """Parts of words, between semicolons, of which one is in every standing request (`standing.toml`)."""


def read(language: Language) -> AssistantTalk:
    return AssistantTalk(**language.data("assistant"))


def is_standing(text: str) -> bool:
    """Return whether a person says how they want something from now on."""
    lower = _lower(text[:_LOOKED_AT])
    # As in most; a pattern alone would take longer than all else. Every such word in ASCII has a cue.
    if lower.isascii():
        return may_request(text) and _standing_words().search(lower) is not None
    if not any(map(lower.__contains__, _standing())):
        return False
    return _standing_words().search(lower) is not None


def may_request(text: str) -> bool:
    """Return whether a message may hold a standing request. Most don't, and need not be looked at more closely."""
    return _has_cue(text[:_LOOKED_AT])


@lru_cache(maxsize=1024)  # it is asked when a message is prepared, and when it is written
def _has_cue(text: str) -> bool:
    lower = _lower(text)
    if not lower.isascii():
        return any(map(lower.__contains__, _cues()))
    found = filter(None, map(_by_word.__getitem__, lower.split(" ")))
    return any(cue in lower for cues in found for cue in cues)


def _lower(text: str) -> str:
    return text.lower().replace("’", "'")


def means_assistant(text: str, language: str) -> bool:
    """Return whether a question in this language is about what the assistant said."""
    pattern = _replied().get(language)
    return pattern is not None and pattern.search(text) is not None


@cache
def _standing() -> tuple[str, ...]:
    known = [each.assistant.standing for each in languages() if each.assistant]
    return tuple(word for listed in known for word in listed.split(";") if word)


@cache
def _cues() -> tuple[str, ...]:
    known = [each.assistant.cues for each in languages() if each.assistant]
    return tuple(dict.fromkeys(cue for listed in known for cue in listed.split(";") if cue))


class _CuesByWord(dict[str, Sequence[str]]):
    """The cues that a text in ASCII may have if it has this word: mostly none. Words come again."""

    def __missing__(self, word: str) -> Sequence[str]:
        beginnings, endings, starts = _pieces()
        near = beginnings.search(word) or word.endswith(endings) or word.startswith(starts)
        found = _cues_of(word) if near else ()
        if len(self) >= _REMEMBERED:
            self.clear()
        if len(word) < _LONG:
            self[word] = found
        return found


_by_word = _CuesByWord()
_ByPiece = Mapping[str, Sequence[str]]


@cache
def _cues_by_piece() -> tuple[_ByPiece, _ByPiece, _ByPiece]:
    """Return the cues in ASCII: those of one word by its beginning, those of several by the longer of
    their first piece, with which a word ends, and their last, with which a word starts."""
    inside: dict[str, list[str]] = {}
    ending: dict[str, list[str]] = {}
    starting: dict[str, list[str]] = {}
    for cue in filter(str.isascii, _cues()):
        pieces = cue.split(" ")
        first, last = pieces[0], pieces[-1]
        if len(pieces) == 1:
            inside.setdefault(cue[:_BEGINNING], []).append(cue)
        elif len(first) >= len(last):
            ending.setdefault(first, []).append(cue)
        else:
            starting.setdefault(last, []).append(cue)
    return inside, ending, starting


@cache
def _pieces() -> tuple[re.Pattern[str], tuple[str, ...], tuple[str, ...]]:
    inside, ending, starting = _cues_by_piece()
    return re.compile("|".join(map(re.escape, inside))), tuple(ending), tuple(starting)


def _cues_of(word: str) -> list[str]:
    inside, ending, starting = _cues_by_piece()
    places = range(len(word))
    begun = [cue for at in places for cue in inside.get(word[at : at + _BEGINNING], ())]
    found = [cue for cue in begun if cue in word]
    found += [cue for at in places for cue in ending.get(word[at:], ())]
    return found + [cue for at in places for cue in starting.get(word[: at + 1], ())]


@cache
def _standing_words() -> re.Pattern[str]:
    """Match one of these where it is no part of another Latin word."""
    return re.compile(
        rf"(?<![a-z\u00df-\u024f])(?:{'|'.join(map(re.escape, _standing()))})(?![a-z\u00df-\u024f])"
    )


@cache
def _replied() -> Mapping[str, re.Pattern[str]]:
    known = {code: talk.replied for code in codes() if (talk := of(code).assistant) is not None}
    return {code: re.compile(pattern, re.IGNORECASE) for code, pattern in known.items() if pattern}
