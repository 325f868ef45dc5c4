"""A question taken away as code: whatever is in it, both ways of running it answer the same, and no key is ever written out."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from dashing import Dash

from erstwhile.dashboard.recall import diagnosis
from erstwhile.dashboard.recall.diagnosis import ContextQuery

HOSTILE = [
    "Where is it?",
    """it's "quoted" `whoami` $HOME $(id) \\ \\n %s {} ! # & ; | > < *""",
    "several\nlines\r\n\tand a tab",
    "'''\"\"\"' ; exit 3 #",
    "한국어 日本語 العربية 😀 👩‍👩‍👧 \u202eevil\u202c \u200b \U000e0041 \u2028",
    "@/etc/passwd",
    "-H X: y",
    '"}, "budget": 5',
    "</script><script>alert(1)</script>",
]


def ran(command: list[str], **env: str) -> str:
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env={**os.environ, "PYTHONUTF8": "1", **env}, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_both_ways_give_the_answer_that_the_lab_showed(dash: Dash) -> None:
    key = dash.memory.keys.create(admin=True).key
    for number, question in enumerate(HOSTILE):
        channel = [".", "a'b/\"c d?#%", "방 🏠"][number % 3]
        chat = dash.memory.channel(channel)
        chat.add("user", f"{question} I moved to Busan", person='o\'neil "x"')
        asked = ContextQuery("default", channel, question, 'o\'neil "x"', "full", 400, "channel")
        expected = chat.context(question, **asked.options, trial=True)
        python, curl = diagnosis.python(asked, dash.url, keyed=True), diagnosis.curl(asked, dash.url + "/", keyed=True)
        assert key not in python + curl
        assert expected.text
        assert ran([sys.executable, "-c", python], ERSTWHILE_KEY=key) == expected.text + "\n"
        answer = json.loads(ran(["bash", "-c", curl], ERSTWHILE_KEY=key))
        assert (answer["text"], answer["messages"]) == (expected.text, list(expected.messages)), question


def test_where_no_key_is_needed_none_is_asked_for(dash: Dash) -> None:
    dash.memory.channel("chat").add("user", "I moved to Busan")
    asked = ContextQuery("default", "chat")
    expected = dash.memory.channel("chat").context().text
    assert ran([sys.executable, "-c", diagnosis.python(asked, dash.url, keyed=False)]) == expected + "\n"
    assert json.loads(ran(["bash", "-c", diagnosis.curl(asked, dash.url, keyed=False)]))["text"] == expected


@pytest.mark.parametrize("question", HOSTILE)
def test_what_can_not_be_seen_is_written_out(question: str) -> None:
    asked = ContextQuery("default", "chat", question)
    for code in (diagnosis.python(asked, "http://x", keyed=True), diagnosis.curl(asked, "http://x", keyed=True)):
        assert code.replace("\n", "").isprintable()
