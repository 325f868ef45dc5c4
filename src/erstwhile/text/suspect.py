"""Reasons to flag a statement: it gives instructions to a machine, claims rights, or contains a
secret.

Flagged statements are kept, quoted as their author's, and shown to people for review.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.language import languages
from erstwhile.language.triggers import Triggers

INSTRUCTION: Final = "instruction"
AUTHORITY: Final = "authority"
SECRET: Final = "secret"
HIDDEN: Final = "hidden"  # invisible characters, or ones that change the reading order
SENDING: Final = "sending"  # where to send something
LONG: Final = 4000  # characters of a text that takes noticeably long to check
REASONS: Final = (INSTRUCTION, AUTHORITY, SECRET, HIDDEN, SENDING)

# Not the joiners of emoji and of Persian, nor the marks that writing from right to left needs.
_HIDDEN: Final = late_pattern(
    "[\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]+"
)
_TO: Final = r"(?:https?://[^\s<>]{1,200}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,})"


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return the patterns of all languages by reason."""
    known = [each.suspicion for each in languages() if each.suspicion]
    secrets, is_ = _either(each.secrets for each in known), _either(each.is_ for each in known)
    secret = (
        r"\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|er)[-_][\w-]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY|"
        rf"\b(?:{secrets})\b\s*(?:{is_}|:|=)\s*\S+|{_either(each.secret for each in known)}|\b(?:\d[ -]?){{15,16}}\b"
    )
    instruction = (
        rf"{_either(each.instruction for each in known)}|</?\w[^<>]*+>|<\|[^|]*\|>"
        r"|^[^\S\n]*+(?:system|assistant)\s*:"
    )
    sending = (
        rf"\b(?:{_either(each.sending_verbs for each in known)})\b[^\n]{{0,60}}?TO|"
        rf"{_either(each.sending for each in known)}|!\[[^\]\n]{{0,200}}\]\(\s*https?://[^)\s]{{1,500}}"
    )
    return {
        INSTRUCTION: re.compile(instruction, re.IGNORECASE | re.MULTILINE),
        AUTHORITY: re.compile(_either(each.authority for each in known), re.IGNORECASE),
        SECRET: re.compile(secret, re.IGNORECASE),
        HIDDEN: _HIDDEN,
        SENDING: re.compile(sending.replace("TO", _TO), re.IGNORECASE),
    }


def is_order(text: str) -> bool:
    """Return whether a text tries to instruct whoever reads the memory later. Such a text is never
    a fact."""
    return _triggers().match("order", text, _candidates(text))


@cache
def _triggers() -> Triggers:
    return Triggers(_patterns() | {"order": orders()})


@lru_cache(maxsize=1024)
def _known(text: str) -> int:
    return _triggers().candidates(text)


def _candidates(text: str) -> int:
    """Several layers ask about the same sentences."""
    return _known(text) if len(text) <= LONG else _triggers().candidates(text)


@cache
def orders() -> re.Pattern[str]:
    """Return the pattern of `is_order`."""
    known = [each.suspicion for each in languages() if each.suspicion]
    verbs = _either(each.order_verbs for each in known)
    objects = _either(each.order_objects for each in known)
    order = f"{_either(each.orders for each in known)}|(?:{verbs}).{{0,30}}(?:{objects})"
    return re.compile(order, re.IGNORECASE)


def _either(patterns: Iterable[str]) -> str:
    return "|".join(filter(None, patterns))


def reasons(text: str) -> tuple[str, ...]:
    """Return all reasons to flag a text."""
    return _of_long(text) if len(text) > LONG else _reasons(text)


def _reasons(text: str) -> tuple[str, ...]:
    triggers, candidates = _triggers(), _candidates(text)
    return tuple(reason for reason in REASONS if triggers.match(reason, text, candidates))


# So that a long text can be checked before the transaction that writes it and checks it again.
_of_long: Final = lru_cache(maxsize=64)(_reasons)


def spans(text: str) -> list[tuple[int, int, str]]:
    """Return the matches in order; a place with two reasons has the first."""
    found = []
    for reason, pattern in _patterns().items():
        found += [(each.start(), each.end(), reason) for each in pattern.finditer(text)]
    told: list[tuple[int, int, str]] = []
    for start, end, reason in sorted(found, key=lambda each: (each[0], -each[1])):
        if end > start and (not told or start >= told[-1][1]):
            told.append((start, end, reason))
    return told


def flag(text: str) -> str:
    """Return the first reason to flag a text, or ""."""
    found = reasons(text)
    return next((each for each in (SECRET, INSTRUCTION, AUTHORITY) if each in found), "")
