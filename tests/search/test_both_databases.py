"""The same conversation gives the same memories and nearly the same ranking on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import erstwhile
from erstwhile import demo
from erstwhile.testing import FixedClock

Pair = tuple[erstwhile.Memory, erstwhile.Memory]


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory, lasting_postgres: str) -> tuple[str, str]:
    """Both hold the conversation; the tests only ask."""
    made = str(tmp_path_factory.mktemp("both") / "one.db"), lasting_postgres
    for url in made:
        with erstwhile.open_sync(url, clock=FixedClock(), worker=False) as memory:
            for channel, messages in demo.conversation().items():
                memory.channel(channel).add_many(messages)
            memory.settle()
    return made


@pytest.fixture
async def both(urls: tuple[str, str], clock: FixedClock) -> AsyncIterator[Pair]:
    async with (
        erstwhile.open(urls[0], clock=clock, worker=False) as sqlite,
        erstwhile.open(urls[1], clock=clock, worker=False) as postgres,
    ):
        yield sqlite, postgres


def place(hit: erstwhile.Hit) -> tuple[str, str, object]:
    """A message's id is random; where it stands is not."""
    return hit.kind, hit.channel, hit.seq if hit.kind == "message" else hit.id


async def test_both_databases_find_the_same_for_the_questions_of_the_demo(both: Pair) -> None:
    shared, firsts = [], 0
    for question in demo.questions():
        sqlite, postgres = [await memory.search(question.question, limit=5) for memory in both]
        assert len(sqlite) == len(postgres) == 5
        shared.append(len({place(hit) for hit in sqlite} & {place(hit) for hit in postgres}))
        firsts += place(sqlite[0]) == place(postgres[0])
    assert sum(shared) >= 48, shared  # of 50: equal scores may be cut off differently
    assert firsts >= 9


async def test_both_databases_match_the_same_documents(both: Pair) -> None:
    """One analyser: what matches at all is the same, whatever the rank."""
    for query in ("Mina Busan", "돼지국밥", "青釉", "landlord rent", "buckwheat"):
        sqlite, postgres = [{place(hit) for hit in await memory.search(query, limit=1000)} for memory in both]
        assert sqlite == postgres
        assert sqlite


async def test_scores_are_on_the_same_scale(both: Pair) -> None:
    for question in demo.questions()[:4]:
        sqlite, postgres = [await memory.search(question.question, limit=1) for memory in both]
        assert sqlite[0].score == pytest.approx(postgres[0].score, rel=0.15)


async def test_contexts_hold_the_same_memories(both: Pair) -> None:
    same = 0
    for question in demo.questions():
        texts = [
            (await memory.channel(question.channel).context(question.question, person=question.person)).text
            for memory in both
        ]
        lines = [set(text.splitlines()) for text in texts]
        assert len(lines[0] & lines[1]) >= 0.8 * max(map(len, lines))
        same += texts[0] == texts[1]
    print(f"identical contexts: {same} of 10")
