"""The thread of a memory. Memories of one thread can contradict or repeat each other."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.text import analyse

# People of whom somebody has one at a time.
RELATIONS: Final = frozenset(
    (
        *("accountant", "boyfriend", "dentist", "doctor", "fiance", "girlfriend", "lawyer"),
        *("landlord", "manager", "partner", "spouse", "supervisor"),
        *("therapist", "trainer", "tutor"),
    )
)
# A person has one of each at a time, so another value ends the one before.
SINGLE: Final = RELATIONS.union(
    ("address", "age", "birthday", "diet", "email", "employer", "home", "job", "name", "phone"),
    ("relationship", "school", "timezone"),
)
LIKES, DISLIKES = TASTES = ("likes", "dislikes")
LONGEST_SLOT: Final = 40
# Slots that name a thing of which there is one: "favourite colour", "preferred calls", "role account manager".
_ONE_OF_EACH: Final = ("favourite ", "preferred ", "role ")

# What models call the same slot.
_NAMES: Final = {
    "home": ("city", "living place", "location", "place of residence", "residence"),
    "job": ("occupation", "profession"),
    "employer": ("company", "workplace"),
    "relationship": ("marital status", "relationship status"),
    "phone": ("phone number",),
    "email": ("email address",),
    "timezone": ("time zone",),
    "diet": ("diets",),
    LIKES: ("like", "loves", "enjoys"),
    DISLIKES: ("dislike", "hates"),
    "allergy": ("allergies",),
    "pet": ("pets",),
    "manager": ("boss", "line manager"),
    "landlord": ("landlady",),
    "doctor": ("gp",),
    "fiance": ("fiancé", "fiancée", "fiancee"),
    "spouse": ("husband", "wife"),
}
_SAME: Final = {name: slot for slot, names in _NAMES.items() for name in names}
_NOT_WORDS: Final = late_pattern(r"[\W_]+")


def key(text: str) -> str:
    """Return the stems of a text without stop words, or its words if nothing is left."""
    terms = analyse.query_terms(text)
    return " ".join(terms) if terms else " ".join(text.casefold().split())


def slot(written: str | None) -> str:
    """Normalise the name of a slot: lower case, single spaces, one name for synonyms."""
    plain = " ".join(_NOT_WORDS.sub(" ", (written or "").casefold()).split())[:LONGEST_SLOT].strip()
    plain = re.sub(r"^favou?rite\b", "favourite", plain)
    return _SAME.get(plain, plain)


def single(type: str, slot: str) -> bool:
    """Return whether another value in this slot contradicts the one before."""
    if not slot or type not in ("fact", "preference", "decision"):
        return False
    return type == "decision" or slot in SINGLE or slot.startswith(_ONE_OF_EACH)


def taste(type: str, slot: str) -> bool:
    return type == "preference" and slot in TASTES


def thread(owner: str, type: str, slot: str, value: str, text: str) -> str:
    """Return the thread of a memory: a short digest, since it is a key of an index."""
    if type == "todo":
        parts = ["todo"]
    elif taste(type, slot):
        parts = ["taste", key(value)]
    elif single(type, slot):
        parts = ["decision" if type == "decision" else "one", slot]
    elif slot and value:
        parts = [type, slot, key(value)]
    else:
        parts = [type, key(text)]
    said = "".join(f"{len(part)}:{part}" for part in (owner, *parts))
    return hashlib.blake2b(said.encode(), digest_size=16).hexdigest()


def value_after_edit(text: str, value: str, edited: str) -> str:
    """Return the value after an edit: what replaced it, the old one if it is still there, or all."""
    before, found, after = text.partition(value) if value else ("", "", "")
    around = edited.startswith(before) and edited.endswith(after)
    if found and around and len(edited) > len(before) + len(after):
        return edited[len(before) : len(edited) - len(after)].strip() or edited
    return value if value and value in edited else edited
