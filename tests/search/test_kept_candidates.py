"""Candidates are stored by column, and come back as they were."""

from __future__ import annotations

import json

from erstwhile.search import candidates
from erstwhile.search.trace import Candidate

FACT = Candidate("fact_1", "fact", "garden", None, 5, 2.5, {"words": 1.25, "source": 0.0}, "kept", "who has the kite?")
MESSAGE = Candidate("msg_1", "message", None, 7, 6, 1.5, {"words": 0.5, "meaning": -0.125}, "budget")


def packed(*given: Candidate) -> str:
    return json.dumps(candidates.pack(candidates.by_column(given), str.upper))


def test_candidates_come_back() -> None:
    found = candidates.unpack(json.loads(packed(FACT, MESSAGE)))
    assert [each.id for each in found] == ["fact_1", "msg_1"]
    assert found[1] == MESSAGE
    assert found[0].parts == FACT.parts, "a part that is 0 is there, one of another candidate is not"
    assert (found[0].channel, found[0].seq, found[0].fate) == ("garden", None, "kept")


def test_what_a_model_wrote_is_cleaned() -> None:
    assert candidates.unpack(json.loads(packed(FACT)))[0].hop == "WHO HAS THE KITE?"


def test_no_candidates_come_back_as_none() -> None:
    assert candidates.unpack(json.loads(packed())) == ()
    assert candidates.unpack({}) == ()


def test_names_that_repeat_are_stored_once() -> None:
    assert packed(*[MESSAGE] * 40).count("meaning") == 1
    assert packed(*[FACT] * 40).count("garden") == 1


def test_candidates_that_were_recorded_with_parts_as_written_come_back() -> None:
    older = json.loads(packed(FACT, MESSAGE))
    del older["thousandths"]
    older["parts"] = {"words": [1.25, 0.5], "source": [0, None], "meaning": [None, -0.125]}
    assert candidates.unpack(older) == candidates.unpack(json.loads(packed(FACT, MESSAGE)))
