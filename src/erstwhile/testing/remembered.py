"""Default answers to the prompts of the layer remembered."""

from __future__ import annotations

import json
import re

from erstwhile.testing.calls import Call

_VERBS = (
    ("live ", "lives "),
    ("like ", "likes "),
    ("love ", "loves "),
    ("am ", "is "),
    ("have ", "has "),
    ("work ", "works "),
    ("play ", "plays "),
)


def answer(call: Call) -> str | None:
    """Return None if the prompt is not one of this layer."""
    if '{"found": true or false, "told"' in call.system:
        return _forget(call.user)
    if '{"told": "' in call.system and "<facts>" in call.user:
        return _remember(call.user)
    if '{"sentences": [' in call.system:
        return _gather(call.user)
    if '{"intent": "' in call.system:
        return json.dumps({"intent": "talk", "person": "", "fact": ""})
    return None


def _remember(asked: str) -> str:
    person, sentences = _person(asked), _told(asked)
    for fact in _facts(asked):
        sentence = _third(fact, person)
        home = re.search(r"\b(?:lives in|moved to) ", sentence)
        sentences = [each for each in sentences if not (home and re.search(r"\b(?:lives in|moved to) ", each))]
        sentences += [sentence] if sentence not in sentences else []
    return json.dumps({"told": "\n".join(sentences)}, ensure_ascii=False)


def _forget(asked: str) -> str:
    (fact,) = _facts(asked)
    wanted = set(re.findall(r"\w{4,}", fact.lower()))
    told = _told(asked)
    kept = [each for each in told if not wanted <= set(re.findall(r"\w{4,}", each.lower()))]
    return json.dumps({"found": len(kept) < len(told), "told": "\n".join(kept)}, ensure_ascii=False)


def _gather(asked: str) -> str:
    """What the person's own messages say."""
    person = _person(asked)
    said = re.findall(
        r'<message number="(\d+)">.*?<author>([^<]*)</author><content>([^<]*)</content>', asked, re.DOTALL
    )
    found = [
        {"sentence": _third(_plain(text), person), "message": int(number)}
        for number, author, text in said
        if author == person
    ]
    return json.dumps({"sentences": found})


def _third(fact: str, person: str) -> str:
    sentence = fact.strip().rstrip(".")
    for plain, third in _VERBS:
        sentence = re.sub(rf"^I {plain}", f"{person} {third}", sentence)
    sentence = re.sub(r"^I ", f"{person} ", sentence)
    sentence = re.sub(r"^[Mm]y ", f"{person}'s ", sentence)
    return f"{sentence if person.lower() in sentence.lower() else f'{person} {sentence}'}."


def _person(asked: str) -> str:
    found = re.search(r"<person>(.*?)</person>", asked)
    return _plain(found[1]) if found else ""


def _told(asked: str) -> list[str]:
    found = re.search(r"<told>\n(.*?)\n?</told>", asked, re.DOTALL)
    return [_plain(line) for line in found[1].splitlines() if line.strip()] if found else []


def _facts(asked: str) -> list[str]:
    return [_plain(each) for each in re.findall(r"<fact>(.*?)</fact>", asked, re.DOTALL)]


def _plain(text: str) -> str:
    return text.replace("&quot;", '"').replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
