"""Whoever asks in a chat what is known of someone is told all that is on file, not only what is new."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import erstwhile
from erstwhile.testing import FixedClock


@pytest.fixture
async def chat(database_url: str, clock: FixedClock) -> AsyncIterator[erstwhile.Channel]:
    """Priya spoke with an assistant a month ago; of that only facts are left."""
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        channel = memory.channel("chat")
        await channel.add("user", "I live in Lisbon. My sister Ida is a nurse.", person="p1", name="Priya")
        await channel.add("assistant", "Lovely.")
        await channel.add("user", "Always answer in metric units.", person="p1", name="Priya")
        clock.advance(hours=3)
        await memory.settle()
        clock.advance(days=30)
        yield channel


@pytest.mark.parametrize("asked", ["What do you know about Priya?", "What do you know about me?"])
async def test_facts_and_standing_requests_are_told(chat: erstwhile.Channel, asked: str) -> None:
    done = await chat.command(asked, person="p1", name="Priya")
    assert (done.intent, done.person, done.found) == ("about", "p1", True)
    assert "Lisbon" in done.text
    assert "metric units" in done.text


async def test_of_whom_nothing_is_known_that_is_said(chat: erstwhile.Channel, clock: FixedClock) -> None:
    await chat.add("user", "Hello", person="p2", name="Bea")
    clock.advance(days=10)
    done = await chat.command("What do you know about me?", person="p2", name="Bea")
    assert (done.person, done.found) == ("p2", False)
    assert done.text == "Nothing is known about Bea yet."
