"""Find what the messages before a command say about a person: sentences, each with its author."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from erstwhile.base.errors import UngroundedAnswer
from erstwhile.base.records import dataclass
from erstwhile.layers.remembered import lines, reading, third_person
from erstwhile.log.model import Message
from erstwhile.text import analyse, labels, sentences
from erstwhile.writers import checks, halves, transcript, xml
from erstwhile.writers.grounding import unborne
from erstwhile.writers.port import TranscriptLine, Writer, WriterQuestion, WriterRequest
from erstwhile.writers.prompt import Prompt, load

_LONGEST = 400  # characters of a sentence


@dataclass(frozen=True, slots=True)
class GatheredSentence:
    """A sentence that `author` said in the message `seq`."""

    sentence: str
    author: str
    seq: int


def ask(
    person: str, said: Sequence[Message], names: Mapping[str, str]
) -> WriterQuestion[list[GatheredSentence]]:
    """Ask for the sentences about a person in messages of known people. Without a model, these are
    what the person says about themselves in simple forms, and sentences of others that contain
    their name."""
    prompt = load(__package__, "gather")

    async def draft(writer: Writer) -> list[GatheredSentence]:
        plain = await _plainly(writer, prompt, (person, names[person]), said)
        return _signed(plain, said, (person, names))

    def read(answer: str) -> list[GatheredSentence]:
        given = reading.gathered(answer, len(said))
        placed = [(text, _source((text, at), person, said, names)) for text, at in given]
        return _signed([(text, number) for text, number in placed if number], said, (person, names))

    shown = xml.messages(said, names, numbered=True)
    closing = transcript.closing(
        "Sentences about this person as JSON, all",
        [each.text for each in said],
        each="each in the language of its message",
    )
    return WriterQuestion(
        prompt=prompt,
        text=f"<person>{xml.escape(names[person])}</person>\n<messages>\n{shown}\n</messages>\n\n{closing}",
        read=read,
        draft=draft,
        schema=reading.gathered_schema(len(said)),
        check=lambda found: _borne(found, said, names),
        halves=lambda: halves.of(
            said, lambda some: ask(person, some, names), lambda one, other: [*one, *other]
        ),
    )


def _borne(
    found: list[GatheredSentence], said: Sequence[Message], names: Mapping[str, str]
) -> tuple[list[GatheredSentence], int]:
    """Leave out the sentences that their message does not bear out."""
    told = [
        TranscriptLine(names.get(each.person or "", each.speaker), each.text, each.at)
        for each in said
    ]
    places = {each.seq: place for place, each in enumerate(said, start=1)}
    reasons = [unborne(each.sentence, checks.around(places[each.seq], told)) for each in found]
    # Others may say "he" of the person whom the command names.
    reasoned = zip(found, reasons, strict=True)
    kept = [each for each, wrong in reasoned if not wrong or wrong == "person"]
    if found and not kept:
        raise UngroundedAnswer(
            "No message bears out any of the sentences of the model. Choose a larger model."
        )
    return kept, len(found) - len(kept)


async def _plainly(
    writer: Writer, prompt: Prompt, who: tuple[str, str], said: Sequence[Message]
) -> list[tuple[str, int]]:
    """Return each sentence with the number of its message, from 1."""
    person, name = who
    numbers = [number for number, each in enumerate(said, start=1) if each.person == person]
    own = [TranscriptLine(name, said[number - 1].text, said[number - 1].at) for number in numbers]
    noted = (await writer.structure(WriterRequest(prompt, own))).noted if own else ()
    kept = [each for each in noted if each.type != "todo" or not each.done]
    found = [(each.text, numbers[each.message - 1]) for each in kept]
    for number, each in enumerate(said, start=1):
        if each.person != person:
            short = (one for one in sentences.split(each.text) if len(one) <= _LONGEST)
            named = [one for one in short if name.casefold() in one.casefold()]
            found += [(one, number) for one in named if not one.endswith(("?", "？"))]
    return found


def _signed(
    found: Sequence[tuple[str, int]], said: Sequence[Message], who: tuple[str, Mapping[str, str]]
) -> list[GatheredSentence]:
    """Add the authors. Where another author says "I", put their name."""
    person, names = who
    signed = []
    for sentence, number in found:
        message = said[number - 1]
        author = message.person or ""
        if author != person:
            name = labels.label(names[author]) or lines.SOMEONE
            sentence = third_person.by_name(sentence, name)
        signed.append(GatheredSentence(sentence, author, message.seq))
    return list({(each.sentence, each.author): each for each in reversed(signed)}.values())[::-1]


def _source(
    given: tuple[str, int], person: str, said: Sequence[Message], names: Mapping[str, str]
) -> int:
    """Return the number of the message a sentence comes from, 0 if none. It is the one the model
    named, if they share a word, else the one that shares most. A sentence that is closer to
    another's message does not count as the person's own word."""
    sentence, number = given
    own = {term for name in (*names, *names.values()) for term in analyse.terms(name)}
    wanted = set(analyse.query_terms(sentence)) - own
    shared = [len(wanted.intersection(analyse.terms(each.text))) for each in said]
    closest = max(range(len(said)), key=shared.__getitem__)
    if not shared[closest]:
        return 0
    named = number - 1
    claimed = said[named].person == person and shared[closest] > shared[named]
    return number if shared[named] and not claimed else closest + 1
