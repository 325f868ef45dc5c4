"""An erased person's name goes from recorded questions, feedback and titles in whatever form; their words don't come back
under another file name; the receipt says so only if it is so."""

from __future__ import annotations

from pathlib import Path

import pytest

import erstwhile
from erstwhile.importers import load
from erstwhile.layers.erasure import naming
from erstwhile.owners import owners
from inside import runtime

QUESTIONS = {
    "王芳": ("王芳住在哪里？", "什么时候见王芳?"),
    "김민수": ("민수는 어디 살아?", "김민수 생일이 언제야?"),
    "Mina Kim": (
        "Where does Mina live?",
        "where does MINA\u00a0KIM live?",
        "Does ｍｉｎａ like tea?",
        "Is Mi\u200bna here?",
        "Is Mi\u200dna\u3164 Kim\ufe0f here?",
        "mina's birthday?",
    ),
    "José": ("Where is Jose\u0301?",),
    "Bo": ("Is Bo coming?",),
}


@pytest.mark.parametrize("name", QUESTIONS)
async def test_recorded_questions_that_name_them_go(memory: erstwhile.Memory, name: str) -> None:
    chat = memory.channel("hall")
    await chat.add("user", "hello", person="p1", name=name)
    await chat.add("user", "hello", person="bob", name="Bob")
    for question in (*QUESTIONS[name], "Where do the minarets stand, and is the body cold?"):
        asked = await chat.context(question, person="bob")
        await memory.requests.feedback(asked.request, f"{question} was missed")
    await memory.channels.set_privacy(chat, "open", title=f"Chat with {name}")
    await memory.channels.set_privacy(memory.channel("yard"), "open", title="The yard")
    receipt = await memory.erase(person="p1")
    assert receipt.checked
    assert receipt.counts["titles"] == 1
    left = await memory.requests.list(limit=100)
    assert [each.query for each in left] == ["Where do the minarets stand, and is the body cold?"]
    named = naming.pattern([name])
    texts = [each for owner in owners() for each in owner.texts]
    found = await runtime(memory).database.read("default", lambda tx: naming.find(tx, texts, named))
    assert not any(found.values())
    titles = {each.channel: each.title for each in await memory.channels.list()}
    assert titles["yard"] == "The yard"


async def test_a_receipt_says_when_a_name_is_left(memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = memory.channel("hall")
    await chat.add("user", "hello", person="p1", name="Mina")
    await chat.add("user", "hello", person="bob", name="Bob")
    await chat.context("Where does Mina live?", person="bob")
    await memory.requests.list()

    async def nothing(*_given: object) -> None:
        pass

    monkeypatch.setattr(naming, "erase", nothing)
    assert not (await memory.erase(person="p1")).checked


CHAT = """\
[02.03.26, 10:00:00] Mina: The safe combination is 4711.
[02.03.26, 10:01:00] Jun: Don't write that here.
[02.03.26, 10:02:00] Mina: Too late.
"""


async def test_a_file_under_another_name_brings_no_erased_words_back(memory: erstwhile.Memory, tmp_path: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(CHAT)
    first = await load(memory, tmp_path / "one.txt", format="whatsapp")
    assert first.messages == 3
    (mina,) = [each.person for each in await memory.people.list() if each.name == "Mina"]
    assert (await memory.erase(person=mina)).checked
    again = await load(memory, tmp_path / "two.txt", format="whatsapp")
    assert again.messages == 1, "what Jun said"
    assert "4711" not in str(await memory.search("safe combination 4711"))
    said = [
        message.text
        for each in await memory.channels.list()
        async for message in memory.channel(each.channel).messages()
    ]
    assert not [text for text in said if "4711" in text or "Too late" in text]


async def test_who_comes_back_can_say_the_same_again(memory: erstwhile.Memory) -> None:
    chat = memory.channel("hall")
    await chat.add("user", "hello", person="mina")
    await memory.erase(person="mina")
    assert (await chat.add("user", "hello", person="mina")).seq > 0
