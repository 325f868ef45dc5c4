"""Find the message that a fact comes from, and so who said it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from erstwhile.log.model import Message
from erstwhile.text import analyse

_KEPT: Final = 64  # messages: each fact of a chunk is compared with all of them


def closest(fact: str, messages: Sequence[Message]) -> Message | None:
    """Return the message that shares the rarest words with the fact; None if none shares any. A
    fact with its speaker in front ("Mina: …", "Mina (3 Mar 2026): …") comes from that speaker."""
    label = r"\s*(\([^()]{1,40}\))?\s*[:：]"
    own = [each for each in messages if re.match(re.escape(each.speaker) + label, fact)]
    messages = own or messages
    spoken = [_terms(f"{each.speaker}\n{each.text}") for each in messages]
    held = Counter(term for terms in spoken for term in terms)
    wanted = set(analyse.query_terms(fact))

    def weight(terms: frozenset[str]) -> float:
        shared = sorted(wanted & terms)  # sorted: a sum of floats depends on its order
        return sum(math.log(1 + len(messages) / held[term]) for term in shared)

    weights = [weight(terms) for terms in spoken]
    best = max(weights, default=0.0)
    return messages[weights.index(best)] if best > 0 else None


@lru_cache(maxsize=_KEPT)
def _terms(text: str) -> frozenset[str]:
    return frozenset(analyse.terms(text))


def shared(fact: str, messages: Sequence[Message], names: Iterable[str]) -> list[int]:
    """Count the words of the fact in each message, without names of people. The author of a fact
    must not depend on whom it names, nor on what someone calls themselves."""
    known = [*names]
    for each in messages:
        known += filter(None, (each.person, each.name, each.speaker))
    wanted = analyse.telling_terms(_nameless(fact, known))
    return [len(wanted.intersection(analyse.terms(each.text))) for each in messages]


def whose(fact: str, messages: Sequence[Message], names: Iterable[str]) -> Message | None:
    """Return the message with most words of the fact; None if none has any."""
    counts = shared(fact, messages, names)
    most = max(counts, default=0)
    return messages[counts.index(most)] if most else None


def _nameless(text: str, names: Iterable[str]) -> str:
    """Remove names, whole or in part; in scripts without spaces, also inside of words."""
    parts = set(filter(None, names))
    parts |= {part for name in parts for part in re.split(r"[\W_]+", name) if len(part) > 1}
    longest_first = sorted(parts, key=len, reverse=True)
    joined = [re.escape(part) for part in longest_first if _is_unspaced(part)]
    spaced = [re.escape(part) for part in longest_first if not _is_unspaced(part)]
    if joined:
        text = re.sub("|".join(joined), " ", text, flags=re.IGNORECASE)
    if spaced:
        whole_words = rf"(?<![^\W_])(?:{'|'.join(spaced)})(?![^\W_])"
        text = re.sub(whole_words, " ", text, flags=re.IGNORECASE)
    return text


def _is_unspaced(name: str) -> bool:
    """Return whether a name has letters of a script without spaces."""
    return any(letter >= "\u2e80" for letter in name)
