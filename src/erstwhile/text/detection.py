"""Which language a text is in: by its script, and where that is Latin by its stop words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.language import DEFAULT, Language, codes, languages, of, voters

# A character of Chinese, Japanese or Korean says about as much as three Latin ones.
_SCRIPTS: Final = (
    ("ko", 3, late_pattern("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")),
    ("kana", 3, late_pattern("[\u3041-\u30ff\uff66-\uff9d]")),
    ("han", 3, late_pattern("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")),
    ("ru", 1, late_pattern("[\u0400-\u052f]")),
    ("el", 1, late_pattern("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("ar", 1, late_pattern("[\u0600-\u06ff\u0750-\u077f]")),
    ("he", 1, late_pattern("[\u05d0-\u05ea]")),
    ("hy", 1, late_pattern("[\u0531-\u0587]")),
    ("ka", 1, late_pattern("[\u10a0-\u10ff]")),
    ("hi", 1, late_pattern("[\u0900-\u097f]")),
    ("bn", 1, late_pattern("[\u0980-\u09ff]")),
    ("ta", 1, late_pattern("[\u0b80-\u0bff]")),
    ("te", 1, late_pattern("[\u0c00-\u0c7f]")),
    ("th", 1, late_pattern("[\u0e00-\u0e7f]")),
)
_HANGUL: Final = late_pattern("[가-힣]")
_HAN: Final = late_pattern("[\u4e00-\u9fff]")
_KANA: Final = late_pattern("[ぁ-ヿ]")
_LATIN: Final = late_pattern("[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]")
_LATIN_WORD: Final = late_pattern("[a-z\u00df-\u024f\u1e00-\u1eff]+")
_VIETNAMESE: Final = late_pattern("[ăđơưạ-ỹ]", re.IGNORECASE)
_UKRAINIAN: Final = late_pattern("[іїєґ]", re.IGNORECASE)
_PERSIAN: Final = late_pattern("[پچژگی]")
_LONG: Final = 2000  # characters
_SHORT: Final = 120  # characters; a longer text has enough stop words


def dominant(texts: Iterable[str]) -> str:
    """Return the ISO 639-1 code of the language most of the text is in."""
    given = list(texts)
    text = given[0] if len(given) == 1 else "\n".join(given)
    if text.isascii():
        if len(given) == 1 and len(text) <= _LONG:  # as most often
            voted = _known_votes(text)
            return max(voted, key=voted.__getitem__)
        return _most(_known_votes(each) if len(each) <= _LONG else votes(each) for each in given)
    script = main_script(text)
    return _written_in(script, text) if script else DEFAULT


@lru_cache(maxsize=1024)
def spoken(text: str) -> str:
    """Return the dominant language; of a short text in Latin letters, the one of about equally
    likely ones by whose rules it says something: "Vivo en Madrid", "Ich wohne in Berlin"."""
    own = dominant([text])
    if len(text) > _SHORT or not by_words(own):
        return own
    counted = votes(text)
    most = max(counted.values())
    likely = [code for code in counted if counted[code] and counted[code] + 1 >= most]
    if not most:
        likely = [each.code for each in languages() if each.script == "latin"]
    for code in sorted(likely, key=lambda code: -counted.get(code, 0)) if len(likely) > 1 else ():
        rules = of(code).memory_rules
        if rules and any(rule.pattern.search(text) for rule in rules.rules):
            return code
    return own


def main_script(text: str) -> str:
    """Return the script that most of a text is in, "" without letters."""
    if text.isascii():
        return "latin" if _LATIN.search(text) else ""
    sizes = {"latin": _number(_LATIN, text)}
    sizes |= {name: weight * _number(pattern, text) for name, weight, pattern in _SCRIPTS}
    # Japanese is written in both; Chinese has no kana beyond a quoted word.
    if sizes["kana"] * 8 >= sizes["han"]:
        sizes["kana"] += sizes.pop("han")
    script = max(sizes, key=sizes.__getitem__)
    return script if sizes[script] else ""


def votes(text: str) -> dict[str, int]:
    """Return how many stop words of a Latin-script text speak for each language."""
    found = {DEFAULT: 0}
    for voted in filter(None, map(voters().get, _LATIN_WORD.findall(text.lower()))):
        for language in voted:
            found[language] = found.get(language, 0) + 1
    return found


_known_votes: Final = lru_cache(maxsize=1024)(votes)  # messages are read one by one and together


def scripts(text: str) -> tuple[str, ...]:
    """Return the scripts by which to choose who reads a text, the likeliest first. One word of
    Korean makes it Korean."""
    if _HANGUL.search(text):
        return ("hangul",)
    han, kana = _HAN.search(text), _KANA.search(text)
    if han:
        return ("kana", "han") if kana else ("han",)
    return ("kana", "latin") if kana else ("latin",)


def reader(text: str, subject: str) -> Language | None:
    """Return the language that reads a text, of those that have a `subject`."""
    return next(readers(text, subject), None)


def readers(text: str, subject: str) -> Iterator[Language]:
    """Yield the languages that may read a text, of those that have a `subject`."""
    for script in scripts(text):
        yield from (each for each in languages() if each.script == script and each.has(subject))


def by_words(code: str) -> bool:
    """Return whether a language is told by its stop words."""
    return code in codes() and bool(of(code).stopwords)


def _written_in(script: str, text: str) -> str:
    match script:
        case "latin":
            return _latin(text)
        case "kana":
            return "ja"
        case "han":
            return "zh"
        case "ru":
            return "uk" if _number(_UKRAINIAN, text) * 50 > _number(_SCRIPTS[3][2], text) else "ru"
        case "ar":
            return "fa" if _PERSIAN.search(text) else "ar"
    return script


def _latin(text: str) -> str:
    if _number(_VIETNAMESE, text) * 12 > _number(_LATIN, text):
        return "vi"
    return _most([votes(text)])


def _most(counted: Iterable[Mapping[str, int]]) -> str:
    """Return the language with most votes; of several the one that was voted for first."""
    found = {DEFAULT: 0}
    for each in counted:
        for language, number in each.items():
            found[language] = found.get(language, 0) + number
    return max(found, key=found.__getitem__)


def _number(pattern: re.Pattern[str], text: str) -> int:
    return len(pattern.findall(text))
