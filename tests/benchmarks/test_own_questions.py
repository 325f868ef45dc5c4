"""`erstwhile bench file`: one's own questions, asked of one's own space."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import erstwhile
from erstwhile.base.errors import InvalidInput
from erstwhile.benchmarks.own_questions import OwnQuestion, measure, read


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
