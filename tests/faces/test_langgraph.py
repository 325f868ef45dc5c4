"""LangGraph: our store beside LangGraph's own, and in a real graph."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

import erstwhile
from erstwhile.adapters.langgraph import ErstwhileStore
from erstwhile.base.errors import InvalidInput

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # where the database makes no difference

VALUES: list[tuple[tuple[str, ...], str, Any]] = [
    (("users", "alice"), "tea", {"text": "likes jasmine tea", "score": 4, "tags": ["warm", "green"], "deep": {"a": {"b": 1}}}),
    (("users", "alice"), "bees", {"text": "keeps bees", "score": 9.5, "none": None, "odd": "\0\ud83d 🐝"}),
    (("users", "bob"), "boat", {"text": "owns a boat", "score": 4, "deep": {"a": {"b": 2}}}),
    (("docs",), "one", {"text": "a guide to sailing"}),
    (("docs", "old", "v1"), "one", {"text": "an older guide", "score": "7"}),
]  # fmt: skip

SEARCHES = [
    SearchOp(("users",)),
    SearchOp(()),
    SearchOp(("users", "alice"), limit=1),
    SearchOp(("users",), limit=1, offset=1),
    SearchOp(("nobody",)),
    SearchOp(("users",), filter={"score": 4}),
    SearchOp(("users",), filter={"score": {"$gt": 4}}),
    SearchOp(("users",), filter={"score": {"$gte": 4, "$lt": 9}}),
    SearchOp(("users",), filter={"score": {"$ne": 4}}),
    SearchOp(("users",), filter={"score": {"$lte": 4}, "text": {"$eq": "owns a boat"}}),
    SearchOp(("users",), filter={"tags": ["warm", "green"]}),
    SearchOp(("users",), filter={"tags": ["warm"]}),
    SearchOp(("users",), filter={"deep": {"a": {"b": 2}}}),
    SearchOp(("users",), filter={"missing": None}),
    ListNamespacesOp(),
    ListNamespacesOp(max_depth=1),
    ListNamespacesOp(limit=2, offset=1),
    ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("users",)),)),
    ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("*", "old")), MatchCondition("suffix", ("v1",)))),
    ListNamespacesOp(match_conditions=(MatchCondition("suffix", ("alice", "*")),), max_depth=2),
    GetOp(("users", "alice"), "bees"),
    GetOp(("users", "alice"), "nothing"),
]  # fmt: skip


def plain(result: Any) -> Any:
    """Without times and scores."""
    if isinstance(result, list):
        return [plain(each) for each in result]
    return (result.namespace, result.key, result.value) if hasattr(result, "value") else result


async def test_it_does_what_langgraphs_own_store_does(memory: erstwhile.Memory) -> None:
    theirs, ours = InMemoryStore(), ErstwhileStore(memory)

    async def both(*ops: Any) -> None:
        assert plain(await ours.abatch(ops)) == plain(await theirs.abatch(ops))

    await both(*SEARCHES[:14])
    await both(*(PutOp(*each) for each in VALUES))
    await both(*SEARCHES)
    await both(PutOp(("users", "alice"), "tea", {"text": "likes mint tea"}), GetOp(("users", "alice"), "tea"))
    await both(PutOp(("users", "bob"), "boat", None), PutOp(("users", "bob"), "car", {"text": "owns a car"}))
    await both(PutOp(("docs",), "two", {"n": 1}), PutOp(("docs",), "two", {"n": 2}), PutOp(("docs",), "never", None))
    await both(*(each for each in SEARCHES if "'$g" not in str(each) and "'$l" not in str(each)))
    # Theirs fails where an item has no number to compare; for ours it is just not more.
    assert [each.key for each in await ours.asearch(("users",), filter={"score": {"$gt": 4}})] == ["bees"]
    with pytest.raises(InvalidNamespaceError):
        await ours.aput((), "key", {"a": 1})
    with pytest.raises(ValueError, match="operator"):
        await ours.asearch(("users",), filter={"text": {"$like": "x"}})
    # A new process finds the same, and one process what another put.
    another = ErstwhileStore(memory)
    assert plain(await another.abatch(SEARCHES)) == plain(await ours.abatch(SEARCHES))
    await another.aput(("docs",), "three", {"n": 3})
    kept = await ours.aget(("docs",), "three")
    assert kept is not None
    assert kept.value == {"n": 3}


async def test_searching_by_meaning_and_by_words(memory: erstwhile.Memory) -> None:
    store = ErstwhileStore(memory)
    for namespace, key, value in VALUES:
        await store.aput(namespace, key, value)
    await store.aput(("users", "alice"), "bees", {"text": "gave the hives away"})
    found = await store.asearch((), query="sailing boat", limit=2)
    assert {each.key for each in found} == {"boat", "one"}
    assert all(each.score is not None and each.score > 0 for each in found)
    assert (await store.asearch(("users",), query="keeps bees"))[0].score is None  # what an older put said is not found
    await store.aput(("docs",), "secret", {"text": "the walrus"}, index=False)
    await store.aput(("docs",), "named", {"title": "narwhal", "text": "the walrus"}, index=["title"])
    assert [each.key for each in await store.asearch((), query="walrus") if each.score] == []
    assert [each.key for each in await store.asearch((), query="narwhal") if each.score] == ["named"]


@on_sqlite
async def test_what_is_kept_for_a_while(memory: erstwhile.Memory) -> None:
    store = ErstwhileStore(memory)
    await store.aput(("a",), "gone", {"n": 1}, ttl=0)
    await store.aput(("a",), "here", {"n": 2}, ttl=60)
    assert await store.aget(("a",), "gone") is None
    assert [each.key for each in await store.asearch(("a",))] == ["here"]


class State(TypedDict):
    said: str


@on_sqlite
async def test_in_a_graph(memory: erstwhile.Memory) -> None:
    async def listen(state: State, *, store: BaseStore) -> State:
        known = await store.asearch(("said",), query=state["said"])
        await store.aput(("said",), state["said"], {"text": state["said"]})
        return {"said": known[0].value["text"] if known else ""}

    graph = StateGraph(State)
    graph.add_node("listen", listen)
    graph.add_edge(START, "listen")
    graph.add_edge("listen", END)
    compiled = graph.compile(store=ErstwhileStore(memory))
    assert (await compiled.ainvoke({"said": "The ferry leaves at nine."}))["said"] == ""
    assert (await compiled.ainvoke({"said": "When does the ferry leave?"}))["said"] == "The ferry leaves at nine."


@on_sqlite
def test_over_the_blocking_door(database_url: str) -> None:
    with erstwhile.open_sync(database_url, worker=False) as memory:
        ours, theirs = ErstwhileStore(memory), InMemoryStore()
        puts = [PutOp(*each) for each in VALUES]
        assert plain(ours.batch(puts)) == plain(theirs.batch(puts))
        assert plain(ours.batch(SEARCHES)) == plain(theirs.batch(SEARCHES))
        assert asyncio.run(ours.aget(("docs",), "one")) == ours.get(("docs",), "one")
        assert ours.search(("docs",), query="sailing")[0].score


@on_sqlite
async def test_blocking_methods_of_an_awaited_memory_say_so(memory: erstwhile.Memory) -> None:
    with pytest.raises(InvalidInput, match="open_sync"):
        ErstwhileStore(memory).get(("a",), "b")
