"""Of two facts in one message one ends: it says until when or is left out, and the other is as true as before."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

import erstwhile
from erstwhile import Memory
from erstwhile.base.records import dataclass
from erstwhile.context.recipes import RECIPES
from erstwhile.testing import FixedClock


@dataclass(frozen=True, slots=True)
class Case:
    """What is said, what is said a month later, a question, the value before and after, and what stays true."""

    first: str
    later: str
    question: str
    old: str
    new: str
    true: tuple[str, ...]


CASES = {
    "en": Case(
        "I'm vegan and I live in Leeds with my husband Tom.",
        "I moved to York last week.",
        "Where do I live?",
        "Leeds",
        "York",
        ("Veg is vegan", "Tom is Veg's husband"),
    ),
    "de": Case(
        "Ich bin Vegetarierin und ich wohne in Berlin mit meiner Freundin Clara.",
        "Ich wohne jetzt in Hamburg.",
        "Wo wohne ich?",
        "Berlin",
        "Hamburg",
        ("Vegetarierin", "Freundin von Veg"),
    ),
    "es": Case(
        "Soy vegana y vivo en Madrid con mi marido Pablo.",
        "Vivo en Sevilla.",
        "¿Dónde vivo?",
        "Madrid",
        "Sevilla",
        ("vegana", "marido de Veg"),
    ),
    "fr": Case(
        "Je suis végétarienne et j'habite à Lyon avec mon mari Paul.",
        "J'habite maintenant à Nantes.",
        "Où est-ce que j'habite ?",
        "Lyon",
        "Nantes",
        ("végétarienne", "mari de Veg"),
    ),
    "ko": Case(
        "저는 비건이고 서울에 살아요. 제 동생은 민수예요.",
        "저는 지금 부산에 살아요.",
        "나는 어디에 살아?",
        "서울",
        "부산",
        ("비건",),
    ),
    "ja": Case(
        "東京に住んでいます。妹の名前は花子です。",
        "今は大阪に住んでいます。",
        "私はどこに住んでいますか？",
        "東京",
        "大阪",
        ("花子",),
    ),
    "zh": Case(
        "我吃素，我住在北京。我姐姐叫小红。", "我现在住在上海。", "我住在哪里？", "北京", "上海", ("吃素", "小红")
    ),
}
_TITLE = re.compile(r' +\[(?:Veg: )?(?:"|&quot;).*?, Mar \d+\]|^- \[Mar \d+\].*? — ')  # of the note it is from


@pytest.fixture(params=CASES)
async def told(
    request: pytest.FixtureRequest, database_url: str, clock: FixedClock
) -> AsyncIterator[tuple[Memory, Case]]:
    case = CASES[request.param]
    async with erstwhile.open(database_url, clock=clock, worker=False, model="extractive") as memory:
        chat = memory.channel("home")
        for each in (case.first, case.later):
            await chat.add("user", each, person="veg", name="Veg")
            await chat.add("assistant", "OK.")
            clock.advance(hours=3)
            await memory.settle()
            await memory.notes.nightly()
            clock.advance(days=29)
            await memory.settle()
        yield memory, case


async def test_one_ends_and_the_other_holds(told: tuple[Memory, Case]) -> None:
    memory, case = told
    for recipe in RECIPES:
        for question in (case.question, ""):
            context = await memory.channel("home").context(question, person="veg", recipe=recipe, budget=2000)
            for part in context.parts:
                if part.name not in ("recent", "turns"):  # there the new value stands below the old one
                    lines = [line for item in part.items for line in item.text.splitlines()]
                    _check(lines, case, f"{recipe}, {part.name}", dated=part.name in ("chunks", "brief", "notes"))
    about = await memory.about("veg")
    _check([each.text for those in about.profile.values() for each in those], case, "profile")
    _check([each.line for each in about.facts], case, "about")
    assert [each.text for each in about.facts if each.until and case.old not in each.text] == []
    known = str(about)
    assert [each for each in (*case.true, case.new) if each not in known] == []


def _check(lines: list[str], case: Case, where: str, *, dated: bool = False) -> None:
    bare = [_TITLE.sub("", line) for line in lines]
    for line in bare:
        # What ended carries its end close behind it, and nothing else has one.
        ends = [line[: found.start()] for found in re.finditer(r"[(;] ?(?:[^()]{0,16} )?until ", line)]
        assert [end for end in ends if case.old not in end] == [], (where, line)
        assert line.count(case.old) <= len(ends), (where, line)
        assert not any(re.search(rf"{true}[^(]{{0,3}} \(until", line) for true in case.true), (where, line)
    old = [number for number, line in enumerate(bare) if case.old in line]
    new = [number for number, line in enumerate(bare) if case.new in line]
    assert dated or not old or not new or min(new) <= min(old), (where, bare)
