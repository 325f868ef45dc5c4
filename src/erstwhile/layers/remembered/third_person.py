"""Put what someone said about themselves into the third person.

Only the references to the person change (`language/<code>/third_person.py`); the rest stays.
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
    """Put the speaker's name where they say "I"."""
    words = _grammar(said)
    return words.by_name(said, name) if words else said


def statements(words: str, name: str, others: Sequence[str] = (), *, teller: str = "") -> list[str]:
    """Return the sentences about the person called `name`, in the third person. `others` are
    further names of theirs. `teller`: the name of someone else who says it, whom "I" means then."""
    found = []
    for sentence in sentences.split(words):
        said = sentence.strip(" \t-*•")
        if said:
            grammar, names = _grammar(said), (name, *others)
            if grammar:
                turned = grammar.turn(said, name, names, teller)
            else:
                turned = named(said, name, names)
            if not _END.search(turned):
                script = _by_script(turned)
                turned += script.stop if script else "."
            found.append(turned)
    return found


def _grammar(said: str) -> ThirdPerson | None:
    """Return the grammar of the language that has this script, or in Latin letters these words."""
    found = _by_script(said)
    code = "" if found else detection.dominant([said])
    return of(code).third_person if code in codes() and of(code).script == "latin" else found


def _by_script(said: str) -> ThirdPerson | None:
    script = detection.scripts(said)[0]
    if script == "latin":
        return None
    found = (each.third_person for each in languages() if each.script == script)
    return next(filter(None, found), None)
