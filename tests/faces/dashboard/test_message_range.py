"""Which messages a page of a conversation shows."""

from __future__ import annotations

from erstwhile.dashboard.conversation import MOST, PAGE, ShownRange, choose_range, messages, sources


def test_the_newest_are_shown_first_and_followed() -> None:
    assert choose_range(0) == ShownRange(1, 1, 0, True)
    assert choose_range(10) == ShownRange(1, 10, 10, True)
    newest = choose_range(100_000)
    assert (newest.first, newest.last, newest.older, newest.newer) == (100_001 - PAGE, 100_000, 100_000 - PAGE, None)
    assert newest.moved(100_010) == ShownRange(newest.first, 100_010, 100_010, True)
    assert newest.moved(200_000) == ShownRange(200_001 - MOST, 200_000, 200_000, True)


def test_pages_follow_one_another_without_gap_or_overlap() -> None:
    seen: list[int] = []
    page = choose_range(1_000)
    while True:
        seen = [*range(page.first, page.last + 1), *seen]
        if page.older is None:
            break
        page = choose_range(1_000, last=page.older)
    assert seen == list(range(1, 1_001))
    forward = choose_range(1_000, first=1)
    assert (forward.older, forward.newer) == (None, PAGE + 1)


def test_a_message_is_found_wherever_it_is() -> None:
    for size, seq in ((1, 1), (59, 30), (100_000, 1), (100_000, 50_000), (100_000, 100_000)):
        found = choose_range(size, around=seq)
        assert found.first <= seq <= found.last
        assert not found.follows
    assert choose_range(10, around=10**11).first <= 10
    assert choose_range(10, first=10**11).first == 10
    assert choose_range(200, first=150).moved(300) == ShownRange(150, 209, 300, False)


def test_sources_for_the_browser_and_in_words() -> None:
    assert (sources(11, 20), sources(4, 4), sources(5, 4)) == ("11-20", "4", "")
    assert (messages(1_011, 1_020), messages(4, 4)) == ("messages 1,011–1,020", "message 4")
