"""The small subjects of a language: what each of its patterns is for. `<code>/words.toml` holds them, a table per subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sentences:
    """How sentences of a language end and join."""

    abbreviations: str = ""
    """What a full stop is written to without ending a sentence."""
    can_end: str = ""
    """Of these, those that end one after all where a capital follows: "at 5 p.m. We left."."""
    clauses: str = ""
    """A pattern of the words between two clauses."""
    clause_endings: str = ""
    """A pattern of where a clause ends, where that is no word."""
    laughter: str = ""
    """A pattern of the words that only say that someone laughs."""
    laughter_letters: str = ""
    said: str = ""
    """A pattern of what stands before words that are quoted."""
    quoted: str = ""
    """A pattern of what stands after them."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What makes a statement untrustworthy. `text.suspect` joins the patterns of all languages."""

    secrets: str = ""
    """What a secret is called; with `is_`, the word between it and the secret itself."""
    is_: str = ""
    secret: str = ""
    """The two, where the language has them otherwise."""
    instruction: str = ""
    """It tells a machine what to do."""
    authority: str = ""
    """It claims rights."""
    sending_verbs: str = ""
    """Words before an address that something is to be sent to."""
    sending: str = ""
    """The two, where the language has them otherwise: TO stands for the address."""
    orders: str = ""
    """It tries to give orders to whoever reads the memory later."""
    order_verbs: str = ""
    order_objects: str = ""
    """A verb of one and an object of another language are an order too."""


@dataclass(frozen=True, slots=True)
class Pronouns:
    """How a language says I and they."""

    asker: str = ""
    """A question is about whoever asks it."""
    first_person: str = ""
    """Somebody speaks of themselves."""
    own_start: str = ""
    """A statement begins with whoever makes it."""
    other_start: str = ""
    """A statement begins with somebody who is not named."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a language writes to a name."""

    possessive: str = ""
    """A pattern: what makes something the named one's."""
    particles: str = ""
    """Characters that may follow a name without a space."""
    subject_particles: str = ""
    """Of these, those after whom a sentence is about."""
    endings: str = ""
    """A pattern of what a name may be called without."""


@dataclass(frozen=True)
class Negation:
    """How a language says that something is not so."""

    denial: str = ""
    """With one of these a sentence of a profile is not the same as without: "does not", "no longer", "used to"."""
    negated: str = ""
    """What was remembered is denied, or disliked."""
    negator: str = ""
    """The words that deny, and nothing else: without them the sentence says the opposite."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """What stays of a word that denies: can't → can."""
    ending: str = ""
    """A pattern of the end of a word that denies: n't."""


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What models say when they found nothing, or refuse."""

    nothing: str = ""
    """What the fact prompt asks for when there is nothing to record."""
    refusal: str = ""
    """A pattern of how a refusal starts."""
