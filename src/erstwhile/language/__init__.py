"""Data and rules of each language, a folder per language.

`of("de").time` is loaded on first use. A subject is data or, if patterns can't express it, code:
`de/time.toml`, a table `[time]` in `de/words.toml`, or `TIME` in `de/time.py`. Its content is
defined by `patterns.py` or by the module of its name here. A subject without data is empty. To add
a language, add a folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from erstwhile.language import patterns

if TYPE_CHECKING:
    from erstwhile.language.assistant import AssistantTalk
    from erstwhile.language.dates import Dates
    from erstwhile.language.facts import Signals
    from erstwhile.language.memory_rules import MemoryRules
    from erstwhile.language.requests import RequestPatterns
    from erstwhile.language.slots import Slots
    from erstwhile.language.standing import StandingForms
    from erstwhile.language.statements import Statements
    from erstwhile.language.third_person import ThirdPerson
    from erstwhile.language.time import TimeWords

T = TypeVar("T")

DEFAULT: Final = "en"

# Of equally likely languages the first is taken. A folder not named here comes last.
_FIRST: Final = "en ko zh ja de fr es it pt nl sv da no fi tr pl ro hu id"


class _Subject(Generic[T]):
    """Load a subject on first use; None if the language doesn't have it.

    `build` makes it from the data; by default `read` in the module of the subject's name does.
    """

    def __init__(self, build: Callable[..., T] | None = None) -> None:
        self._build = build

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, language: Language, _owner: type) -> T | None:
        name, found = self._name, None
        if f"{name}.py" in language.files:
            found = getattr(import_module(f"{__name__}.{language.code}.{name}"), name.upper())
        elif language.has(name):
            if self._build:
                found = self._build(**language.data(name))
            else:
                found = import_module(f"{__name__}.{name}").read(language)
        language.__dict__[name] = found
        return found


class Language:
    """One language, by its ISO 639-1 code."""

    sentences = _Subject(patterns.Sentences)
    nouns = _Subject(patterns.Nouns)
    suspicion = _Subject(patterns.Suspicion)
    pronouns = _Subject(patterns.Pronouns)
    names = _Subject(patterns.Names)
    negation = _Subject(patterns.Negation)
    model_answers = _Subject(patterns.ModelAnswers)
    claims = _Subject(patterns.Claims)
    assistant: _Subject[AssistantTalk] = _Subject()
    time: _Subject[TimeWords] = _Subject()
    facts: _Subject[Signals] = _Subject()
    memory_rules: _Subject[MemoryRules] = _Subject()
    dates: _Subject[Dates] = _Subject()
    requests: _Subject[RequestPatterns] = _Subject()
    third_person: _Subject[ThirdPerson] = _Subject()
    slots: _Subject[Slots] = _Subject()
    standing: _Subject[StandingForms] = _Subject()
    statements: _Subject[Statements] = _Subject()

    def __init__(self, code: str, folder: Path) -> None:
        self.code = code
        self._folder = folder

    @property
    def name(self) -> str:
        return str(self._words["name"])

    @property
    def script(self) -> str:
        return str(self._words.get("script", "latin"))

    @property
    def stemmer(self) -> str:
        """Return its Snowball stemmer, "" if it has none."""
        return str(self._words.get("stemmer", ""))

    @cached_property
    def stopwords(self) -> frozenset[str]:
        """Return its stop words, without apostrophes: `don't` is `dont`."""
        if "stopwords.txt" not in self.files:
            return frozenset()
        return frozenset((self._folder / "stopwords.txt").read_text("utf-8").split())

    @cached_property
    def irregular(self) -> Mapping[str, str]:
        """Return the base of each form that no stemmer handles: went → go."""
        groups = (group.split() for group in self._words.get("irregular", "").split(";"))
        return {form: base for base, *forms in filter(None, groups) for form in forms}

    @cached_property
    def roles(self) -> frozenset[str]:
        """Return the names of roles in a conversation. A person with such a name is quoted."""
        return frozenset(self._words.get("roles", "").casefold().split(", ")) - {""}

    @cached_property
    def questions(self) -> str:
        """Return a pattern of words to remove from a question before searching."""
        return str(unfold(self._words.get("questions", "")))

    @cached_property
    def joining_characters(self) -> str:
        """Return the characters that only join words, of a language that is indexed by characters too."""
        return str(unfold(self._words.get("joining_characters", "")))

    @cached_property
    def categories(self) -> Mapping[str, str]:
        """Return patterns of the categories of facts, and of what makes a fact important."""
        return self.data("categories")

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Return patterns of the sections of a profile."""
        return self.data("sections")

    def has(self, subject: str) -> bool:
        """Return whether the language has a subject. Does not load it."""
        files = (f"{subject}.py", f"{subject}.toml", f"{subject}.txt")
        return subject in self._words or not self.files.isdisjoint(files)

    def data(self, subject: str) -> dict[str, Any]:
        """Return the table of a subject, {} if there is none; lines of patterns are joined."""
        found = self._words.get(subject, {})
        if f"{subject}.toml" in self.files:
            found = self._table(subject)
        unfolded: dict[str, Any] = unfold(found)
        return unfolded

    @cached_property
    def files(self) -> frozenset[str]:
        return frozenset(os.listdir(self._folder))

    @cached_property
    def _words(self) -> dict[str, Any]:
        return self._table("words")

    def _table(self, name: str) -> dict[str, Any]:
        found = _Table(name, str(self._folder / f"{name}.toml")).get_code(name)
        table: dict[str, Any] = eval(found)  # type: ignore[arg-type]
        return table


class _Table(SourceFileLoader):
    """Read a TOML file. Python keeps its content in `__pycache__`, as it does with modules: to parse
    it took a tenth of the time from opening a memory to its first message."""

    def source_to_code(self, data: Any, path: Any = "") -> CodeType:  # type: ignore[override]
        import tomllib

        return compile(repr(tomllib.loads(data.decode())), path, "eval")


def unfold(data: Any) -> Any:
    """Join the lines of each text, without their indentation."""
    match data:
        case str():
            return "".join(map(str.strip, data.splitlines())) if "\n" in data else data
        case dict():
            return {key: unfold(value) for key, value in data.items()}
        case list():
            return [unfold(value) for value in data]
    return data


@cache
def _folders() -> dict[str, Path]:
    inside = (each for root in __path__ for each in Path(root).iterdir())
    found = {each.name: each for each in inside if (each / "words.toml").exists()}
    first = _FIRST.split()
    ranks = {code: at for at, code in enumerate(first)}
    order = sorted(found, key=lambda code: (ranks.get(code, len(first)), code))
    return {code: found[code] for code in order}


def codes() -> tuple[str, ...]:
    """Return the codes of all languages."""
    return tuple(_folders())


@cache
def of(code: str) -> Language:
    return Language(code, _folders()[code])


@cache
def languages() -> tuple[Language, ...]:
    return tuple(map(of, _folders()))


@cache
def voters() -> Mapping[str, tuple[str, ...]]:
    """Return the languages of each stop word. A word that is also English is only English."""
    found: dict[str, tuple[str, ...]] = {}
    english = of(DEFAULT).stopwords
    for language in languages():
        known = frozenset[str]() if language.code == DEFAULT else english
        for word in language.stopwords - known:
            found[word] = (*found.get(word, ()), language.code)
    return found
