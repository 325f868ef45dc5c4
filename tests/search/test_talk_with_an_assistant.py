"""Talk with an assistant: long replies don't set the measure, and "you" is the assistant."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.language.assistant import is_standing, means_assistant

REPLY = (
    "There is much to say about that. Take your time, compare two or three offers, write down what matters to you, ask "
    "someone who has done it before, and sleep on it. Many people regret what they did in a hurry. {} If anything changes, "
    "tell me, and we will look at it again together. Would you like a list?"
)
EXCHANGES = (
    ("The lake at Annecy was lovely.", "Lakes are lovely in May."),
    ("I want to buy a tent.", "For two people I recommend the Nallo tent."),
    ("My tent leaks at the seams.", "Seams of a tent can be sealed with silicone."),
    ("Always give me prices in francs.", "Prices will be in francs."),
    ("The bus was late again.", "Buses are often late in winter."),
    ("What is a good stove for the tent?", "Never cook inside a tent; a gas stove in front of it is fine."),
)


async def fill(memory: erstwhile.Memory) -> None:
    said = [
        erstwhile.NewMessage(role, text, person="ana" if role == "user" else None)
        for asked, told in EXCHANGES
        for role, text in (("user", asked), ("assistant", REPLY.format(told)))
    ]
    await memory.channel("chat").add_many(said)
    await memory.settle()


async def test_you_is_the_assistant_and_i_the_asker(memory: erstwhile.Memory) -> None:
    await fill(memory)
    (mine, *_) = await memory.search("What did I say about my tent?", kinds=["message"])
    (yours, *_) = await memory.search("Which tent did you recommend to me?", kinds=["message"])
    assert mine.person == "ana"
    assert yours.person is None
    assert "Nallo" in yours.text


async def test_where_nobody_replies_you_is_nobody(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    for person in ("ana", "ben"):
        await chat.add("user", "The tent is in the attic.", person=person)
    (hit, *_) = await memory.search("Where did you say my tent is?", asker="ben", kinds=["message"])
    assert hit.person == "ben"


async def test_a_standing_request_counts_by_itself(memory: erstwhile.Memory) -> None:
    await fill(memory)
    parts = await parts_of(memory, "Give me the price of a tent in francs, please")
    assert parts["Always give me prices in francs."]["substance"] > parts["I want to buy a tent."]["substance"]


async def test_a_long_reply_that_ends_with_a_question_is_no_question(memory: erstwhile.Memory) -> None:
    await fill(memory)
    parts = await parts_of(memory, "What about the tent and the stove?")
    replies = [each["substance"] for text, each in parts.items() if text.endswith("a list?")]
    assert replies
    assert min(replies) > 0.6 > 0.2 > parts["What is a good stove for the tent?"]["substance"]


async def parts_of(memory: erstwhile.Memory, question: str) -> dict[str, dict[str, float]]:
    """What the score of each message is made of, by its text."""
    texts = {hit.id: hit.text for hit in await memory.search(question, kinds=["message"], limit=40)}
    explained = await memory.requests.explain((await memory.requests.list())[0].id)
    return {texts[each.candidate.id]: dict(each.candidate.parts) for each in explained.seen}


@pytest.mark.parametrize(
    ("language", "about_the_assistant", "not_about_it"),
    [
        (
            "en",
            (
                "Which tent did you recommend?",
                "What was your advice?",
                "I forgot. Can you name the tent you mentioned?",
            ),
            ("Can you recommend a tent?", "What did I tell you about my tent?", "Do you know where I live?"),
        ),
        ("de", ("Welches Zelt hast du empfohlen?", "Was war dein Rat?"), ("Kannst du ein Zelt empfehlen?",)),
        ("fr", ("Quelle tente m'as-tu recommandée ?",), ("Peux-tu me recommander une tente ?",)),
        ("es", ("¿Qué tienda me recomendaste?",), ("¿Puedes recomendarme una tienda?", "¿Por qué estoy triste?")),
        ("zh", ("你推荐过哪个帐篷？",), ("你能推荐一个帐篷吗？", "我跟你说过什么？")),
        ("ja", ("どのテントを勧めてくれましたか？",), ("テントを教えてください",)),
        ("ko", ("어느 텐트를 추천해 줬어?",), ("텐트를 추천해 줘",)),
    ],
)
def test_what_is_asked_of_the_assistant(
    language: str, about_the_assistant: tuple[str, ...], not_about_it: tuple[str, ...]
) -> None:
    assert [each for each in about_the_assistant if not means_assistant(each, language)] == []
    assert [each for each in not_about_it if means_assistant(each, language)] == []


def test_what_people_want_from_now_on() -> None:
    wanted = (
        "From now on leave out nuts",
        "I'd prefer a window seat",
        "Ab jetzt bitte kurz",
        "앞으로 빼 주세요",
        "以后都用中文",
    )
    assert [each for each in wanted if not is_standing(each)] == []
    assert not is_standing("We went to the lake and it rained.")
