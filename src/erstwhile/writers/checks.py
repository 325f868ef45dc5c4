"""Refuse answers of a model that are no memories, and leave out what the messages do not bear out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from erstwhile.base.errors import UngroundedAnswer
from erstwhile.base.later import late_pattern
from erstwhile.text import analyse, sentences
from erstwhile.writers import transcript
from erstwhile.writers.grounding import CitedMessages, names, unborne
from erstwhile.writers.port import TranscriptLine, TypedNote

Lines = Sequence[TranscriptLine]

BEFORE: Final = 3  # messages before the cited one that a memory may draw on
_TRIED: Final = 3  # messages of a chunk that a fact without a source is compared with
_GRAM, _LOOPS = 8, 4  # words of a phrase, and how often a loop repeats it at least
_LOOPING: Final = 0.3  # the share of an answer that its repeated phrases take
_COPIED: Final = 0.5  # the share of an answer's lines that are copied, from which it is an echo
_LONG: Final = 20  # letters, from which a copied line is no coincidence
_QUOTED: Final = 4  # letters of the shortest quote; one of Chinese, Japanese or Korean counts twice
_CJK: Final = "\u2e80"
_ELLIPSIS: Final = late_pattern(r"…|\.\.\.")
_KEPT: Final = 0.5  # the share of a summary's sentences that must be borne out
_MARKERS: Final = late_pattern(
    r"(?<!=)={3,}+ ?/?[A-Z_]{4,} ?={3,}|\b(?:END_)?(?:EXISTING_SUMMARY|NEW_TURNS)\b|</?(?:conversation|messages?|think|summary)>"
    r"|<\|[^|\n]{1,40}\|>|\[/?INST\]|^#{1,6} (?:Instruction|Response)",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED: Final = late_pattern(r"^\s*(?:[-*•]\s*)?(?:\[[^\]\n]{0,40}\]\s*)?#\d+\s")


def check_prose(answer: str, material: str, prompt: str) -> str:
    """Return the answer, or raise why it is none: it loops, copies, or has our markers in it."""
    wrong, rows = "", [row for row in answer.splitlines() if row.strip()]
    if _MARKERS.search(answer) and not _MARKERS.search(_plain_material(material)):
        wrong = "The model left marks of the prompt in its answer."
    elif loops(answer, material):
        wrong = "The model repeats itself."
    elif rows and sum(echoes(row, material, prompt) for row in rows) >= _COPIED * len(rows):
        wrong = "The model copied the messages or the prompt instead of answering."
    if wrong:
        raise UngroundedAnswer(f"{wrong} Choose a larger model.")
    return answer


def loops(answer: str, material: str) -> bool:
    """Return whether phrases that are repeated again and again, though not in the material, take a
    good part of an answer."""
    grams, said = _grams(answer), _grams(material)
    often = ((gram, count) for gram, count in grams.items() if count >= _LOOPS)
    repeated = sum(count for gram, count in often if count > 2 * said[gram])
    return repeated > _LOOPING * max(1, sum(grams.values())) and repeated >= 2 * _LOOPS


def _grams(text: str) -> Counter[tuple[str, ...]]:
    """Count the phrases of a text, none across the end of a clause; of scripts without spaces, of letters."""
    unit = r"\w" if len(text.split()) < len(text) / 20 else r"\w+"
    found: Counter[tuple[str, ...]] = Counter()
    for clause in re.split(r"[;.!?。！？\n]", text.casefold()):
        words = re.findall(unit, clause)
        starts = range(max(bool(words), len(words) - _GRAM + 1))
        found.update(tuple(words[at : at + _GRAM]) for at in starts)
    return found


def echoes(row: str, material: str, prompt: str) -> bool:
    """Return whether a line of an answer is a line of the transcript, with its label, or of the
    prompt."""
    letters = _letters(row)
    if len(letters) >= _LONG and letters in _letters(prompt):
        return True
    if _NUMBERED.match(row):
        return True
    said = (_letters(each) for each in material.splitlines() if ":" in each)
    return len(letters) >= _LONG and letters in said


def borne_facts(answer: str, lines: Lines) -> tuple[str, int]:
    """Return the bullets that a message bears out, and how many were left out."""
    rows = [row for row in answer.splitlines() if row.strip()]
    said = transcript.render(lines)
    kept = [row for row in rows if not echoes(row, said, "") and _borne(_bare(row), lines)]
    if rows and not kept:
        why = f"No message bears out any of the {len(rows)} facts of the model."
        raise UngroundedAnswer(f"{why} Choose a larger model.")
    return "\n".join(kept), len(rows) - len(kept)


def borne_notes(noted: Sequence[TypedNote], lines: Lines) -> tuple[tuple[TypedNote, ...], int]:
    """Return the memories that the message they name, or the one they quote, bears out; and how many were left out."""
    kept = []
    for each in noted:
        place = quoted(each.quote, lines, each.message)
        if place and not unborne(each.text, around(place, lines)):
            kept.append(replace(each, message=place))
    if noted and not kept:
        why = f"No message bears out any of the {len(noted)} memories of the model."
        raise UngroundedAnswer(f"{why} Choose a larger model.")
    return tuple(kept), len(noted) - len(kept)


def borne_summary(summary: str, lines: Lines) -> tuple[str, int]:
    """Return a summary without the sentences whose names or numbers no message has."""
    if not lines:
        return summary, 0
    people = frozenset(each.speaker for each in lines)
    evidence = CitedMessages(lines, (), people, joint=True)
    told = sentences.split(summary)
    kept = [each for each in told if unborne(each, evidence) not in ("name", "number", "person")]
    if len(kept) == len(told):
        return summary, 0
    if len(kept) < _KEPT * len(told):
        raise UngroundedAnswer("The summary names what no message does. Choose a larger model.")
    return " ".join(kept), len(told) - len(kept)


def borne_text(text: str, sources: Sequence[str], name: str) -> tuple[str, int]:
    """Return a text about one person without the sentences whose names or numbers none of its sources has."""
    return borne_summary(text, [TranscriptLine(name, each) for each in sources if each])


def quoted(quote: str | None, lines: Lines, message: int) -> int:
    """Return the number of the message that has the quote: the named one if it has, 0 if none has.
    None: the answer had no place for a quote, as that of a server without schemas."""
    if quote is None:
        return message
    parts = [_letters(part) for part in _ELLIPSIS.split(quote)]
    if not any(parts):
        return 0
    has = [number for number, line in enumerate(lines, start=1) if _has(_letters(line.text), parts)]
    return message if message in has else (has or [0])[0]


def _has(said: str, parts: Sequence[str]) -> bool:
    """Return whether a message has these words, in their order. A quote of a letter or two says
    nothing."""
    size = sum(2 if each >= _CJK else 1 for part in parts for each in part)
    if size < _QUOTED and said != "".join(parts):
        return False
    place = 0
    for part in parts:
        found = said.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def around(message: int, lines: Lines) -> CitedMessages:
    """Return a message, by its number, as evidence, with the few before it."""
    people = frozenset(each.speaker for each in lines)
    cited, before = lines[message - 1 : message], lines[max(0, message - 1 - BEFORE) : message - 1]
    return CitedMessages(cited, before, people)


def _borne(fact: str, lines: Lines) -> bool:
    wanted = set(analyse.query_terms(fact))
    said = (analyse.terms(f"{each.speaker}\n{each.text}") for each in lines)
    shared = [len(wanted.intersection(each)) for each in said]
    likely = sorted(range(len(lines)), key=lambda place: -shared[place])[:_TRIED]
    if any(not unborne(fact, around(place + 1, lines)) for place in likely):
        return True
    # It may join what several messages say: of those whom it names.
    people = frozenset(each.speaker for each in lines)
    about = {name for name in people if names(name, fact)} or people
    joined = [lines[place] for place in sorted(likely) if lines[place].speaker in about]
    return len(joined) > 1 and not unborne(fact, CitedMessages(joined, (), people))


def _bare(row: str) -> str:
    return re.sub(r"^\s*(?:[-*•–—・]|\d+[.)])\s*", "", row)


def _letters(text: str) -> str:
    return "".join(each for each in analyse.folded(text) if each.isalnum())


def _plain_material(material: str) -> str:
    """Return what people said, without the fences around it."""
    return "\n".join(row for row in material.splitlines() if ": " in row or row.startswith("  "))
