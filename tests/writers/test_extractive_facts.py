"""What makes a sentence a fact without any phrase for it, what a fact needs from the lines around it, and what is chatter."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from erstwhile.writers.extractive import clauses, facts, statements, summary
from erstwhile.writers.port import TranscriptLine

MONDAY = datetime(2025, 3, 3, 18, 0, tzinfo=UTC)


def chat(text: str) -> list[TranscriptLine]:
    """`Name: text` per message, "assistant" being one."""
    messages = (message.partition(": ") for message in text.split("\n@"))
    return [
        TranscriptLine(name, said, MONDAY, "assistant" if name == "assistant" else "user") for name, _, said in messages
    ]


def told(text: str) -> str:
    return facts.extract(chat(text))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I'm veggie as you all know, since 2018", "veggie"),
        ("Not soba though. Buckwheat closes my throat, properly", "Not soba though. Buckwheat closes my throat"),
        ("penicillin brings me out in hives", "penicillin"),
        ("I signed the lease for a studio in Jungang-dong, two years from the 1st of February", "1st of February"),
        ("From Monday 6 July I work at Parandeung Press in Jungang-dong", "Parandeung Press"),
        ("Quick thing: I can't eat dairy any more", "): I can't eat dairy any more"),
        ("my wife is allergic to stings so please not near 17", "allergic to stings"),
        (
            "btw I can't taste test anything with hazelnut, I'm allergic",
            "can't taste test anything with hazelnut, I'm allergic",
        ),
        ("I can't eat shellfish because I'm allergic.", "can't eat shellfish because I'm allergic"),
        ("동생 전역 12월이 아니라 11월 10일로 확정됐대", "11월 10일"),
        ("저는 3월부터 판교에 있는 은행에서 일해요", "판교"),
        ("我妈五月三号做膝盖手术", "五月三号"),
        ("我从三月起在金海机场上班", "金海机场"),
    ],
)
def test_what_is_concrete_is_kept(said: str, expected: str) -> None:
    assert expected in told(f"Mina: {said}")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm a chef, thats half the problem, kitchens", "I'm a chef"),
        ("I'm a postman, I'm up at 4:30, so it's that or nothing", "I'm a postman, I'm up at 4:30"),
        ("my husband's from Bilbao, he can look", "my husband's from Bilbao"),
        ("I have twins and I live in Asheville, so I'm tired", "I have twins and I live in Asheville, so I'm tired"),
        ("My back is so much better since I swim", "My back is so much better since I swim"),
        ("I work from home, I edit medical papers", "I work from home, I edit medical papers"),
        ("I work at the council (planning, no less) so I have to stay out of it", "I work at the council"),
        ("I've bought a croft. It's near Durness, two acres", "I've bought a croft. It's near Durness, two acres"),
    ],
)
def test_a_tail_that_tells_nothing_is_cut_and_one_that_tells_stays(said: str, kept: str) -> None:
    assert clauses.without_tail(said, statements.single(said, "en")) == kept


def test_a_greeting_goes_with_the_whole_name() -> None:
    said = (
        "Hello Mrs. Delgado, Ines here, I'm on holiday until June",
        "Hi Dr Okafor, I moved",
        "Thanks Ms. de Vries, bye",
    )
    assert [statements.single(each, "en").text for each in said] == [
        "Ines here, I'm on holiday until June",
        "I moved",
        "Thanks Ms. de Vries, bye",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Total goes from 7.5 to 9.2 million",
        "163 visitors, 41 pieces sold, 1,318,000 won",
        "I promise I'll send the deposit tomorrow",
        "I do the early shift, so it's that or nothing",
        "My teacher says it's on the 21st",
        "Mrs. Bae signed. Ground floor for the studio, two years, both from the 1st of February",
        "고객사 미팅은 화요일 10시로 바뀌었어요",
        "小碗三万五，浅碗四万八，茶杯两万二",
        "我八号下午三点二十到金海机场",
        "i'm not vegetarian i was just scared of the mince",
        "My birthday is the 11th",
        "사회는 성호가 봐주기로 했어",
        "39歳",
        "我怀孕时候最爱吃的",
    ],
)
def test_what_few_readers_find_useful_is_left_out(said: str) -> None:
    assert told(f"Mina: {said}") == ""


@pytest.mark.parametrize(
    "said",
    [
        "sol what's my dog called",
        "June works",
        "table by the end of may",
        "electric it is",
        "I built the shelves on Wednesday",
        "There are 3,400 of them, from our trip to Georgia last autumn",
        "31 January, Lukas is lending me his van",
        "I can come help on the Saturday, I'm off until the Monday",
        "I live round the corner from you",
        "Physio starts on Thursday and he must not climb stairs for two weeks",
        "Told Joanna, she'll answer by Wednesday",
        "I have coloured the cell green",
        "I have bought ginger",
        "I have counted it three times",
        "My grandmother will declare a holiday",
        "I have a friend who knows",
        "we can't not do it. I've been breathing orange ash",
        "I've been walking up and down the shelves like a general",
        "I saw him on Thursday at the airport bus",
        "I had lunch with her on Tuesday!",
        "i held her on the kitchen scale",
        "I cannot speak for the map company",
        "Who publishes a map on a Saturday",
        "so are you still vegetarian or",
        "Taking a step back can really show us the beauty of life",
        "I'm gonna keep chasing after those dreams",
        "I am staring at the dashboard",
        "한 시간째 지고 있어",
        "나 지금 소리 질렀어",
        "할머니는 뭐라셔",
        "조용히 넘어가려고 했는데",
        "병원 다녀왔어",
        "어제 누가 발라드를 여섯 번 연속으로 불렀어",
        '최 선생님이 "고구마네" 하셨어',
        "你会游泳吗",
        "我下午在开会",
        "那位老先生是谁",
        "第一次开窑就把邻居全认识了，也算开门红",
    ],
)
def test_chatter_is_left_out(said: str) -> None:
    assert told(f"Mina: {said}") == ""


def test_a_number_or_a_date_comes_with_the_question_it_answers() -> None:
    assert told("Jun: What is your budget?\n@Robin: 1,150,000 for the lot") == (
        "- Robin (3 Mar 2025): 1,150,000 for the lot (Jun: What is your budget?)"
    )
    assert "五月三号 (小雨: 你生日是几号？)" in told("小雨: 你生日是几号？\n@阿伟: 五月三号")
    assert told("준: 몇 시 도착이야\n@미나: 9시 46분!") == ""
    assert told("Robin: ok\n@Jun: It is the 22nd") == ""


def test_people_answer_a_round_of_birthdays_one_by_one() -> None:
    written = told(
        "Mina: birthday round!\n@Robin: 9th of May\n@Jun: 2 August. Please no party\n@Wei: The 19th of November."
    )
    assert [row.partition(": ")[2] for row in written.splitlines()] == [
        "9th of May (Mina: birthday round)",
        "2 August (Mina: birthday round)",
        "The 19th of November (Mina: birthday round)",
    ]


def test_a_proposed_date_counts_once_somebody_says_yes() -> None:
    proposed = "Robin: We get married in Sokcho on 14 June, with Jun's parents?"
    assert told(proposed) == ""
    assert told(f"{proposed}\n@Jun: no way") == ""
    assert told(f"{proposed}\n@Robin: yes") == ""
    assert told(f"{proposed}\n@Jun: Yes. Great") == (
        "- Robin (3 Mar 2025): We get married in Sokcho on 14 June, with Jun's parents? (Jun: Yes)"
    )


def test_what_an_assistant_notes_is_kept_and_what_it_explains_is_not() -> None:
    assert "Noted: blood test on Monday 13 April" in told("assistant: Noted: blood test on Monday 13 April at 8:15.")
    assert "Recorded. Electric kiln" in told(
        "assistant: Recorded. Electric kiln, 2.8 million won: for it Wei and Mina."
    )
    assert "记住了：星期二" in told("assistant: 记住了：星期二和星期五，晚上八点以后。")
    assert told("assistant: Hotels cost 140 to 200 euros a night in June.") == ""


def test_the_last_weekend_of_a_month_is_not_last_weekend() -> None:
    assert "(weekend of" not in told("Robin: we decided on the last weekend of October for the trip")


def test_a_summary_tells_the_facts_and_leaves_the_jokes() -> None:
    written = summary.summarise(
        chat(
            "Theo: the bucket is a chair and everybody knows the bucket is a chair"
            "\n@Jun: My brother Minjae leaves the army on 10 November. He wants pork soup first."
            "\n@Theo: still say the bucket is the best chair\n@Robin: The rent is 1,150,000 from March"
        )
    )
    assert "10 November. He wants pork soup first" in written
    assert "1,150,000" in written
    assert "bucket" not in written


def test_a_summary_of_small_talk_is_short() -> None:
    written = summary.summarise(
        chat("A: the sea looks grey today\n@B: seagulls are loud\n@C: clouds everywhere again\n@D: grey sea, grey sky")
    )
    assert 0 < written.count(": ") <= 2


@pytest.mark.parametrize(
    "piece",
    [
        "friday ",
        "1,000,",
        "the 1st of ",
        "mr a ",
        "from may ",
        "i did ",
        "two ",
        "Aa bb ",
        "一吃",
        "三点",
        "3월 ",
        "noted: ",
        "a is my ",
    ],
)
def test_hostile_evidence_stays_cheap(piece: str) -> None:
    started = time.process_time()
    lines = [TranscriptLine("x", piece * 2_000, MONDAY), TranscriptLine("y", "yes. " * 400, MONDAY)] * 5
    facts.extract(lines)
    summary.summarise(lines)
    assert time.process_time() - started < 3
