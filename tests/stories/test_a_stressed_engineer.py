"""A week of an engineer who is stressed and goes to the gym: what is remembered of it, with a model and without."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

import erstwhile
import inserted
from erstwhile.testing import Call, FixedClock, ModelServer
from erstwhile.testing.answers import sensible

FACTS = "Sergey is a software engineer at TechCorp, lives in Berlin and enjoys hiking."
WEEK = (
    ("I'm so stressed about this project deadline", "Going to the gym after work to clear my head"),
    ("The deadline moved up again, I barely slept", "Gym again tonight, it keeps me sane"),
    ("Another long day of fixing bugs before the deadline", "At least I managed an hour at the gym"),
    ("My boss wants a demo tomorrow, I am so stressed", "I ran five kilometres at the gym instead of panicking"),
    ("The demo went fine but I am exhausted", "Skipped lunch and went to the gym"),
    ("Deadline met at last", "I celebrated with a long workout at the gym"),
)
TODAY = ("A new project starts today, I am excited!", "A bit anxious about the timeline though")

DAY = "Sergey is experiencing work stress and uses exercise as a coping mechanism."
NOW = "Sergey mentioned a new project starting, seems excited but slightly anxious about the timeline."
HISTORY = (
    "From 24 February to 1 March Sergey had a consistent pattern of managing work stress through regular exercise, and showed "
    "resilience and healthy coping strategies."
)
CONTEXT = (
    "Berlin-based software engineer at TechCorp who manages work stress through exercise and enjoys outdoor activities like hiking. Has "
    "consistent healthy coping strategies and is currently excited but slightly anxious about a new project timeline."
)


def model(call: Call) -> str:
    """Says what the worked example says."""
    if '"days"' in call.system:
        text = NOW if "new project" in call.user else DAY
        told = [{"conversation": 1, "person": "gruzilkin", "summary": text}]
        told += [{"conversation": 1, "person": "florent", "summary": "Florent cheered Sergey on."}]
        return json.dumps({"days": told})
    if '"week"' in call.system:
        return json.dumps({"week": HISTORY})
    if '"portrait"' in call.system:
        return json.dumps({"portrait": CONTEXT})
    return sensible(call)


@pytest.fixture
def clock() -> FixedClock:
    """Monday evening, 2 March 2026."""
    return FixedClock(datetime(2026, 3, 2, 18, tzinfo=UTC))


async def live_the_week(memory: erstwhile.Memory, clock: FixedClock) -> erstwhile.Channel:
    chat = memory.channel("general")
    await memory.channels.set_privacy(chat, "open")
    for back, lines in zip(range(6, -1, -1), (*WEEK, TODAY), strict=True):
        at = clock.now - timedelta(days=back, hours=8)
        for minute, line in enumerate(lines):
            await chat.add("user", line, person="gruzilkin", name="Sergey", at=at + timedelta(minutes=minute))
        await chat.add(
            "user", "you can do it <@gruzilkin>", person="florent", name="Florent", at=at + timedelta(hours=1)
        )
    await inserted.tell(memory, "tld_1", "gruzilkin", FACTS)
    return chat


async def test_with_a_model(database_url: str, clock: FixedClock) -> None:
    with ModelServer(model) as server:
        async with erstwhile.open(
            database_url,
            clock=clock,
            worker=False,
            model="openai-compatible:scripted",
            base_url=server.base_url,
            api_key="k",
            recipe="person",
        ) as memory:
            chat = await live_the_week(memory, clock)
            about = await memory.about("Sergey")
            assert (about.person, about.told, about.today, about.history) == ("gruzilkin", FACTS, NOW, HISTORY)
            assert about.text == CONTEXT
            assert len(server.calls) == 7 + 1 + 1, (
                "a call a day for everyone, one for the days before, one for all of it"
            )

            merging = server.calls[-1].user
            assert f"<facts>{FACTS}</facts>\n<today>{NOW}</today>\n<history>{HISTORY}</history>" in merging
            today = next(call.user for call in server.calls if "new project" in call.user)
            assert "<content>you can do it @Sergey</content>" in today

            context = await chat.context("tell me a joke about Sergey", person="florent")
            assert f'<person name="Sergey">\n<context>{CONTEXT}</context>\n</person>' in context.text
            assert "<today>Florent cheered Sergey on.</today>" in context.text
            assert len(server.calls) == 9, "nobody waited for a model"

            # The model goes away over night, and Sergey is still known by what there is.
            server.down()
            clock.advance(days=1)
            await chat.add("user", "Hiking with friends after work", person="gruzilkin", name="Sergey")
            about = await memory.about("gruzilkin")
            assert about.told == FACTS
            assert "Hiking with friends" in about.today
            assert about.text.startswith(f"{FACTS}\n\nToday: {about.today}\n\nIn the days before: ")
            assert NOW in about.history


async def test_without_a_model(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, model="extractive", recipe="person") as memory:
        chat = await live_the_week(memory, clock)
        about = await memory.about("Sergey")
        assert about.told == FACTS
        assert about.today == (
            "2 Mar 2026 — Sergey: A new project starts today (2 Mar 2026), I am excited! A bit anxious about the timeline though."
        )
        assert "Sergey: The deadline moved up again, I barely slept." in about.history
        assert about.history.count("gym") >= 3
        assert len(about.history) <= 750
        assert about.text == f"{FACTS}\n\nToday: {about.today}\n\nIn the days before: {about.history}"
        context = await chat.context("tell me a joke", person="gruzilkin")
        assert f"<facts>{FACTS}</facts>" in context.text
        assert "<history>" in context.text
