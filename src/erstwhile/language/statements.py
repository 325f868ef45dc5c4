"""The structure of statements about a person: clauses, lists, speakers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from erstwhile.base.records import dataclass

Stems = tuple[tuple[str, bool], ...]
"""Words without what is attached to them; True for a verb."""


@dataclass(frozen=True, slots=True)
class ListedItems:
    """Several things in one sentence: "likes pizza and pasta"."""

    head: str
    items: tuple[str, ...]
    end: str
    joints: tuple[str, str] = (", ", " and ")

    def alone(self, item: str) -> str:
        return f"{self.head}{item}{self.end}"

    def of(self, items: Sequence[str]) -> str:
        comma, joint = self.joints
        several = len(items) > 1
        return self.alone(comma.join(items[:-1]) + joint + items[-1] if several else items[0])


@dataclass(frozen=True, slots=True)
class Statements:
    word_of: str = ""
    """How a statement with a speaker begins, with {} for the speaker, who matches `name`."""
    name: str = ""
    everything: str = ""
    """Matches a reference to everything about the person, whose names are {names}."""
    owned: str = ""
    """Matches, after a name, someone or something that belongs to them."""
    listed: Callable[[str], ListedItems | None] | None = None
    clauses: Callable[[str, str], list[str]] | None = None
    """Splits a sentence into clauses, each with its subject."""
    join: Callable[[Sequence[str], str], str] | None = None
    """Joins clauses to one sentence, without repeated subjects."""
    empty: str = ""
    """Matches words that do not say what to forget."""
    empty_words: str = ""
    """The same as words, compared by their search terms."""
    states: str = ""
    """Matches a statement, as opposed to a mere name. "" if everything may be one."""
    stems: Callable[[str, Sequence[str]], Stems] | None = None
    """Returns the words to look for, in a language for which search terms are too coarse."""
    meets: Callable[[Stems, str], bool] | None = None
    """Whether a statement has these words."""
