"""about() draws on every fact on file: said by the person or naming them, what holds first, each with its source."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import erstwhile
from erstwhile.mcp import shapes
from erstwhile.testing import FixedClock

SAID = (
    ("sam", "Priya prefers calls on Friday mornings."),
    ("sam", "The account manager for Acme is Lena."),
    ("priya", "I live in Leeds."),
    ("priya", "I adopted a dog called Biscuit in 2024."),
    ("sam", "Priya signed the contract for the warehouse in Hull on 3 May 2026, for 2,000 pounds a month."),
    ("priya", "I moved to York."),
    ("sam", "Priya prefers calls on Monday afternoons now."),
    ("sam", "Lena left; the account manager for Acme is now Jonas."),
)


async def talk(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = memory.channel("crm")
    began = clock() - timedelta(days=30)
    lines: list[dict[str, Any]] = [
        {"role": "user", "person": who, "name": who.title(), "text": text, "at": began + timedelta(days=n)}
        for n, (who, text) in enumerate(SAID)
    ]
    await chat.add_many(lines)
    await memory.settle()


async def test_what_is_on_file_is_known(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await talk(memory, clock)
    known = await memory.about("priya")
    assert not known.nothing
    profile = [fact.text for facts in known.profile.values() for fact in facts]
    said = " ".join([known.text, *profile, *(fact.text for fact in known.facts)])
    for each in ("York", "Leeds", "Biscuit", "warehouse in Hull", "Monday afternoons"):
        assert each in said
    assert all(fact.source.startswith("crm, ") for fact in known.facts)
    hull = next(fact for fact in known.facts if "Hull" in fact.text)
    assert hull.said_by == "sam"
    assert "Hull" in shapes.format_about(shapes.from_about(known))
    for each in ("Priya (priya)", "York", "Biscuit", "warehouse in Hull", "Monday afternoons", "[crm, "):
        assert each in str(known)


async def test_whoever_only_asked_is_not_who_an_answer_is_about(memory: erstwhile.Memory, clock: FixedClock) -> None:
    said = (
        ("mina", "Where do you live, Theo?"),
        ("theo", "In Gimhae, near the museum."),
        ("theo", "Mina signed the contract for the flat in Busan on 3 May 2026, for 900,000 won."),
    )
    for who, text in said:
        await memory.channel("kitchen").add("user", text, person=who, name=who.title())
    clock.advance(hours=3)  # a quiet conversation is read
    await memory.settle()
    theo, mina = await memory.about("theo"), await memory.about("mina")
    assert any(fact.text.endswith("near the museum (Mina: Where do you live, Theo?)") for fact in theo.facts)
    assert [fact.text.partition(": ")[2] for fact in mina.facts] == [
        "Mina signed the contract for the flat in Busan on 3 May 2026, for 900,000 won"
    ]


async def test_what_holds_comes_first_and_what_held_says_until_when(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    await talk(memory, clock)
    facts = (await memory.about("priya")).facts
    ended = [fact.until is not None for fact in facts]
    assert ended == sorted(ended)
    [leeds] = [fact for fact in facts if "Leeds" in fact.text]
    assert leeds.until is not None
    assert "until" in leeds.line
    [friday] = [fact for fact in facts if "Friday" in fact.text]
    assert friday.until is not None
    assert [fact.at for fact in facts if fact.until is None] == sorted(
        (fact.at for fact in facts if fact.until is None), reverse=True
    )


async def test_nothing_is_said_twice(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await talk(memory, clock)
    known = await memory.about("priya")
    texts = [fact.text for fact in known.facts] + [fact.text for facts in known.profile.values() for fact in facts]
    assert sum("York" in text for text in texts) == 1
    assert [text for text in texts if "2024" in text] != []  # says more than that there is a dog


async def test_what_says_more_is_kept_beside_what_says_less(memory: erstwhile.Memory, clock: FixedClock) -> None:
    said = (("sofia", "I'm vegetarian and allergic to cashews."), ("priya", "I live in Leeds."))
    began = clock() - timedelta(days=30)
    lines: list[dict[str, Any]] = [
        {"role": "user", "person": who, "name": who.title(), "text": text, "at": began + timedelta(days=n)}
        for n, (who, text) in enumerate(said)
    ]
    await memory.channel("diet").add_many(lines)
    await memory.settle()
    known = await memory.about("sofia")
    on_file = [*(fact.text for fact in known.facts), *(each.text for some in known.profile.values() for each in some)]
    assert any("vegetarian and allergic to cashews" in text for text in on_file)


async def test_whoever_is_addressed_is_not_who_a_fact_is_about(memory: erstwhile.Memory) -> None:
    chat = memory.channel("diet")
    await chat.add("user", "Hello.", person="priya", name="Priya")
    await chat.add("user", "Hello.", person="sofia", name="Sofia")
    for text in ("I have eaten no meat since 2018, Priya", "My sister works with Priya at Acme"):
        await memory.facts.add(chat, text, by="sofia", person="sofia")
    about = [fact.text for fact in (await memory.about("priya")).facts]
    assert about == ["My sister works with Priya at Acme"]


async def test_a_fact_of_a_private_channel_stays_there(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await talk(memory, clock)
    old = clock() - timedelta(days=3)
    await memory.channel("diary").add_many(
        [{"role": "user", "person": "priya", "name": "Priya", "text": "I'm allergic to peanuts.", "at": old}]
    )
    await memory.channels.set_privacy(memory.channel("diary"), "private")
    await memory.settle()
    assert any("peanuts" in fact.line for fact in (await memory.about("priya")).facts) or any(
        "peanuts" in fact.text for facts in (await memory.about("priya")).profile.values() for fact in facts
    )
    seen = await memory.about("priya", channel="crm", asker="sam")
    assert not any("peanuts" in fact.text for fact in seen.facts)


async def test_recipes_of_people_have_the_facts(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await talk(memory, clock)
    for recipe in ("person", "community"):
        context = await memory.channel("crm").context("What about Priya?", recipe=recipe, person="sam", budget=1500)
        assert "Hull" in context.text
        assert context.text.index("Monday afternoons") < context.text.index("Friday mornings")


async def test_what_holds_now_comes_first_in_a_context(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await talk(memory, clock)
    text = (await memory.channel("crm").context("Who is the account manager for Acme?", budget=1500)).text
    facts = text[text.index("===") :]
    assert "- Jonas is the account manager for Acme. (said by sam) (since 7 Feb 2026) Before: Lena is" in facts
    assert "I live in Leeds (until 5 Feb 2026)" in facts
    assert "Friday mornings (until 6 Feb 2026)." in facts
