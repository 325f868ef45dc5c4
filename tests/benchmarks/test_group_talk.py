"""Our own group chats: each quote is in exactly one message, so that finding it means something."""

from __future__ import annotations

import pytest
from bench import group_talk

from erstwhile.benchmarks.own_questions import read
from erstwhile.benchmarks.run import one_line


@pytest.mark.parametrize(("language", "messages", "questions"), [("zh", 455, 60), ("ko", 103, 21), ("ja", 76, 19)])
def test_a_quote_is_in_one_message(language: str, messages: int, questions: int) -> None:
    texts = [one_line(message.text) for _, message in group_talk.said(language)]
    asked = read(group_talk.FOLDER / f"{language}.jsonl")
    assert (len(texts), len(asked)) == (messages, questions)
    quotes = [quote for each in asked for quote in each.evidence]
    assert {quote: sum(quote in text for text in texts) for quote in quotes} == dict.fromkeys(quotes, 1)


def test_the_baseline_is_plain() -> None:
    asked = read(group_talk.FOLDER / "zh.jsonl")
    assert group_talk.plain("zh", asked)["all"] == pytest.approx([41.7, 46.4, 52.5], abs=0.05)
