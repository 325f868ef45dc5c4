"""Why did it forget …? Each of the ways in which something can be missing has its own answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from erstwhile.base.clock import micros
from erstwhile.context.model import Context, ContextPart
from erstwhile.dashboard.recall import diagnosis
from erstwhile.dashboard.recall.diagnosis import explain, holds
from erstwhile.layers.part import Item
from erstwhile.requests.model import CandidateShown, Explanation, Request
from erstwhile.search.model import Hit
from erstwhile.search.trace import Candidate

THEN = datetime(2026, 11, 15, 12, tzinfo=UTC)
REQUEST = Request(
    "req_1", THEN, "context", "kitchen", "mina", "Which day is he away?", searched=True, budget=300, recipe="full"
)
CLOSED = "Robin: he's closed Wednesdays, he goes fishing"


def candidate(
    fate: str, text: str | None = CLOSED, rank: int = 7, score: float = 4.69, id: str = "msg_1"
) -> CandidateShown:
    return CandidateShown(
        rank, Candidate(id, "message", "kitchen", 35, micros(THEN), score, {"words": score}, fate), text
    )


def hit(text: str = CLOSED, **more: object) -> Hit:
    found = Hit("msg_1", "message", text, "kitchen", "robin", 35, THEN - timedelta(days=1), 3.0, ("msg_1",))
    return replace(found, **more)  # type: ignore[arg-type]


def context(*items: Item, part: str = "chunks") -> Context:
    return Context("", (), (ContextPart(part, "===", items, 20),), (), 20)


@pytest.mark.parametrize(
    ("fate", "headline", "words"),
    [
        ("kept", "in the answer", "In the answer."),
        ("shown already", "recent messages", "among the recent"),
        ("budget", "did not fit the budget", "rank 7, but the 300 tokens"),
        ("same source", "same source", "ranked higher"),
        ("gone", "was deleted", "but deleted"),
    ],
)
def test_a_candidate_tells_its_fate(fate: str, headline: str, words: str) -> None:
    told = explain("closed wednesday", Explanation(REQUEST, (candidate(fate),)), [hit()])
    assert headline in told.headline
    assert told.help
    (place,) = told.places
    assert (place.id, place.became, place.seq, place.channel) == ("msg_1", fate, 35, "kitchen")
    assert words in place.words


def test_what_was_ranked_below_is_told_with_both_scores() -> None:
    others = candidate("kept", "Wei: something else", rank=1, score=8.5, id="msg_2")
    told = explain("closed wednesdays", Explanation(REQUEST, (others, candidate("below the limit", rank=23))), [])
    assert told.headline == "It was found, but others ranked higher."
    assert told.places[0].words == (
        "Found at rank 23, but others scored higher. Its score was 4.69; the lowest score kept was 8.50."
    )


def test_what_nobody_said_is_told_with_what_comes_closest() -> None:
    told = explain("a purple giraffe", Explanation(REQUEST, (candidate("kept"),)), [hit("Wei: I saw a giraffe")])
    assert told.headline == "No message or memory in this space says that."
    assert not told.places
    assert [each.text for each in told.nearest] == ["Wei: I saw a giraffe"]


def test_in_the_log_and_not_found() -> None:
    told = explain("closed wednesdays", Explanation(REQUEST, (candidate("kept", "Wei: no", id="msg_9"),)), [hit()])
    assert told.headline == "It is stored, but was not found."
    assert "ERSTWHILE_EMBEDDER" in told.help
    assert "run it again" in told.help  # of a past request, what stood around the candidates is not known
    assert told.places[0].words == "It is none of the candidates (1)."


def test_in_another_conversation() -> None:
    elsewhere = [hit(channel="studio")]
    told = explain("closed wednesdays", Explanation(REQUEST, ()), elsewhere)
    assert told.places[0].words == "Said in another conversation. Only the conversation of the question was searched."
    assert "scope" in told.help
    wider = explain("closed wednesdays", Explanation(replace(REQUEST, scope="person"), ()), elsewhere)
    assert "not visible here" in wider.places[0].words
    everywhere = Explanation(replace(REQUEST, op="search", channel=None, scope="space", recipe=""), ())
    assert explain("closed wednesdays", everywhere, elsewhere).places[0].became == diagnosis.MISSED


def test_said_too_late_never_searched_or_only_in_a_summary() -> None:
    late = explain("closed wednesdays", Explanation(REQUEST, ()), [hit(at=THEN + timedelta(minutes=1))])
    assert late.headline == "It was written after the question."
    unsearched = explain(
        "closed wednesdays", Explanation(replace(REQUEST, searched=False, recipe="brief"), ()), [hit()]
    )
    assert unsearched.places[0].words == "Nothing was searched: the recipe brief has no search."
    unasked = explain("closed wednesdays", Explanation(replace(REQUEST, searched=False, query=""), ()), [hit()])
    assert unasked.places[0].words == "Nothing was searched: there was no question."
    chunk = explain("closed wednesdays", Explanation(REQUEST, ()), [hit(kind="chunk", id="chk_1")])
    assert "is not searched for a context" in chunk.places[0].words
    notes = Explanation(replace(REQUEST, recipe="community"), ())
    assert explain("closed wednesdays", notes, [hit(kind="note", channel="studio")]).places[0].became == "not found"


def test_a_line_of_the_context_outweighs_everything() -> None:
    shown = context(Item("msg_1", "message", CLOSED, 35, 35), part="recent")
    told = explain("closed wednesdays", Explanation(REQUEST, (candidate("below the limit"),)), [hit()], shown)
    assert [each.became for each in told.places] == ["shown already"]
    assert "recent" in told.places[0].words
    assert "the model left it out" in told.help


def test_a_summary_that_leaves_it_out_is_named() -> None:
    shown = context(Item("chk_1", "chunk", "They talked about repairs.", 31, 40))
    told = explain("closed wednesdays", Explanation(REQUEST, ()), [hit()], shown)
    assert told.places[0].words.endswith("A chunk of the messages 31 to 40 was shown, and leaves it out.")
    assert "run it again" not in told.help


def test_the_best_that_became_of_it_is_the_headline() -> None:
    seen = (candidate("below the limit", id="msg_3"), candidate("budget", id="msg_2"))
    told = explain("closed wednesdays", Explanation(REQUEST, seen), [hit(), hit(id="msg_4", channel="studio")])
    assert [each.became for each in told.places] == ["budget", "below the limit", "not found", "elsewhere"]
    assert told.headline == "It was found, but did not fit the budget."


@pytest.mark.parametrize(
    ("expected", "there"),
    [
        ("closed Wednesdays", True),
        ("CLOSED  wednesday", True),
        ("fishing closed", True),
        ("he's closed", True),
        ("closed Thursdays", False),
        ("   ", False),
        ("", False),
    ],
)
def test_words_are_held_in_any_form_and_order(expected: str, there: bool) -> None:
    assert holds(CLOSED, expected) is there


def test_other_scripts_are_held_too() -> None:
    assert holds("준이 동생 전역이 다음 달이래", "동생 전역")
    assert holds("我搬到釜山了", "釜山")
    assert not holds("我搬到釜山了", "首尔")


def test_nothing_expected_is_asked_for() -> None:
    assert explain(" ", Explanation(REQUEST, ()), []).headline == diagnosis.NOTHING_EXPECTED
    gone = explain("closed wednesdays", Explanation(REQUEST, (candidate("kept", None),)), [])
    assert gone.headline == "No message or memory in this space says that."
