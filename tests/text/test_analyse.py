"""One analyser for what is stored and what is asked, in every script."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from erstwhile.text.analyse import LONGEST, document_terms, query_terms, question_terms, terms


def finds(query: str, document: str) -> bool:
    asked = query_terms(query)
    return bool(asked) and set(asked) <= set(terms(document))


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("running shoes", "She bought a shoe for her runs"),
        ("Alice", "that is Alice's dog"),
        ("alice", "ALICE’S new flat"),
        ("resume", "I sent my résumé yesterday"),
        ("cafes", "the Café on the corner"),
        ("dont panic", "Don't panic!"),
        ("zerowidth", "zero\u200bwidth"),
        ("bold", "𝐁𝐨𝐥𝐝 letters"),
        ("hello", "h̷e̷l̷l̷o̷"),
        ("Haus", "Ich habe die Häuser verkauft und bin froh"),
        ("cheval", "Les chevaux sont dans la prairie"),
        ("книга", "Я купил эти книги вчера"),
        ("부산", "지난주에 부산으로 이사했어요"),
        ("釜山", "她上周搬到釜山了"),
        ("東京", "昨日は東京タワーに行きました"),
        ("python", "요즘 Python으로 만들어요"),
        ("ｐｙｔｈｏｎ", "python"),
    ],
)
def test_a_query_finds_the_message_it_means(query: str, document: str) -> None:
    assert finds(query, document)


@pytest.mark.parametrize(("query", "document"), [("부산", "서울에 살아요"), ("cat", "a dog"), ("上海", "我在北京")])
def test_and_not_another(query: str, document: str) -> None:
    assert not finds(query, document)


def test_chinese_japanese_and_korean_become_overlapping_pairs() -> None:
    assert terms("搬到釜山") == ["搬到", "到釜", "釜山"]
    assert terms("猫") == ["猫"]
    assert terms("부산에 가요") == ["부산", "산에", "가요"]


def test_documents_and_questions_have_single_characters_too() -> None:
    """But for those that only join words, for sounds, and for one that is a term already."""
    assert document_terms("搬到釜山的猫") == ["搬到", "到釜", "釜山", "山的", "的猫", "搬", "到", "釜", "山", "猫"]
    assert document_terms("猫") == ["猫"]
    assert document_terms("犬のベッド")[-1] == "犬"
    assert "집" in set(document_terms("집에서 먹었다")) & set(question_terms("집은 어디야?"))
    assert question_terms("我的猫叫什么？")[-2:] == ["猫", "叫"]
    assert document_terms("The cat sleeps") == terms("The cat sleeps")


def test_thai_keeps_its_marks_with_their_letters() -> None:
    assert all(not unicodedata.category(term[0]).startswith("M") for term in terms("สวัสดีครับ"))


def test_a_question_loses_its_question_words_and_repeats() -> None:
    assert query_terms("When did Alice move to Busan, and where is Busan?") == ["alic", "move", "busan"]
    assert query_terms("米娜什么时候搬到釜山？") == ["米娜", "搬到", "到釜", "釜山"]
    assert "언제" not in query_terms("미나는 언제 부산으로 이사했어?")
    assert query_terms("Wann ist Anna nach Berlin gezogen?")[:2] == ["anna", "berlin"]


def test_a_german_article_is_an_english_verb() -> None:
    assert query_terms("When did Anna die?") == ["anna", "die"]
    assert "die" in query_terms("Die Hard")


def test_a_question_of_stop_words_alone_still_asks_something() -> None:
    assert query_terms("who is it?") == ["who", "is", "it"]
    assert query_terms("什么") == ["什么"]
    assert query_terms("🎉") == []


@given(st.text())
@example("İstanbul ǅ ﬃ ㎏ ﷺ")
@example("\u0345\u1fb7 Ꭰ ẞ ſ")
@example("a" * 70 + "é" * 70)
@example("\ud800 \U000e0041 \u202e")
def test_whatever_comes_in_clean_terms_come_out(text: str) -> None:
    for term in terms(text):
        assert 1 <= len(term) <= LONGEST
        assert term == term.lower()
        assert all(unicodedata.category(character)[0] in "LNM" for character in term), ascii(term)


@given(st.lists(st.from_regex(r"[a-z]{2,12}", fullmatch=True), min_size=1, max_size=12))
def test_every_word_finds_the_text_it_stands_in(words: list[str]) -> None:
    found = set(terms(" ".join(words)))
    for word in words:
        assert set(terms(word)) & found


@given(st.text(alphabet="가나다부산水族館海辺カキ", min_size=2, max_size=20), st.integers(0, 18))
def test_any_two_characters_of_a_run_find_it(run: str, start: int) -> None:
    start = min(start, len(run) - 2)
    assert set(terms(run[start : start + 2])) <= set(terms(run))


@pytest.mark.parametrize(
    "hostile",
    [
        "a" * 100_000,
        "a" + "\u0300\u0323\u0345\u031b" * 25_000,
        "\U000e0041" * 100_000,
        "a'" * 50_000,
        "\u0e31" * 100_000,
        "\ud800" * 100_000,
        "👩‍👩‍👧" * 20_000,
        "a\u200b\u202e" * 30_000,
        "\ufdfa" * 10_000,
    ],
    ids=["letters", "marks", "tags", "apostrophes", "thai marks", "surrogates", "emoji", "invisible", "ligatures"],
)
def test_hostile_text_takes_no_longer_than_its_length(hostile: str) -> None:
    started = time.process_time()
    terms(hostile)
    query_terms(hostile)
    assert time.process_time() - started < 3


def test_many_threads_agree() -> None:
    text = "The runners were running through Häuser und Gärten, was für ein Tag"
    expected = terms(text)
    results: list[bool] = []

    def work() -> None:
        results.append(all(terms(text) == expected for _ in range(200)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


def test_importing_it_brings_in_nothing_heavy() -> None:
    check = (
        "import sys, erstwhile.text.analyse; print([m for m in ('numpy', 'pydantic', 'asyncio') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
