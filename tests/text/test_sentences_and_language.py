"""Where sentences end, and which language a conversation is in."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.text.detection import dominant
from erstwhile.text.sentences import split


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Kim paid $3.50 at 5 p.m. We left.", ["Dr. Kim paid $3.50 at 5 p.m.", "We left."]),
        ("See https://a.b/c.html?x=1 for more. Bye!", ["See https://a.b/c.html?x=1 for more.", "Bye!"]),
        ("J. Smith came. He left.", ["J. Smith came.", "He left."]),
        ("1. Buy milk\n2. Call mom", ["1. Buy milk", "2. Call mom"]),
        ("no stops at all here", ["no stops at all here"]),
        ("got the job 🎉🎉 so happy", ["got the job 🎉🎉", "so happy"]),
        ("나 부산 갔어 ㅋㅋㅋ 진짜 좋았어. 너도 와.", ["나 부산 갔어 ㅋㅋㅋ", "진짜 좋았어.", "너도 와."]),
        ("我昨天去北京了 好累啊。真的吗？是的！", ["我昨天去北京了", "好累啊。", "真的吗？", "是的！"]),
        ("昨日は東京に行きました。楽しかったです。", ["昨日は東京に行きました。", "楽しかったです。"]),
        ("  \n ", []),
    ],
)
def test_sentences_end_where_a_reader_says_they_do(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.text())
def test_no_character_is_lost_but_blanks(text: str) -> None:
    assert "".join("".join(split(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("run", ["~", "ㅋ", "!", "🎉", ". ", "1. ", "etc. ", "。"])
def test_long_runs_stay_linear(run: str) -> None:
    started = time.process_time()
    split(run * 50_000)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["I moved to Busan last week"], "en"),
        (["나 지난주에 부산으로 이사했어", "Python is great"], "ko"),
        (["我上周搬到上海了", "ok"], "zh"),
        (["昨日は東京に行きました"], "ja"),
        (["Вчера я купил книгу"], "ru"),
        (["Вчора я купив її книгу і пішов"], "uk"),
        (["Ich bin letzte Woche nach Hamburg gezogen"], "de"),
        (["Me mudé a Valencia la semana pasada y estoy muy bien"], "es"),
        (["J'ai acheté une maison et je suis très content"], "fr"),
        (["Tôi vừa chuyển đến Hà Nội tuần trước"], "vi"),
        (["שלום לכולם"], "he"),
        ([], "en"),
        (["🎉 123"], "en"),
    ],
)
def test_the_language_most_of_it_is_in(texts: list[str], code: str) -> None:
    assert dominant(texts) == code
