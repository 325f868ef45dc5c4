"""Korean sentences in the third person. Only words for the person change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from erstwhile.language.third_person import ThirdPerson

_FIRST: Final = re.compile(
    r"\A(?:(?P<topic>나는|저는|난|전|나)\s+|(?P<subject>내가|제가)\s+|(?P<object>나를|저를|날|절)\s+|(?P<own>나의|저의|내|제)\s+|(?P<too>나도|저도)\s+)"
)


def _turn(said: str, name: str, names: Sequence[str], teller: str) -> str:
    if teller:
        said = _of_teller(said, teller)
    first = _FIRST.match(said) if not teller else None
    if first is None:
        named = any(each and each in said for each in names)
        return said if named else f"{name}{_after(name, '은', '는')} {said}"
    rest = said[first.end() :]
    which = first.lastgroup
    own = {"own": "의", "too": "도"}
    endings = {"topic": ("은", "는"), "subject": ("이", "가"), "object": ("을", "를")}
    particle = own.get(which or "") or _after(name, *endings[which or "topic"])
    return f"{name}{particle} {rest}"


def _of_teller(said: str, teller: str) -> str:
    for pattern, particle in (
        ("나는|저는|난|전", _after(teller, "은", "는")),
        ("내가|제가", _after(teller, "이", "가")),
        ("나를|저를|날|절", _after(teller, "을", "를")),
        ("나의|저의|내|제", "의"),
        ("나도|저도", "도"),
        ("나와|저와", _after(teller, "과", "와")),
        ("나랑|저랑", _after(teller, "이랑", "랑")),
        ("나한테|저한테|내게|제게|나에게|저에게", "에게"),
        ("나보다|저보다", "보다"),
    ):
        word = teller + particle
        said = re.sub(rf"(?<!\S)(?:{pattern})(?=\s)", word.replace("\\", r"\\"), said)
    return said


def _after(name: str, closed: str, open: str) -> str:
    """Return the particle that fits the last sound of a name."""
    last = name[-1:]
    if "가" <= last <= "힣":
        return closed if (ord(last) - 0xAC00) % 28 else open
    return open if last.lower() in "aeiouyw" else closed


THIRD_PERSON: Final = ThirdPerson(turn=_turn, by_name=_of_teller)
