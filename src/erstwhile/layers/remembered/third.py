"""What someone said of themselves, in the third person. Plain functions.

Only who is spoken of is reworded (`language/<code>/third_person.py`), the rest stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from erstwhile.language import codes, languages, of
from erstwhile.language.third_person import ThirdPerson, named
from erstwhile.text import detection, sentences

_END: Final = re.compile(r"[.!?。！？…~]\Z")


def by_name(said: str, name: str) -> str:
    """A sentence of the one called `name`, with their name where they speak of themselves."""
    words = _by_script(said) or _by_language(said)
    return words.by_name(said, name) if words else said


def statements(words: str, name: str, others: Sequence[str] = (), *, teller: str = "") -> list[str]:
    """Each sentence about the person called `name`; `others` are further names of theirs. `teller`: the name of somebody else who says it,
    whom "I" means then."""
    found = []
    for sentence in sentences.split(words):
        said = sentence.strip(" \t-*•")
        if said:
            turned = _turned(said, name, (name, *others), teller)
            script = None if _END.search(turned) else _by_script(turned)
            found.append(turned if _END.search(turned) else turned + (script.stop if script else "."))
    return found


def _turned(said: str, name: str, names: Sequence[str], teller: str) -> str:
    words = _by_script(said) or _by_language(said)
    return words.turn(said, name, names, teller) if words else named(said, name, names)


def _by_script(said: str) -> ThirdPerson | None:
    """Where one script means one language."""
    script = detection.scripts(said)[0]
    found = (each.third_person for each in languages() if each.has("third_person") and each.script == script != "latin")
    return next(filter(None, found), None)


def _by_language(said: str) -> ThirdPerson | None:
    """Of those in Latin letters, which share their script."""
    code = detection.dominant([said])
    return of(code).third_person if code in codes() and of(code).script == "latin" else None
