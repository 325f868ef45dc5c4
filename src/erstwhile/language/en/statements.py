"""The structure of English statements about a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from erstwhile.language.statements import ListedItems, Statements

_VERBS: Final = (
    "is|has|was|lives|works|likes|loves|hates|dislikes|enjoys|plays|speaks|studies|owns|prefers|drives|eats|drinks|goes|wants|needs|moved"
    "|got|can|cannot|can't|doesn't|isn't|collects|reads|watches|runs|teaches|knows|uses|makes|grew|comes|came|started|quit|wears|sings|writes"
    "|cooks|travels|supports|used|never|always|no longer"
)
_JOINT: Final = re.compile(
    rf"(?:,? (?:and|but) |; )(?:(?:he|she|they) )?(?=(?:also |now )?(?:{_VERBS})\b)", re.IGNORECASE
)
_LIST: Final = re.compile(
    r"\A(?P<head>.*?\b(?:likes|loves|hates|dislikes|enjoys|plays|speaks|owns|eats|drinks|collects|has|allergic to|prefers|wants|knows) )"
    r"(?P<items>[^.!?;]+?(?:, [^.!?;]+?)*,? and [^.!?;]+?)(?P<end>[.!]?)\Z",
    re.IGNORECASE,
)


def _listed(part: str) -> ListedItems | None:
    match = _LIST.match(part)
    if not match:
        return None
    items = tuple(re.split(r",? and |, ", match["items"]))
    return ListedItems(match["head"], items, match["end"])


def _clauses(body: str, subject: str) -> list[str]:
    subject = subject or body.split(" ", 1)[0]
    pieces = _JOINT.split(body.rstrip("."))
    return [pieces[0].strip(), *(f"{subject} {piece.strip()}" for piece in pieces[1:])]


def _join(parts: Sequence[str], subject: str) -> str:
    rest = [part[len(subject) :].strip() if subject else part for part in parts[1:]]
    return " and ".join([parts[0], *rest]).rstrip(".") + "."


STATEMENTS: Final = Statements(
    word_of="According to {}, ",
    name=r"[^,\n]{1,140}",
    everything=(
        r"(?:absolutely )?(?:everything|all)"
        r"(?: (?:that )?you(?:['’]ve| have)? (?:know|remember|learned|stored|saved|been told))?"
        r"(?: (?:about|of|on) (?:me|him|her|them|myself|{names}))?"
    ),
    owned=rf"['’]s .+?(?= (?:{_VERBS})\b)",
    listed=_listed,
    clauses=_clauses,
    join=_join,
    empty_words=(
        "fact facts thing things told said tell say mention mentioned remember know about information detail part"
        " anymore i me my mine myself his her him their them our we he she they"
    ),
    states=(
        rf"\b(?:{_VERBS}|am|are|were|have|live|work|like|love|hate|prefer|play|speak|own|eat|drink|want|need)\b"
    ),
)
