"""`erstwhile bench file`: one's own questions, asked of one's own space."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import erstwhile
from erstwhile.base.errors import InvalidInput
from erstwhile.benchmarks import own_questions
from erstwhile.benchmarks.own_questions import OwnQuestion, measure, read
from erstwhile.requests.model import ExplainedCandidate
from erstwhile.search.trace import BELOW, BUDGET, FLOOR, GONE, SAME, Candidate


async def fill(memory: erstwhile.Memory) -> str:
    kitchen = memory.channel("kitchen")
    await kitchen.add("user", "Who repairs boilers around here?", person="wei", name="Wei")
    answer = await kitchen.add("user", "Mr. Ahn, by the fishcake stall.\nClosed on Wednesdays.", person="robin")
    for number in range(30):
        await kitchen.add("user", f"The boiler made noise number {number} again", person="wei", name="Wei")
    await memory.channel("attic").add("user", "Zebras graze at dusk", person="robin")
    await memory.settle()
    return answer.id


async def test_what_is_found_and_what_is_missed_and_why(memory: erstwhile.Memory) -> None:
    answer = await fill(memory)
    questions = [
        OwnQuestion("Who repairs the boiler?", (answer,)),
        OwnQuestion(
            "Who repairs the boiler?", ("mr. ahn, by the fishcake stall. closed",), person="wei", channel="kitchen"
        ),
        OwnQuestion("Which boiler noise was it?", ("Zebras graze", "nobody ever said this")),
    ]
    report = await measure(memory, "questions.jsonl", questions, (500, 1000))
    assert (report.questions, report.space) == (3, "default")
    assert report.tables["recall"].overall.values["R@10"] == pytest.approx(200 / 3)
    inside = report.tables["context"].overall.values
    assert inside["1000"] == pytest.approx(250 / 3), "the zebras are the latest of their channel"
    assert inside["1000 source"] == pytest.approx(250 / 3)
    reasons = {each.evidence: each.reason for each in report.misses}
    assert set(reasons) == {"Zebras graze", "nobody ever said this"}
    assert "shares no word" in reasons["Zebras graze"] or "at place" in reasons["Zebras graze"]
    assert reasons["nobody ever said this"] == "not stored in this space"
    assert all(request.trial for request in await memory.requests.list())


def test_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    lines = [
        {"question": "Who?", "evidence": "Mr. Ahn"},
        {"question": "Where?", "evidence": ["a", "b"], "person": "wei"},
    ]
    file.write_text("\n\n".join(json.dumps(each) for each in lines))
    assert read(file) == [OwnQuestion("Who?", ("Mr. Ahn",)), OwnQuestion("Where?", ("a", "b"), person="wei")]


@pytest.mark.parametrize("line", ["", "[]", '{"question": "Who?"}', '{"question": "Who?", "evidence": []}', "{"])
def test_what_is_no_question_is_said_with_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(line)
    with pytest.raises(InvalidInput, match=r"Line 1 of questions.jsonl|questions.jsonl has no questions"):
        read(file)


async def test_misses_of_a_context_have_their_fate(memory: erstwhile.Memory) -> None:
    answer = await fill(memory)
    long = "The boiler " + " ".join(f"valve{number} leaks and" for number in range(400)) + " so call Quill"
    await memory.channel("kitchen").add("user", long, person="wei")
    # A channel where only one person wrote is private.
    await memory.channel("diary").add("user", "The boiler man takes cash only, and Robin knows why", person="mina")
    for person in ("robin", "wei"):
        await memory.channel("attic").add("user", f"A boiler hangs from the hook of {person}", person=person)
    await memory.settle()
    questions = [
        OwnQuestion("Who repairs the boiler?", ("takes cash only",), person="wei", channel="kitchen"),
        OwnQuestion("Which valve of the boiler leaks, and whom do I call?", ("call Quill",), channel="kitchen"),
        OwnQuestion("Which boiler makes noise?", ("the hook of wei",), channel="kitchen"),
        OwnQuestion("Who repairs the boiler?", (answer, "never said"), channel="kitchen"),
        OwnQuestion("Which number was the noise?", ("noise number 3 again",), channel="kitchen"),
        OwnQuestion("Did the orchestra tune its oboes?", ("boilers around here",), channel="kitchen"),
    ]
    report = await measure(memory, "questions.jsonl", questions, (100, 4000))
    reasons = {each.evidence: each.reason for each in report.misses}
    assert reasons["takes cash only"] == "not visible to wei"
    assert reasons["never said"] == "not stored in this space"
    assert reasons["the hook of wei"].startswith("at place")
    found = {(each.evidence, each.budgets): each.reason for each in report.context_misses}
    assert found["takes cash only", (100, 4000)] == "not visible to wei"
    assert found["never said", (100, 4000)] == "not stored in this space"
    assert found["call Quill", (100,)] == "left out by the budget, at place 1"
    assert found["the hook of wei", (100, 4000)] == "in the channel attic, which was not searched"
    assert found["noise number 3 again", (100,)].endswith("others score higher")
    assert found["boilers around here", (100, 4000)].endswith("it shares no word with the question")


@pytest.mark.parametrize(
    ("fate", "reason"),
    [
        (BUDGET, "left out by the budget, at place 7"),
        (FLOOR, "left out by the floor, at place 7: it hardly bears on the question"),
        (BELOW, "at place 7: others score higher"),
        (SAME, "at place 7: two others of its source, or with its words, come first"),
        (GONE, "deleted since, but still in the index: `erstwhile spaces rebuild`"),
    ],
)
def test_every_fate_has_a_reason(fate: str, reason: str) -> None:
    assert (
        own_questions.by_fate(ExplainedCandidate(7, Candidate("m1", "message", "chat", 1, 0, 0.5, {}, fate), "", ""))
        == reason
    )
