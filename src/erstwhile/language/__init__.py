"""What is known of each language: a folder per language, a file per subject.

`of("de").time` is read from `de/time.py` when it is first asked for. What a subject
holds is said by the module of its name beside this one (`time`, `facts`, …). A language has
what it has: a subject without a file is empty. A new folder is a new language.
"""

from __future__ import annotations

import os
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from erstwhile.language.dates import Dates
    from erstwhile.language.facts import Signals
    from erstwhile.language.model_answers import ModelAnswers
    from erstwhile.language.names import Names
    from erstwhile.language.negation import Negation
    from erstwhile.language.pronouns import Pronouns
    from erstwhile.language.requests import RequestPatterns
    from erstwhile.language.sentences import Sentences
    from erstwhile.language.slots import Slots
    from erstwhile.language.statements import Statements
    from erstwhile.language.structured import Rules
    from erstwhile.language.suspicion import Suspicion
    from erstwhile.language.third_person import ThirdPerson
    from erstwhile.language.time import TimeWords

DEFAULT: Final = "en"

# Of languages that are equally likely the first is taken. A folder not named here comes last.
_FIRST: Final = "en ko zh ja de fr es it pt nl sv da no fi tr pl ro hu id"


class Language:
    """One language, by its ISO 639-1 code."""

    def __init__(self, code: str, folder: Path) -> None:
        self.code = code
        self._folder = folder

    @cached_property
    def name(self) -> str:
        found: str = import_module(f"{__name__}.{self.code}").NAME
        return found

    @cached_property
    def script(self) -> str:
        found: str = getattr(import_module(f"{__name__}.{self.code}"), "SCRIPT", "latin")
        return found

    @cached_property
    def stemmer(self) -> str:
        """Its Snowball stemmer, "" without one."""
        found: str = getattr(import_module(f"{__name__}.{self.code}"), "STEMMER", "")
        return found

    @cached_property
    def stopwords(self) -> frozenset[str]:
        """Without apostrophes: `don't` is `dont`."""
        if "stopwords.txt" not in self._files:
            return frozenset()
        return frozenset((self._folder / "stopwords.txt").read_text("utf-8").split())

    @cached_property
    def irregular(self) -> Mapping[str, str]:
        """The base of each form that no stemmer brings to it: went → go."""
        return self._read("irregular") or {}

    @cached_property
    def questions(self) -> str:
        """A pattern of what a question can lose before it is searched for."""
        return self._read("questions") or ""

    @cached_property
    def time(self) -> TimeWords | None:
        found: TimeWords | None = self._read("time")
        return found

    @cached_property
    def sentences(self) -> Sentences | None:
        found: Sentences | None = self._read("sentences")
        return found

    @cached_property
    def suspicion(self) -> Suspicion | None:
        found: Suspicion | None = self._read("suspicion")
        return found

    @cached_property
    def pronouns(self) -> Pronouns | None:
        found: Pronouns | None = self._read("pronouns")
        return found

    @cached_property
    def names(self) -> Names | None:
        found: Names | None = self._read("names")
        return found

    @cached_property
    def negation(self) -> Negation | None:
        found: Negation | None = self._read("negation")
        return found

    @cached_property
    def facts(self) -> Signals | None:
        found: Signals | None = self._read("facts")
        return found

    @cached_property
    def structured(self) -> Rules | None:
        found: Rules | None = self._read("structured")
        return found

    @cached_property
    def dates(self) -> Dates | None:
        found: Dates | None = self._read("dates")
        return found

    @cached_property
    def model_answers(self) -> ModelAnswers | None:
        found: ModelAnswers | None = self._read("model_answers")
        return found

    @cached_property
    def categories(self) -> Mapping[str, str]:
        """Patterns of the categories of facts, and of what makes a fact matter."""
        return self._read("categories") or {}

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Patterns of the sections of a profile."""
        return self._read("sections") or {}

    @cached_property
    def requests(self) -> RequestPatterns | None:
        found: RequestPatterns | None = self._read("requests")
        return found

    @cached_property
    def third_person(self) -> ThirdPerson | None:
        found: ThirdPerson | None = self._read("third_person")
        return found

    @cached_property
    def slots(self) -> Slots | None:
        found: Slots | None = self._read("slots")
        return found

    @cached_property
    def statements(self) -> Statements | None:
        found: Statements | None = self._read("statements")
        return found

    def has(self, subject: str) -> bool:
        """Whether there is a file, which is not loaded for the answer."""
        return f"{subject}.py" in self._files

    @cached_property
    def _files(self) -> frozenset[str]:
        return frozenset(os.listdir(self._folder))

    def _read(self, subject: str) -> Any:
        """What the file of a subject holds, under the subject's name in capitals; None without a file."""
        if not self.has(subject):
            return None
        return getattr(import_module(f"{__name__}.{self.code}.{subject}"), subject.upper())


@cache
def _folders() -> dict[str, Path]:
    found = {each.name: each for root in __path__ for each in Path(root).iterdir() if (each / "__init__.py").exists()}
    first = _FIRST.split()
    order = sorted(found, key=lambda code: (first.index(code) if code in first else len(first), code))
    return {code: found[code] for code in order}


def codes() -> tuple[str, ...]:
    """The languages there are."""
    return tuple(_folders())


@cache
def of(code: str) -> Language:
    return Language(code, _folders()[code])


@cache
def languages() -> tuple[Language, ...]:
    return tuple(map(of, _folders()))


@cache
def voters() -> Mapping[str, tuple[str, ...]]:
    """Stop word → languages it speaks for. A word that is also English ("was", "in", "me") speaks for English alone."""
    found: dict[str, tuple[str, ...]] = {}
    english = of(DEFAULT).stopwords
    for language in languages():
        for word in language.stopwords if language.code == DEFAULT else language.stopwords - english:
            found[word] = (*found.get(word, ()), language.code)
    return found
