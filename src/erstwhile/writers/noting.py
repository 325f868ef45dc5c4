"""What a model's answer to the structure prompt must look like, and what to make of it. Plain functions, tested without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from erstwhile.writers import answers
from erstwhile.writers.answers import Misshapen
from erstwhile.writers.port import Noted

if TYPE_CHECKING:
    from pydantic import ValidationError

    from erstwhile.writers.shape import Memory

NAME: Final = "memories"


TYPES: Final = ("fact", "preference", "decision", "todo", "entity")

# What may be left out, and what it then is: a small model that forgets a null is not asked again for it.
_USUAL: Final[dict[str, Any]] = {
    "subject": None,
    "slot": None,
    "value": None,
    "confidence": 0.7,
    "since": None,
    "due": None,
    "done": False,
}


def schema() -> dict[str, Any]:
    """As providers take it: everything is asked for, and nothing else. A list of types, which JSON Schema allows, not all of them read."""

    def maybe() -> dict[str, Any]:  # a new one each time: a client takes apart what it is given
        return {"anyOf": [{"type": "string"}, {"type": "null"}]}

    fields: dict[str, Any] = {
        "type": {"type": "string", "enum": list(TYPES)},
        "text": {"type": "string"},
        "subject": maybe(),
        "slot": maybe(),
        "value": maybe(),
        "confidence": {"type": "number"},
        "since": maybe(),
        "due": maybe(),
        "done": {"type": "boolean"},
        "message": {"type": "integer"},
    }
    memory = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {
        "type": "object",
        "properties": {NAME: {"type": "array", "items": memory}},
        "required": [NAME],
        "additionalProperties": False,
    }


def read(answer: str, lines: int) -> tuple[Noted, ...]:
    """The memories, or a Misshapen that says what is wrong without quoting what was said."""
    from pydantic import ValidationError

    from erstwhile.writers.shape import Memories

    found = _memories(answers.usable(answer))
    try:
        checked = Memories.model_validate({NAME: found})
    except ValidationError as wrong:
        raise Misshapen(f"The model's memories don't have the right shape: {_where(wrong)}.") from None
    for each in checked.memories:
        if not 1 <= each.message <= lines:
            raise Misshapen(f"The model named line {each.message} as a source; the lines are 1 to {lines}.")
    return tuple(_noted(each) for each in checked.memories)


def _memories(text: str) -> object:
    """The list, in its object or bare, also in a code fence or amid prose."""
    parsed = answers.as_json(text)
    if isinstance(parsed, list):
        return _filled(parsed)
    objects = [parsed] if isinstance(parsed, dict) else list(answers.objects(text))
    for each in objects:
        if isinstance(each.get(NAME), list):
            return _filled(each[NAME])
    raise Misshapen("The model answered the structure prompt with something that is not a JSON object with memories.")


def _filled(given: list[Any]) -> list[Any]:
    return [{**_USUAL, **each} if isinstance(each, dict) else each for each in given]


def _where(wrong: ValidationError) -> str:
    places = [
        ".".join(str(part) for part in error["loc"]) + f" ({error['type']})"
        for error in wrong.errors(include_input=False, include_url=False, include_context=False)
    ]
    return ", ".join(places[:3])


def _noted(each: Memory) -> Noted:
    return Noted(
        type=each.type,
        text=each.text,
        message=each.message,
        subject=each.subject,
        slot=each.slot or "",
        value=each.value or "",
        confidence=each.confidence,
        since=each.since,
        due=each.due,
        done=each.done,
    )


def shown(noted: tuple[Noted, ...]) -> str:
    """A reading as text, for people who look at what a writer wrote."""
    return "\n".join(f"- {each.text}" for each in noted)
