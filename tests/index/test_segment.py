"""A segment that was filled bit by bit, in whatever order, is the segment that is filled at once."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rows import MINUTE, row

from erstwhile.index import links
from erstwhile.index.segment import Segment
from erstwhile.index.traits import QUESTION, REPLY
from support.nearness import cosine, near

WORDS = ["lantern", "busan", "ferry", "kayak", "등불"]


@st.composite
def talks(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Messages of a few channels, in the order they were written; some pauses are longer than a session lasts."""
    seqs, at, made = dict.fromkeys("abc", 0), dict.fromkeys("abc", 0), []
    for doc in range(1, draw(st.integers(1, 30)) + 1):
        channel = draw(st.sampled_from("abc"))
        seqs[channel] += 1
        at[channel] += draw(st.sampled_from([1, 24, 25, 26, 600])) * MINUTE
        terms = draw(st.lists(st.sampled_from(WORDS), max_size=6))
        person = draw(st.sampled_from([None, "mina", "jun"]))
        made.append(
            row(doc, terms, channel=channel, seq=seqs[channel], until=seqs[channel], at=at[channel], person=person)
        )
        made[-1]["traits"] = draw(st.sampled_from([0, QUESTION, REPLY, QUESTION | REPLY]))
    return made


def seen(made: Segment) -> dict[str, Any]:
    """Everything that can be asked of it, by the documents' numbers instead of their places."""
    docs = made.columns["doc"].tolist()
    there = np.flatnonzero(made.columns["alive"]).tolist()

    def number(place: int) -> int | None:
        return docs[place] if place >= 0 else None

    sessions: dict[int, set[int]] = {}
    for place in there:
        sessions.setdefault(int(made.columns["session"][place]), set()).add(docs[place])
    return {
        "alive": made.alive,
        "words": made.words,
        "replies": made.replies,
        "traits": {docs[place]: int(made.columns["traits"][place]) for place in there},
        "terms": {word: _by_doc(made, word) for word in WORDS},
        "before": {docs[place]: number(int(made.columns["before"][place])) for place in there},
        "after": {docs[place]: number(int(made.columns["after"][place])) for place in there},
        "sessions": {frozenset(each) for each in sessions.values()},
        "said": {channel: [docs[place] for place in made.said_in(channel).between(1, 99)] for channel in "abc"},
        "mina": set(made.columns["doc"][made.mask({"person": ["mina"]})].tolist()),
        "two channels": set(made.columns["doc"][made.mask({"channel": ["a", "b"]})].tolist()),
        "time": set(made.columns["doc"][made.mask({}, since=50 * MINUTE, until=700 * MINUTE)].tolist()),
    }


def _by_doc(made: Segment, word: str) -> dict[int, int]:
    places, counts = made.find(word)
    return {int(made.columns["doc"][place]): int(count) for place, count in zip(places.tolist(), counts, strict=True)}


@given(rows=talks(), seed=st.integers(0, 10**6), mixed=st.booleans())
def test_bit_by_bit_in_any_order_and_with_losses_gives_the_same_shelf(
    rows: list[dict[str, Any]], seed: int, mixed: bool
) -> None:
    dice = random.Random(seed)
    order = dice.sample(rows, len(rows)) if mixed else rows
    gone = set(dice.sample([each["doc"] for each in rows], dice.randrange(len(rows))))
    made, waiting = Segment(talk=True), list(order)
    while waiting:
        batch, waiting = waiting[: (size := dice.randint(1, 7))], waiting[size:]
        made.add(sorted(batch, key=lambda each: each["doc"]))
        made.add(sorted(batch, key=lambda each: each["doc"]))  # a second time changes nothing
        for each in batch:
            if each["doc"] in gone:
                made.drop(each["doc"])
                made.drop(each["doc"])
        made.relink()
    fresh = Segment(talk=True)
    fresh.add([each for each in rows if each["doc"] not in gone])
    assert seen(made) == seen(fresh)
    assert made.dead == len(gone)


@given(rows=talks())
def test_a_session_ends_after_25_minutes_of_quiet_in_its_channel(rows: list[dict[str, Any]]) -> None:
    made = Segment(talk=True)
    made.add(rows)
    last: dict[str, dict[str, Any]] = {}
    expected: list[set[int]] = []
    for each in rows:
        before = last.get(each["channel"])
        if before is None or each["at"] - before["at"] > 25 * MINUTE:
            expected.append(set())
            each["group"] = expected[-1]
        else:
            each["group"] = before["group"]
        each["group"].add(each["doc"])
        last[each["channel"]] = each
    assert seen(made)["sessions"] == {frozenset(each) for each in expected}
    assert links.QUIET == 25 * MINUTE


def test_said_gives_the_messages_of_a_range_also_with_gaps() -> None:
    made = Segment(talk=True)
    made.add([row(doc, ["x"], seq=doc) for doc in range(1, 11)])
    made.drop(5)
    made.relink()
    docs = made.columns["doc"]
    assert [int(docs[place]) for place in made.said_in("chat").between(3, 7)] == [3, 4, 6, 7]
    assert made.said_in("chat").between(11, 20) == []
    assert made.said_in("chat").between(5, 5) == []
    assert made.said_in("elsewhere").between(1, 20) == []
    assert made.said_in(None).between(1, 20) == []


def test_after_everything_is_gone_nothing_is_found_and_talk_goes_on() -> None:
    made = Segment(talk=True)
    made.add([row(doc, ["lantern"]) for doc in range(1, 6)])
    for doc in range(1, 6):
        made.drop(doc)
    made.relink()
    assert (made.alive, made.words, made.dead) == (0, 0, 5)
    assert _by_doc(made, "lantern") == {}
    assert not made.mask({}).any()
    made.add([row(6, ["lantern"]), row(7, ["ferry"])])
    assert _by_doc(made, "lantern") == {6: 1}
    assert seen(made)["before"] == {6: None, 7: 6}


def test_vectors_only_go_to_documents_that_are_here() -> None:
    made = Segment(talk=False)
    made.add([row(2, ["x"], kind="fact"), row(4, ["y"], kind="fact")])
    one, other = np.array([1, 0], np.int8).tobytes(), np.array([0, 1], np.int8).tobytes()
    made.put_vectors([(1, one), (4, other), (99, one)])
    assert made.matrix.filled == 1
    found = cosine(made.matrix, np.array([0, 1], np.float32), np.array([0, 1]))
    assert np.isnan(found[0])
    assert found[1] == 1


def test_of_vectors_that_cannot_be_compared_the_latest_count() -> None:
    """As after a server has put another model in place, under the same name."""
    made = Segment(talk=True)
    made.add([row(doc, ["x"]) for doc in range(1, 5)])
    two, four = np.array([1, 1], np.int8).tobytes(), np.array([1, 1, 1, 1], np.int8).tobytes()
    made.put_vectors([(1, two), (2, two), (3, four)])
    assert made.matrix.filled == 1
    assert near(made.matrix, np.ones(4, np.float32) / 2, 10) == [2]
    made.put_vectors([(4, two)])
    assert made.matrix.filled == 1


def test_codes_of_what_is_not_there_match_nothing() -> None:
    made = Segment(talk=True)
    made.add([row(1, ["x"]), row(2, ["y"], person="mina")])
    assert not made.mask({"person": ["nobody"]}).any()
    assert made.mask({"person": [None]}).tolist() == [True, False]
    assert made.mask({"person": ["nobody", "mina"]}).tolist() == [False, True]
