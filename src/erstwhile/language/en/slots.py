"""Slots of English statements in the third person."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from erstwhile.language.en.calendar import MONTHS
from erstwhile.language.slots import Slots, SlotValue, first

_ADVERB: Final = r"(?:(?:now|currently|just|recently|finally|actually|still|already|also|really|always|absolutely) )*"
_MONTH: Final = "|".join(MONTHS) + "|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
# What to remove from a value: when, why and how much.
_TAIL: Final = (
    r"(?: (?:because|since|when|although|though|so|last|this|next|these days|any ?more|too|very much|a lot|now|again|with|for|on|until"
    rf"|in (?:the )?\d{{4}}|in (?:{_MONTH})|\w+ (?:years?|months?|weeks?) ago)\b.*)?"
)
# A place with a name: whoever moved to a new flat may still live in the same town.
_PLACE: Final = (
    r"(?!(?:an?|my|our|his|her|their|another|different|the same|the new|new)\b)(?P<value>[^.!?;]+?)"
)
_FIRM: Final = (
    r"(?!(?:night|nights|home|least|once|weekends?|my own|myself|the moment)\b)(?P<value>[^.!?;]+?)"
)
_THING: Final = r"(?P<value>[^.!?;]+?)"
_WORK: Final = (
    "accountant|actor|actress|analyst|architect|artist|baker|barista|bartender|carpenter|chef|consultant|cook|dentist|designer|developer"
    "|doctor|driver|electrician|engineer|farmer|firefighter|freelancer|gardener|hairdresser|journalist|lawyer|lecturer|librarian|mechanic"
    "|midwife|musician|nurse|paramedic|pharmacist|photographer|physicist|pilot|plumber|police officer|professor|programmer|psychologist"
    "|researcher|scientist|soldier|student|surgeon|teacher|therapist|translator|tutor|vet|waiter|waitress|welder|writer"
)
_DIETS: Final = "vegan|vegetarian|pescatarian|gluten[- ]free|lactose intolerant"
_STATUS: Final = r"(?:single|married|engaged(?! in\b| with\b)|divorced|widowed)(?![-\w])"
_OWN: Final = "name|age|birthday|email(?: address)?|phone(?: number)?|address|time ?zone|job|occupation|profession|employer|diet"

# The first match counts.
_RULES: Final = tuple(
    (slot, over, re.compile(pattern, re.IGNORECASE))
    for slot, over, pattern in (
        (
            "home",
            True,
            rf"(?:no longer lives|used to live|lived|doesn['’]t live) in {_PLACE}{_TAIL}$",
        ),
        (
            "home",
            False,
            rf"{_ADVERB}(?:is )?{_ADVERB}(?:lives|living|based|settled|(?:has )?moved|relocated)(?: back)? ?(?:in|to) {_PLACE}{_TAIL}$",
        ),
        (
            "employer",
            True,
            rf"(?:no longer works|used to work|doesn['’]t work) (?:at|for) {_FIRM}{_TAIL}$",
        ),
        (
            "employer",
            False,
            rf"{_ADVERB}(?:is )?(?:works|working|started(?: working)?|got a job) (?:at|for) {_FIRM}{_TAIL}$",
        ),
        (
            "job",
            False,
            rf"{_ADVERB}(?:is )?(?:works|working) as an? {_THING}(?: (?:at|for|in) .+)?$",
        ),
        (
            "job",
            False,
            rf"is {_ADVERB}an? (?P<value>(?:[\w-]+ )?(?:{_WORK}))(?: (?:at|for|in) .+)?$",
        ),
        (
            "name",
            False,
            rf"(?:is called|goes by|is named|prefers to be called) (?:the name )?{_THING}{_TAIL}$",
        ),
        ("age", False, r"(?:is|(?:just |recently )?turned) (?P<value>\d{1,3})(?: years old)?$"),
        ("relationship", False, rf"(?:is {_ADVERB}|got )(?P<value>{_STATUS}).*$"),
        (
            "diet",
            True,
            rf"(?:is no longer|is not|isn['’]t|stopped being) (?:an? )?(?P<value>{_DIETS})$",
        ),
        (
            "diet",
            False,
            rf"(?:is|became|went|turned|has become|has gone) {_ADVERB}(?:an? )?(?:strict )?(?P<value>{_DIETS})$",
        ),
        ("likes", True, rf"(?:no longer (?:likes|loves|enjoys)|stopped liking) {_THING}{_TAIL}$"),
        ("likes", True, r"doesn['’]t (?:like|love|enjoy) (?P<value>[^.!?;]+?) any ?more$"),
        (
            "dislikes",
            False,
            rf"{_ADVERB}(?:dislikes|hates|detests|can['’]t stand|doesn['’]t(?: really)? (?:like|enjoy)) {_THING}{_TAIL}$",
        ),
        ("likes", False, rf"{_ADVERB}(?:likes|loves|enjoys|adores) {_THING}{_TAIL}$"),
    )
)
_OWNED: Final = (
    re.compile(
        rf"['’]s (?:new |current )?(?P<what>{_OWN}) is (?:now )?(?:on )?(?:the )?{_THING}{_TAIL}$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"['’]s (?:new |all-time |absolute )?(?P<what>fav(?:ou?rite)? [\w ]{{2,30}}?) (?:is|are) (?:now )?{_THING}{_TAIL}$",
        re.IGNORECASE,
    ),
)


_PREFERRED: Final = re.compile(
    r"(?:now |still )?prefers (?P<what>(?:[a-z]{3,14} )?[a-z]{3,14}) "
    r"(?P<value>(?:(?:on|in the|at|before|after|every|by|over|via) )[^.!?;]{2,40}?)(?: now)?$",
    re.IGNORECASE,
)


def _find(rest: str) -> SlotValue | None:
    preferred = _PREFERRED.match(rest)
    if preferred:
        slot = f"preferred {preferred['what'].lower()}"
        return SlotValue(slot, over=False, value=preferred["value"])
    for pattern in _OWNED:
        match = pattern.match(rest)
        if match:
            what = re.sub(r"^fav(?:ou?rite)? ", "favourite ", match["what"].lower())
            return SlotValue(re.sub(r"(col|flav)our", r"\1or", what), False, match["value"])
    return first(_RULES, rest)


def _assertion(said: str, undenied: Callable[[str], str]) -> tuple[str, ...]:
    plain = re.sub(
        r"\bany ?more\b|\b(?:still|really|at all)\b", "", undenied(said), flags=re.IGNORECASE
    )
    return (re.sub(r"\bhas\b", "have", plain, flags=re.IGNORECASE),)


SLOTS: Final = Slots(
    find=_find,
    assertion=_assertion,
    by_terms=True,
    besides=(
        r"\b(?:also|as well|too|sometimes|often|part[- ]time|seasonally|temporarily|otherwise|during|every|half|most of|at weekends"
        r"|(?:on|in) (?:the )?(?:weekends?|week ?days?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|winters?|summers?|spring|autumn|fall"
        r"|evenings?|mornings?|afternoons?))\b"
    ),
    several=r"\b(?:and|but)\b",
    birthday=rf"\b(?:{_MONTH})\b",
    no_value={
        "name": (
            "(?i:pronounced|mispronounced|spell?ed|spelt|misspell?ed|written|said|short|long|hard|difficult|easy|common"
            "|rare|often|usually|not|an?|the|from|of|after|very|so|really|quite)"
        ),
        "job": "hard|boring|fun|great|good|bad|stressful|tiring|fine|okay|nice|important|not|very|so|really|quite",
    },
)
