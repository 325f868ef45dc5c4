"""Read a model's answer to the structure prompt. Plain functions, tested without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from erstwhile.base.records import copied
from erstwhile.writers import answers, transcript
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.port import TranscriptLine, TypedNote

if TYPE_CHECKING:
    from pydantic import ValidationError

FactsAndNotes = tuple[str | None, tuple[TypedNote, ...] | None]

NAME: Final = "memories"
FACTS: Final = "facts"
MOST_ITEMS: Final = 20
_LONGEST_FACT: Final = 300
TYPES: Final = ("fact", "preference", "decision", "todo", "entity")

# Defaults for what a small model may leave out.
_USUAL: Final[dict[str, Any]] = {
    **dict.fromkeys(("subject", "slot", "value", "since", "due", "quote")),
    "confidence": 0.7,
    "done": False,
}


def schema(lines: Sequence[TranscriptLine], *, facts: bool = False) -> dict[str, Any]:
    """Return the schema as providers accept it: every field required, and no lists of types, which
    some cannot read. Its limits keep small models from going on for ever."""
    speakers = list(dict.fromkeys(transcript.label(each) for each in lines if each.role == "user"))

    def maybe(*choices: str) -> dict[str, Any]:  # a new one: a client changes what it is given
        listed = [{"type": "string", "enum": list(choices)}] if choices else []
        return {"anyOf": [*listed, {"type": "string", "maxLength": 100}, {"type": "null"}]}

    fields: dict[str, Any] = {
        "type": {"type": "string", "enum": list(TYPES)},
        "text": {"type": "string", "maxLength": 300},
        # The people who speak, and any name: a memory may be about somebody's sister or employer.
        "subject": maybe(*speakers),
        "slot": maybe(),
        "value": maybe(),
        "confidence": {"type": "number"},
        "since": maybe(),
        "due": maybe(),
        "done": {"type": "boolean"},
        "message": {"type": "integer", "minimum": 1, "maximum": len(lines)},
        "quote": {"type": "string", "maxLength": 120},
    }
    memory = answers.object_schema(**fields)
    parts: dict[str, Any] = {NAME: {"type": "array", "items": memory, "maxItems": MOST_ITEMS}}
    if facts:
        sentence = {"type": "string", "maxLength": _LONGEST_FACT}
        parts = {FACTS: {"type": "array", "items": sentence, "maxItems": MOST_ITEMS}} | parts
    return answers.object_schema(**parts)


def read(answer: str, lines: int) -> tuple[TypedNote, ...]:
    """Return the memories, or raise `MalformedAnswer`, which quotes no message."""
    from pydantic import ValidationError

    from erstwhile.writers.memory_schema import StructuredItems

    found = _memories(answers.check_usable(answer))
    try:
        checked = StructuredItems.model_validate({NAME: found})
    except ValidationError as wrong:
        why = f"The model's memories don't have the right shape: {_where(wrong)}."
        raise MalformedAnswer(why) from None
    for each in checked.memories:
        if not 1 <= each.message <= lines:
            why = f"The model named line {each.message} as a source"
            raise MalformedAnswer(f"{why}; the lines are 1 to {lines}.")
    return tuple(
        copied(TypedNote, each, slot=each.slot or "", value=each.value or "")
        for each in checked.memories
    )


def read_both(answer: str, lines: int) -> FactsAndNotes:
    """Return the facts, as lines that begin with "- ", and the memories; None for one that the answer has not."""
    text = answers.check_usable(answer)
    parsed = answers.as_json(text)
    if isinstance(parsed, list):
        return None, read(answer, lines)
    for found in [parsed] if isinstance(parsed, dict) else answers.objects(text):
        facts, noted = _fact_lines(found.get(FACTS)), None
        if isinstance(found.get(NAME), list):
            noted = read(answer, lines)
        if facts is not None or noted is not None:
            return facts, noted
    raise MalformedAnswer("The answer is not a JSON object with facts and memories.")


def _fact_lines(given: object) -> str | None:
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        return None
    told = [" ".join(transcript.plain(each).split()).removeprefix("- ") for each in given]
    facts = (f"- {each}" for each in told if len(each) >= answers.SHORTEST_FACT)
    return answers.extract_fact_lines("\n".join(facts))


def _memories(text: str) -> object:
    """Return the list, in its object or bare, also in a code fence or amid prose."""
    parsed = answers.as_json(text)
    if isinstance(parsed, list):
        return _filled(parsed)
    for each in [parsed] if isinstance(parsed, dict) else answers.objects(text):
        if isinstance(each.get(NAME), list):
            return _filled(each[NAME])
    raise MalformedAnswer(
        "The model answered the structure prompt with something that is not a JSON object with memories."
    )


def _filled(given: list[Any]) -> list[Any]:
    return [{**_USUAL, **each} if isinstance(each, dict) else each for each in given]


def _where(wrong: ValidationError) -> str:
    found = wrong.errors(include_input=False, include_url=False, include_context=False)
    places = [".".join(map(str, each["loc"])) + f" ({each['type']})" for each in found]
    return ", ".join(places[:3])


def format_notes(noted: tuple[TypedNote, ...]) -> str:
    """Format notes for people."""
    return "\n".join(f"- {each.text}" for each in noted)
