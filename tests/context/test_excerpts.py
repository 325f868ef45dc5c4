"""Inside a context a long reply is cut to the sentences that bear on the question."""

from __future__ import annotations

import time

import pytest

import erstwhile
from erstwhile.context.render import Excerpts, cut
from erstwhile.layers.part import Item
from erstwhile.text import analyse, tokens
from erstwhile.text.excerpt import Allowance, cut_to_sentences

STOCK = (
    "There is a lot to think about before anyone decides on such a thing.",
    "Compare two or three offers and write down what matters most.",
    "Most people regret what was done in a hurry, at home and elsewhere.",
    "Ask a friend who has done it before, and sleep on it for a night.",
)
ANSWER = "The tram to the observatory leaves from Platform Nine at noon."
LONG = " ".join([*STOCK * 6, ANSWER, *STOCK * 6])


def terms(question: str) -> frozenset[str]:
    return frozenset(analyse.question_terms(question))


def test_the_sentences_that_bear_on_the_question_are_kept_with_marks() -> None:
    found = cut_to_sentences(LONG, terms("When does the tram to the observatory leave?"), 80)
    assert ANSWER in found
    assert tokens.count(found) <= 80
    assert found.startswith("… ")
    assert found.endswith(" …")


def test_sentences_stay_in_their_order() -> None:
    text = " ".join([*STOCK, "The tram is blue.", *STOCK * 4, ANSWER, *STOCK])
    found = cut_to_sentences(text, terms("the blue tram to the observatory"), 100)
    assert found.index("The tram is blue.") < found.index(ANSWER)


def test_of_what_does_not_bear_on_it_the_beginning_is_kept() -> None:
    found = cut_to_sentences(LONG, terms("walnuts?"), 40)
    assert found.startswith(STOCK[0])
    assert found.endswith("…")
    assert tokens.count(found) <= 40


def test_of_one_sentence_without_an_end_nothing_is_kept() -> None:
    assert cut_to_sentences("the tram " * 500, terms("tram"), 50) == ""


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            "今天天气很好，适合散步。" * 20 + "天文台的电车中午开。" + "大家都很高兴。" * 20,
            "电车几点开？",
            "天文台的电车中午开。",
        ),
        (
            "今日は天気がいいです。" * 20 + "天文台行きの電車は正午に出ます。" + "みんな喜びました。" * 20,
            "電車はいつ出ますか？",
            "電車は正午",
        ),
        (
            "오늘은 날씨가 좋습니다. " * 20 + "천문대 전차는 정오에 떠납니다. " + "모두 기뻐했습니다. " * 20,
            "전차는 언제 떠나?",
            "정오에",
        ),
    ],
)
def test_in_other_languages_too(text: str, question: str, answer: str) -> None:
    found = cut_to_sentences(text, terms(question), 60)
    assert answer in found
    assert tokens.count(found) <= 60


def test_of_a_very_long_text_only_where_the_terms_are_is_looked_at_closely() -> None:
    """A message may have a megabyte, and every question whose words it has would read all its sentences again."""

    def cost(times: int) -> float:
        text, best = " ".join([*STOCK * times, ANSWER, *STOCK * times]), float("inf")
        for _ in range(3):
            begun = time.process_time()
            found = cut_to_sentences(text, terms("When does the tram to the observatory leave?"), 80)
            best = min(best, time.process_time() - begun)
            assert ANSWER in found
            assert tokens.count(found) <= 80
        return best

    assert cost(1600) < 6 * cost(100), "sixteen times as long"


def test_of_many_very_long_texts_the_first_are_read_and_of_the_others_their_ends() -> None:
    """A context over thirty messages of a megabyte took 2.7 s of CPU, whatever was asked."""
    asked, allowance = terms("When does the tram to the observatory leave?"), Allowance()
    text = " ".join([*STOCK * 1600, ANSWER, *STOCK * 1600])
    found = [cut_to_sentences(text, asked, 80, allowance) for _ in range(6)]
    assert ANSWER in found[0]
    assert ANSWER not in found[-1]
    assert ANSWER in cut_to_sentences(text + ANSWER, asked, 80, allowance)
    assert ANSWER in cut_to_sentences(LONG, asked, 80, allowance), "what is shorter may still be read"


def test_a_fact_of_thousands_of_sentences_is_cut_in_linear_time() -> None:
    """Counting the tokens of each of its beginnings took a second for 24,000 characters."""

    def cost(times: int) -> float:
        fact = Item("fact_1", "fact", "1月。" * times, 1, 1)
        begun = time.process_time()
        assert tokens.count(cut(fact, 60).text) <= 60
        return time.process_time() - begun

    assert cost(16_000) < 64 * max(cost(1000), 0.002), "sixteen times as long; a square would take 256 times"


@pytest.mark.parametrize("budget", [100, 500, 1000, 2000, 8000])
def test_long_messages_leave_room_for_others(budget: int) -> None:
    assert Excerpts.of("tram", budget).limit <= max(60, budget / 5)


@pytest.mark.parametrize("recipe", ["full", "recall"])
async def test_a_context_has_the_sentence_of_a_long_reply(memory: erstwhile.Memory, recipe: str) -> None:
    chat = memory.channel("chat")
    for number in range(12):
        await chat.add("user", f"Tell me about plan {number}, please.", person="ana")
        await chat.add("assistant", LONG if number == 3 else " ".join(STOCK * 12))
    for number in range(30):
        await chat.add("user", f"Something else, number {number}.", person="ana")
    await memory.settle()
    context = await chat.context(
        "When does the tram to the observatory leave?", person="ana", budget=1000, recipe=recipe
    )
    (line,) = [line for line in context.text.splitlines() if ANSWER in line and "assistant" in line]
    assert "…" in line
    assert LONG not in context.text
    assert context.tokens <= 1000
