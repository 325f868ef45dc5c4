"""Estimate how likely readers find a fact useful: a weighted sum of a few features of its words.

The weights are fitted to what readers said about facts (`python -m bench.usefulness`, decision 18).
"""

from __future__ import annotations

from itertools import islice
from math import log
from typing import Final

from erstwhile import language
from erstwhile.writers.extractive.judgement import Judgement

LASTING: Final = 5
TELLING: Final = 3
MOST: Final = 3  # names, or words without a referent, that are counted
BRIEF: Final = 4  # words
USUAL: Final = 10  # words
CHARACTERS: Final = 1.7  # of a script without spaces, for a word of others

# Logarithms of odds.
WEIGHTS: Final[dict[str, float]] = {
    "any": -0.33,
    "another language": 1.69,
    "body": 0.26,
    "lasting": 1.40,
    "telling": 0.55,
    "length": 2.20,
    "length of a lasting one": -0.78,
    "brief": 1.05,
    "names": 0.39,
    "speaker": 0.77,
    "own": 0.20,
    "life": 0.74,
    "answer": -0.35,
    "bare": -0.48,
    "hollow": -1.10,
    "addressed": -1.22,
    "pronoun": -0.91,
    "definite": -0.78,
    "passing": -0.70,
    "fleeting": -1.02,
}
FEWEST: Final = 0.5
"""Facts below are left out."""
FEWEST_OTHERWISE: Final = 0.0
"""The same where less is known or more is at stake: in other languages than English, of which 106
facts were judged, and for what a body can't take."""


def is_useful(text: str, aside: str, judged: Judgement) -> bool:
    found = features(text, aside, judged)
    lenient = "another language" in found or "body" in found
    score = sum(WEIGHTS[name] * value for name, value in found.items())
    return score >= (FEWEST_OTHERWISE if lenient else FEWEST)


def features(text: str, aside: str, judged: Judgement) -> dict[str, float]:
    """`judged` is of the text; `aside` is the question it answers, or who agreed to it."""
    signals = judged.signals
    strongest = max(judged.weights, default=0)
    words = len(text.split()) if judged.latin else len(text) / CHARACTERS
    names = sum(1 for _ in islice(signals.evidence.name.finditer(text), MOST))
    own = signals.own.match(text) is not None
    firm = signals.firm.search(text) is not None
    found = {
        "any": 1.0,
        "another language": judged.spoken != language.DEFAULT,
        "body": strongest > LASTING,
        "lasting": strongest >= LASTING,
        "telling": TELLING <= strongest < LASTING,
        "length": log(max(2.0, words) / USUAL),
        "length of a lasting one": log(max(2.0, words) / USUAL) if strongest >= LASTING else 0.0,
        "brief": words <= BRIEF,
        "names": names,
        "speaker": signals.speaker.match(text) is not None or (own and strongest >= LASTING),
        "own": own,
        "life": signals.life.search(text) is not None,
        "answer": bool(aside),
        "bare": judged.fragment,
        "hollow": sum(1 for _ in islice(signals.hollow.finditer(text), MOST)),
        "addressed": judged.addressed,
        "pronoun": signals.pronoun.search(text) is not None,
        "definite": not names and not firm and signals.definite.search(text) is not None,
        "passing": signals.passing.search(text) is not None,
        "fleeting": signals.fleeting.search(text) is not None,
    }
    return {name: float(value) for name, value in found.items() if value}
