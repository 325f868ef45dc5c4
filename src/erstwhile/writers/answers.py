"""What to make of a model's answer, without asking anyone: plain functions, tested without a model."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

from erstwhile.base.errors import BadAnswer
from erstwhile.language import languages
from erstwhile.writers.transcript import plain

SHORTEST_FACT = 10
LONGEST_ANSWER = 20_000

# Letters that may stand beside the phrase in a line that still says no more than it: "English:", "There are … here".
_BESIDE = 12
_BULLET = re.compile(r"\s*(?:[-*•–—・]|\d+[.)])\s*\S")
_FENCE = re.compile(r"\A```(?:[\w-]*\n)?(?P<inside>.*?)\n?```\Z", re.DOTALL)
_LONGEST_REFUSAL = 400

# No database keeps these as text.
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


class Misshapen(BadAnswer):
    """The model answered, but not in the shape that was asked for: it can be told what was wrong. Its message quotes nothing said."""


def nothing_to_record(answer: str) -> bool:
    """Whether an answer to the fact prompt says, or amounts to, that there are no facts."""
    return not facts(answer)


def facts(answer: str, prompt: str = "") -> str:
    """The facts as the model wrote them, "" when there are none.

    One line with the phrase in it is "nothing". Among other lines, only a line that says no more than the phrase goes;
    a fact that quotes it stays. What is left then has to hold a bullet: an explanation why there is nothing is no fact.
    A lone line that stands in the prompt itself is what that prompt has said when there is nothing, in its own language.
    """
    text = answer.strip()
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and not _BULLET.match(lines[0]) and (_letters(text) or text) in _letters(prompt):
        return ""
    said = [line for line in lines if _says_nothing(line, alone=len(lines) == 1)]
    if said:
        kept = [line for line in lines if line not in said]
        text = "\n".join(kept).strip() if any(map(_BULLET.match, kept)) else ""
    return text if len(text) >= SHORTEST_FACT else ""


def read_facts(answer: str, prompt: str = "") -> str:
    """Saying nothing at all is not the same as saying that there is nothing to record: it is asked again."""
    text = usable(answer)
    if not text:
        raise BadAnswer("The model answered the fact prompt with nothing.")
    parsed = as_json(text)
    if parsed is not None and not any(len(string) >= SHORTEST_FACT for string in _strings(parsed)):
        raise BadAnswer("The model answered the fact prompt with JSON that holds no text.")
    return facts(plain(text), prompt)


def read_summary(answer: str) -> str:
    text = unwrapped(usable(answer))
    if not text:
        raise BadAnswer("The model answered a summary prompt with nothing.")
    return plain(text)


def unwrapped(answer: str) -> str:
    """The summary itself, when a model wrapped it in a code fence or as {"summary": "…"}, also amid prose."""
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


def usable(answer: str) -> str:
    text = _UNSTORABLE.sub("", answer).strip()
    if len(text) > LONGEST_ANSWER:
        raise BadAnswer(f"The model answered with {len(text):,} characters; more than {LONGEST_ANSWER:,} is no answer.")
    if is_refusal(text):
        raise BadAnswer("The model refused to do this.")
    return text


def _says_nothing(line: str, *, alone: bool) -> bool:
    letters = _letters(line)
    return any(
        phrase in letters and (alone or len(letters) - len(phrase) <= _BESIDE) for phrase in map(_letters, nothing())
    )


@cache
def nothing() -> tuple[str, ...]:
    """The lines of extract.md that say there is nothing to record; a test holds the two together."""
    known = [each.model_answers for each in languages() if each.model_answers]
    return tuple(each.nothing for each in known if each.nothing)


@cache
def _refusal() -> re.Pattern[str]:
    """First person, at the very start, and about the task itself: "Mina is sorry that she can't come" is no refusal."""
    known = [each.model_answers.refusal for each in languages() if each.model_answers]
    return re.compile(rf"\A[\"'“‘*\s]*(?:{'|'.join(filter(None, known))})", re.IGNORECASE)


def _letters(text: str) -> str:
    """Case-folded letters and digits alone, so that punctuation, spacing and width don't matter."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object that starts somewhere in the text, outermost first; braces in prose are passed over."""
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
    """The object with these keys, also in a code fence or amid prose."""
    text = usable(answer)
    parsed = as_json(text)
    for found in [parsed] if isinstance(parsed, dict) else objects(text):
        if all(key in found for key in keys):
            return found
    raise Misshapen(f"The answer is not a JSON object with {', '.join(keys)}.")


def as_json(text: str) -> dict[str, Any] | list[Any] | None:
    fenced = _FENCE.match(text)
    try:
        parsed = json.loads(fenced["inside"] if fenced else text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict | list) else None


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)
