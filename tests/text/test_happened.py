"""When what a message tells of happened, and whether a question asks for a time."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from erstwhile.language.time import TokenKind
from erstwhile.text import names, when
from erstwhile.text.when import find, grammar

SAID = datetime(2026, 11, 18, 9, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We met Ahn last Friday.", (-5, 1)),
        ("Nothing of note. Yesterday she came back.", (-1, 1)),
        ("In March we moved.", (-262, 31)),
        ("See you next week!", (5, 7)),
        ("Lately I read a lot", None),
        ("Since May I run, and last Friday I fell", (-5, 1)),
        ("I fell last year, on 3 May", (-199, 1)),
        ("Letzten Freitag bin ich gefallen", (-5, 1)),
        ("vendredi dernier je suis tombé", (-5, 1)),
        ("el viernes pasado me caí", (-5, 1)),
        ("어제 넘어졌어", (-1, 1)),
        ("昨天我摔倒了", (-1, 1)),
        ("昨日転んだ", (-1, 1)),
        ("Nothing about time at all", None),
        ("", None),
    ],
)
def test_happened(text: str, found: tuple[int, int] | None) -> None:
    assert when.happened(text, SAID) == found


@pytest.mark.parametrize(
    "question",
    ["When did Ana move?", "How long has she run?", "In which year was it?", "Wann war das?", "Quand est-ce arrivé ?",
     "¿Cuándo fue?", "언제 이사했어?", "什么时候搬的？", "いつ引っ越しましたか？"],
)  # fmt: skip
def test_a_question_asks_for_a_time(question: str) -> None:
    assert when.asks_when(question)


@pytest.mark.parametrize("question", ["What did she say when she left?", "Who moved?", "Wer war das?", "谁搬了？"])
def test_a_question_asks_for_no_time(question: str) -> None:
    assert not when.asks_when(question)


def test_names_are_words_with_a_capital_inside_a_sentence() -> None:
    text = "Yesterday we met Ahn in Seoul. The train was late on Friday, said Ahn"
    assert names.name_terms(text, when.words()) == ["ahn", "seoul"]
    assert names.name_terms("昨日スターバックスに行った", when.words())
    assert names.name_terms("nobody is named here", when.words()) == []


def test_no_rule_reaches_over_a_word_without_a_meaning() -> None:
    """Runs of tokens between such words are matched by themselves, with the word behind them."""
    chance = random.Random(18)
    letters = [kind.value for kind in TokenKind] + ["u", "s"] * 4
    for _ in range(3000):
        kinds = "".join(chance.choices(letters, k=chance.randint(1, 30)))
        whole = {match.span() for pattern, _ in grammar._compiled() for match in pattern.finditer(kinds)}
        runs = [(run.start(), run[0]) for run in grammar._RUN.finditer(kinds)]
        found = {(at + first, at + last) for at, run in runs for first, last, _ in grammar._found(run)}
        assert found == whole, kinds


@pytest.mark.parametrize(
    "text", ["the day before yesterday she left", "a while back we met", "some other day", "back before it was long"]
)
def test_a_text_is_read_for_times_only_with_all_words_of_a_phrase(text: str) -> None:
    found = find._readers(text, find.words_of(text))
    assert bool(found) == text.startswith(("the day", "a while", "some other")), [each.code for each in found]


def test_of_a_batch_of_nothing_but_dates_the_last_messages_are_not_read() -> None:
    """A thousand such messages, a request of a megabyte, took 10 s of CPU."""
    dates = "1月" * 250
    effort, few = when.Effort(1000), when.Effort(1000)
    found = [when.happened(dates, SAID, effort) for _ in range(1000)]
    assert found[0] == when.happened("1月", SAID)
    assert found[-1] is None
    assert 10 <= sum(each is not None for each in found) <= 200
    said = [f"We met Ahn last Friday, {n} of us, and 昨日転んだ. It was fine." for n in range(1000)]
    assert all(when.happened(each, SAID, few) for each in said), "a thousand messages of talk are read to the last"
