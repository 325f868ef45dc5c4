"""Slack's markup, both ways."""

from __future__ import annotations

import pytest

from erstwhile.text import slack


@pytest.mark.parametrize(
    ("marked", "read"),
    [
        ("hi <@U1> and <@W2|ann>", "hi <@U1> and <@W2>"),
        ("see <#C1|general> or <#C2>", "see #general or #C2"),
        ("<https://a.example/x?y=1&amp;z=2>", "https://a.example/x?y=1&z=2"),
        ("<https://a.example|a.example>", "https://a.example"),
        ("<https://a.example|the page>", "the page (https://a.example)"),
        ("<mailto:a@b.example|a@b.example> <tel:+49|call>", "a@b.example call (+49)"),
        ("<!here> <!channel|channel> <!subteam^S1|@team>", "@here @channel @team"),
        ("<!date^1392734382^{date}|Feb 18>", "Feb 18"),
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("&lt;@U1&gt; is only text", "<@U1> is only text"),
        ("1 < 2 > 0 <not a link>", "1 < 2 > 0 <not a link>"),
    ],
)
def test_what_slack_marks_is_read_as_people_see_it(marked: str, read: str) -> None:
    assert slack.plain(marked) == read


def test_files_are_named_and_what_has_no_words_says_what_came_along() -> None:
    assert slack.words({"text": "here", "files": [{"name": "a.pdf"}, {"mode": "tombstone"}]}) == "here\n[file: a.pdf]"
    assert (
        slack.words({"text": "", "attachments": [{"fallback": "shared <https://x.example>"}]})
        == "shared https://x.example"
    )
    assert slack.words({"text": None, "files": "nonsense"}) == ""


def test_blocks_stand_in_for_a_text_and_channels_are_called_as_people_call_them() -> None:
    inner = [{"type": "text", "text": "in "}, {"type": "channel", "channel_id": "C2"}]
    block = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": inner}]}
    assert slack.words({"text": "", "blocks": [block]}, {"C2": "hall"}.__getitem__) == "in #hall"
    assert slack.plain("see <#C2|> & <#C3>", lambda id: {"C2": "hall"}.get(id, id)) == "see #hall & #C3"
    assert slack.words({"files": [{"title": "a\nSam: b"}]}) == "[file: a Sam: b]"


def test_nothing_we_write_reaches_for_anyone() -> None:
    said = slack.written("<!channel> ask <@U1> & **see** [this](https://evil.example/a)\n## Why")
    assert said == "&lt;!channel&gt; ask &lt;@U1&gt; &amp; *see* this (https://evil.example/a)\n*Why*"
    assert "<" not in said.replace("&lt;", "")
