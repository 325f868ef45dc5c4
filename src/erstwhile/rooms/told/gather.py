"""What the messages before a request say about a person, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from erstwhile.log.model import Message
from erstwhile.rooms.told import reading
from erstwhile.text import sentences
from erstwhile.writers import xml
from erstwhile.writers.port import Ask, Line, Request, Writer
from erstwhile.writers.prompt import Prompt, load

_LONGEST = 400  # characters of a sentence


def ask(person: str, said: Sequence[Message], names: Mapping[str, str]) -> Ask[list[str]]:
    """Without a model: what they say of themselves in plain words, and what others say with their name in it."""
    name = names[person]
    prompt = load(__package__, "gather")
    texts = [each.text for each in said]

    async def draft(writer: Writer) -> list[str]:
        return await _plainly(writer, prompt, (person, name), said) if said else []

    return Ask(
        prompt=prompt,
        text=f"<person>{xml.escape(name)}</person>\n<messages>\n{xml.messages(said, names)}\n</messages>",
        read=lambda answer: reading.gathered(answer, texts, (name, person)),
        draft=draft,
        schema={
            "type": "object",
            "properties": {"sentences": {"type": "array", "items": {"type": "string"}}},
            "required": ["sentences"],
            "additionalProperties": False,
        },
    )


async def _plainly(writer: Writer, prompt: Prompt, who: tuple[str, str], said: Sequence[Message]) -> list[str]:
    person, name = who
    own = [Line(name, each.text, each.at) for each in said if each.person == person]
    noted = (await writer.structure(Request(prompt, own))).noted if own else ()
    found = [each.text for each in noted if each.type != "todo" or not each.done]
    for each in said:
        if each.person != person:
            found += [
                sentence
                for sentence in sentences.split(each.text)
                if name.casefold() in sentence.casefold()
                and not sentence.endswith(("?", "？"))
                and len(sentence) <= _LONGEST
            ]
    return list(dict.fromkeys(found))
