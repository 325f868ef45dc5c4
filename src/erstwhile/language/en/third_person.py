"""English sentences in the third person. Only words for the person change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from erstwhile.language import of
from erstwhile.language.third_person import ThirdPerson, named

_MODAL: Final = """
    can could will would shall should may might must cannot can't couldn't won't wouldn't shouldn't mustn't was wasn't had hadn't did didn't
    used ought
"""
_PAST_FORMS: Final = "bought brought cut got had hurt let put quit read set split spread was were"
_PRESENT_IN_ED: Final = "need feed speed breed seed weed heed shred embed proceed succeed"
_ADVERB: Final = """
    also always never often just still now currently really usually sometimes rarely seldom already even only both mostly mainly recently
    finally no longer actually generally probably definitely absolutely totally kinda soon first once
"""
_VERBS: Final = """
    is has was does goes isn't hasn't wasn't doesn't can can't cannot will won't would could should must had likes loves hates lives works
    prefers enjoys dislikes plays speaks studies owns wants needs moved got grew comes came knows uses eats drinks drives never always
    also still no used
"""
_AFTER_IS: Final = "allergic from afraid single married engaged divorced vegan vegetarian born fluent interested a an in"
_MODALS: Final = frozenset(_MODAL.split())
_PAST: Final = frozenset(_PAST_FORMS.split())
_ED_BUT_PRESENT: Final = frozenset(_PRESENT_IN_ED.split())
_ADVERBS: Final = frozenset(_ADVERB.split())
_WITHOUT_SUBJECT: Final = frozenset(_VERBS.split())
_PREDICATE: Final = frozenset(_AFTER_IS.split())
_TURNED: Final = {
    "am": "is", "'m": "is", "’m": "is", "have": "has", "'ve": "has", "’ve": "has", "do": "does", "go": "goes", "don't": "doesn't",
    "don’t": "doesn't", "haven't": "hasn't", "ain't": "isn't", "'ll": "will", "’ll": "will", "'d": "would", "’d": "would", "be": "is",
    "are": "is", "were": "was", "aren't": "isn't", "'re": "is", "’re": "is",
}  # fmt: skip
_FIRST: Final = re.compile(r"\A(?:i|i['’]m|i['’]ve|i['’]ll|i['’]d)\b", re.IGNORECASE)
_OTHERS: Final = re.compile(
    r"\A(?P<who>he|she|they|we)(?P<short>['’](?:s|re|ve|ll|d))?\s+", re.IGNORECASE
)
_POSSESSIVE: Final = re.compile(r"\A(?:my|his|her|their|our)\s+", re.IGNORECASE)
_LATER: Final = (
    (r"\b[Ii] am\b|\bI['’]m\b", "they are"), (r"\b[Ii] was\b", "they were"), (r"\bI['’]ve\b", "they have"), (r"\bI['’]ll\b", "they will"),
    (r"\bI['’]d\b", "they would"), (r"\bI\b", "they"), (r"\bmyself\b", "themselves"), (r"\bmine\b", "theirs"), (r"\b[Mm]y\b", "their"),
    (r"\bme\b", "them"),
)  # fmt: skip
# "Bob and I are …" is about both; otherwise the verb after "I" is singular.
_TOGETHER: Final = re.compile(r"\A(?P<with>\S+ and )I\b(?!['’])|\AI(?= and )", re.IGNORECASE)
_I: Final = re.compile(r"(?:\bI\b|\Ai\b)\s*(?P<rest>(?:['’](?:m|ve|ll|d)|[a-z]\S*)[^,;.]*)")
_OWN_THING: Final = re.compile(
    r"\A(?:fav(?:ou?rite)? \w|(?:name|nickname|birthday|age|email|phone(?: number)?|address|job|employer|diet|time ?zone)\b)",
    re.IGNORECASE,
)
# The same subject again: "I'm vegan and I live in Leeds".
_AND_I: Final = re.compile(r"(?<= and )I(?:(?=['’](?:m|ve)\b)| )")
# After "and", a verb with the same "I".
_AND: Final = re.compile(
    r"(?<= and )(?:am|['’]m|['’]ve|have|do|go|live|work|like|love|hate|dislike|enjoy|play|speak|study|own|prefer|drive|eat"
    r"|drink|want|need|collect|read|watch|run|teach|know|use|make|come|wear|sing|write|cook|travel|support|don['’]t)\b"
)


def _turn(said: str, name: str, names: Sequence[str], teller: str) -> str:
    if teller:
        said = _of_teller(said, teller)
    elif _FIRST.match(said):
        return _later(_of_oneself(said, name))
    later = str if teller else _later
    possessive = _POSSESSIVE.match(said)
    if possessive and not (teller and said.lower().startswith("our")):
        return later(f"{name}'s {said[possessive.end() :]}")
    other = _OTHERS.match(said)
    if other and other["who"].lower() != "we":
        rest = (other["short"] or "") + " " + said[other.end() :]
        short = {"'s": "is", "’s": "is"}.get(other["short"] or "")
        if short:
            return later(f"{name} {short} {said[other.end() :]}")
        return later(_with_verb(name, rest.strip()))
    if _OWN_THING.match(said):
        return later(f"{name}'s {said[0].lower()}{said[1:]}")
    first, *rest_words = said.split(" ", 1)
    low = first.lower()
    own = (rf"{re.escape(each)}(?:['’]s)?\b" for each in names if each)
    if any(re.match(each, said, re.IGNORECASE) for each in own):
        return later(said)
    if (first.islower() or low in _WITHOUT_SUBJECT) and not (teller and said.startswith(teller)):
        verb = low in _WITHOUT_SUBJECT or low in of("en").irregular
        if verb or (re.fullmatch(r"[a-z]{2,}(?:[^s]s|ed)", low) and rest_words):
            return later(f"{name} {low} {' '.join(rest_words)}".rstrip())
        if low in _PREDICATE:
            return later(f"{name} is {low} {' '.join(rest_words)}".rstrip())
    return named(later(said), name, names)


def _of_oneself(said: str, name: str) -> str:
    """Remove the "I" at the start; "I and Bob are", "I, Alice, am"."""
    together = re.match(r"i and (?!am\b|i\b)", said, re.IGNORECASE)
    if together:
        return f"{name} and {said[together.end() :]}"
    aside = re.match(r"i, (?P<aside>[^,]+), (?P<rest>\S.*)", said, re.IGNORECASE)
    if aside:
        called = name
        if aside["aside"].casefold() != name.casefold():
            called = f"{name}, {aside['aside']},"
        return _with_verb(called, aside["rest"])
    rest = re.sub(r"\A[Ii]\s*", "", said)
    again = _AND_I.sub("", rest)
    return _with_verb(name, again if _AND.search(again) else rest)


def _of_teller(said: str, teller: str) -> str:
    """Replace "I" by the speaker's name."""
    for short, whole in (("m", "is"), ("ve", "has"), ("ll", "will"), ("d", "would")):
        said = re.sub(rf"\bI['’]{short}\b", f"{teller} {whole}", said)
    said = _TOGETHER.sub(lambda found: f"{found['with']}{teller}", said)
    said = _I.sub(lambda found: _with_verb(teller, found["rest"]), said)
    for pattern, instead in (
        (r"\bmyself\b|\bme\b", teller),
        (r"\bmine\b|\bmy own\b|\b[Mm]y\b", f"{teller}'s"),
        (r"\bI\b", teller),
    ):
        said = re.sub(pattern, lambda _found, instead=instead: instead, said)  # type: ignore[misc]
    return said


def _later(said: str) -> str:
    """Replace later words for oneself."""
    for pattern, instead in _LATER:
        said = re.sub(pattern, instead, said)
    return said


def _with_verb(name: str, rest: str) -> str:
    """Conjugate the verb after "I" for a name; adverbs are skipped."""
    words = rest.split(" ")
    for place, word in enumerate(words):
        low = word.lower().strip(",")
        if low in _ADVERBS or (
            low.endswith("ly") and len(low) > 4 and low not in ("rely", "apply", "supply", "reply")
        ):
            continue
        words[place] = _conjugated(word)
        break
    return f"{name} {_AND.sub(lambda verb: _conjugated(verb[0]), ' '.join(words))}"


def _conjugated(verb: str) -> str:
    bare = verb.rstrip(".,!")
    low, end = bare.lower(), verb[len(bare) :]
    if low in _TURNED:
        return _TURNED[low] + end
    past = low in of("en").irregular or low in _PAST
    past = past or (low.endswith("ed") and low not in _ED_BUT_PRESENT)
    third = low.endswith("s") and not low.endswith("ss")
    if past or third or low in _MODALS or not low.isalpha():
        return verb
    if re.search(r"[^aeiou]y\Z", low):
        return f"{bare[:-1]}ies{end}"
    return f"{bare}{'es' if low.endswith(('s', 'x', 'z', 'ch', 'sh', 'o')) else 's'}{end}"


THIRD_PERSON: Final = ThirdPerson(turn=_turn, by_name=_of_teller)
