"""What the messages before a request say about a person: sentence by sentence, each with who said it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from erstwhile.layers.remembered import lines, reading, third
from erstwhile.layers.remembered.reading import Leaning
from erstwhile.log.model import Message
from erstwhile.text import analyse, sentences
from erstwhile.writers import xml
from erstwhile.writers.port import TranscriptLine, Writer, WriterQuestion, WriterRequest
from erstwhile.writers.prompt import Prompt, load

_LONGEST = 400  # characters of a sentence


@dataclass(frozen=True, slots=True)
class GatheredSentence:
    """`author` said it, in the message `seq`."""

    sentence: str
    author: str
    seq: int


def ask(person: str, said: Sequence[Message], names: Mapping[str, str]) -> WriterQuestion[list[GatheredSentence]]:
    """`said` are messages of named people. Without a model: what they say of themselves in plain words, and what others say with their
    name in it."""
    prompt = load(__package__, "gather")

    async def draft(writer: Writer) -> list[GatheredSentence]:
        return _signed(await _plainly(writer, prompt, (person, names[person]), said), said, (person, names))

    def read(answer: str) -> list[GatheredSentence]:
        given = reading.gathered(answer, len(said))
        placed = [(each.text, _leans_on(each, person, said, names)) for each in given]
        return _signed([(text, number) for text, number in placed if number], said, (person, names))

    return WriterQuestion(
        prompt=prompt,
        text=f"<person>{xml.escape(names[person])}</person>\n<messages>\n{xml.messages(said, names, numbered=True)}\n</messages>",
        read=read,
        draft=draft,
        schema=reading.gathered_schema(),
    )


async def _plainly(
    writer: Writer, prompt: Prompt, who: tuple[str, str], said: Sequence[Message]
) -> list[tuple[str, int]]:
    """Each sentence with the number of its message, from 1."""
    person, name = who
    numbers = [number for number, each in enumerate(said, start=1) if each.person == person]
    own = [TranscriptLine(name, said[number - 1].text, said[number - 1].at) for number in numbers]
    noted = (await writer.structure(WriterRequest(prompt, own))).noted if own else ()
    found = [(each.text, numbers[each.message - 1]) for each in noted if each.type != "todo" or not each.done]
    for number, each in enumerate(said, start=1):
        if each.person != person:
            found += [
                (sentence, number)
                for sentence in sentences.split(each.text)
                if name.casefold() in sentence.casefold()
                and not sentence.endswith(("?", "？"))
                and len(sentence) <= _LONGEST
            ]
    return found


def _signed(
    found: Sequence[tuple[str, int]], said: Sequence[Message], who: tuple[str, Mapping[str, str]]
) -> list[GatheredSentence]:
    """Where an author other than the person speaks of themselves, their name stands."""
    person, names = who
    signed = []
    for sentence, number in found:
        message = said[number - 1]
        author = message.person or ""
        text = sentence if author == person else third.by_name(sentence, lines.label(names[author]) or lines.SOMEONE)
        signed.append(GatheredSentence(text, author, message.seq))
    return list({(each.sentence, each.author): each for each in reversed(signed)}.values())[::-1]


def _leans_on(given: Leaning, person: str, said: Sequence[Message], names: Mapping[str, str]) -> int:
    """The message a sentence is taken from: the one named, if they share a word, else the closest; 0 if none is. Nobody's own word is what
    another's message is closer to."""
    shared = _shared(given.text, [each.text for each in said], [*names, *names.values()])
    closest = max(range(len(said)), key=shared.__getitem__)
    if not shared[closest]:
        return 0
    named = given.message - 1
    claimed = said[named].person == person and shared[closest] > shared[named]
    return given.message if shared[named] and not claimed else closest + 1


def _shared(sentence: str, texts: Sequence[str], names: Sequence[str]) -> list[int]:
    """How many words a sentence has in common with each text, names left out."""
    wanted = set(analyse.query_terms(sentence)) - {term for name in names for term in analyse.terms(name)}
    return [len(wanted.intersection(analyse.terms(text))) for text in texts]
