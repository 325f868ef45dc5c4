"""Ids. The prefix tells the kind, so any id can be looked up without saying what it is.

A message's id is random and sorts by the moment it was made. A derived memory's id is a digest of
what it is derived from: making it again, on any machine, gives the same id.
"""

from __future__ import annotations

import hashlib
import os
import random
import time
from functools import lru_cache

from erstwhile.base.errors import InvalidInput

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_LENGTH = 30  # of an id
_TIMED = frozenset({"msg", "job", "req", "era"})  # made by `new`
_SHORT_OF_TIME = 14  # ten for the time, four at random
_SHORT = 8

# Seeded by the operating system, and of its own: a program may seed `random`. Asking the operating
# system for each id would let other threads have the interpreter, for a millisecond under load.
_random = random.Random()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.seed)

KINDS = {"msg": "message"}  # each layer registers its own
PREFIXES = {kind: prefix for prefix, kind in KINDS.items()}


def kinds() -> tuple[str, ...]:
    """Return "message" and every kind of memory."""
    return tuple(KINDS.values())


def register(prefix: str, kind: str) -> None:
    """Register a further kind, for a layer."""
    if KINDS.setdefault(prefix, kind) != kind:
        raise ValueError(f"Ids that begin with {prefix} are those of a {KINDS[prefix]}.")
    PREFIXES[kind] = prefix


def _base32(number: int, length: int) -> str:
    """Write a number with an even number of digits, two at a time."""
    return "".join([_PAIRS[number >> bits & 1023] for bits in range(5 * length - 10, -1, -10)])


def at_random(bits: int) -> int:
    return _random.getrandbits(bits)


def new(prefix: str) -> str:
    """Make an id of 48 bits of milliseconds and 80 random bits."""
    return f"{prefix}_{_time(time.time_ns() // 1_000_000)}{_base32(at_random(80), 16)}"


@lru_cache(1)  # many are made in one millisecond
def _time(milliseconds: int) -> str:
    return _base32(milliseconds, 10)


def last_with(prefix: str) -> str:
    """Return the last id there can be that begins with these characters."""
    return prefix.ljust(_LENGTH, _ALPHABET[-1])


def is_whole(id: str) -> bool:
    return len(id) >= _LENGTH


def abbreviated(id: str) -> str:
    """Return enough first characters of an id to name it. Ids that begin with a time need more."""
    prefix, _, rest = id.partition("_")
    return f"{prefix}_{rest[: _SHORT_OF_TIME if prefix in _TIMED else _SHORT]}" if rest else id


def short() -> str:
    """Make a short id of 60 random bits, for people to read and type."""
    return _base32(at_random(60), 12)


def derived(kind: str, *parts: str | int) -> str:
    """Derive an id from parts, with their lengths, so that ("a", "bc") and ("ab", "c") differ."""
    digest = hashlib.sha256("".join(f"{len(str(part))}:{part}" for part in parts).encode()).digest()
    return f"{PREFIXES[kind]}_{_base32(int.from_bytes(digest[:17]), 26)}"


def kind_of(id: str) -> str:
    kind = KINDS.get(id.partition("_")[0])
    if kind is None or not (id.isascii() and id.isprintable()):
        known = "Ids look like msg_…, chk_…, met_…, fct_… or str_…."
        raise InvalidInput(f"{id!r} is not a memory id. {known}")
    return kind
