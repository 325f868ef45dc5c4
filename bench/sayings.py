"""Synthetic chat with the word frequencies of real text: a few words all the time, most words almost never (Zipf's law).

The messages of a channel are the same every time and on every machine. Only the standard library is needed, because the peers' own
environment reads this too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path

CHANNEL = 500  # messages in a channel

_VOCABULARY = 40_000
_NAMES = 300
_ONSETS = re.findall(r"\w+", "b bl br c ch d dr f fl g gr h j k l m n p pl pr qu r s sh sl st t tr v w y z")
_VOWELS = re.findall(r"\w+", "a e i o u ai ea ee oo ou")
_CODAS = ["", "", *re.findall(r"\w+", "n r s t l m ck nd ng st rt sh")]

# _ is a word by Zipf's law, @ a name. What stands around them are the words that every text is full of.
_SENTENCES = [
    "I _ the _ with @ and then we had to _ it",
    "do you know if the _ is _ or should I ask @",
    "@ told me that her _ was _ because of the _ in _",
    "we are going to the _ on _ so bring your _",
    "it was not as _ as I thought, but the _ helped",
    "my _ and I _ a _ near the _ last week",
    "that is what @ said about the _ when they _ it",
    "can you _ the _ before @ comes back from _",
    "there is a _ _ in the _, it looks like a _ to me",
    "no, I never _ the _ again after what happened to @",
    "yes, _ would be _ for that",
    "so I have been _ a lot of _ since we talked about _ and _",
]
_QUESTIONS = [
    "what did @ say about the ?",
    "when did @ _ the ?",
    "where is the _ that @ and I talked about, the ?",
    "who has the ?",
    "did we ever _ a ? with @",
    "which ? was @ looking for",
    "how was the _ ?",
    "why did @ not like my _ and the ?",
]
_RARE = (1_500, 25_000)  # the ranks that a question's own word is drawn from


def channel(number: int) -> list[str]:
    """The messages of one channel: 5 to 40 words each."""
    chance = random.Random(f"channel {number}")
    return [message(chance) for _ in range(CHANNEL)]


def message(chance: random.Random) -> str:
    """One message of 5 to 40 words."""
    words: list[str] = []
    wanted = chance.randint(5, 40)
    while len(words) < wanted:
        words += _filled(chance.choice(_SENTENCES), chance).split()
    return " ".join(words[:wanted])


def questions(count: int) -> list[str]:
    """3 to 10 words or so, common ones and a rare one, as questions are."""
    chance = random.Random("questions")
    asked = []
    for _ in range(count):
        rare = _vocabulary()[chance.randrange(*_RARE)]
        asked.append(_filled(chance.choice(_QUESTIONS), chance).replace("?", rare))
    return asked


def _filled(template: str, chance: random.Random) -> str:
    slots = template.count("_")
    common = iter(chance.choices(_vocabulary(), cum_weights=_frequencies(_VOCABULARY), k=slots))
    names = iter(chance.choices(_names(), cum_weights=_frequencies(_NAMES), k=template.count("@")))
    return "".join(next(common) if each == "_" else next(names) if each == "@" else each for each in template)


@cache
def _frequencies(count: int) -> list[float]:
    """Zipf and Mandelbrot: the word of rank r comes up 1 / (r + 2.7) ^ 1.05 times."""
    return list(accumulate(1 / (rank + 2.7) ** 1.05 for rank in range(1, count + 1)))


@cache
def _vocabulary() -> list[str]:
    real = (Path(__file__).parent / "words.txt").read_text().split()[15:]  # before that, words the templates have
    return list(dict.fromkeys([*real, *_made_up(random.Random("words"), 2 * _VOCABULARY)]))[:_VOCABULARY]


@cache
def _names() -> list[str]:
    return [word.capitalize() for word in _made_up(random.Random("names"), _NAMES)]


def _made_up(chance: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        syllables = chance.choices((1, 2, 3, 4), weights=(1, 6, 8, 2))[0]
        yield "".join(chance.choice(_ONSETS) + chance.choice(_VOWELS) + chance.choice(_CODAS) for _ in range(syllables))
