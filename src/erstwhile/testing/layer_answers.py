"""Default answers to the prompts of the layers days, notes, remembered and profiles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from html import unescape as _plain
from textwrap import shorten
from typing import Any

from erstwhile.testing.calls import Call

_CONVERSATION = re.compile(r'<conversation id="(\d+)">\n(.*?)\n</conversation>', re.DOTALL)
_PERSON = re.compile(r'<person id="([^"]*)" name="([^"]*)"[^>]*/>')
_MESSAGE = re.compile(r"<author_id>(.*?)</author_id>.*?<content>(.*?)</content>", re.DOTALL)
_DAY = re.compile(r'<day date="([^"]*)">(.*?)</day>', re.DOTALL)
_FIRST_WORDS = 8


def _days(asked: str) -> dict[str, Any]:
    """Of each who spoke, how the messages begin."""
    found: list[dict[str, object]] = []
    for number, inside in _CONVERSATION.findall(asked):
        names = {_plain(id): _plain(name) for id, name in _PERSON.findall(inside)}
        said: dict[str, list[str]] = {}
        for author, content in _MESSAGE.findall(inside):
            begins = " ".join(_plain(content).split()[:_FIRST_WORDS])
            said.setdefault(_plain(author), []).append(begins)
        for id, texts in ((id, texts) for id, texts in said.items() if id in names):
            summary = f"{names[id]} said: {'; '.join(texts)}."
            found.append({"conversation": int(number), "person": id, "summary": summary})
    return {"days": found}


def _week(asked: str) -> dict[str, Any]:
    days = _DAY.findall(asked)
    return {"week": f"{days[0][0]} to {days[-1][0]}: {' '.join(_plain(text) for _, text in days)}"}


def _portrait(asked: str) -> dict[str, Any]:
    parts = [
        re.search(rf"<{tag}>(.*?)</{tag}>", asked, re.DOTALL)
        for tag in ("facts", "today", "history")
    ]
    said = " ".join(_plain(part[1]) for part in parts if part and part[1])
    return {"portrait": f"In all: {said}"}


_NUMBERED_MESSAGE = re.compile(
    r'<message number="(\d+)" timestamp="[^"]*" author_id="([^"]*)" author="([^"]*)">([^<]*)</message>'
)
_NOTE = re.compile(r'<note number="(\d+)"><date>[^<]*</date><title>([^<]*)</title>')
_WANTED = re.compile(r"Make (\d+)(?: to (\d+))? topics")
_STATED = (
    ("bio", "home", r"\bI (?:live in|moved to) ([A-Z]\w+)", "{0} lives in {1}."),
    ("bio", "job", r"\bI work as an? ([\w ]+)", "{0} works as {1}."),
    ("interests", "likes", r"\bI (?:like|love) ([\w ]+)", "{0} likes {1}."),
    ("opinions", None, r"\bI think ([\w ]+)", "{0} thinks {1}."),
)
_TITLE_WORDS = 6


def _note(asked: str) -> dict[str, Any]:
    """Named after how it began; a few plain sentences of people are what it tells about them."""
    said = [
        (int(number), id, name, _plain(text))
        for number, id, name, text in _NUMBERED_MESSAGE.findall(asked)
    ]
    people = [
        {
            "person": id or _plain(name),
            "section": section,
            "fact": says.format(_plain(name), match[1].strip()),
            "slot": slot,
            "value": match[1].strip() if slot else None,
            "message": number,
            "quote": match[0],
        }
        for number, id, name, text in said
        for section, slot, pattern, says in _STATED
        if (match := re.search(pattern, text))
    ]
    began = " ".join(said[0][3].split()[:_TITLE_WORDS]) if said else "nothing"
    names = ", ".join(dict.fromkeys(_plain(name) for _, _, name, _ in said))
    told = "; ".join(" ".join(text.split()[:_TITLE_WORDS]) for _, _, _, text in said)
    summary = shorten(
        f"{names} said these things: {told}", 600, placeholder=""
    )  # no half of a number
    return {"title": f"About {began}"[:80], "summary": summary, "people": people}


def _topics(asked: str) -> dict[str, Any]:
    """As few as are wanted, each of consecutive notes."""
    notes = _NOTE.findall(asked)
    wanted = _WANTED.search(asked)
    count = min(len(notes), int(wanted[1]) if wanted else 3)
    size = -(-len(notes) // count) if count else 1
    starts = sorted({min(place * size, len(notes) - count + place) for place in range(count)})
    ends = [*starts[1:], len(notes)]
    topics = [
        {
            "title": f"Topic of {_plain(notes[start][1])}"[:80],
            "summary": "In these notes: "
            + "; ".join(_plain(title) for _, title in notes[start:end])[:700],
            "notes": [int(number) for number, _ in notes[start:end]],
        }
        for start, end in zip(starts, ends, strict=True)
    ]
    return {"topics": topics}


_VERBS = (
    ("live ", "lives "),
    ("like ", "likes "),
    ("love ", "loves "),
    ("am ", "is "),
    ("have ", "has "),
    ("work ", "works "),
    ("play ", "plays "),
)


def _remember(asked: str) -> dict[str, Any]:
    person, sentences = _named_person(asked), _told(asked)
    for fact in _facts(asked):
        sentence = _third(fact, person)
        home = re.search(r"\b(?:lives in|moved to) ", sentence)
        if home:
            moved = re.compile(r"\b(?:lives in|moved to) ")
            sentences = [each for each in sentences if not moved.search(each)]
        sentences += [sentence] if sentence not in sentences else []
    return {"told": "\n".join(sentences)}


def _forget(asked: str) -> dict[str, Any]:
    (fact,) = _facts(asked)
    wanted = set(re.findall(r"\w{4,}", fact.lower()))
    told = _told(asked)
    kept = [each for each in told if not wanted <= set(re.findall(r"\w{4,}", each.lower()))]
    return {"found": len(kept) < len(told), "told": "\n".join(kept)}


def _gather(asked: str) -> dict[str, Any]:
    """Return what the person's own messages say."""
    person = _named_person(asked)
    said = _NUMBERED_MESSAGE.findall(asked)
    own = ((number, _plain(text)) for number, _, author, text in said if author == person)
    found = [{"sentence": _third(text, person), "message": int(number)} for number, text in own]
    return {"sentences": found}


def _third(fact: str, person: str) -> str:
    sentence = fact.strip().rstrip(".")
    for plain, third in _VERBS:
        sentence = re.sub(rf"^I {plain}", f"{person} {third}", sentence)
    sentence = re.sub(r"^I ", f"{person} ", sentence)
    sentence = re.sub(r"^[Mm]y ", f"{person}'s ", sentence)
    return f"{sentence if person.lower() in sentence.lower() else f'{person} {sentence}'}."


def _named_person(asked: str) -> str:
    found = re.search(r"<person>(.*?)</person>", asked)
    return _plain(found[1]) if found else ""


def _told(asked: str) -> list[str]:
    found = re.search(r"<told>\n(.*?)\n?</told>", asked, re.DOTALL)
    return [_plain(line) for line in found[1].splitlines() if line.strip()] if found else []


def _facts(asked: str) -> list[str]:
    return [_plain(each) for each in re.findall(r"<fact>(.*?)</fact>", asked, re.DOTALL)]


_FACT = re.compile(
    r'<fact number="(\d+)" section="\w+" said="[^"]*" by="([^"]*)" place="([^"]*)"( fixed="yes")?>(.*?)</fact>',
    re.DOTALL,
)


def _consolidate(asked: str) -> dict[str, Any]:
    """Merge facts that differ only in case and full stop."""
    first: dict[tuple[str, ...], int] = {}
    drop = []
    for number, by, place, fixed, text in _FACT.findall(asked):
        said = (by, place, " ".join(re.findall(r"\w+", text.casefold())))
        known = first.setdefault(said, int(number))
        if known != int(number) and not fixed:
            drop.append({"fact": int(number), "because": "duplicate", "by": known})
    return {"facts": [], "drop": drop}


# What is in the prompt of each step, and its answer. The first match counts.
_ANSWERS: Mapping[tuple[str, ...], Callable[[str], dict[str, Any]]] = {
    ('{"found": true or false, "told"',): _forget,
    ('{"told": "', "<facts>"): _remember,
    ('{"sentences": [',): _gather,
    ('{"intent": "',): lambda _asked: {"intent": "talk", "person": "", "fact": ""},
    ('"days"',): _days,
    ('"week"',): _week,
    ('"portrait"',): _portrait,
    ('"topics"',): _topics,
    ('"title"', '"people"', '"summary"'): _note,
    ('"drop"',): _consolidate,
}


def layer_answer(call: Call) -> str | None:
    """Return None if the prompt is not one of these layers."""
    for marks, answer in _ANSWERS.items():
        if all(mark in (call.user if mark == "<facts>" else call.system) for mark in marks):
            return json.dumps(answer(call.user), ensure_ascii=False)
    return None
