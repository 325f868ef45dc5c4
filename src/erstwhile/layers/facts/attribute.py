"""Which message a fact leans on most, and whose word it so is."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from erstwhile.log.model import Message
from erstwhile.text import analyse


def closest(fact: str, messages: Sequence[Message]) -> Message | None:
    """The message that shares the rarest words with the fact; None when it shares none with any.

    A fact that names its speaker in front ("Mina: …", "Mina (3 Mar 2026): …") leans on something that speaker said.
    """
    own = [each for each in messages if re.match(rf"{re.escape(each.speaker)}\s*(\([^()]{{1,40}}\))?\s*[:：]", fact)]
    messages = own or messages
    spoken = [set(analyse.terms(f"{each.speaker}\n{each.text}")) for each in messages]
    held = Counter(term for terms in spoken for term in terms)
    wanted = set(analyse.query_terms(fact))

    def weight(terms: set[str]) -> float:
        shared = sorted(wanted & terms)  # sorted: a sum of floats depends on its order
        return sum(math.log(1 + len(messages) / held[term]) for term in shared)

    weights = [weight(terms) for terms in spoken]
    best = max(weights, default=0.0)
    return messages[weights.index(best)] if best > 0 else None


def shared(fact: str, messages: Sequence[Message], names: Iterable[str]) -> list[int]:
    """Of each message, how many telling words of the fact it has. Names of people are none: whose word a fact is must not follow from whom
    it names, nor from how someone calls themselves."""
    spoke = [each for message in messages for each in (message.person, message.name, message.speaker) if each]
    wanted = analyse.telling_terms(_nameless(fact, [*names, *spoke]))
    return [len(wanted.intersection(analyse.terms(each.text))) for each in messages]


def whose(fact: str, messages: Sequence[Message], names: Iterable[str]) -> Message | None:
    """The message that has most of what the fact tells; None when none has any of it."""
    counts = shared(fact, messages, names)
    most = max(counts, default=0)
    return messages[counts.index(most)] if most else None


def _nameless(text: str, names: Iterable[str]) -> str:
    """Without the names, whole or in part; in scripts that set no words apart, wherever they stand."""
    parts = {part for name in names for part in (name, *re.split(r"[\W_]+", name)) if len(part) > 1 or part == name}
    spaced = [re.escape(part) for part in parts if part and not _runs_on(part)]
    run_on = [re.escape(part) for part in parts if part and _runs_on(part)]
    for pattern in (
        "|".join(sorted(run_on, key=len, reverse=True)),
        rf"(?<![^\W_])(?:{'|'.join(sorted(spaced, key=len, reverse=True))})(?![^\W_])" if spaced else "",
    ):
        text = re.sub(pattern, " ", text, flags=re.IGNORECASE) if pattern else text
    return text


def _runs_on(name: str) -> bool:
    return any(letter >= "\u2e80" for letter in name)
