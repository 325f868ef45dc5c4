"""At small budgets a message is cut after a sentence or left out: a line never ends in the middle of its first words."""

from __future__ import annotations

import pytest

import erstwhile


@pytest.mark.parametrize("budget", [100, 120, 160, 240])
async def test_no_line_is_a_stub(memory: erstwhile.Memory, budget: int) -> None:
    chat = memory.channel("chat")
    await chat.add(role="user", person="ann", text="How do I mend the bicycle?")
    await chat.add(
        role="assistant", text="I'll explain " + "every part of the wheel and the chain in turn " * 40 + "now."
    )
    await chat.add(role="assistant", text="Loosen the nut. " + "Then turn the spoke by a quarter and look again. " * 30)
    context = await chat.context("bicycle", budget=budget)
    for part in context.parts:
        for item in part.items:
            cut = item.text.endswith("…") and not item.text.rstrip(" …").endswith((".", "!", "?"))
            assert not cut or len(item.text.split()) > 20
