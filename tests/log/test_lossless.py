"""What was said is kept as it was said: every character, every instant, every id."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import erstwhile
from cases import case
from erstwhile import Memory
from erstwhile.base.clock import moment
from erstwhile.log.store import queries
from erstwhile.text import analyse
from inside import runtime

KEPT = {
    "emoji": "😀🎉👍🏽",
    "family": "👩‍👩‍👧‍👦 and 🏳️‍🌈",
    "right to left": "שלום \u202eabc\u202c مرحبا\u200f",
    "zero width": "a\u200bb\u200cc\u200dd\ufefft",
    "tag characters": "flag 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "noncharacters": "\uffff\ufffe\U0010ffff\ufdd0",
    "line ends": "one\r\ntwo\rthree\n\n\tfour\x0b\x0c\x85\u2028\u2029",
    "control characters": "".join(chr(code) for code in range(1, 32)) + "\x7f\x80\x9f",
    "decomposed": "e\u0301 \u1100\u1161 각",
    "only spaces": "   ",
    "quotes and escapes": """ ' '' " "" \\ \\' \\u0041 \\x00 %s %% %(name)s :name ?1 $1 {} `` """,
    "sql": "'; DROP TABLE messages; --",
    "json": '{"a": [null, "\\u0000"]}',
    "private use": "\ue000\uf8ff\U000f0000",
    "variation": "葛\U000e0100 ☃︎ ☃️",
}


async def test_text_comes_back_as_it_was(memory: Memory) -> None:
    for name in KEPT:
        with case(name):
            text = KEPT[name]
            talk = memory.channel(f"talk of {name}")
            added = await talk.add("user", text, meta={"text": text})
            (stored,) = [message async for message in talk.messages()]
            assert stored.text == added.text == text
            assert stored.meta == {"text": text}


async def test_the_largest_message_taken_comes_back_whole(memory: Memory) -> None:
    talk = memory.channel("talk")
    largest = memory.settings.limits.message_bytes
    texts = ["x" * largest, "가" * (largest // 3), "".join(f"word{n} " for n in range(largest // 12)), "\n" * largest]
    texts += ["".join(f"{'verylongword' * 20}{n} " for n in range(largest // 260)), "é" * (largest // 2)]
    for text in texts:
        await talk.add("user", text)
    assert [message.text async for message in talk.messages()] == texts


METAS = [
    {},
    {"a": None, "b": True, "c": 1.5, "d": [1, [2, {"e": "f"}]], "": "empty name"},
    {"ключ": "значение", "🔑": "😀", "nul": "\0", "quote": "'\"\\"},
    {"big": 2**63, "small": -(2**70), "tiny": 5e-324, "huge": 1.7976931348623157e308},
    {"deep": [[[[[[[[[[{"bottom": 1}]]]]]]]]]]},
]


@pytest.mark.parametrize("meta", METAS, ids=range(len(METAS)))
async def test_metadata_comes_back_as_it_was(memory: Memory, meta: dict[str, object]) -> None:
    talk = memory.channel("talk")
    added = await talk.add("user", "with metadata", meta=meta)
    (stored,) = [message async for message in talk.messages()]
    assert stored.meta == added.meta == meta


async def test_what_add_returns_is_what_is_stored_also_for_metadata_that_json_changes(memory: Memory) -> None:
    """JSON has no tuples and no numbers as names; the answer must not pretend otherwise, nor share the caller's dict."""
    meta = {"pair": (1, 2), 3: "three"}
    added = await memory.channel("talk").add("user", "hello", meta=meta)  # type: ignore[arg-type]
    meta["pair"] = (9, 9)
    (stored,) = [message async for message in memory.channel("talk").messages()]
    assert added == stored
    assert stored.meta == {"pair": [1, 2], "3": "three"}


# Time

SEOUL, NEW_YORK = ZoneInfo("Asia/Seoul"), ZoneInfo("America/New_York")
MOMENTS = [
    (datetime(2026, 3, 1, 9, 30, 15, 123456, tzinfo=UTC), "2026-03-01T09:30:15.123456+00:00"),
    (datetime(2026, 3, 1, 9, 30, tzinfo=SEOUL), "2026-03-01T00:30:00+00:00"),
    ("2026-03-01T09:30:00+09:00", "2026-03-01T00:30:00+00:00"),
    ("2026-03-01T09:30:00.000001Z", "2026-03-01T09:30:00.000001+00:00"),
    ("20260301T093000Z", "2026-03-01T09:30:00+00:00"),
    (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00+00:00"),
    (datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), "9999-12-31T23:59:59.999999+00:00"),
    (datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), "1969-12-31T23:59:59.999999+00:00"),
    (datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC), "2038-01-19T03:14:08+00:00"),
    # The hour that happens twice, both times; the hour that never happens.
    (datetime(2026, 11, 1, 1, 30, tzinfo=NEW_YORK), "2026-11-01T05:30:00+00:00"),
    (datetime(2026, 11, 1, 1, 30, fold=1, tzinfo=NEW_YORK), "2026-11-01T06:30:00+00:00"),
    (datetime(2026, 3, 8, 2, 30, tzinfo=NEW_YORK), "2026-03-08T07:30:00+00:00"),
    (datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=45, seconds=30))), "2025-12-31T18:14:30+00:00"),
]


async def test_a_time_is_kept_to_the_microsecond_in_utc(memory: Memory) -> None:
    for number, (at, expected) in enumerate(MOMENTS):
        with case(at):
            talk = memory.channel(f"talk {number}")
            added = await talk.add("user", "now", at=at)
            (stored,) = [message async for message in talk.messages()]
            assert stored.at.isoformat() == added.at.isoformat() == expected
            assert stored.at.tzinfo is UTC


async def test_without_a_time_the_clock_says_it(memory: Memory) -> None:
    added = await memory.channel("talk").add("user", "now")
    assert added.at == memory._clock()


async def test_a_late_message_keeps_its_place_in_the_order_of_arrival(memory: Memory) -> None:
    talk = memory.channel("talk")
    for year in (2026, 2020, 2030, 1):
        await talk.add("user", f"in {year}", at=datetime(year, 6, 1, tzinfo=UTC))
    assert [message.at.year async for message in talk.messages()] == [2026, 2020, 2030, 1]


# Names


async def names(memory: Memory, person: str, space: str = "default") -> list[tuple[str, int, int]]:
    rows = await runtime(memory).database.read(space, lambda tx: tx.all(queries.names, person=person))
    return [(row["name"], moment(row["first_at"]).year, moment(row["last_at"]).year) for row in rows]


async def test_a_person_may_change_names_and_each_is_kept_with_its_time(memory: Memory) -> None:
    talk, hall = memory.channel("talk"), memory.channel("hall")
    for channel, year, name in [(talk, 2020, "Kim"), (hall, 2022, "Kim"), (talk, 2024, "Mina"), (talk, 2019, "Kim")]:
        await channel.add("user", "hi", person="p1", name=name, at=datetime(year, 1, 1, tzinfo=UTC))
    await talk.add("user", "hi", person="p2", name="Kim", at=datetime(2026, 1, 1, tzinfo=UTC))
    await memory.channel("talk", "elsewhere").add("user", "hi", person="p1", name="Nobody")
    assert await names(memory, "p1") == [("Kim", 2019, 2022), ("Mina", 2024, 2024)]
    assert await names(memory, "p2") == [("Kim", 2026, 2026)]
    assert [message.name async for message in talk.messages()] == ["Kim", "Mina", "Kim", "Kim"]


async def test_one_batch_may_hold_many_people_and_names(memory: Memory) -> None:
    await memory.channel("talk").add_many(
        {
            "role": "user",
            "text": "hi",
            "person": f"p{n % 3}",
            "name": f"name {n % 2}",
            "at": f"20{20 + n}-01-01T00:00:00Z",
        }
        for n in range(12)
    )
    assert await names(memory, "p0") == [("name 0", 2020, 2026), ("name 1", 2023, 2029)]
    assert await names(memory, "p2") == [("name 0", 2022, 2028), ("name 1", 2025, 2031)]


# Anything at all

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200)
AWKWARD = st.sampled_from(
    ["../..", "/etc/passwd", "a/b", "%00", "%", "'", '"', "' OR 1=1 --", ":", "a:0:1-10", "\\", "*", "名前", "\uffff"]
)
ID = AWKWARD | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40
).filter(lambda text: text.strip() != "")
TIMES = st.datetimes(timezones=st.just(UTC))


@pytest.fixture
def sync_memory(database_url: str) -> Iterator[erstwhile.SyncMemory]:
    with erstwhile.open_sync(database_url, worker=False) as memory:
        yield memory


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(space=ID, channel=ID, person=ID, name=ID, key=ID, model=ID, text=TEXT, at=TIMES)
def test_any_valid_text_and_id_come_back_as_they_were(
    sync_memory: erstwhile.SyncMemory,
    space: str,
    channel: str,
    person: str,
    name: str,
    key: str,
    model: str,
    text: str,
    at: datetime,
) -> None:
    talk = sync_memory.channel(channel, space)
    before = talk.size()
    added = talk.add("user", text, person=person, name=name, key=f"{key}{before}", model=model, at=at, meta={key: text})
    # Ids of people are NFC, so that one person is not two.
    person = unicodedata.normalize("NFC", person)
    assert (added.text, added.person, added.name, added.model, added.at) == (text, person, name, model, at)
    stored = list(talk.messages(after=before))
    assert stored == [added]
    assert talk.add("user", "again", key=f"{key}{before}") == added


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=60) | ID)
def test_any_query_at_all_is_answered(sync_memory: erstwhile.SyncMemory, query: str) -> None:
    sync_memory.search(query)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.text(st.characters(categories=["L", "N"]), min_size=2, max_size=12), min_size=1, max_size=4))
def test_a_message_is_found_by_its_own_words(sync_memory: erstwhile.SyncMemory, words: list[str]) -> None:
    """Whatever the script: the analyser is the same for both sides."""
    text = " ".join(words)
    added = sync_memory.channel("words").add("user", text)
    if analyse.query_terms(text):
        hits = sync_memory.search(text, limit=200)
        assert added.id in {hit.id for hit in hits}


def test_a_memory_that_was_closed_in_the_middle_of_reading_complains_about_nothing(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False) as memory:
        memory.channel("talk").add_many([{"role": "user", "text": f"m{n}"} for n in range(10)])
        for _ in memory.channel("talk").messages():
            break
