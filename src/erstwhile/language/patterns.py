"""The smaller subjects of a language and their patterns, as tables of `<code>/words.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from erstwhile.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Sentences:
    """How sentences end and join."""

    abbreviations: str = ""
    """Abbreviations whose full stop does not end a sentence."""
    can_end: str = ""
    """Those that do end one if a capital follows: "at 5 p.m. We left."."""
    clauses: str = ""
    """Matches the words between two clauses."""
    clause_endings: str = ""
    """Matches the end of a clause, if that is no word."""
    own_clause: str = ""
    """Matches how a clause about the speaker begins that can stand by itself."""
    endings: str = ""
    """Matches what ends a statement and says nothing."""
    stop: str = "."
    laughter: str = ""
    """Matches words that only express laughter."""
    laughter_letters: str = ""
    ordinal_after: str = ""
    """Matches what comes before a day's number with a full stop: "am 20."."""
    ordinal_before: str = ""
    """Matches what comes after it: a month."""
    joints: str = ""
    """Words that may stand between two nouns of a title."""
    said: str = ""
    """Matches what precedes a quotation."""
    quoted: str = ""
    """Matches what follows it."""


@dataclass(frozen=True, slots=True)
class Nouns:
    """What tells nouns from other words. `text.nouns` knows most; this is what it gets wrong."""

    capitalised: bool = False
    """Nouns begin with a capital."""
    name_joints: str = ""
    """Those of `sentences.joints` that also follow a name: "University of Leeds"."""
    opening_verbs: str = ""
    """Matches the start of a sentence up to a verb that is also a noun."""
    determiners: str = ""
    """Words that announce a noun. Without one before it, a word of `claims.framing` is a verb."""
    units: str = ""
    """Words for units and money, which name nothing in any language."""
    runs: str = ""
    """Matches nouns with what belongs to them, in a script that has no capitals."""
    idle: str = ""
    """Matches what is no noun, or names nothing: it stands between two runs."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What makes a statement untrustworthy. `text.suspect` joins the patterns of all languages."""

    secrets: str = ""
    """Names of secrets. `is_`: the word between a name and the secret itself."""
    is_: str = ""
    secret: str = ""
    """A pattern in place of these two, for other word orders."""
    instruction: str = ""
    """Tells a machine what to do."""
    authority: str = ""
    """Claims rights."""
    sending_verbs: str = ""
    """Words before an address to which something is to be sent."""
    sending: str = ""
    """A pattern in place of these, for other word orders: TO stands for the address."""
    orders: str = ""
    """Gives orders to whoever reads the memory later."""
    order_verbs: str = ""
    order_objects: str = ""
    """A verb of one language and an object of another are an order too."""


@dataclass(frozen=True, slots=True)
class Pronouns:
    """How a language says I and they."""

    asker: str = ""
    """The question is about the asker."""
    first_person: str = ""
    """The speaker talks about themselves."""
    own_start: str = ""
    """The statement begins with the speaker."""
    other_start: str = ""
    """The statement begins with someone who is not named."""
    others: str = ""
    """Someone or something else is the subject, and is not named."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a language attaches to a name."""

    possessive: str = ""
    """Matches a possessive ending."""
    particles: str = ""
    """Characters that may follow a name without a space."""
    subject_particles: str = ""
    """Those that mark the subject of a sentence."""
    endings: str = ""
    """Matches what may be left out at the end of a name."""


@dataclass(frozen=True, slots=True)
class Negation:
    """How a language negates."""

    denial: str = ""
    """Words that change the meaning of a profile's sentence: "does not", "no longer", "used to"."""
    negated: str = ""
    """Denies or dislikes what was remembered."""
    negator: str = ""
    """Only the negating words: without them the sentence says the opposite."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """What is left of a negating word: can't → can."""
    ending: str = ""
    """Matches the end of a negating word: n't."""


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What models say when they found nothing, or refuse."""

    nothing: str = ""
    """What the fact prompt asks for when there is nothing to record."""
    refusal: str = ""
    """Matches the start of a refusal."""


@dataclass(frozen=True, slots=True)
class Claims:
    """How memories are worded, other than messages. `writers.grounding` reads it."""

    framing: str = ""
    """Words that frame what was said and need not be in a message: lives, said, because."""
    alike: str = ""
    """Groups of words for the same, between semicolons."""
    numbers: str = ""
    """The words for 2, 3, 4 …"""
    kin: str = ""
    """Words for relatives and partners: as telling as a name."""
    yes: str = ""
    """Words with which somebody agrees to what another says of them."""
    no: str = ""
    """Words that answer a question with no."""
    particles: str = ""
    """Characters at the end of a word that add nothing to it, besides those of names."""
    possessive: str = ""
    """Matches what makes a name before it an owner."""
