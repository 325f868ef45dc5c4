"""Default answers to erstwhile's own prompts, derived from the transcript and deterministic."""

from __future__ import annotations

import json
import re
from html import unescape as _plain
from typing import Any

from erstwhile.base.records import dataclass
from erstwhile.testing import layer_answers
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
    answered = layer_answers.layer_answer(call)
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
