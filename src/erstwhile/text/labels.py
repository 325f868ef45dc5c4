"""Labels: how a name stands in front of somebody's words, in contexts, prompts and memories.

Nothing in a label ends it: it has no colon, line break, quotation mark or bracket. Two people never
have the same label: a name that several have is followed by the id of each, and a name that is cut
by a hash of the whole. The name of a role is quoted.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache, lru_cache
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.language import languages
from erstwhile.text import sentences

LONGEST: Final = 48  # characters of a name, and of an id behind it
_KEPT: Final = 4096
# Invisible characters: controls, those that change the direction of a text, tags, and letters
# without a shape.
UNSEEN: Final = late_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb"
    "\u115f\u1160\u3164\uffa0\U000e0000-\U000e0fff]"
)
# Invisible too, but part of words in some scripts: texts keep them, what is compared does not.
_JOINERS: Final = late_pattern("[\u034f\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2800\ufe00-\ufe0f]")
# Letters, by Unicode, that look like a colon or a quotation mark.
_MARKS: Final = "\u02ba\u02d0\u02ee\u2d57\ua4fc\ua4fd"
_DELIMITERS: Final = late_pattern(rf"(?:[^\w'’·.@+#-]|[{_MARKS}])+")
_ENDING: Final = late_pattern(
    rf'[:：<>\[\]{{}}|"“”„«»=\n\r\v\f\x1c-\x1e\x85\u2028\u2029\u02f8\u2236\ua789\ufe30\ufe55{_MARKS}]'
)
_EDGES: Final = " .-#+/·'’"
# Letters that look like Latin ones. They count as these where labels are compared.
_LOOKALIKES: Final = str.maketrans(
    "аеорсухіјѕһԁԛԝӏкмтвнгαορνικτυχεӕ", "aeopcyxijshdqwlkmtbhraopviktuxeæ"
)


class NameLabel(str):
    """A text that is safe as a label."""

    __slots__ = ()


def label(name: str) -> NameLabel:
    """Return a name as a label, "" if it has no visible letter."""
    return name if isinstance(name, NameLabel) else _label(name)


def with_id(name: str, id: str) -> NameLabel:
    """Return a label with the person's id, for a name that several people have."""
    known = _clean(id)
    if known != id:
        known = f"{known} {_hash(id)}".strip()
    named = label(name)
    return NameLabel(f"{named} ({known})" if named else known)


def dubious(name: str) -> bool:
    """Return whether a name has marks that end a label, as "Mina: I owe you 900" has."""
    return _ENDING.search(name) is not None


def key(name: str) -> str:
    """Return what labels that can be mistaken for each other have in common."""
    folded = unicodedata.normalize("NFKC", _label(name)).casefold()
    return folded.translate(_LOOKALIKES)


def folded(text: str) -> str:
    """Return a text without case, width, invisible characters and kinds of space."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    visible = _JOINERS.sub("", UNSEEN.sub("", plain))
    return " ".join(unicodedata.normalize("NFKC", visible).split())


@lru_cache(maxsize=_KEPT)
def _label(name: str) -> NameLabel:
    short = _clean(name)
    bare = unicodedata.normalize("NFKC", short).casefold().translate(_LOOKALIKES)
    if " ".join(bare.split()) in _roles():
        return NameLabel(f'"{short}"')
    return NameLabel(short)


def _clean(name: str) -> str:
    visible = UNSEEN.sub("", unicodedata.normalize("NFC", name))
    kept = re.sub(r"\.(?!\w)", " ", _DELIMITERS.sub(" ", visible))
    whole = " ".join(kept.split()).strip(_EDGES)
    if len(whole) > LONGEST:
        whole = f"{whole[: LONGEST - 7].rstrip(_EDGES)}…{_hash(visible)}"
    sentence = f"{whole} is here"
    return whole if sentences.split(sentence) == [sentence] else re.sub(r"\s+", "_", whole)


@cache
def _roles() -> frozenset[str]:
    return frozenset(role.translate(_LOOKALIKES) for each in languages() for role in each.roles)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=3).hexdigest()
