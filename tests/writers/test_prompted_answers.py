"""Reading answers: plain functions, no model."""

from __future__ import annotations

import json
import re

import pytest

from erstwhile.base.errors import BadAnswer
from erstwhile.writers import answers
from erstwhile.writers.prompt import load


def test_the_phrases_are_those_of_the_prompt() -> None:
    listed = load("erstwhile.layers.facts", "extract").instructions.rpartition("of the conversation:\n")[2]
    assert tuple(re.sub(r"^[^:]+: ", "", line) for line in listed.splitlines()) == answers.nothing()


@pytest.mark.parametrize("phrase", answers.nothing())
def test_nothing_is_nothing_however_it_is_dressed(phrase: str) -> None:
    for dressed in (
        phrase,
        f"- {phrase}.",
        f'"{phrase.upper()}"',
        f"**{phrase}**",
        f"English: {phrase}",
        f"  {phrase}\n\n",
        f"{phrase}\n{phrase}",
        f"{phrase}.\n\nThe conversation is only small talk.",
        f"There is nothing of note in this conversation, so: {phrase}",
    ):
        assert not answers.extract_fact_lines(dressed), dressed


@pytest.mark.parametrize("answer", ["", "   ", "None", "- ok", "123456789"])
def test_what_is_too_short_is_nothing(answer: str) -> None:
    assert not answers.extract_fact_lines(answer)


def test_real_facts_stay_when_the_phrase_is_among_them() -> None:
    quoted = "- Mina's form said 'No facts to record' on 3 March\n- Mina moved to Busan"
    assert answers.extract_fact_lines(quoted) == quoted
    assert answers.extract_fact_lines("- Mina moved to Busan\n- No facts to record") == "- Mina moved to Busan"
    assert answers.extract_fact_lines("No facts to record\n- Mina moved to Busan\n1. Tom has a dog") == (
        "- Mina moved to Busan\n1. Tom has a dog"
    )


@pytest.mark.parametrize(
    ("answer", "summary"),
    [
        ("Mina moved.", "Mina moved."),
        ('{"summary": "Mina moved."}', "Mina moved."),
        ('```json\n{"summary": "Mina moved.", "n": 3}\n```', "Mina moved."),
        ("```\nMina moved.\n```", "Mina moved."),
        ('Here {it} is: {"summary": "Mina moved."} Bye {now}', "Mina moved."),
        ("Mina likes {braces} and [brackets].", "Mina likes {braces} and [brackets]."),
        ("```Mina moved.```", "Mina moved."),
        ("12", "12"),
    ],
)
def test_a_summary_is_taken_out_of_its_wrapping(answer: str, summary: str) -> None:
    assert answers.read_summary(answer) == summary


@pytest.mark.parametrize("answer", ["", "```json\n[1, 2]\n```", "{}", '{"summary": ""}', '["Mina moved."]', "``````"])
def test_a_summary_that_holds_none_is_a_bad_answer(answer: str) -> None:
    with pytest.raises(BadAnswer):
        answers.read_summary(answer)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that.",
        "I cannot help with this request.",
        "As an AI language model, I am unable to process this.",
        "Unfortunately, I won't be… ".replace("won't be…", "will not provide that"),
        "I’m sorry, I can’t summarize this conversation.",
        "죄송합니다. 해당 요청은 처리해 드리기 어렵습니다.",
        "申し訳ございませんが、お手伝いできません。",
    ],
)
def test_plain_refusals_are_seen(text: str) -> None:
    assert answers.is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mina is sorry that she can't help Tom with the move.",
        "I can't wait, wrote Mina, and booked the train to Busan.",
        "- Mina said: I'm sorry, but I can't help you on Friday",
        "Sorry was the last thing Tom said before he left for Busan.",
        "미나는 죄송하다고 말하고 부산으로 이사했다.",
        "Es ging um den Umzug; ihm tut es leid, dass er nicht helfen kann.",
        "I'm sorry, but I can't help with that. " + "It was said in a long story. " * 20,
    ],
)
def test_talk_about_refusing_is_no_refusal(text: str) -> None:
    assert not answers.is_refusal(text)


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"content": "- Mina moved to Busan.\n- Mina likes jasmine tea.", "kind": "note"}),
        json.dumps(["Mina moved to Busan.", "Mina likes jasmine tea."]),
        json.dumps({"facts": [{"text": "Mina moved to Busan."}, {"text": "Mina likes jasmine tea."}]}),
        json.dumps([{"who": "Mina", "what": "moved to Busan."}, {"who": "Mina", "what": "likes jasmine tea."}]),
        "```json\n" + json.dumps({"facts": ["Mina moved to Busan.", "Mina likes jasmine tea."]}) + "\n```",
    ],
)
def test_facts_in_json_are_facts_and_not_one_fact_of_json(answer: str) -> None:
    assert answers.read_facts(answer) == "- Mina moved to Busan.\n- Mina likes jasmine tea."


def test_deep_and_odd_json_is_read_in_no_time() -> None:
    for odd in ("{" * 19_000, '{"a":' * 3_000, "[" * 19_000, '{"summary": ' * 1_500):
        assert answers.read_summary(odd)
        assert answers.read_facts(odd) == odd.strip()
