"""What is said in channels that an asker can't see changes nothing that they find (S28, inside one space).

Numbers of a score do change: how rare a word is, is counted over the whole space. docs/trust.md says so.
"""

from __future__ import annotations

import erstwhile

ASKED = ("lantern", "swordfish", "merger", "who met whom at the harbour", "lantrn")


async def fill(memory: erstwhile.Memory) -> None:
    hall = memory.channel("hall")
    for number in range(12):
        who = "mina" if number % 2 else "jun"
        await hall.add("user", f"I saw lantern {number} at the harbour.", person=who, name=who.title())
    await hall.add("user", "The swordfish was sold.", person="jun", name="Jun")
    await memory.settle()


async def found(memory: erstwhile.Memory) -> list[dict[str, str]]:
    """What Mina finds, and what her contexts say."""
    hits = [await memory.search(each, asker="mina", limit=100) for each in ASKED]
    texts = [await memory.channel("hall").context(each, person="mina") for each in ASKED]
    return [{hit.id: hit.text for hit in each} for each in hits] + [{"context": each.text} for each in texts]


async def test_hidden_channels_change_nothing_that_is_found(memory: erstwhile.Memory) -> None:
    await fill(memory)
    before = await found(memory)
    assert before[0]
    for number in range(40):
        await memory.channel("vault").add("user", f"The secret merger of swordfish {number}.", person="eve", name="Eve")
    await memory.settle()
    after = await found(memory)
    assert "merger" not in str(after)
    assert [each.keys() for each in after] == [each.keys() for each in before]
    assert [sorted(each.values()) for each in after[: len(ASKED)]] == [
        sorted(each.values()) for each in before[: len(ASKED)]
    ]
    assert await memory.search("merger", limit=100), "the control: whoever may see it finds it"
