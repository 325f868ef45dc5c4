"""Default answers to erstwhile's own prompts, derived from the transcript and deterministic."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from html import unescape as _plain
from textwrap import shorten
from typing import Any

from erstwhile.base.records import dataclass
from erstwhile.testing.calls import Call

_FENCE = re.compile(r"<conversation>\n(.*)\n</conversation>", re.DOTALL)
_SAID = re.compile(r"(?P<speaker>[^\[\s][^:\n]*): ?(?P<text>.*)")
_NOT_PEOPLE = frozenset({"ASSISTANT", "SYSTEM", "TOOL"})
_FIRST_WORDS = 6
_NOTED = (
    ("fact", "home", r"\bI (?:live in|moved to) ([A-Z]\w+)", "{0} lives in {1}."),
    ("preference", "likes", r"\bI (?:like|love) ([\w ]+)", "{0} likes {1}."),
    ("todo", None, r"\bI (?:need|have) to ([\w ]+)", "{0} has to {1}."),
    ("todo", None, r"\bI have done this: ([\w ]+)", "{0} has done this: {1}."),
)
_FACT_CHARACTERS = 200
_NUMBER = re.compile(r"#(\d+) ")


@dataclass(frozen=True, slots=True)
class SpokenText:
    speaker: str
    text: str


def step(system: str) -> str:
    """Return which of erstwhile's prompts a system prompt is, also when its words were edited;
    "chat" for any other."""
    if '"memories"' in system:  # the key of the answer is not for editing
        return "structure"
    head = system[:400].casefold()
    if "existing_summary" in head:
        return "fold"
    if re.search(r"\bextract\b|\bfacts?\b", head):
        return "extract"
    if "summaries" in head:
        return "condense"
    if re.search(r"summari[sz]e|summary", head):
        return "summarise"
    return "chat"


def transcript(prompt: str) -> list[SpokenText]:
    """Return the lines of the conversation in a prompt; an indented line goes on with the one above it."""
    fenced = _FENCE.search(prompt)
    said: list[SpokenText] = []
    for line in (fenced[1] if fenced else prompt).split("\n"):
        match = _SAID.match(line)
        if match:
            said.append(SpokenText(match["speaker"], _plain(match["text"])))
        elif said and line.startswith(" "):
            said[-1] = SpokenText(said[-1].speaker, f"{said[-1].text}\n{_plain(line.strip())}")
    return said


def complete(call: Call) -> str:
    """Return the default answer of a model server. Asked for facts and memories, it writes both."""
    if step(call.system) != "structure" or '"facts"' not in call.system:
        return sensible(call)
    lines = transcript(call.user)
    return _structured(lines, _facts(lines))


def sensible(call: Call) -> str:
    """Answer each of erstwhile's prompts. Asked for facts and memories at once, it leaves out
    the facts, so that a script can answer the prompt for facts, which follows."""
    answered = layer_answer(call)
    if answered is not None:
        return answered
    wanted = step(call.system)
    if wanted == "chat" and "<conversation>" in call.user:  # a prompt in a person's own words
        wanted = "summarise"
    if wanted == "chat" and "=== NEW_TURNS ===" not in call.user:
        return f"You said: {call.user[:_FACT_CHARACTERS]}"
    if wanted == "fold" or "=== NEW_TURNS ===" in call.user:
        return _folded(call.user)
    lines = transcript(call.user)
    if wanted == "structure":
        return _structured(lines)
    if wanted == "extract":
        return "\n".join(f"- {fact}" for fact in _facts(lines)) or "No facts to record"
    words = "; ".join(
        f"{line.speaker}: {' '.join(line.text.split()[:_FIRST_WORDS])}" for line in lines
    )
    return f"Summary of {'summaries' if wanted == 'condense' else 'lines'}: {words}"


def _facts(lines: list[SpokenText]) -> list[str]:
    people = [SpokenText(_NUMBER.sub("", line.speaker), line.text) for line in lines]
    people = [line for line in people if line.speaker not in _NOT_PEOPLE and line.text.strip()]
    said = (f"{line.speaker} said: {line.text[:_FACT_CHARACTERS]}" for line in people)
    return [fact.replace("\n", " ") for fact in said]


def _structured(lines: list[SpokenText], facts: list[str] | None = None) -> str:
    """Return what a few plain sentences of people say; the number in front of a line is its source."""
    found: list[dict[str, Any]] = []
    for place, line in enumerate(lines, start=1):
        number = _NUMBER.match(line.speaker)
        speaker = line.speaker[number.end() :] if number else line.speaker
        for type, slot, pattern, says in _NOTED if speaker not in _NOT_PEOPLE else ():
            if match := re.search(pattern, line.text):
                value = match[1].strip()
                text = says.format(speaker, value)
                noted: dict[str, Any] = {"type": type, "text": text, "subject": speaker}
                noted |= {"slot": slot, "value": value, "confidence": 0.9}
                noted |= {"since": None, "due": None, "quote": match[0]}
                noted["done"] = slot is None and says.startswith("{0} has done")
                noted["message"] = int(number[1]) if number else place
                found.append(noted)
    told = {} if facts is None else {"facts": facts}
    return json.dumps({**told, "memories": found}, ensure_ascii=False)


def _folded(asked: str) -> str:
    """Tally the turns, so that a test can see that each was folded once."""
    existing, _, new = asked.partition("=== NEW_TURNS ===")
    before = re.search(r"^(\|+) turns so far", existing, re.MULTILINE)
    turns = len(re.findall(r"^Turn \d+:$", new, re.MULTILINE)) + (len(before[1]) if before else 0)
    last = re.findall(r"^User[^:\n]*: (.*)$", new, re.MULTILINE)
    about = " ".join(last[-1].split()[:_FIRST_WORDS]) if last else "nothing"
    return f"{'|' * turns} turns so far, the last about: {about}."


_CONVERSATION = re.compile(r'<conversation id="(\d+)">\n(.*?)\n</conversation>', re.DOTALL)
_PERSON = re.compile(r'<person id="([^"]*)" name="([^"]*)"[^>]*/>')
_MESSAGE = re.compile(r"<author_id>(.*?)</author_id>.*?<content>(.*?)</content>", re.DOTALL)
_DAY = re.compile(r'<day date="([^"]*)">(.*?)</day>', re.DOTALL)
_DAY_WORDS = 8


def _days(asked: str) -> dict[str, Any]:
    """Of each who spoke, how the messages begin."""
    found: list[dict[str, object]] = []
    for number, inside in _CONVERSATION.findall(asked):
        names = {_plain(id): _plain(name) for id, name in _PERSON.findall(inside)}
        said: dict[str, list[str]] = {}
        for author, content in _MESSAGE.findall(inside):
            begins = " ".join(_plain(content).split()[:_DAY_WORDS])
            said.setdefault(_plain(author), []).append(begins)
        for id, texts in ((id, texts) for id, texts in said.items() if id in names):
            summary = f"{names[id]} said: {'; '.join(texts)}."
            found.append({"conversation": int(number), "person": id, "summary": summary})
    return {"days": found}


def _week(asked: str) -> dict[str, Any]:
    days = _DAY.findall(asked)
    return {"week": f"{days[0][0]} to {days[-1][0]}: {' '.join(_plain(text) for _, text in days)}"}


def _portrait(asked: str) -> dict[str, Any]:
    parts = re.findall(r"<(facts|today|history)>(.*?)</\1>", asked, re.DOTALL)
    return {"portrait": f"In all: {' '.join(_plain(said) for _, said in parts if said)}"}


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
    found = _NUMBERED_MESSAGE.findall(asked)
    said = [(int(number), id, name, _plain(text)) for number, id, name, text in found]
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
    # No half of a number.
    summary = shorten(f"{names} said these things: {told}", 600, placeholder="")
    return {"title": f"About {began}"[:80], "summary": summary, "people": people}


def _topics(asked: str) -> dict[str, Any]:
    """As few as are wanted, each of consecutive notes."""
    notes = _NOTE.findall(asked)
    wanted = _WANTED.search(asked)
    count = min(len(notes), int(wanted[1]) if wanted else 3)
    size = -(-len(notes) // count) if count else 1
    starts = sorted({min(place * size, len(notes) - count + place) for place in range(count)})
    ends = [*starts[1:], len(notes)]
    topics = []
    for start, end in zip(starts, ends, strict=True):
        titles = [_plain(title) for _, title in notes[start:end]]
        numbers = [int(number) for number, _ in notes[start:end]]
        told = f"In these notes: {'; '.join(titles)[:700]}"
        topics.append({"title": f"Topic of {titles[0]}"[:80], "summary": told, "notes": numbers})
    return {"topics": topics}


_VERBS = {"live": "lives", "like": "likes", "love": "loves", "am": "is", "have": "has"}
_VERBS |= {"work": "works", "play": "plays"}


_HOME = re.compile(r"\b(?:lives in|moved to) ")


def _remember(asked: str) -> dict[str, Any]:
    person, sentences = _named_person(asked), _told(asked)
    for fact in _stated_facts(asked):
        sentence = _third(fact, person)
        if _HOME.search(sentence):
            sentences = [each for each in sentences if not _HOME.search(each)]
        sentences += [sentence] if sentence not in sentences else []
    return {"told": "\n".join(sentences)}


def _forget(asked: str) -> dict[str, Any]:
    (fact,) = _stated_facts(asked)
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
    for plain, third in _VERBS.items():
        sentence = re.sub(rf"^I {plain} ", f"{person} {third} ", sentence)
    sentence = re.sub(r"^I ", f"{person} ", sentence)
    sentence = re.sub(r"^[Mm]y ", f"{person}'s ", sentence)
    return f"{sentence if person.lower() in sentence.lower() else f'{person} {sentence}'}."


def _named_person(asked: str) -> str:
    found = re.search(r"<person>(.*?)</person>", asked)
    return _plain(found[1]) if found else ""


def _told(asked: str) -> list[str]:
    found = re.search(r"<told>\n(.*?)\n?</told>", asked, re.DOTALL)
    return [_plain(line) for line in found[1].splitlines() if line.strip()] if found else []


def _stated_facts(asked: str) -> list[str]:
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
