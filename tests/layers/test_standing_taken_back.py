"""A standing request is taken back in the words in which people do that, in seven languages."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.layers.standing import reading

EMOJIS = {
    "en": (
        "Please stop using emojis.",
        "Actually, feel free to use emojis again.",
        "You can use emojis again.",
        "I don't mind emojis any more.",
        "Emojis are okay now.",
        "It's fine to use emojis after all.",
        "You can go back to using emojis again.",
        "Never mind what I said about emojis.",
        "I take back what I said about emojis.",
        "I've changed my mind about emojis.",
        "Use emojis again, please.",
        "You no longer have to avoid emojis.",
    ),
    "de": (
        "Bitte keine Emojis mehr.",
        "Du darfst wieder Emojis benutzen.",
        "Emojis sind wieder okay.",
        "Benutze ruhig wieder Emojis.",
        "Du kannst doch wieder Emojis verwenden.",
        "Vergiss, was ich über Emojis gesagt habe.",
        "Ich habe nichts mehr gegen Emojis.",
        "Das mit den Emojis nehme ich zurück.",
    ),
    "es": (
        "Por favor, deja de usar emojis.",
        "Puedes volver a usar emojis.",
        "Ya puedes usar emojis otra vez.",
        "Usa emojis de nuevo, por favor.",
        "Los emojis están bien otra vez.",
        "Olvida lo que dije de los emojis.",
        "Ya no me molestan los emojis.",
        "He cambiado de opinión sobre los emojis.",
    ),
    "fr": (
        "Arrête d'utiliser des emojis.",
        "Tu peux de nouveau utiliser des emojis.",
        "Tu peux remettre des emojis.",
        "Utilise à nouveau des emojis.",
        "Les emojis ne me dérangent plus.",
        "Oublie ce que j'ai dit sur les emojis.",
        "Finalement, j'ai changé d'avis sur les emojis.",
    ),
    "ko": (
        "앞으로 이모지 쓰지 마세요.",
        "이제 이모지 다시 써도 돼요.",
        "이모지 써도 괜찮아요.",
        "이모지 쓰지 말라고 한 거 취소할게요.",
        "이모지 얘기는 잊어 주세요.",
        "다시 이모지를 써 주세요.",
    ),
    "ja": (
        "今後は絵文字を使わないでください。",
        "また絵文字を使っていいですよ。",
        "やっぱり絵文字を使っても大丈夫です。",
        "絵文字の件は忘れてください。",
        "また絵文字を使ってください。",
    ),
    "zh": (
        "以后不要用表情符号。",
        "你可以再用表情符号了。",
        "表情符号可以用了。",
        "我收回关于表情符号的要求。",
        "还是用表情吧。",
        "忘了我说的表情符号的事。",
    ),
}
LENGTH = {
    "en": ("I prefer short answers.", "You can write longer answers again.", "Your answers can be longer again."),
    "de": (
        "Antworte bitte immer kurz.",
        "Deine Antworten dürfen wieder länger sein.",
        "Du kannst wieder ausführlich antworten.",
    ),
    "es": (
        "Prefiero respuestas cortas.",
        "Puedes volver a escribir respuestas largas.",
        "Olvida lo que dije de las respuestas cortas.",
    ),
    "fr": (
        "Je préfère des réponses courtes.",
        "Tu peux à nouveau faire des réponses longues.",
        "Oublie ce que j'ai dit sur les réponses courtes.",
    ),
    "ko": ("앞으로 짧게 대답해 주세요.", "이제 다시 길게 대답해도 돼요.", "이제 길게 답해도 괜찮아요."),
    "ja": ("今後は短く答えてください。", "また長く答えていいですよ。", "短くという件は忘れてください。"),
    "zh": ("以后回答简短一点。", "回答又可以长一点了。", "忘了我说的回答要简短的事。"),
}


@pytest.mark.parametrize("cases", [EMOJIS, LENGTH])
@pytest.mark.parametrize("language", EMOJIS)
async def test_it_is_taken_back(memory: Memory, language: str, cases: dict[str, tuple[str, ...]]) -> None:
    request, *back = cases[language]
    for number, each in enumerate(back):
        person, chat = f"ann{number}", memory.channel(f"chat{number}")
        for text in (request, each):
            await chat.add("user", text, person=person, name="Ann")
            await chat.add("assistant", "OK.")
    await memory.settle()
    left = {}
    for number, each in enumerate(back):
        standing = (await memory.about(f"ann{number}", fresh=False)).standing
        assert [one.text for one in standing] == [request], each
        if any(one.until is None for one in standing):
            left[each] = request
        context = await memory.channel(f"chat{number}").context("Hi", person=f"ann{number}")
        assert each in left or "standing" not in [part.name for part in context.parts]
    assert left == {}


@pytest.mark.parametrize(
    "said",
    [
        "I can use the car again.",
        "You can visit us again.",
        "We go back to school on Monday.",
        "Wir sehen uns wieder, dann gibt es kurze Wege.",
        "Puedes volver a casa.",
        "Tu peux revenir demain.",
        "다시 학교에 가요.",
        "また行きたいです。",
        "我们又可以见面了。",
    ],
)
def test_other_talk_takes_nothing_back(said: str) -> None:
    assert reading.read(said) == []


async def test_what_is_taken_back_can_be_asked_for_again(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    for text in ("Please stop using emojis.", "Feel free to use emojis again.", "Please stop using emojis."):
        await chat.add("user", text, person="ann")
        await chat.add("assistant", "OK.")
    await memory.settle()
    standing = (await memory.about("ann", fresh=False)).standing
    assert [each.until is None for each in standing] == [True, False]
