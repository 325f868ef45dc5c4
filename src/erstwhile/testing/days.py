"""Default answers to the prompts of the layer days."""

from __future__ import annotations

import json
import re

from erstwhile.testing.calls import Call

_CONVERSATION = re.compile(r'<conversation id="(\d+)">\n(.*?)\n</conversation>', re.DOTALL)
_PERSON = re.compile(r'<person id="([^"]*)" name="([^"]*)"/>')
_MESSAGE = re.compile(r"<author_id>(.*?)</author_id>.*?<content>(.*?)</content>", re.DOTALL)
_DAY = re.compile(r'<day date="([^"]*)">(.*?)</day>', re.DOTALL)
_FIRST_WORDS = 8


def answer(call: Call) -> str | None:
    """Return None if the prompt is not one of this layer."""
    if '"days"' in call.system:
        return json.dumps({"days": _days(call.user)}, ensure_ascii=False)
    if '"week"' in call.system:
        return json.dumps({"week": _week(call.user)}, ensure_ascii=False)
    if '"portrait"' in call.system:
        return json.dumps({"portrait": _portrait(call.user)}, ensure_ascii=False)
    return None


def _days(asked: str) -> list[dict[str, object]]:
    """Of each who spoke, how the messages begin."""
    found: list[dict[str, object]] = []
    for number, inside in _CONVERSATION.findall(asked):
        names = {_plain(id): _plain(name) for id, name in _PERSON.findall(inside)}
        said: dict[str, list[str]] = {}
        for author, content in _MESSAGE.findall(inside):
            said.setdefault(_plain(author), []).append(" ".join(_plain(content).split()[:_FIRST_WORDS]))
        found += [
            {"conversation": int(number), "person": id, "summary": f"{names[id]} said: {'; '.join(texts)}."}
            for id, texts in said.items()
            if id in names
        ]
    return found


def _week(asked: str) -> str:
    days = _DAY.findall(asked)
    return f"{days[0][0]} to {days[-1][0]}: {' '.join(_plain(text) for _, text in days)}"


def _portrait(asked: str) -> str:
    parts = [re.search(rf"<{tag}>(.*?)</{tag}>", asked, re.DOTALL) for tag in ("facts", "today", "history")]
    return "In all: " + " ".join(_plain(part[1]) for part in parts if part and part[1])


def _plain(text: str) -> str:
    return text.replace("&quot;", '"').replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
