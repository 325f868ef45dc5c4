"""Default answers to the prompts of the layer notes."""

from __future__ import annotations

import json
import re

from erstwhile.testing.calls import Call

_MESSAGE = re.compile(
    r'<message number="(\d+)"><timestamp>[^<]*</timestamp><author_id>([^<]*)</author_id>'
    r"<author>([^<]*)</author><content>([^<]*)</content></message>"
)
_NOTE = re.compile(r'<note number="(\d+)"><date>[^<]*</date><title>([^<]*)</title>')
_WANTED = re.compile(r"Make (\d+)(?: to (\d+))? topics")
_STATED = (
    ("bio", "home", r"\bI (?:live in|moved to) ([A-Z]\w+)", "{0} lives in {1}."),
    ("bio", "job", r"\bI work as an? ([\w ]+)", "{0} works as {1}."),
    ("interests", "likes", r"\bI (?:like|love) ([\w ]+)", "{0} likes {1}."),
    ("opinions", None, r"\bI think ([\w ]+)", "{0} thinks {1}."),
)
_FIRST_WORDS = 6


def answer(call: Call) -> str | None:
    """Return None if the prompt is not one of this layer."""
    if '"topics"' in call.system:
        return _topics(call.user)
    if '"title"' in call.system and '"people"' in call.system and '"summary"' in call.system:
        return _note(call.user)
    return None


def _note(asked: str) -> str:
    """Named after how it began; a few plain sentences of people are what it tells about them."""
    said = [(int(number), id, name, _plain(text)) for number, id, name, text in _MESSAGE.findall(asked)]
    people = [
        {
            "person": id or _plain(name),
            "section": section,
            "fact": says.format(_plain(name), match[1].strip()),
            "slot": slot,
            "value": match[1].strip() if slot else None,
            "message": number,
        }
        for number, id, name, text in said
        for section, slot, pattern, says in _STATED
        if (match := re.search(pattern, text))
    ]
    began = " ".join(said[0][3].split()[:_FIRST_WORDS]) if said else "nothing"
    names = ", ".join(dict.fromkeys(_plain(name) for _, _, name, _ in said))
    summary = f"{names} said {len(said)} things: " + "; ".join(
        " ".join(text.split()[:_FIRST_WORDS]) for _, _, _, text in said
    )
    return json.dumps({"title": f"About {began}"[:80], "summary": summary[:600], "people": people}, ensure_ascii=False)


def _topics(asked: str) -> str:
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
            "summary": "In these notes: " + "; ".join(_plain(title) for _, title in notes[start:end])[:700],
            "notes": [int(number) for number, _ in notes[start:end]],
        }
        for start, end in zip(starts, ends, strict=True)
    ]
    return json.dumps({"topics": topics}, ensure_ascii=False)


def _plain(text: str) -> str:
    return text.replace("&quot;", '"').replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
