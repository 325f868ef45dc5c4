"""A day without a model: a person's own words, as many of them as there is room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from erstwhile.layers.days import batch
from erstwhile.layers.days.batch import DaySection, Summaries
from erstwhile.text import analyse
from erstwhile.writers import xml
from erstwhile.writers.port import TranscriptLine, Writer, WriterRequest
from erstwhile.writers.prompt import Prompt

_DASH = " — "  # between the date that a summary begins with and what was said


async def of_part(
    writer: Writer, prompt: Prompt, part: Sequence[DaySection], names: Mapping[str, str], length: int
) -> Summaries:
    """Of each who spoke; nothing of anyone else, whom only a reader could tell apart."""
    made: Summaries = {}
    for section in part:
        for person in section.people:
            label = " ".join(names.get(person, person).split())
            lines = [
                TranscriptLine(label, xml.named(message.text, names), message.at)
                for message in section.said
                if message.person == person
            ]
            text = await _person(writer, prompt, lines, length)
            if text:
                made[section.audience, person] = batch.shortened(" ".join(text.split()), length)
    return made


async def _person(writer: Writer, prompt: Prompt, lines: Sequence[TranscriptLine], length: int) -> str:
    """A day of few words is told whole: the writer would pick its facts and leave out how the person was."""
    telling = [line for line in lines if len(analyse.query_terms(line.text)) > 1] or list(lines)
    if sum(len(line.text) + 1 for line in telling) > length:
        return (await writer.summarise(WriterRequest(prompt, telling))).text
    told = [(await writer.summarise(WriterRequest(prompt, [line]))).text for line in telling]
    return _strung([text for text in told if text], telling[0].speaker)


def _strung(texts: Sequence[str], speaker: str) -> str:
    """The date and the name once."""
    if not texts:
        return ""
    return " ".join([texts[0], *(_bare(text, speaker) for text in dict.fromkeys(texts[1:]))])


def _bare(text: str, speaker: str) -> str:
    return text.partition(_DASH)[2].removeprefix(f"{speaker}: ") or text
