"""What can't be stored is refused with a sentence that helps, and nothing of it is stored."""

from __future__ import annotations

import dataclasses
import math
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from cases import case
from erstwhile import InvalidInput, Memory, NewMessage

GOOD = {"role": "user", "text": "good"}
EAST, WEST = timezone(timedelta(hours=9)), timezone(timedelta(hours=-9))


def deep(levels: int) -> list[Any]:
    nest: list[Any] = []
    for _ in range(levels):
        nest = [nest]
    return nest


BAD: dict[str, tuple[Any, str]] = {
    "empty text": ({"text": ""}, "no text.*placeholder"),
    "no text": ({"text": None}, "no text"),
    "text that is a number": ({"text": 7}, "no text|must be text"),
    "text that is bytes": ({"text": b"hello"}, "no text|must be text"),
    "ten megabytes": ({"text": "x" * 10_000_000}, "10,000,000 bytes.*ERSTWHILE_LIMITS__MESSAGE_BYTES"),
    "one byte too much": ({"text": "é" * 524_288 + "x"}, "1,048,577 bytes.*1,048,576"),
    "NUL": ({"text": "a\0b"}, "text contains a NUL"),
    "lone surrogate": ({"text": "a\ud800b"}, "surrogate pair at position 1.*replace"),
    "unknown role": ({"role": "robot"}, "Unknown role 'robot'.*user, assistant"),
    "empty role": ({"role": ""}, "Unknown role"),
    "role of the wrong case": ({"role": "User"}, "Unknown role 'User'"),
    "role that is a list": ({"role": ["user"]}, "Unknown role"),
    "naive time": ({"at": datetime(2026, 3, 1, 9, 30)}, "no zone.*for example"),  # noqa: DTZ001
    "naive ISO time": ({"at": "2026-03-01T09:30:00"}, "no zone"),
    "day without time": ({"at": "2026-03-01"}, "no zone"),
    "bad ISO time": ({"at": "yesterday"}, "'yesterday' is not a time"),
    "impossible day": ({"at": "2026-02-30T00:00:00Z"}, "is not a time"),
    "date": ({"at": date(2026, 3, 1)}, "datetime with a zone or ISO text, not date"),
    "time as a number": ({"at": 1770000000}, "not int"),
    "before year 1 in UTC": ({"at": datetime(1, 1, 1, 0, 0, tzinfo=EAST)}, "outside the years 1 to 9999"),
    "after year 9999 in UTC": ({"at": datetime(9999, 12, 31, 23, 0, tzinfo=WEST)}, "outside the years 1 to 9999"),
    "before year 1, as text": ({"at": "0001-01-01T00:00:00+09:00"}, "outside the years 1 to 9999"),
    "long person": ({"person": "x" * 513}, "person is longer than 512 bytes"),
    "long person in bytes": ({"person": "가" * 171}, "person is longer than 512 bytes"),
    "empty person": ({"person": ""}, "person is empty"),
    "blank key": ({"key": " \t"}, "key is empty"),
    "number as key": ({"key": 17}, "key must be text, not int"),
    "number as name": ({"name": 17}, "name must be text"),
    "NUL in name": ({"name": "a\0"}, "name contains a NUL"),
    "surrogate in person": ({"person": "\udfff"}, "person contains half of a surrogate"),
    "list as model": ({"model": ["gpt"]}, "model must be text"),
    "NaN in meta": ({"meta": {"x": math.nan}}, "`meta` can't be stored as JSON"),
    "infinity in meta": ({"meta": {"x": [math.inf]}}, "`meta` can't be stored as JSON"),
    "object in meta": ({"meta": {"x": object()}}, "`meta` can't be stored as JSON"),
    "bytes in meta": ({"meta": {"x": b"x"}}, "`meta` can't be stored as JSON"),
    "tuple as a name in meta": ({"meta": {(1, 2): 3}}, "`meta` can't be stored as JSON"),
    "surrogate in meta": ({"meta": {"x": "\ud800"}}, "meta.*surrogate"),
    "surrogate in a name of meta": ({"meta": {"\udc00": 1}}, "meta.*surrogate"),
    "bottomless meta": ({"meta": {"x": deep(100_000)}}, "`meta` can't be stored as JSON"),
    "meta with 33 levels": ({"meta": {"x": deep(31)}}, "`meta` is nested more than 32 levels deep.*Flatten"),
    "meta with 255 levels": ({"meta": {"x": deep(253)}}, "`meta` is nested more than 32 levels deep"),
    "huge meta": ({"meta": {"x": "y" * 1_100_000}}, "`meta` has .* bytes"),
    "list as meta": ({"meta": [1]}, "`meta` must be a dict, not list"),
    "text as meta": ({"meta": "x"}, "`meta` must be a dict, not str"),
    "unknown field": ({"speaker": "Mina"}, "no field 'speaker'.*put the rest into meta"),
    "numbered field": ({5: "x"}, "no field '5'"),
}
NO_MESSAGES = {"text": "hello", "nothing": None, "number": 5, "list": ["user", "hello"], "pair": ("user", "hello")}


async def test_a_bad_message_is_refused_and_takes_its_batch_with_it(memory: Memory) -> None:
    for name in BAD:
        with case(name):
            change, complaint = BAD[name]
            talk = memory.channel("talk")
            with pytest.raises(InvalidInput, match=f"(?s){complaint}") as refused:
                await talk.add_many([GOOD, {**GOOD, **change}, GOOD])
            assert len(str(refused.value)) < 500, "the complaint doesn't repeat the whole message"
            assert await talk.size() == 0
            assert await memory.search("good") == []
            assert await memory.jobs.list() == []


async def test_the_single_door_refuses_the_same(memory: Memory) -> None:
    talk = memory.channel("talk")
    for name, (change, complaint) in BAD.items():
        fields = {**GOOD, **change}
        if not fields.keys() <= {field.name for field in dataclasses.fields(NewMessage)}:
            continue  # Python itself refuses an unknown argument
        with pytest.raises(InvalidInput, match=f"(?s){complaint}"):
            await talk.add(fields.pop("role"), fields.pop("text"), **fields)
        assert await talk.size() == 0, name


@pytest.mark.parametrize("what", NO_MESSAGES)
async def test_what_is_no_message_is_refused(memory: Memory, what: str) -> None:
    with pytest.raises(InvalidInput, match="A message is a dict or NewMessage, not"):
        await memory.channel("talk").add_many([GOOD, NO_MESSAGES[what]])  # type: ignore[list-item]
    assert await memory.channel("talk").size() == 0


@pytest.mark.parametrize("missing", ["role", "text"])
async def test_a_message_needs_a_role_and_a_text(memory: Memory, missing: str) -> None:
    with pytest.raises(InvalidInput, match=f"no {missing}"):
        await memory.channel("talk").add_many([{name: value for name, value in GOOD.items() if name != missing}])


BAD_IDS = {
    "empty": ("", "is empty"),
    "blank": (" \n", "is empty"),
    "too long": ("x" * 513, "longer than 512 bytes"),
    "NUL": ("a\0b", "contains a NUL"),
    "surrogate": ("\ud800", "surrogate"),
    "number": (5, "must be text, not int"),
    "bytes": (b"talk", "must be text, not bytes"),
}


async def test_a_bad_channel_or_space_is_refused_before_anything_else(memory: Memory) -> None:
    for name in BAD_IDS:
        with case(name):
            value, complaint = BAD_IDS[name]
            with pytest.raises(InvalidInput, match=f"channel {complaint}|channel.*{complaint}"):
                memory.channel(value)
            with pytest.raises(InvalidInput, match=f"space.*{complaint}"):
                memory.channel("talk", value)
            with pytest.raises(InvalidInput, match=f"space.*{complaint}"):
                await memory.search("x", space=value)
            with pytest.raises(InvalidInput, match=f"space.*{complaint}"):
                await memory.spaces.rebuild(space=value)


async def test_the_longest_ids_are_taken(memory: Memory) -> None:
    """All of them at once, and of characters that take three bytes: no index of either database is too narrow."""
    longest = ["가" * 170 + "xx", "나" * 170 + "yy", "다" * 170 + "zz"]
    talk = memory.channel(longest[0], longest[1])
    batch = [
        NewMessage(
            "user",
            f"I moved from Oslo to house {n} in Busan.",
            person=longest[2],
            name=longest[0],
            key=longest[1][:-2] + f"{n:02}",
            model=longest[2],
        )
        for n in range(20)
    ]
    assert len(await talk.add_many(batch)) == 20
    settled = await memory.settle()
    assert (settled.waiting, settled.parked) == (0, 0)
    assert settled.done >= 2
    hits = await memory.search("moved house", space=longest[1], channel=longest[0], limit=50)
    assert {"message", "fact"} <= {hit.kind for hit in hits}


async def test_good_messages_are_taken_right_after_a_bad_one(memory: Memory) -> None:
    talk = memory.channel("talk")
    for _ in range(3):
        with pytest.raises(InvalidInput):
            await talk.add("user", "")
        await talk.add("user", "good", at=datetime(2026, 1, 1, tzinfo=UTC))
    assert await talk.size() == 3
