"""Remembering and forgetting in seven languages: newer wins, nothing else is lost (F2)."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.layers.remembered import merge, third_person
from erstwhile.layers.remembered.model import Teller

LOU = ("Lou", "lou")


@pytest.mark.parametrize(
    ("first", "later", "left"),
    [
        ("I live in Leeds", "I live in York", "Lou lives in York."),
        ("Ich wohne in Berlin", "Ich wohne jetzt in Hamburg", "Lou wohnt in Hamburg."),
        ("Vivo en Madrid", "Vivo en Sevilla", "Lou vive en Sevilla."),
        ("J'habite à Lyon", "J'habite maintenant à Nantes", "Lou habite à Nantes."),
        ("나는 서울에 살아", "나는 부산에 살아", "Lou는 부산에 살아."),
        ("東京に住んでいます", "今は大阪に住んでいます", "Lou：大阪に住んでいる。"),
        ("我住在北京", "我现在住在上海", "Lou现在住在上海。"),
        ("I work as a nurse", "I work as a teacher", "Lou works as a teacher."),
        ("Ich bin Lehrerin", "Ich bin Krankenschwester", "Lou ist von Beruf Krankenschwester."),
        ("Soy maestra", "Soy enfermera", "Lou, profesión: enfermera."),
        ("Je suis infirmière", "Je suis avocate", "Lou, métier : avocate."),
        ("저는 선생님으로 일해요", "저는 간호사로 일해요", "Lou는 간호사로 일해요."),
        ("教師をしています", "看護師をしています", "Lou：職業は看護師。"),
        ("我是老师", "我是护士", "Lou是护士。"),
        ("I love pizza", "I no longer love pizza", "Lou no longer loves pizza."),
        ("Ich mag Pizza", "Ich mag Pizza nicht mehr", "Lou mag nicht mehr: Pizza."),
        ("Me gusta la pizza", "Ya no me gusta la pizza", "Lou: ya no le gusta la pizza."),
        ("J'aime la pizza", "Je n'aime plus la pizza", "Lou n'aime plus : la pizza."),
        ("나는 피자를 좋아해", "나는 이제 피자를 안 좋아해", "Lou는 이제 피자를 안 좋아해."),
        ("ピザが好きです", "もうピザが好きではありません", "Lou：もうピザが好きではない。"),
        ("我喜欢披萨", "我不再喜欢披萨了", "Lou不再喜欢披萨了。"),
        ("Mi comida favorita es el sushi", "Mi comida favorita es la paella", "Lou, lo favorito (comida): la paella."),
        # What a rule doesn't say all of stays as it was said.
        ("Ich wohne seit 2019 in Berlin", "Ich wohne in Hamburg", "Lou wohnt in Hamburg."),
        ("Vivo en Madrid", "Vivo en Sevilla desde 2026", "Lou: Vivo en Sevilla desde 2026."),
        # Of several things only what is replaced goes.
        (
            "I'm vegan and I live in Leeds with my husband Tom",
            "I live in York",
            "Lou is vegan.\nLou lives in York.\nTom is Lou's husband.",
        ),
        (
            "Ich bin Vegetarierin und ich wohne in Berlin mit meiner Freundin Clara",
            "Ich wohne in Hamburg",
            "Lou, Ernährung: Vegetarierin.\nLou wohnt in Hamburg.\nClara: Freundin von Lou.",
        ),
        (
            "Soy vegana y vivo en Madrid con mi marido Pablo",
            "Vivo en Sevilla",
            "Lou, dieta: vegana.\nLou vive en Sevilla.\nPablo: marido de Lou.",
        ),
        (
            "Je suis végétarienne et j'habite à Lyon avec mon mari Paul",
            "J'habite à Nantes",
            "Lou, régime : végétarienne.\nLou habite à Nantes.\nPaul : mari de Lou.",
        ),
        ("나는 비건이고 서울에 살아", "나는 부산에 살아", "Lou는 비건이다.\nLou는 부산에 살아."),
        (
            "私はベジタリアンで、東京に住んでいます",
            "大阪に住んでいます",
            "Lou：食生活はベジタリアン。\nLou：大阪に住んでいる。",
        ),
        ("我吃素，我住在北京", "我住在上海", "Lou吃素。\nLou住在上海。"),
    ],
)
async def test_newer_wins_and_nothing_else_is_lost(memory: erstwhile.Memory, first: str, later: str, left: str) -> None:
    await memory.channel("home").add("user", "hi", person="lou", name="Lou")
    for said in (first, later, later):
        await memory.remember("lou", said)
    assert (await memory.about("lou")).told == left


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Ich wohne in Berlin", "Ich wohne auch in Hamburg"),
        ("Vivo en Madrid en invierno", "Vivo en Sevilla en verano"),
        ("Je travaille chez Airbus", "J'habite à Nantes"),
        ("Ich mag Pizza", "Ich mag Pasta"),
        ("Soy vegana", "Soy enfermera"),
        ("저는 파리에 살고 싶어요", "저는 부산에 살아요"),
        ("母は東京に住んでいます", "大阪に住んでいます"),
    ],
)
def test_what_can_both_be_so_is_kept(first: str, later: str) -> None:
    alone = [merge.remember("", each, LOU, Teller()).text for each in (first, later)]
    both = merge.remember(alone[0], later, LOU, Teller()).text
    assert both.splitlines() == alone


@pytest.mark.parametrize(
    ("said", "stop"), [("窓の外は雨", "。"), ("窗外下雨", "。"), ("Draußen regnet es", "."), ("비가 온다", ".")]
)
def test_a_statement_ends_as_its_language_does(said: str, stop: str) -> None:
    (told,) = third_person.statements(said, "Lou")
    assert told.endswith(said[-1] + stop)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("I'm allergic to mango", "mango allergy"),
        ("Ich bin allergisch gegen Mango", "Mangoallergie"),
        ("Soy alérgica al mango", "alergia al mango"),
        ("Je suis allergique à la mangue", "allergie à la mangue"),
        ("나는 망고 알레르기가 있어", "망고 알레르기"),
        ("マンゴーアレルギーがあります", "マンゴーアレルギー"),
        ("我对芒果过敏", "芒果过敏"),
        ("Ich wohne in Berlin", "Ich wohne in Berlin"),
        ("Vivo en Madrid", "Madrid"),
        ("東京に住んでいます", "私が東京に住んでいる"),
    ],
)
async def test_what_was_told_is_forgotten(memory: erstwhile.Memory, told: str, words: str) -> None:
    await memory.remember("lou", "I play chess")
    await memory.remember("lou", told)
    gone = await memory.forget("lou", words)
    assert gone.found, gone.unsure
    assert gone.text == "lou plays chess."
