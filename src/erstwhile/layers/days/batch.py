"""One day of a space as a model reads it, and what to make of its answer. Plain functions, tested without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from erstwhile.log.model import Message
from erstwhile.text import sentences, suspect, tokens
from erstwhile.writers import answers, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.transcript import MESSAGE_CHARACTERS

# A day is read in one call, up to what a model still reads with attention and can answer in one go. A longer one is read in parts of
# consecutive messages; what the parts say of a person is joined, and condensed where that is too long.
MOST_TOKENS = 24_000
MOST_PEOPLE = 100
_BESIDE = 40  # tokens of a message's tags
_TOKENS_OF_A_SUMMARY = 130
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_OVER = 1.5  # times the length asked for is still "about" as long

Summaries = dict[tuple[str, str], str]  # by audience and person


@dataclass(frozen=True, slots=True)
class DaySection:
    """What was said on a day before one audience. `mentioned` are known people who were spoken of. What is `apart` is
    never read in one call with anything else."""

    audience: str
    said: tuple[Message, ...]
    mentioned: tuple[str, ...] = ()
    apart: bool = False

    @property
    def people(self) -> tuple[str, ...]:
        """Who spoke, in order."""
        return tuple(dict.fromkeys(message.person for message in self.said if message.person))


def set_apart(sections: Sequence[DaySection]) -> tuple[DaySection, ...]:
    """Of private conversations at most one is read along with the open ones, and none on a day on which anyone speaks as if to a machine:
    what is not read can't be told."""
    private = sum(1 for each in sections if each.audience and not each.apart)
    shared = private == 1 and not any(suspect.flag(said.text) for each in sections for said in each.said)
    return tuple(each if shared or not each.audience else replace(each, apart=True) for each in sections)


def parts(sections: Sequence[DaySection]) -> list[tuple[DaySection, ...]]:
    """What is read in one call each. Where nobody has a name there is nobody to tell of."""
    named = [section for section in sections if section.people]
    groups = [[each for each in named if not each.apart], *([each] for each in named if each.apart)]
    return [part for group in groups for part in _split(group) if any(section.people for section in part)]


def _split(group: Sequence[DaySection]) -> Iterator[tuple[DaySection, ...]]:
    part: list[tuple[DaySection, list[Message]]] = []
    spent, people = 0, set[tuple[str, str | None]]()
    for section in group:
        part.append((section, []))
        for message in section.said:
            cost = tokens.count(message.text[:MESSAGE_CHARACTERS]) + _BESIDE
            who = (section.audience, message.person)
            if spent and (spent + cost > MOST_TOKENS or len(people | {who}) > MOST_PEOPLE):
                yield _part(part)
                part, spent = [(section, [])], 0
                people.clear()
            part[-1][1].append(message)
            spent += cost
            people.add(who)
    if spent:
        yield _part(part)


def _part(taken: Sequence[tuple[DaySection, list[Message]]]) -> tuple[DaySection, ...]:
    return tuple(replace(section, said=tuple(said)) for section, said in taken if said)


def material(day: date, part: Sequence[DaySection], names: Mapping[str, str], length: int) -> str:
    rows = [f"<length>about {length} characters each</length>", f"<day>{day:%A}, {day.isoformat()}</day>"]
    for number, section in enumerate(part, start=1):
        listed = dict.fromkeys((*section.people, *section.mentioned))
        rows += [f'<conversation id="{number}">', "<people>"]
        rows += [f'<person id="{xml.escape(id)}" name="{xml.escape(_name(id, names))}"/>' for id in listed]
        rows += ["</people>", xml.messages(section.said, names), "</conversation>"]
    return "\n".join(rows)


def _name(person: str, names: Mapping[str, str]) -> str:
    return " ".join(names.get(person, person).split())


def room(part: Sequence[DaySection]) -> int:
    """Output tokens for an answer about everyone."""
    return _TOKENS_OF_A_SUMMARY * sum(len(section.people) for section in part)


def schema() -> dict[str, Any]:
    """A list, not an object by id: providers that hold a model to a schema don't take keys that are not named in it."""
    fields: dict[str, Any] = {
        "conversation": {"type": "integer"},
        "person": {"type": "string"},
        "summary": {"type": "string"},
    }
    entry = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {
        "type": "object",
        "properties": {"days": {"type": "array", "items": entry}},
        "required": ["days"],
        "additionalProperties": False,
    }


def read(answer: str, part: Sequence[DaySection], names: Mapping[str, str]) -> Summaries:
    """What the model says of those who spoke or were mentioned; of anyone else it can't know, and is not believed."""
    whole = answers.as_json(answer.strip())  # of a hundred people it is longer than any other answer may be
    found = whole if isinstance(whole, dict) and "days" in whole else answers.json_object(answer, "days")
    listed = found["days"]
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise MalformedAnswer('"days" must be a list of objects.')
    made: Summaries = {}
    for entry in listed:
        section = _section(entry.get("conversation"), part)
        person = _person(entry.get("person"), section, names) if section is not None else None
        summary = entry.get("summary")
        if not isinstance(summary, str):
            raise MalformedAnswer('Each of "days" needs a "summary", which is a text.')
        text = clean(summary)
        if section is not None and person is not None and text and not answers.is_refusal(text):
            made.setdefault((section.audience, person), text)
    if not made:
        raise MalformedAnswer(
            '"days" holds nobody who is in the conversations: use their ids and the numbers of the conversations.'
        )
    return made


def _section(number: object, part: Sequence[DaySection]) -> DaySection | None:
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int):
        return part[0] if number is None and len(part) == 1 else None
    return part[number - 1] if 1 <= number <= len(part) else None


def _person(given: object, section: DaySection, names: Mapping[str, str]) -> str | None:
    """By id; by name where only one who spoke has it."""
    if not isinstance(given, str | int):
        return None
    called = xml.plain(str(given)).strip()
    if called in section.people or called in section.mentioned:
        return called
    alike = [person for person in section.people if _name(person, names).casefold() == called.casefold()]
    return alike[0] if len(alike) == 1 else None


def joined(of_parts: Sequence[Summaries]) -> Summaries:
    whole: dict[tuple[str, str], list[str]] = {}
    for summaries in of_parts:
        for who, text in summaries.items():
            whole.setdefault(who, []).append(text)
    return {who: "\n".join(texts) for who, texts in whole.items()}


def too_long(summaries: Summaries, length: int) -> list[tuple[str, str]]:
    return [who for who, text in summaries.items() if "\n" in text and len(text) > _OVER * length]


def again(summaries: Summaries, long: Sequence[tuple[str, str]], sections: Sequence[DaySection]) -> list[DaySection]:
    """What several parts said of people, as a day to be read once more."""
    found = []
    for section in sections:
        said = []
        for audience, person in long:
            if audience == section.audience:
                first = next((message for message in section.said if message.person == person), section.said[0])
                texts = summaries[audience, person].splitlines()
                said += [replace(first, person=person, name=None, text=text) for text in texts]
        if said:
            found.append(replace(section, said=tuple(said)))
    return found


def clean(text: str) -> str:
    """One paragraph, without the escapes of the XML and without what no database keeps."""
    return " ".join(_UNSTORABLE.sub("", xml.plain(text)).split())


def shortened(text: str, length: int) -> str:
    """Whole sentences, as many as are about `length` characters; of one that is longer by itself, its beginning."""
    most = int(_OVER * length)
    if len(text) <= most:
        return text
    kept = ""
    for sentence in sentences.split(text):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > most:
            break
        kept = longer
    if kept:
        return kept
    head, _, cut = text[:most].rpartition(" ")
    return (head if len(head) > most // 2 else head + " " + cut).strip() + "…"
