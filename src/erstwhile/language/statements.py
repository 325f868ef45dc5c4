"""What the statements that are told of a person are made of: clauses, lists, whose word they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Stems = tuple[tuple[str, bool], ...]
"""Words without what is written to them; True for a verb."""


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
        return self.alone(comma.join(items[:-1]) + joint + items[-1] if len(items) > 1 else items[0])


@dataclass(frozen=True, slots=True)
class Statements:
    word_of: str = ""
    """How a statement begins that is somebody's word, with {} for who; `name` is a pattern of who that can be."""
    name: str = ""
    everything: str = ""
    """A pattern: all that is told of the person, whose names are {names}."""
    owned: str = ""
    """A pattern, behind a name: someone or something of theirs."""
    listed: Callable[[str], ListedItems | None] | None = None
    clauses: Callable[[str, str], list[str]] | None = None
    """What a sentence says, part by part, each with its subject."""
    join: Callable[[Sequence[str], str], str] | None = None
    """One sentence again; what had its subject from the part before it loses it again."""
    empty: str = ""
    """A pattern of what says nothing of what is to be forgotten."""
    empty_words: str = ""
    """The same as words, compared by their search terms."""
    states: str = ""
    """A pattern: something is stated, and not only named. "" where everything may be."""
    stems: Callable[[str, Sequence[str]], Stems] | None = None
    """The words to look for, in a language that search terms don't tell apart."""
    meets: Callable[[Stems, str], bool] | None = None
    """Whether a statement has these words."""
