"""How English sentences end and join."""

from typing import Final

from erstwhile.language.sentences import Sentences

_SAID: Final = r"(?:said|says?|saying|told|tells|asked|wrote|writes|replied|answered|goes|(?:was|were|is|are) like)"

SENTENCES: Final = Sentences(
    abbreviations="""
        mr mrs ms dr prof sr jr st mt vs etc e.g i.e eg ie cf approx dept est fig no inc ltd co
        u.s u.k a.m p.m jan feb mar apr jun jul aug sep sept oct nov dec
    """,
    can_end="etc a.m p.m inc ltd co u.s u.k",
    clauses="and|but|because|so|which",
    laughter="lol|lmao|haha|xd",
    said=rf"\b{_SAID}(?: \w{{1,20}})?[,:：，]? ?",
)
