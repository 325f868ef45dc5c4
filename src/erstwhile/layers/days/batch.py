"""Write one day of a space as a prompt, and read the model's answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from erstwhile.base.errors import UngroundedAnswer
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import EVERYONE
from erstwhile.language import codes, of
from erstwhile.log.model import Message
from erstwhile.text import analyse, detection, sentences, suspect, tokens
from erstwhile.writers import answers, checks, transcript, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.port import TranscriptLine
from erstwhile.writers.transcript import MESSAGE_CHARACTERS

# A model gets at most this much in one call. A longer day is read in parts of consecutive messages.
# What the parts say about a person is joined, and condensed if it is too long.
MOST_TOKENS = 24_000
MOST_PEOPLE = 100
_TAGS = 40  # tokens of a message's tags
TOKENS_OF_A_SUMMARY = 130
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_TOLERANCE = 1.5  # a text may be this many times as long as asked

Summaries = dict[tuple[str, str], str]  # by audience and person


@dataclass(frozen=True, slots=True)
class DaySection:
    """What was said on a day, for one audience. `mentioned`: known people others talked about. A
    section that is `apart` is never sent in one call with others."""

    audience: str
    said: tuple[Message, ...]
    mentioned: tuple[str, ...] = ()
    apart: bool = False

    @property
    def people(self) -> tuple[str, ...]:
        """The people who spoke, in order."""
        return tuple(dict.fromkeys(message.person for message in self.said if message.person))


Part = tuple[DaySection, ...]  # the sections of one call


def set_apart(sections: Sequence[DaySection]) -> tuple[DaySection, ...]:
    """Set private sections apart, so that no private word can leak into another summary. At most
    one private section is sent along with the public ones, and none on a day with a message that
    looks like an instruction to the model."""
    private = sum(1 for each in sections if each.audience and not each.apart)
    suspicious = any(suspect.flag(said.text) for each in sections for said in each.said)
    if private == 1 and not suspicious:
        return tuple(sections)
    return tuple(replace(each, apart=True) if each.audience else each for each in sections)


def parts(sections: Sequence[DaySection]) -> list[Part]:
    """Return the sections of each call. Sections without known people are left out."""
    named = [section for section in sections if section.people]
    groups = [[each for each in named if not each.apart], *([each] for each in named if each.apart)]
    split = (part for group in groups for part in _split(group))
    return [part for part in split if any(section.people for section in part)]


def _split(group: Sequence[DaySection]) -> Iterator[Part]:
    part: list[tuple[DaySection, list[Message]]] = []
    spent, people = 0, set[tuple[str, str | None]]()
    for section in group:
        part.append((section, []))
        for message in section.said:
            cost = tokens.count(message.text[:MESSAGE_CHARACTERS]) + _TAGS
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


def divided(part: Sequence[DaySection]) -> tuple[Part, Part] | None:
    """Divide a part between its messages."""
    half = sum(len(section.said) for section in part) // 2
    if not half:
        return None
    first, rest = [], []
    for section in part:
        taken = section.said[: max(0, half)]
        half -= len(taken)
        first.append((section, taken))
        rest.append((section, section.said[len(taken) :]))
    return _part(first), _part(rest)


def _part(taken: Sequence[tuple[DaySection, Sequence[Message]]]) -> Part:
    return tuple(replace(section, said=tuple(said)) for section, said in taken if said)


def material(day: date, part: Sequence[DaySection], names: Mapping[str, str], length: int) -> str:
    written = _languages(part)
    rows = [f"<length>about {length} characters each</length>"]
    rows += [f"<day>{day:%A}, {day.isoformat()}</day>"]
    for number, section in enumerate(part, start=1):
        rows += [f'<conversation id="{number}">', "<people>"]
        for id in dict.fromkeys((*section.people, *section.mentioned)):
            name = xml.escape(_name(id, names))
            language = f' writes="{written[id]}"' if len(set(written.values())) > 1 else ""
            rows.append(f'<person id="{xml.escape(id)}" name="{name}"{language}/>')
        rows += ["</people>", xml.messages(section.said, names), "</conversation>"]
    what = "The days as JSON, their summaries"
    if len(set(written.values())) > 1:
        return "\n".join([*rows, "", f"{what} each in the language that the person writes:"])
    texts = [each.text for section in part for each in section.said]
    return "\n".join([*rows, "", transcript.closing(what, texts)])


def _languages(part: Sequence[DaySection]) -> dict[str, str]:
    """Return the language in which each person writes; of those who say too little, that of all."""
    said: dict[str, list[str]] = {}
    for section in part:
        for message in section.said:
            said.setdefault(message.person or "", []).append(message.text)
    usual = detection.dominant([text for texts in said.values() for text in texts])
    found = {}
    for id in dict.fromkeys(id for each in part for id in (*each.people, *each.mentioned)):
        texts = said.get(id, [])
        tells = not all(map(str.isascii, texts)) or any(
            any(detection.votes(t).values()) for t in texts
        )
        code = detection.dominant(texts) if tells else usual
        found[id] = of(code).name if code in codes() else code
    return found


def _name(person: str, names: Mapping[str, str]) -> str:
    return " ".join(names.get(person, person).split())


def schema(part: Sequence[DaySection], length: int) -> dict[str, Any]:
    """Return the schema of an answer: a list, since strict schemas allow only keys they name."""
    people = [id for section in part for id in (*section.people, *section.mentioned)]
    entry = answers.object_schema(
        conversation=answers.number_schema(len(part)),
        person={"type": "string", "enum": list(dict.fromkeys(people))},
        summary=answers.text_schema(longest(length)),
    )
    return answers.object_schema(days=answers.list_schema(entry, len(people)))


def longest(length: int) -> int:
    """Return the most characters of an answer, some more than are kept: it is cut at a sentence."""
    return int(2 * _TOLERANCE * length)


def read(answer: str, part: Sequence[DaySection], names: Mapping[str, str]) -> Summaries:
    """Read the summaries of people who spoke or were mentioned. Others are ignored."""
    found = answers.as_json(answer.strip())  # json_object() refuses an answer as long as this
    if not isinstance(found, dict) or "days" not in found:
        found = answers.json_object(answer, "days")
    listed = found["days"]
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise MalformedAnswer('"days" must be a list of objects.')
    made: Summaries = {}
    for entry in listed:
        section = _section(entry.get("conversation"), part)
        person = _person(entry.get("person"), section, names) if section is not None else None
        summary = entry.get("summary")
        if not isinstance(summary, str):
            raise MalformedAnswer('Each of "days" needs a text "summary".')
        text = clean(summary)
        if section is not None and person is not None and text and not answers.is_refusal(text):
            made.setdefault((section.audience, person), text)
    if not made:
        raise MalformedAnswer(
            '"days" has nobody of the conversations. Use the given ids and numbers.'
        )
    return made


def borne(
    found: Summaries, part: Sequence[DaySection], names: Mapping[str, str]
) -> tuple[Summaries, int]:
    """Leave out the sentences whose names or numbers no message of their section has, and count them. Who has nothing
    left gets a draft."""
    said = {section.audience: lines(section, names) for section in part}
    kept: Summaries = {}
    lost = 0
    for (audience, person), text in found.items():
        try:
            kept[audience, person], left_out = checks.borne_summary(text, said[audience])
        except UngroundedAnswer:
            left_out = len(sentences.split(text))
        lost += left_out
    if found and not kept:
        raise UngroundedAnswer(
            "No message bears out any of the days of the model. Choose a larger model."
        )
    return kept, lost


def lines(section: DaySection, names: Mapping[str, str]) -> list[TranscriptLine]:
    """Return what was said, by the names of the speakers."""
    found = []
    for each in section.said:
        speaker = _name(each.person, names) if each.person else each.speaker
        found.append(TranscriptLine(speaker, xml.named(each.text, names), each.at))
    return found


def _section(number: object, part: Sequence[DaySection]) -> DaySection | None:
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int):
        return part[0] if number is None and len(part) == 1 else None
    return part[number - 1] if 1 <= number <= len(part) else None


def _person(given: object, section: DaySection, names: Mapping[str, str]) -> str | None:
    """Find a person by id, or by a name that only one speaker has."""
    if not isinstance(given, str | int):
        return None
    called = xml.plain(str(given)).strip()
    if called in section.people or called in section.mentioned:
        return called
    name = called.casefold()
    alike = [each for each in section.people if _name(each, names).casefold() == name]
    return alike[0] if len(alike) == 1 else None


def joined(of_parts: Sequence[Summaries]) -> Summaries:
    whole: dict[tuple[str, str], list[str]] = {}
    for summaries in of_parts:
        for who, text in summaries.items():
            whole.setdefault(who, []).append(text)
    return {who: "\n".join(texts) for who, texts in whole.items()}


def too_long(summaries: Summaries, length: int) -> list[tuple[str, str]]:
    most = _TOLERANCE * length
    return [who for who, text in summaries.items() if "\n" in text and len(text) > most]


def condensable(
    summaries: Summaries, long: Sequence[tuple[str, str]], sections: Sequence[DaySection]
) -> list[DaySection]:
    """Return summaries that several parts gave, as a day for a second call."""
    found = []
    for section in sections:
        said = []
        for person in (person for audience, person in long if audience == section.audience):
            own = (message for message in section.said if message.person == person)
            first = replace(next(own, section.said[0]), person=person, name=None)
            texts = summaries[section.audience, person].splitlines()
            said += [replace(first, text=text) for text in texts]
        if said:
            found.append(replace(section, said=tuple(said)))
    return found


def clean(text: str) -> str:
    """Return one paragraph, without XML escapes and characters that no database stores."""
    return " ".join(_UNSTORABLE.sub("", xml.plain(text)).split())


def shortened(text: str, length: int) -> str:
    """Shorten a text to whole sentences of about `length` characters; cut a longer sentence."""
    most = int(_TOLERANCE * length)
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


# Leaks: summaries that repeat what only a private conversation of the same call says. Someone can
# talk a model into that. Words that it paraphrased or translated are not found; `set_apart` covers
# those.


def without_leaks(
    summaries: Summaries,
    part: Sequence[DaySection],
    names: Mapping[str, str],
    common: Iterable[str],
) -> Summaries:
    """Return the summaries without private words of another conversation. Words of the `common`
    texts, which the model gets in any case, are allowed."""
    if len(part) < 2 or not any(section.audience for section in part):
        return summaries
    words = {section.audience: _words(section) for section in part}
    allowed = {term for text in common for term in analyse.terms(text)}
    known = {term for name in (*names, *names.values()) for term in analyse.terms(name)}
    allowed |= {term for term in known if not term.isdecimal()}
    kept = {}
    for (audience, person), text in summaries.items():
        others = (said for other, said in words.items() if other not in (EVERYONE, audience))
        private = set[str]().union(*others)
        if private.isdisjoint(_telling(text) - words[audience] - allowed):
            kept[audience, person] = text
    return kept


def _words(section: DaySection) -> set[str]:
    """Return all words: a stop word of one language has a meaning in another."""
    return {term for message in section.said for term in analyse.terms(message.text)}


def _telling(text: str) -> set[str]:
    numbers = {term for term in analyse.terms(text) if term.isdecimal()}
    return numbers.union(analyse.query_terms(text))


def public_texts(day: date, instructions: str) -> tuple[str, ...]:
    return instructions, f"{day:%A}", day.isoformat()
