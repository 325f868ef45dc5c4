"""Looking through everything: what holds the words, all of it, page by page; and how much of it is of what. Against a plain filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

import erstwhile
from databases import Filled
from erstwhile.search import word_filter
from erstwhile.search.model import BrowseCounts, Hit
from erstwhile.testing import FixedClock
from erstwhile.text import analyse

BEGIN = datetime(2026, 1, 20, tzinfo=UTC)
TEXTS = (
    "I own {n} red lanterns from a market in Busan.",
    "The boat {n} is repaired.",
    "등불을 {n}개 샀어요.",
    "I sold a lantern.",
)


@pytest.fixture
async def full(database_url: str, clock: FixedClock, filled: Filled) -> AsyncIterator[erstwhile.Memory]:
    """Two channels, three people, seventy days, several at the same moment; every kind that needs no night, and one written by hand."""

    async def fill() -> None:
        async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
            await talk(memory)

    await filled("browse", fill)
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        yield memory


async def talk(memory: erstwhile.Memory) -> None:
    for channel in ("market", "harbour"):
        said = [
            {
                "role": "user",
                "person": f"p{n % 3}",
                "name": f"Person {n % 3}",
                "text": TEXTS[n % 4].format(n=n // 4),
                "at": BEGIN + timedelta(days=n - n % 2),
            }
            for n in range(70)
        ]
        await memory.channel(channel).add_many(said)
    await memory.settle()
    fact = (await memory.facts.list(memory.channel("market")))[0]
    await memory.memories.edit(fact.id, "Mina keeps a lantern for rainy days.", by="carol")


async def everything(memory: erstwhile.Memory) -> dict[str, tuple[Hit, str | None]]:
    """Every message and memory, with who wrote it."""
    kinds = [each.value for each in (await memory.memories.browse()).counts.kinds]
    hits = await memory.memories.list(kinds=kinds, limit=1000)
    return {hit.id: (hit, await writer_of(memory, hit)) for hit in hits}


async def writer_of(memory: erstwhile.Memory, hit: Hit) -> str | None:
    return None if hit.kind == "message" else (await memory.memories.history(hit.id))[-1].by.removesuffix("/1")


async def paged(memory: erstwhile.Memory, words: str = "", size: int = 31, **narrowed: Any) -> list[str]:
    ids: list[str] = []
    cursor: str | None = None
    while True:
        page = await memory.memories.browse(words, cursor=cursor, limit=size, **narrowed)
        ids += [hit.id for hit in page]
        cursor = page.next
        if cursor is None:
            assert len(ids) == len(set(ids)) == page.total
            return ids


NARROWED: list[tuple[dict[str, Any], Callable[[Hit, str | None], bool]]] = [
    ({}, lambda hit, writer: True),
    ({"kinds": ["fact", "chunk"]}, lambda hit, writer: hit.kind in ("fact", "chunk")),
    ({"channel": "harbour"}, lambda hit, writer: hit.channel == "harbour"),
    ({"person": "p1", "kinds": ["message"]}, lambda hit, writer: hit.person == "p1" and hit.kind == "message"),
    ({"writer": "carol"}, lambda hit, writer: writer == "carol"),
    ({"writer": "extractive", "channel": "market"}, lambda hit, w: w == "extractive" and hit.channel == "market"),
    (
        {"since": "2026-02-03", "until": date(2026, 2, 27)},
        lambda hit, writer: date(2026, 2, 3) <= hit.at.date() <= date(2026, 2, 27),
    ),
    ({"since": BEGIN + timedelta(days=4)}, lambda hit, writer: hit.at >= BEGIN + timedelta(days=4)),
    ({"until": BEGIN + timedelta(days=4)}, lambda hit, writer: hit.at < BEGIN + timedelta(days=4)),
]


@pytest.mark.parametrize("best", [word_filter.BEST, 3])
async def test_pages_have_what_a_plain_filter_has_once_each(
    full: erstwhile.Memory, best: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_filter, "BEST", best)  # with few of them, most of the list is the rest
    every = await everything(full)
    for narrowed, fits in NARROWED:
        plain = {id for id, (hit, writer) in every.items() if fits(hit, writer)}
        assert set(await paged(full, **narrowed)) == plain, narrowed
        for words in ("lantern", "red lanterns", "등불"):
            terms = set(analyse.query_terms(words))
            holding = {id for id in plain if terms <= set(analyse.terms(every[id][0].text))}
            assert set(await paged(full, words, **narrowed)) == holding, (words, narrowed)


async def test_the_counts_are_those_of_a_plain_filter(full: erstwhile.Memory) -> None:
    every = await everything(full)
    for narrowed, _ in NARROWED:
        found = (await full.memories.browse("lantern", **narrowed)).counts
        holding = [each for each in every.values() if "lantern" in analyse.terms(each[0].text)]

        def counted(
            value: Callable[[Hit, str | None], str | None],
            *without: str,
            narrowed: dict[str, Any] = narrowed,
            holding: list[tuple[Hit, str | None]] = holding,
        ) -> dict[str, int]:
            kept = {name: each for name, each in narrowed.items() if name not in without}
            fits = next((fits for given, fits in NARROWED if given == kept), None)
            if fits is None:
                return {}
            values = Counter(value(*each) for each in holding if fits(*each))
            return {value: count for value, count in values.items() if value is not None}

        for facets, plain in (
            (found.kinds, counted(lambda hit, _: hit.kind, "kinds")),
            (found.channels, counted(lambda hit, _: hit.channel, "channel")),
            (found.people, counted(lambda hit, _: hit.person, "person")),
            (found.writers, counted(lambda _, writer: writer, "writer")),
            (found.months, counted(lambda hit, _: f"{hit.at:%Y-%m}", "since", "until")),
        ):
            if plain:
                assert {each.value: each.count for each in facets} == plain, narrowed
        assert {found.names[each.value] for each in found.people} <= {f"Person {n}" for n in range(3)}
    months = [each.value for each in (await full.memories.browse()).counts.months]
    assert months == sorted(months, reverse=True)


async def test_without_words_the_newest_come_first_and_the_best_with_them(full: erstwhile.Memory) -> None:
    newest = await full.memories.browse(limit=50)
    assert [hit.at for hit in newest] == sorted((hit.at for hit in newest), reverse=True)
    (first, *_) = await full.memories.browse("boat 7", kinds=["message"])
    assert "boat 7" in first.text
    assert first.seq is not None
    (chunk, *_) = await full.memories.browse("lanterns", kinds=["chunk"])
    assert chunk.seq is not None
    assert (chunk.seq - 1) % 10 == 0


async def test_what_nobody_wrote_is_found_by_words_like_it_or_by_one_of_them(full: erstwhile.Memory) -> None:
    like = await full.memories.browse("lantrens", kinds=["message"])
    assert like.total == (await full.memories.browse("lanterns", kinds=["message"])).total
    assert "lantern" in like.counts.words
    either = await full.memories.browse("boat xylophone")  # nothing holds both
    assert either.total == (await full.memories.browse("boat")).total
    assert either
    assert (await full.memories.browse("!!!")).total == 0
    assert (await full.memories.browse("xyzzy")).total == 0


async def test_looking_through_is_no_question_and_is_not_on_record(full: erstwhile.Memory) -> None:
    await full.memories.browse("lantern")
    assert await full.requests.list() == []
    await full.search("lantern")
    assert [each.query for each in await full.requests.list()] == ["lantern"]


async def test_search_is_narrowed_to_a_time_and_a_writer_as_well(full: erstwhile.Memory) -> None:
    every = await everything(full)
    hits = await full.search("lantern", since="2026-02-03", until="2026-02-09", limit=100)
    assert hits
    assert all(date(2026, 2, 3) <= hit.at.date() <= date(2026, 2, 9) for hit in hits)
    assert {every[hit.id][1] for hit in await full.search("lantern", writer="extractive", limit=50)} == {"extractive"}
    assert [hit.text for hit in await full.search("lantern", writer="carol")] == [
        "Mina keeps a lantern for rainy days."
    ]
    assert await full.search("lantern", writer="nobody") == []


async def test_what_comes_and_goes_is_seen_at_once(full: erstwhile.Memory) -> None:
    before = (await full.memories.browse("lantern")).total
    fact = await full.facts.add(full.channel("market"), "Mina mends lanterns.", by="dave")
    assert (await full.memories.browse("lantern")).total == before + 1
    assert [hit.id for hit in await full.memories.browse(writer="dave")] == [fact.id]
    await full.memories.delete(fact.id, by="dave")
    assert (await full.memories.browse("lantern")).total == before
    assert (await full.memories.browse(writer="dave")).total == 0


async def test_another_space_has_nothing_of_it(full: erstwhile.Memory) -> None:
    found = await full.memories.browse("lantern", space="other")
    assert (list(found), found.total, found.next) == ([], 0, None)
    assert found.counts == BrowseCounts(words=("lantern",))


async def test_what_can_not_be_is_refused(memory: erstwhile.Memory) -> None:
    for wrong in (
        {"limit": 0},
        {"limit": 1001},
        {"cursor": "nonsense"},
        {"kinds": ["fcat"]},
        {"since": "yesterday"},
        {"since": "2026-03-01T09:00:00"},
        {"until": date.max},
        {"until": datetime(2026, 3, 1)},  # noqa: DTZ001
    ):
        with pytest.raises(erstwhile.InvalidInput):
            await memory.memories.browse("x", **wrong)  # type: ignore[arg-type]
