"""Our own vectors: the table, its words, and what they are good for."""

from __future__ import annotations

import sys
import threading
import unicodedata

import numpy as np
import pytest

from erstwhile.embedders.vectors import OwnVectors

SAME = [
    ("I adopted a puppy last week", "We got a new dog", "The bank raised its interest rates"),
    ("Ich habe mir ein neues Fahrrad gekauft", "Er fährt jeden Tag mit dem Rad", "Die Suppe war versalzen"),
    ("Nous avons mangé au restaurant", "Le dîner était délicieux", "Le moteur de la voiture est en panne"),
    ("Tengo que ir al médico mañana", "El hospital está cerca de la clínica", "Ganamos el partido de fútbol"),
    ("昨天我们去爬山了", "那座山的风景很美", "银行提高了利率"),
    ("昨日は友達と映画を見ました", "あの映画館はとても大きい", "銀行の金利が上がった"),
    ("어제 친구랑 축구를 했어요", "축구 경기가 재미있었다", "은행 금리가 올랐다"),
]
ACROSS = [
    ("Where does your brother live?", "Wo wohnt dein Bruder?", "Der Zug hat Verspätung."),
    ("I like drinking coffee in the morning", "我早上喜欢喝咖啡", "他昨天买了一辆新车"),
    ("I like drinking coffee in the morning", "私は朝コーヒーを飲むのが好きです", "彼は昨日新しい車を買った"),
    ("I like drinking coffee in the morning", "저는 아침에 커피 마시는 것을 좋아해요", "그는 어제 새 차를 샀다"),
]


@pytest.mark.parametrize(("one", "near", "far"), SAME + ACROSS)
async def test_what_belongs_together_is_nearer_in_and_across_languages(one: str, near: str, far: str) -> None:
    first, second, third = await OwnVectors().embed([one, near, far])
    assert first @ second > first @ third


async def test_case_and_chinese_characters_of_either_kind_do_not_matter() -> None:
    loud, quiet, old, new = await OwnVectors().embed(["BUSAN in MARCH", "busan in march", "圖書館", "图书馆"])
    np.testing.assert_array_equal(loud, quiet)
    np.testing.assert_array_equal(old, new)


async def test_composed_and_decomposed_letters_are_the_same() -> None:
    texts = ["학교에서 만나요", "Où habites-tu à Zürich", "東京でガラスを買う"]
    composed = await OwnVectors().embed(texts)
    decomposed = await OwnVectors().embed([unicodedata.normalize("NFD", text) for text in texts])
    np.testing.assert_array_equal(composed, decomposed)


def test_the_name_has_the_version_and_the_dimensions() -> None:
    from erstwhile_vectors import DIMENSIONS, VERSION

    assert OwnVectors.name == f"vectors:{VERSION}:{DIMENSIONS}"


def test_the_files_are_small_and_every_word_is_there_once() -> None:
    from erstwhile_vectors import table

    assert sum(file.stat().st_size for file in table._FILES.iterdir()) <= 25_000_000
    words = (table._FILES / "words.txt").read_text("utf-8").split("\n")
    assert len(set(words)) == len(words) == len(np.load(table._FILES / "rows.npy", mmap_mode="r"))


def test_a_word_the_vocabulary_has_is_not_split() -> None:
    from erstwhile_vectors import table

    held = table.Table(table._FILES)._words
    words = (table._FILES / "words.txt").read_text("utf-8").split("\n")
    assert [word for at, word in enumerate(words) if held.numbers(word) != [at]] == []


def test_the_longest_words_are_taken_and_unknown_letters_left_out() -> None:
    from erstwhile_vectors.words import Words

    words = Words("kinder\narzt\nkind\n学校\n学\nk".encode(), dict)
    assert len(words) == 6
    assert words.numbers("Kinderarzt, KIND") == [0, 1, 2]
    assert words.numbers("学校学") == [3, 4]
    assert words.numbers("qkq") == [5]
    assert words.numbers("… 😀 \ud800") == []


def test_a_word_gives_the_same_whatever_was_read_before(monkeypatch: pytest.MonkeyPatch) -> None:
    from erstwhile_vectors import words as module

    monkeypatch.setattr(module, "_REMEMBERED", 3)
    words = module.Words(b"ab\na\nb\nc", dict)
    texts = ["ab", "abc", "cab", "bca", "ab", "aab", "abc"]
    assert [words.numbers(text) for text in texts] == [module.Words(b"ab\na\nb\nc", dict).numbers(t) for t in texts]
    assert len(words._runs) <= 3


def test_few_words_are_found_in_the_list_as_many_are_in_a_dict(monkeypatch: pytest.MonkeyPatch) -> None:
    from erstwhile_vectors import table
    from erstwhile_vectors import words as module

    texts = [each for row in SAME + ACROSS for each in row] + ["頤和園 qkq ß", "Unkinderarztlich"]
    monkeypatch.setattr(module, "_FEW", 0)
    many = table.Table(table._FILES)
    numbered = [many.numbers(text) for text in texts]
    monkeypatch.setattr(module, "_FEW", 1_000_000)
    few = table.Table(table._FILES)
    assert [few.numbers(text) for text in texts] == numbered
    assert many._words._numbers
    assert not few._words._numbers


def test_many_threads_get_what_one_gets() -> None:
    from erstwhile_vectors import table

    texts = [each for row in SAME + ACROSS for each in row]
    wanted = table.Table(table._FILES).embed(texts)
    shared, got = table.Table(table._FILES), []
    together = threading.Barrier(8)

    def ask() -> None:
        together.wait()
        got.append(shared.embed(texts))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(before)
    assert len(got) == 8
    for vectors in got:
        np.testing.assert_array_equal(vectors, wanted)
