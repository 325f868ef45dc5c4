"""Read answers of a model. Plain functions, tested without a model."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

from erstwhile.base.errors import BadAnswer, ContentRefused
from erstwhile.base.later import late_pattern
from erstwhile.language import languages
from erstwhile.writers.transcript import plain

SHORTEST_FACT = 10
LONGEST_ANSWER = 20_000
_MOST_REPEATED = 2000  # characters: llama.cpp refuses schemas with a longer text

# Letters besides the phrase in a line that says no more than it: "English:", "There are … here".
_BESIDE = 12
_BULLET = late_pattern(r"\A\s*+(?:[-*•–—・]|\d++[.)])\s*\S")
_FENCE = late_pattern(r"\A```(?:[\w-]*\n)?(?P<inside>.*?)\n?```\Z", re.DOTALL)
_LONGEST_REFUSAL = 400

_JSON_TOKEN = late_pattern(r'"(?:[^"\\]|\\.)*"|[][{}]')
_CLOSING = {"{": "}", "[": "]"}

# No database stores these as text.
_UNSTORABLE = late_pattern(r"[\x00\ud800-\udfff]")


class MalformedAnswer(BadAnswer):
    """The answer has the wrong shape; the model can be told what was wrong. Quotes no message."""


def extract_fact_lines(answer: str, prompt: str = "") -> str:
    """Return the facts as the model wrote them, or "".

    A single line with the phrase means "nothing". Among other lines, a line that says no more than
    the phrase is removed; a fact that quotes it stays. The rest needs a bullet: an explanation is
    no fact. A single line that is in the prompt itself means "nothing" in the prompt's language.
    """
    text = answer.strip()
    lines = [line for line in text.splitlines() if line.strip()]
    alone = len(lines) == 1 and not _BULLET.match(lines[0])
    if alone and (_letters(text) or text) in _letters(prompt):
        return ""
    said = [line for line in lines if _says_nothing(line, alone=len(lines) == 1)]
    if said:
        kept = [line for line in lines if line not in said]
        text = "\n".join(kept).strip() if any(map(_BULLET.match, kept)) else ""
    return text if len(text) >= SHORTEST_FACT else ""


def read_facts(answer: str, prompt: str = "") -> str:
    """Read the facts, also from texts in JSON. An empty answer is an error; one that says "nothing to record" is not."""
    text = check_usable(answer)
    if not text:
        raise BadAnswer("The model answered the fact prompt with nothing.")
    parsed = as_json(text)
    if parsed is not None:
        told = [each for each in _told(parsed) if len(each) >= SHORTEST_FACT]
        if not told:
            raise BadAnswer("The model answered the fact prompt with JSON that holds no text.")
        text = "\n".join(each if _BULLET.match(each) else f"- {each}" for each in told)
    return extract_fact_lines(plain(text), prompt)


def read_summary(answer: str) -> str:
    text = unwrap_summary(check_usable(answer))
    if not text:
        raise BadAnswer("The model answered a summary prompt with nothing.")
    return plain(text)


def unwrap_summary(answer: str) -> str:
    """Return the summary without a code fence or {"summary": "…"}, also amid prose."""
    fenced = _FENCE.match(answer.strip())
    text = (fenced["inside"] if fenced else answer).strip()
    for found in objects(text):
        summary = found.get("summary")
        if isinstance(summary, str) and summary.strip():
            return summary.strip()
    if as_json(text) is not None:
        raise BadAnswer("The model answered a summary prompt with JSON that holds no summary.")
    return text


def is_refusal(text: str) -> bool:
    return len(text) <= _LONGEST_REFUSAL and bool(_refusal().match(text))


def check_usable(answer: str) -> str:
    text = _UNSTORABLE.sub("", answer).strip()
    if len(text) > LONGEST_ANSWER:
        most = f"The limit is {LONGEST_ANSWER:,}."
        raise BadAnswer(f"The answer of the model has {len(text):,} characters. {most}")
    if is_refusal(text):
        raise ContentRefused("The model refused to do this.")
    return text


def _says_nothing(line: str, *, alone: bool) -> bool:
    letters = _letters(line)
    said = (phrase for phrase in map(_letters, nothing()) if phrase in letters)
    return any(alone or len(letters) - len(phrase) <= _BESIDE for phrase in said)


@cache
def nothing() -> tuple[str, ...]:
    """Return the lines of extract.md for "nothing to record"; a test compares the two."""
    known = [each.model_answers for each in languages() if each.model_answers]
    return tuple(each.nothing for each in known if each.nothing)


@cache
def _refusal() -> re.Pattern[str]:
    """Return the pattern of a refusal. It must begin the answer and be about the task itself."""
    known = [each.model_answers.refusal for each in languages() if each.model_answers]
    return re.compile(rf"\A[\"'“‘*\s]*+(?:{'|'.join(filter(None, known))})", re.IGNORECASE)


def _letters(text: str) -> str:
    """Return only letters and digits, case-folded, so that punctuation, spacing and width don't
    matter."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield every JSON object in the text, outermost first; other braces are skipped."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(found, dict):
                yield found
        at = text.find("{", end)


def json_object(answer: str, *keys: str) -> dict[str, Any]:
    """Return the object with these keys, also in a code fence or amid prose."""
    text = check_usable(answer)
    parsed = as_json(text)
    for found in [parsed] if isinstance(parsed, dict) else objects(text):
        if all(key in found for key in keys):
            return found
    raise MalformedAnswer(f"The answer is not a JSON object with {', '.join(keys)}.")


def object_schema(**fields: object) -> dict[str, Any]:
    """Return the JSON schema of an object with exactly these fields."""
    shape: dict[str, Any] = {"type": "object", "properties": fields, "required": list(fields)}
    return shape | {"additionalProperties": False}


def text_schema(most: int) -> dict[str, Any]:
    """Return the schema of a text. The limits of texts and lists keep small models from going on for ever."""
    return {"type": "string"} | ({"maxLength": most} if most < _MOST_REPEATED else {})


def list_schema(item: dict[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": item, "maxItems": max(1, most)}


def number_schema(most: int) -> dict[str, Any]:
    """Return the schema of a number that something in the material has, from 1."""
    return {"type": "integer", "minimum": 1, "maximum": max(1, most)}


def message_number(given: object, messages: int) -> int:
    """Return the number of a message, from 1. A model may write it as "#3"."""
    if isinstance(given, str) and given.strip().lstrip("#").isdigit():
        given = int(given.strip().lstrip("#"))
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= messages:
        raise MalformedAnswer(f'A "message" is not a number from 1 to {messages}.')
    return given


def as_json(text: str) -> dict[str, Any] | list[Any] | None:
    fenced = _FENCE.match(text)
    given = fenced["inside"] if fenced else text
    try:
        parsed = json.loads(given)
    except RecursionError:
        return None
    except ValueError:
        return _cut_short(given)
    return parsed if isinstance(parsed, dict | list) else None


def _cut_short(text: str) -> dict[str, Any] | list[Any] | None:
    """Read JSON that was cut off up to its last whole object."""
    text = re.sub(r"\A\s*```(?:json)?\s*", "", text)
    if not text.startswith(("{", "[")):
        return None
    opened: list[str] = []
    whole = ""
    for token in _JSON_TOKEN.finditer(text):
        if token[0] in _CLOSING:
            opened.append(_CLOSING[token[0]])
        elif opened and token[0] == opened[-1]:
            opened.pop()
            if token[0] == "}" and opened:
                whole = text[: token.end()] + "".join(reversed(opened))
    try:
        parsed = json.loads(whole) if opened else None
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict | list) else None


def _told(value: object) -> Iterator[str]:
    """Yield the texts in JSON. The words of one object, such as who and what, are one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        inner = list(value.values() if isinstance(value, dict) else value)
        words = [each for each in inner if isinstance(each, str)]
        if (
            isinstance(value, dict)
            and len(words) == len(inner)
            and not any(map(_BULLET.match, words))
        ):
            yield " ".join(words)
        else:
            for each in inner:
                yield from _told(each)
