"""Which messages a page of a conversation shows."""

from __future__ import annotations

from erstwhile.dashboard.conversations.message_range import MOST, PAGE, MessageRange, message_range, messages, sources


def test_the_newest_are_shown_first_and_followed() -> None:
    assert message_range(0) == MessageRange(1, 1, 0, True)
    assert message_range(10) == MessageRange(1, 10, 10, True)
    newest = message_range(100_000)
    assert (newest.first, newest.last, newest.older, newest.newer) == (100_001 - PAGE, 100_000, 100_000 - PAGE, None)
    assert newest.moved(100_010) == MessageRange(newest.first, 100_010, 100_010, True)
    assert newest.moved(200_000) == MessageRange(200_001 - MOST, 200_000, 200_000, True)


def test_pages_follow_one_another_without_gap_or_overlap() -> None:
    seen: list[int] = []
    page = message_range(1_000)
    while True:
        seen = [*range(page.first, page.last + 1), *seen]
        if page.older is None:
            break
        page = message_range(1_000, last=page.older)
    assert seen == list(range(1, 1_001))
    forward = message_range(1_000, first=1)
    assert (forward.older, forward.newer) == (None, PAGE + 1)


def test_a_message_is_found_wherever_it_is() -> None:
    for size, seq in ((1, 1), (59, 30), (100_000, 1), (100_000, 50_000), (100_000, 100_000)):
        found = message_range(size, around=seq)
        assert found.first <= seq <= found.last
        assert not found.follows
    assert message_range(10, around=10**11).first <= 10
    assert message_range(10, first=10**11).first == 10
    assert message_range(200, first=150).moved(300) == MessageRange(150, 209, 300, False)


def test_sources_for_the_browser_and_in_words() -> None:
    assert (sources(11, 20), sources(4, 4), sources(5, 4)) == ("11-20", "4", "")
    assert (messages(1_011, 1_020), messages(4, 4)) == ("messages 1,011–1,020", "message 4")
