"""A message that asks and says more: what it says around its question does not hide what is asked."""

from __future__ import annotations

import pytest

from erstwhile import Memory
from erstwhile.search.question import questions_in

ASIDES = (
    "I want to drop a parcel off at the post office before it closes.",
    "Sorry for asking so late, I have been cooking dinner for my parents all evening.",
)
SAID = (
    "We moved the piano into the hall on Tuesday.",
    "My sister Nora works at a bakery in Leeds now.",
    "The cat is called Biscuit and hates the rain.",
    "Dinner for my parents was lentil soup.",
    "The post office closes at noon.",
    "A parcel came for you, I put it behind the door.",
)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Where is Mina living now? I want to drop a parcel off.", "Where is Mina living now?"),
        ("I am at the market. Does Robin eat mussels, or only fish?", "Does Robin eat mussels, or only fish?"),
        ("Who came? I was away. And when?", "Who came? And when?"),
        ("我明天去上海。王芳住在哪里？", "王芳住在哪里？"),
        ("Where is Mina living now?", ""),
        ("Who was it? And when?", ""),
        ("I moved. It rains.", ""),
        ("what did it cost, 3.50 or 4?", ""),
        ("", ""),
    ],
)
def test_the_questions_of_a_message(text: str, asked: str) -> None:
    assert questions_in(text) == asked


@pytest.mark.parametrize("aside", ASIDES)
async def test_an_aside_does_not_hide_the_answer(memory: Memory, aside: str) -> None:
    chat = memory.channel("chat")
    await chat.add_many([{"role": "user", "text": text, "person": "ann"} for text in SAID])
    for question, answer in (("Where does Nora work?", SAID[1]), ("What is the cat called?", SAID[2])):
        for message in (f"{question} {aside}", f"{aside} {question}"):
            found = await memory.search(message, kinds=["message"], limit=6)
            alone = await memory.search(question, kinds=["message"], limit=6)
            assert alone[0].text == answer
            assert answer in [hit.text for hit in found[:2]]
            assert next(hit.score for hit in found if hit.text == answer) >= alone[0].score
